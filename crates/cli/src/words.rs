//! Formats numbers, times and names for users.

use std::ffi::OsStr;
use std::path::Path;
use truesum::hash::Spec;
use truesum::manifest::Rule;
use truesum::manifest::path::display_safe;
use truesum::manifest::weak;
use truesum_fs::name::OsStrExt;

/// Returns `1 file`, `2 files`, `1,234 files`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// Returns a number with thousands separators.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number of bytes for users: `1.2 GiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 9.95 { 1 } else { 0 };
    format!("{value:.digits$} {}", UNITS[unit])
}

/// Returns a duration for users: `4 s`, `3:20 min`, `2:05 h`.
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.ceil().min(1e9) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        _ => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
    }
}

/// Returns what a matching digest of this weak algorithm does not prove.
pub fn not_shown(name: &str) -> &'static str {
    let spec: Option<Spec> = name.parse().ok();
    match spec.is_some_and(|spec| weak::verdict(&spec) == weak::Strength::Sampled) {
        true => "only samples are hashed, so most bytes were not compared",
        false => "no protection against tampering",
    }
}

/// A placeholder in a hint, directly after a command: the console replaces it by those options of the running command
/// that the named command also has.
pub const SAME_OPTIONS: char = '\u{1}';

/// Returns notes on the algorithms that read only samples.
pub fn sampled(specs: &[Spec]) -> impl Iterator<Item = String> {
    let sampled = specs.iter().filter(|spec| weak::verdict(spec) == weak::Strength::Sampled);
    sampled.map(|spec| format!("{spec} covers only parts of a file: {}", spec.algorithm().status().reason()))
}

/// Returns a word as it is typed in a shell: quoted if necessary.
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let shown = display_safe(word.as_ref().as_bytes());
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=@%+,".contains(&byte) || !byte.is_ascii();
    match word.as_ref().to_str() {
        // Names with characters that cannot be shown are quoted already.
        Some(text) if text == shown && (text.is_empty() || !text.bytes().all(is_plain)) => {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
        _ => shown,
    }
}

/// Returns a path as it is typed in a shell where it must not be mistaken for an option. `-` is
/// standard input.
pub fn path_word(path: impl AsRef<OsStr>) -> String {
    let path = path.as_ref();
    let is_like_option = path.len() > 1 && path.as_bytes().starts_with(b"-");
    if is_like_option { shell_word(Path::new(".").join(path)) } else { shell_word(path) }
}

/// Returns notes on algorithms whose digests `check` rejects by default, because they are sampled or
/// too short.
pub fn rejected(specs: &[Spec]) -> impl Iterator<Item = String> {
    let short = specs.iter().filter(|spec| weak::verdict(spec) == weak::Strength::TooShort);
    sampled(specs).chain(short.map(|spec| {
        let (bits, name) = (spec.digest_len() * 8, spec.algorithm().name());
        format!(
            "{spec}: {bits} bits are too few, so truesum check accepts these digests only with --allow-weak and -a {name}-{bits}"
        )
    }))
}

/// Returns a text as a sentence: with a capital letter and a full stop.
pub fn as_sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// Returns `head` and the words of `about` as lines of at most `width` columns, indented by the width of `head`.
pub fn wrapped(head: &str, about: &str, width: usize) -> String {
    let indent = " ".repeat(head.chars().count());
    let (mut text, mut line, mut is_first) = (String::new(), head.to_owned(), true);
    for word in about.split(' ') {
        if !is_first && line.chars().count() + 1 + word.chars().count() > width {
            text += &line;
            text.push('\n');
            line.clone_from(&indent);
            is_first = true;
        }
        if !is_first {
            line.push(' ');
        }
        line += word;
        is_first = false;
    }
    text + &line + "\n"
}

/// The maximum number of rules that are printed.
const SHOWN_RULES: usize = 20;

/// Returns the include and exclude rules as text.
pub fn rules(rules: &[Rule]) -> String {
    let shown = rules.iter().take(SHOWN_RULES).map(|rule| display_safe(rule.to_string().as_bytes()));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if rules.len() > SHOWN_RULES {
        text += &format!(" and {} more", rules.len() - SHOWN_RULES);
    }
    text
}

/// Returns the names of algorithms as a list.
pub fn names(specs: &[Spec]) -> String {
    specs.iter().map(Spec::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_by_commas() {
        let numbers = [0, 12, 999, 1000, 12_345, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "12", "999", "1,000", "12,345", "1,234,567"]);
        assert_eq!(count(1, "file", "files"), "1 file");
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        let words = ["a-b/c.d", "s3-etag;part=8MiB", "it's", "", "a\nb"].map(shell_word);
        assert_eq!(words, ["a-b/c.d", "'s3-etag;part=8MiB'", "'it'\\''s'", "''", "'a'$'\\n''b'"]);
    }

    #[test]
    fn paths_cannot_be_mistaken_for_options() {
        assert_eq!(
            ["-x", "--all", "a-b", "-", "-a b"].map(path_word),
            ["./-x", "./--all", "a-b", "-", "'./-a b'"]
        );
    }

    #[test]
    fn sizes_and_times_are_formatted_briefly() {
        let sizes = [0, 999, 1000, 1536, 20_000, 1 << 20, 5 << 30, u64::MAX].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 KiB", "1.5 KiB", "20 KiB", "1.0 MiB", "5.0 GiB", "16 EiB"]);
        assert_eq!([0.2, 59.0, 60.0, 3725.0].map(clock), ["1 s", "59 s", "1:00 min", "1:02 h"]);
    }
}
