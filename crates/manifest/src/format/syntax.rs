//! The lines that the syntax of a document allows, whether or not they have a meaning for a manifest.

use crate::scan;

/// The syntax of the documents of a format. Lines that it does not allow may have been added by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Any text, or the parser of the format rejects what the syntax does not allow.
    Any,
    /// TOML: tables, keys and values, with one item of an array on a line.
    Toml,
    /// YAML in block style: keys, items, and blocks of text.
    Yaml,
    /// `KEY=VALUE` or `KEY: VALUE`, as in Java's properties and in `.SRCINFO`.
    Properties,
    /// `KEY: VALUE`, continued on indented lines. Lines of a text of SPDX do not count as such.
    TagValue,
    /// A script of a shell or of BitBake: assignments and functions.
    Shell,
}

/// How a line fits the syntax of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The format has no syntax for lines without an entry.
    Unknown,
    /// The syntax allows the line.
    Allowed,
    /// The syntax does not allow the line, or has a form that this reader does not know.
    Unexpected,
}

/// The state of a reader of lines of a [`Syntax`].
#[derive(Debug)]
pub(crate) struct SyntaxReader {
    syntax: Syntax,
    /// The text that ends what the last lines began.
    open: Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    /// A block of text in YAML below a key with this indentation.
    Block(usize),
    /// The body of a function.
    Function,
    /// An array in parentheses.
    Array,
    /// A string with this quotation mark.
    Quote(u8),
    /// A line that continues the last one.
    Continued,
}

impl SyntaxReader {
    pub(crate) fn new(syntax: Syntax) -> SyntaxReader {
        SyntaxReader { syntax, open: Open::Nothing }
    }

    /// Returns how the next line fits the syntax. Called with every line in order.
    pub(crate) fn fit(&mut self, line: &[u8]) -> Fit {
        match (self.syntax, self.allows(line)) {
            (Syntax::Any, _) => Fit::Unknown,
            (_, true) => Fit::Allowed,
            (_, false) => Fit::Unexpected,
        }
    }

    fn allows(&mut self, line: &[u8]) -> bool {
        let line = scan::trim_end(line.strip_suffix(b"\r").unwrap_or(line));
        let content = scan::trim_start(line);
        match self.syntax {
            Syntax::Any => true,
            _ if content.is_empty() => true,
            Syntax::Toml => is_toml(content),
            Syntax::Yaml => self.yaml(line.len() - content.len(), content),
            Syntax::Properties => {
                matches!(content[0], b'#' | b'!')
                    || key(content, b'=', true).or(key(content, b':', false)).is_some()
            }
            Syntax::TagValue => {
                let is_armor = line.starts_with(b"-----");
                // Nothing is between a key and its colon.
                let is_key = || scan::cut(line, b':').is_some_and(|(key, _)| !key.ends_with(b" "));
                is_armor || line[0] == b'#' || content != line || is_key() && key(line, b':', false).is_some()
            }
            Syntax::Shell => self.shell(line),
        }
    }

    fn yaml(&mut self, indent: usize, content: &[u8]) -> bool {
        if matches!(self.open, Open::Block(column) if indent > column) {
            return true;
        }
        self.open = Open::Nothing;
        let (mut item, mut column) = (content, indent);
        while let Some(inner) = item.strip_prefix(b"- ") {
            (item, column) = (scan::trim_start(inner), column + 2);
        }
        let value = key(item, b':', false);
        // The sign of a block follows a key or a dash.
        let sign = value.unwrap_or(if item.len() < content.len() { item } else { b"" });
        if matches!(sign, [b'|' | b'>', rest @ ..] if rest.iter().all(|byte| b"+-123456789".contains(byte))) {
            self.open = Open::Block(if value.is_some() { column } else { indent });
        }
        let is_mark = matches!(content, b"---" | b"..." | b"-") || content.starts_with(b"--- ");
        is_mark
            || content[0] == b'#'
            || content[0] == b'%' && indent == 0
            || item.len() < content.len()
            || value.is_some()
    }

    fn shell(&mut self, line: &[u8]) -> bool {
        /// Words before other commands, and commands without an effect on files.
        const WORDS: &[&[u8]] = &[
            b"if",
            b"then",
            b"else",
            b"elif",
            b"fi",
            b"for",
            b"do",
            b"done",
            b"while",
            b"until",
            b"case",
            b"esac",
            b"source",
            b".",
            b"eval",
            b"unset",
            b"export",
            b"declare",
            b"typeset",
            b"local",
            b"readonly",
            b"shopt",
            b"set",
            b"return",
            b"echo",
            b"printf",
            b"require",
            b"inherit",
            b"include",
            b"addtask",
            b"deltask",
            b"addhandler",
            b"EXPORT_FUNCTIONS",
            b"def",
            b"python",
            b"function",
            b"fakeroot",
        ];
        let content = scan::trim_start(line);
        let ends = |end: u8| scan::contains(line, &[end]);
        let was = self.open;
        self.open = match was {
            Open::Function if line[0] == b'}' => Open::Nothing,
            Open::Array if ends(b')') => Open::Nothing,
            Open::Quote(mark) if ends(mark) => Open::Nothing,
            Open::Continued if !line.ends_with(b"\\") => Open::Nothing,
            open => open,
        };
        // A brace begins a group of commands, or an object of JSON.
        if matches!(content[0], b'#' | b'[' | b'(' | b')' | b'{' | b'}' | b';')
            && !content.starts_with(b"{\"")
        {
            return true;
        }
        match was {
            Open::Nothing => {}
            // Lines that other programs append are not indented.
            Open::Function | Open::Array => return line[0] != content[0],
            _ => return true,
        }
        let is_function = scan::contains(content, b"()") && line.ends_with(b"{")
            || [&b"def "[..], b"function "].iter().any(|word| content.starts_with(word));
        if is_function {
            self.open = if line.ends_with(b"{") { Open::Function } else { Open::Nothing };
            return true;
        }
        let (first, _) = scan::word(content);
        if line.ends_with(b"\\") {
            self.open = Open::Continued;
        }
        let Some(value) = assigned(content) else {
            // Indented lines are those of functions and conditions.
            return line[0] != content[0] || scan::contains(content, b"()") || WORDS.contains(&first);
        };
        match value {
            [b'(', rest @ ..] if scan::find(rest, |byte| byte == b')').is_none() => self.open = Open::Array,
            [mark @ (b'"' | b'\''), rest @ ..]
                if self.open != Open::Continued && scan::find(rest, |byte| byte == *mark).is_none() =>
            {
                self.open = Open::Quote(*mark);
            }
            _ => {}
        }
        true
    }
}

/// Returns the value after a key and this sign. Without `is_close`, a blank or nothing follows the
/// sign.
fn key(line: &[u8], sign: u8, is_close: bool) -> Option<&[u8]> {
    let end = match line {
        [mark @ (b'"' | b'\''), rest @ ..] => scan::find(rest, |byte| byte == *mark)? + 2,
        _ => scan::find(line, |byte| !(byte.is_ascii_alphanumeric() || b"_-./@$+~".contains(&byte)))?,
    };
    let rest = scan::trim_start(&line[end..]);
    let value = rest.strip_prefix(&[sign]).filter(|_| end > 0)?;
    (is_close || value.first().copied().is_none_or(scan::is_blank)).then(|| scan::trim_start(value))
}

/// Returns the value that a script assigns to a variable. BitBake has conditions, indices and more operators than a shell.
fn assigned(line: &[u8]) -> Option<&[u8]> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:${}.@/%+".contains(&byte);
    let end = scan::find(line, |byte| !is_name(byte))?;
    let rest = match &line[end..] {
        [b'[', index @ ..] => scan::cut(index, b']')?.1,
        rest => rest,
    };
    let value = scan::trim_start(rest);
    let value = value.strip_prefix(b"??").or(value.strip_prefix(b"?")).unwrap_or(value);
    let value = [&b"="[..], b"+=", b".=", b":="].iter().find_map(|sign| value.strip_prefix(*sign))?;
    (end > 0)
        .then(|| scan::trim_start(value.strip_prefix(b"+").or(value.strip_prefix(b".")).unwrap_or(value)))
}

fn is_toml(line: &[u8]) -> bool {
    match line[0] {
        b'#' | b'[' | b']' | b'}' => true,
        // A table, but not an object of JSON.
        b'{' => {
            let content = scan::trim_start(&line[1..]);
            content.is_empty() || content[0] == b'}' || key(content, b'=', true).is_some()
        }
        // An item of an array, or a key.
        mark @ (b'"' | b'\'') => {
            let end = scan::find(&line[1..], |byte| byte == mark);
            end.is_some_and(|end| {
                let rest = scan::trim_start(&line[end + 2..]);
                matches!(rest, [] | [b']', ..] | [b'=' | b'.', ..])
                    || rest
                        .strip_prefix(b",")
                        .is_some_and(|rest| matches!(scan::trim_start(rest), [] | [b'#', ..]))
            })
        }
        _ => key(line, b'=', true).is_some_and(|value| {
            let is_number = || scan::all(value, |byte| byte.is_ascii_digit() || b"+-_.:eTZ ".contains(&byte));
            matches!(value, b"true" | b"false" | [b'"' | b'\'' | b'[' | b'{', ..]) || is_number()
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_syntax_are_allowed() {
        let cases: &[(Syntax, &str)] = &[
            (
                Syntax::Toml,
                "# a\n[[package]]\nname = \"a\"\n \"b 1 (c)\",\nd = [\n  { a = 1 },\n]\nx = true\n\"a b\" = \"c\"\nn = 1.5",
            ),
            (
                Syntax::Yaml,
                "---\na: b\n- c\n- d: |\n    any text\n\n    more\n  e: >-\n    text\n\"f g\": h\n- - i\n- |\n  text\n# j\n...",
            ),
            (Syntax::Properties, "# a\n! b\nc=d\ne.f = g\nh: i"),
            (Syntax::TagValue, "A: b\n more\nX-C:\nE: f"),
            (
                Syntax::Shell,
                "# a\na=b\nc=(d\n  e)\nf() {\n any\n}\nA:append = \"b \\\n  c \\\n\"\nA[b.c] = \"d\"\ninherit a b\ng='h\ni'\n\
                 if a; then\n  b\nfi\nB ?= \"c\"\npython d () {\n  e\n}\ndef f(d):\n    return g",
            ),
        ];
        for (syntax, text) in cases {
            let mut reader = SyntaxReader::new(*syntax);
            for line in text.lines() {
                assert!(reader.allows(line.as_bytes()), "{syntax:?}: {line}");
            }
        }
    }

    #[test]
    fn lines_of_other_programs_are_not_allowed() {
        // Lines with names that nothing marks, which no other rule recognizes.
        let digest = "0123456789abcdef".repeat(4);
        let lines = [
            format!("{digest}  name"),
            format!("  12  {digest}  name"),
            format!("\"SHA256\",\"{digest}\",\"name\""),
            format!("\"name\" {digest}"),
            format!("a name  {digest}"),
            "name,12,01234567,".to_owned(),
            "name:8:01234567:".to_owned(),
            "XXH3_0123456789abcdef  name".to_owned(),
            format!("{{\"sha256\":\"{digest}\"}}"),
        ];
        for syntax in [Syntax::Toml, Syntax::Yaml, Syntax::Properties, Syntax::TagValue, Syntax::Shell] {
            for line in &lines {
                // Fields and functions have indented lines.
                let is_indented = line.starts_with(' ') && matches!(syntax, Syntax::TagValue | Syntax::Shell);
                let allowed = SyntaxReader::new(syntax).allows(line.as_bytes());
                assert_eq!(allowed, is_indented, "{syntax:?}: {line}");
            }
        }
    }
}
