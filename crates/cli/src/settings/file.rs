//! The settings file: TOML with keys and words. It is read completely, or rejected with the number
//! of the line.

use crate::exit::Refusal;
use crate::sources;
use std::io::Read;
use std::path::Path;
use toml_parser::decoder::ScalarKind;
use toml_parser::parser::{Event, EventKind, parse_document};
use toml_parser::{ParseError, Source, Span};
use truesum::Kind;
use truesum::error::io_reason;
use truesum::manifest::path::display_safe;
use truesum::open::open_companion;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Maximum size of a settings file in bytes.
const MOST: u64 = 64 << 10;

/// The number of a line, its key and its value.
pub type Line = (usize, String, String);

/// Returns the lines, keys and values of a file. A missing file is empty, unless it was `named`
/// explicitly.
///
/// # Errors
/// Fails if it cannot be read, or is not TOML with keys and words.
pub fn read(path: &Path, named: bool) -> Result<Vec<Line>, Refusal> {
    let shown = display_safe(path.as_os_str().as_bytes());
    let cannot = |why: &str| Refusal::new(format!("{shown}: cannot read settings: {why}"));
    let mut text = String::new();
    // The usual name for no settings, which is not a regular file.
    if path == Path::new("/dev/null") {
        return Ok(Vec::new());
    }
    match open_companion(path) {
        // A component of the path may not be a folder, or may be inaccessible, for example because
        // `sudo -u` kept the HOME of another user. In this case it is unknown whether there is a
        // file.
        Err(error)
            if !named
                && (error.is_missing()
                    || error.kind() == Kind::Denied && path.symlink_metadata().is_err()) =>
        {
            return Ok(Vec::new());
        }
        Err(error) => return Err(cannot(&error.reason())),
        Ok(file) => {
            Metadata::of(&file).iter().for_each(sources::keep);
            let read = file.take(MOST + 1).read_to_string(&mut text);
            read.map_err(|error| cannot(&io_reason(&error)))?;
        }
    }
    if text.len() as u64 > MOST {
        return Err(Refusal::new(format!("{shown}: cannot read settings: larger than 64 KiB")));
    }
    parse(&text).map_err(|(line, why)| Refusal::new(format!("{}: {why}", place(path, line))))
}

/// Returns a line of the file in the form for messages.
pub fn place(path: &Path, line: usize) -> String {
    format!("{}:{line}", display_safe(path.as_os_str().as_bytes()))
}

/// Returns keys and values with their lines, or the line of an error and its reason.
fn parse(text: &str) -> Result<Vec<Line>, (usize, String)> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let (mut events, mut failed) = (Vec::<Event>::new(), None::<ParseError>);
    parse_document(&tokens, &mut |event: Event| events.push(event), &mut failed);
    let line = |span: Span| text.as_bytes()[..span.start()].iter().filter(|byte| **byte == b'\n').count() + 1;
    let wrong = |error: &ParseError, span: Option<Span>| {
        let at = error.unexpected().or(error.context()).or(span).map_or(1, line);
        (at, format!("not valid TOML: {}", error.description()))
    };
    if let Some(error) = &failed {
        return Err(wrong(error, None));
    }
    let mut found: Vec<Line> = Vec::new();
    let mut in_list = false;
    for event in events {
        let span = event.span();
        let Some(raw) = source.get(event) else { continue };
        let mut word = String::new();
        match event.kind() {
            EventKind::SimpleKey => {
                raw.decode_key(&mut word, &mut failed);
                if found.iter().any(|(_, key, _)| *key == word) {
                    return Err((line(span), format!("{word}: set twice")));
                }
                found.push((line(span), word, String::new()));
            }
            EventKind::Scalar => {
                let kind = raw.decode_scalar(&mut word, &mut failed);
                let Some((_, key, value)) = found.last_mut() else { continue };
                if kind != ScalarKind::String && failed.is_none() {
                    let kind = match kind {
                        ScalarKind::Integer(_) => "an integer".to_owned(),
                        kind => format!("a {}", kind.description()),
                    };
                    return Err((line(span), format!("{key}: expected a quoted string, not {kind}")));
                }
                if in_list && !value.is_empty() {
                    value.push(',');
                }
                value.push_str(&word);
            }
            EventKind::ArrayOpen => in_list = true,
            EventKind::ArrayClose => in_list = false,
            EventKind::Comment => raw.decode_comment(&mut failed),
            EventKind::KeyValSep | EventKind::ValueSep | EventKind::Whitespace | EventKind::Newline => {}
            _ => {
                return Err((line(span), "expected a key and a value, such as color = \"never\"".to_owned()));
            }
        }
        if let Some(error) = &failed {
            return Err(wrong(error, Some(span)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed_with_line_numbers() {
        let text = "# mine\nalgorithm = [\"sha256\", 'md5']\n\n\"color\" = \"nev\\u0065r\" # none\n";
        let found: Vec<_> = parse(text).unwrap();
        let expected = [(2, "algorithm", "sha256,md5"), (4, "color", "never")];
        let expected: Vec<_> =
            expected.iter().map(|(n, k, v)| (*n, (*k).to_owned(), (*v).to_owned())).collect();
        assert_eq!(found, expected);
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn invalid_settings_file_is_rejected_with_its_line() {
        for (text, line) in [
            ("color = never\n", 1),
            ("\n\ncolor = \"never\n", 3),
            ("color = \"never\"\n[hash]\n", 2),
            ("a.b = \"c\"\n", 1),
            ("color = \"never\"\ncolor = \"auto\"\n", 2),
            ("progress = false\n", 1),
            ("color = { a = \"b\" }\n", 1),
            ("color\n", 1),
            ("color = \"a\" \"b\"\n", 1),
            ("\u{0}", 1),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.0, line, "{text:?}: {error:?}");
        }
    }
}
