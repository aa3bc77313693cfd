//! Parses the command line like GNU's `getopt_long`: options may be anywhere among the operands,
//! long ones may be abbreviated as long as they are unique, and `--` ends them. With
//! `POSIXLY_CORRECT` in the environment, the first operand ends them.

use super::program::Kind;

/// The meaning of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionMeaning {
    Algorithm,
    Base64,
    Binary,
    Bsd,
    Check,
    Debug,
    Help,
    IgnoreMissing,
    Length,
    Quiet,
    Raw,
    Status,
    Strict,
    Sysv,
    Tag,
    Text,
    Untagged,
    Version,
    Warn,
    Zero,
}

/// An option.
#[derive(Debug)]
pub(super) struct Row {
    pub ask: OptionMeaning,
    pub long: Option<&'static str>,
    pub short: Option<u8>,
    takes_value: bool,
    kinds: &'static [Kind],
}

use Kind::{B2sum, Cksum, OldSum, Sum};

const DIGESTS: &[Kind] = &[Sum, B2sum, Cksum];
const ALL: &[Kind] = &[Sum, B2sum, Cksum, OldSum];

const fn long(ask: OptionMeaning, long: &'static str, kinds: &'static [Kind]) -> Row {
    Row { ask, long: Some(long), short: None, takes_value: false, kinds }
}

const fn both(ask: OptionMeaning, short: u8, long: &'static str, kinds: &'static [Kind]) -> Row {
    Row { ask, long: Some(long), short: Some(short), takes_value: false, kinds }
}

const fn value(ask: OptionMeaning, short: u8, long: &'static str, kinds: &'static [Kind]) -> Row {
    Row { ask, long: Some(long), short: Some(short), takes_value: true, kinds }
}

/// All options, in the order in which messages list the possibilities for an ambiguous
/// abbreviation.
pub(super) static OPTIONS: &[Row] = &[
    value(OptionMeaning::Length, b'l', "length", &[B2sum, Cksum]),
    both(OptionMeaning::Check, b'c', "check", DIGESTS),
    long(OptionMeaning::IgnoreMissing, "ignore-missing", DIGESTS),
    long(OptionMeaning::Quiet, "quiet", DIGESTS),
    long(OptionMeaning::Status, "status", DIGESTS),
    both(OptionMeaning::Warn, b'w', "warn", DIGESTS),
    long(OptionMeaning::Strict, "strict", DIGESTS),
    long(OptionMeaning::Tag, "tag", DIGESTS),
    both(OptionMeaning::Zero, b'z', "zero", DIGESTS),
    value(OptionMeaning::Algorithm, b'a', "algorithm", &[Cksum]),
    long(OptionMeaning::Base64, "base64", &[Cksum]),
    long(OptionMeaning::Debug, "debug", &[Cksum]),
    long(OptionMeaning::Raw, "raw", &[Cksum]),
    long(OptionMeaning::Untagged, "untagged", &[Cksum]),
    both(OptionMeaning::Binary, b'b', "binary", DIGESTS),
    both(OptionMeaning::Text, b't', "text", DIGESTS),
    Row { ask: OptionMeaning::Bsd, long: None, short: Some(b'r'), takes_value: false, kinds: &[OldSum] },
    both(OptionMeaning::Sysv, b's', "sysv", &[OldSum]),
    long(OptionMeaning::Help, "help", ALL),
    long(OptionMeaning::Version, "version", ALL),
];

/// Returns the options of a program.
pub(super) fn of(kind: Kind) -> impl Iterator<Item = &'static Row> {
    OPTIONS.iter().filter(move |row| row.kinds.contains(&kind))
}

/// Iterates over the options of a command line; the remaining arguments are operands.
pub(super) struct Options<'a> {
    kind: Kind,
    args: std::slice::Iter<'a, Vec<u8>>,
    /// The rest of an argument with several short options.
    cluster: &'a [u8],
    operands: Vec<Vec<u8>>,
    posix: bool,
}

/// An option with its value, or why it is invalid.
pub(super) type ParsedOption<'a> = Result<(OptionMeaning, Option<&'a [u8]>), Vec<u8>>;

impl<'a> Options<'a> {
    pub(super) fn new(kind: Kind, args: &'a [Vec<u8>], posix: bool) -> Options<'a> {
        Options { kind, args: args.iter(), cluster: &[], operands: Vec::new(), posix }
    }

    /// Returns the operands, once there are no more options.
    pub(super) fn operands(mut self) -> Vec<Vec<u8>> {
        self.operands.extend(self.args.cloned());
        self.operands
    }

    fn short(&mut self, letter: u8, rest: &'a [u8]) -> ParsedOption<'a> {
        let Some(row) = of(self.kind).find(|row| row.short == Some(letter)) else {
            self.cluster = rest;
            return Err([b"invalid option -- '", &[letter][..], b"'"].concat());
        };
        self.cluster = if row.takes_value { &[] } else { rest };
        if !row.takes_value {
            return Ok((row.ask, None));
        }
        match rest {
            [] => match self.args.next() {
                Some(value) => Ok((row.ask, Some(value))),
                None => Err([b"option requires an argument -- '", &[letter][..], b"'"].concat()),
            },
            value => Ok((row.ask, Some(value))),
        }
    }

    fn long(&mut self, text: &'a [u8]) -> ParsedOption<'a> {
        let (name, value) = match text.iter().position(|&byte| byte == b'=') {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let starts = |row: &&Row| row.long.is_some_and(|long| long.as_bytes().starts_with(name));
        let rows: Vec<&Row> = of(self.kind).filter(starts).collect();
        let exact = rows.iter().find(|row| row.long.is_some_and(|long| long.len() == name.len()));
        let row = match (exact, rows.as_slice()) {
            (Some(row), _) => row,
            (None, [row]) => row,
            (None, []) => return Err([b"unrecognized option '--", text, b"'"].concat()),
            (None, rows) => {
                let mut message = [b"option '--", text, b"' is ambiguous; possibilities:"].concat();
                for long in rows.iter().filter_map(|row| row.long) {
                    message.extend_from_slice(format!(" '--{long}'").as_bytes());
                }
                return Err(message);
            }
        };
        let long = row.long.unwrap_or_default();
        match (row.takes_value, value) {
            (false, None) => Ok((row.ask, None)),
            (true, Some(value)) => Ok((row.ask, Some(value))),
            (false, Some(_)) => Err(format!("option '--{long}' doesn't allow an argument").into_bytes()),
            (true, None) => match self.args.next() {
                Some(value) => Ok((row.ask, Some(value))),
                None => Err(format!("option '--{long}' requires an argument").into_bytes()),
            },
        }
    }
}

impl<'a> Iterator for Options<'a> {
    type Item = ParsedOption<'a>;

    fn next(&mut self) -> Option<ParsedOption<'a>> {
        if let [letter, rest @ ..] = self.cluster {
            return Some(self.short(*letter, rest));
        }
        loop {
            let mut ahead = self.args.clone();
            let arg = ahead.next()?;
            match arg.as_slice() {
                b"--" => {
                    self.operands.extend(ahead.cloned());
                    self.args = [].iter();
                    return None;
                }
                [b'-', b'-', text @ ..] => {
                    self.args = ahead;
                    return Some(self.long(text));
                }
                [b'-', letter, rest @ ..] => {
                    self.args = ahead;
                    return Some(self.short(*letter, rest));
                }
                _ if self.posix => return None,
                _ => {
                    self.args = ahead;
                    self.operands.push(arg.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kind: Kind, posix: bool, line: &str) -> (Vec<String>, Vec<String>) {
        let args: Vec<Vec<u8>> = line.split_whitespace().map(|arg| arg.as_bytes().to_vec()).collect();
        let mut options = Options::new(kind, &args, posix);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut found = Vec::new();
        for option in &mut options {
            found.push(match option {
                Ok((ask, None)) => format!("{ask:?}"),
                Ok((ask, Some(value))) => format!("{ask:?}={}", text(value)),
                Err(message) => text(&message),
            });
        }
        (found, options.operands().iter().map(|operand| text(operand)).collect())
    }

    #[test]
    fn options_are_accepted_anywhere_before_the_double_dash() {
        let (found, operands) = parse(Kind::Sum, false, "a -bz b --che - --warn -- -c");
        assert_eq!(found, ["Binary", "Zero", "Check", "Warn"]);
        assert_eq!(operands, ["a", "b", "-", "-c"]);
        let (found, operands) = parse(Kind::Sum, true, "-b a -c");
        assert_eq!(
            (found.as_slice(), operands.as_slice()),
            (&["Binary".to_owned()][..], &["a".into(), "-c".into()][..])
        );
    }

    #[test]
    fn option_values_are_attached_or_the_next_argument() {
        let (found, operands) = parse(Kind::Cksum, false, "-amd5 -a md5 --algo=md5 --algo md5 -zl8 -l -- x");
        assert_eq!(
            found,
            [
                "Algorithm=md5",
                "Algorithm=md5",
                "Algorithm=md5",
                "Algorithm=md5",
                "Zero",
                "Length=8",
                "Length=--"
            ]
        );
        assert_eq!(operands, ["x"]);
    }

    #[test]
    fn invalid_options_are_reported_like_getopt() {
        let all = "option '--=' is ambiguous; possibilities: '--sysv' '--help' '--version'";
        for (kind, line, message) in [
            (Kind::Sum, "-x", "invalid option -- 'x'"),
            (Kind::Sum, "--foo=1", "unrecognized option '--foo=1'"),
            (Kind::Sum, "--t", "option '--t' is ambiguous; possibilities: '--tag' '--text'"),
            (Kind::Sum, "--s=1", "option '--s=1' is ambiguous; possibilities: '--status' '--strict'"),
            (Kind::Sum, "--che=1", "option '--check' doesn't allow an argument"),
            (Kind::B2sum, "--len", "option '--length' requires an argument"),
            (Kind::B2sum, "-l", "option requires an argument -- 'l'"),
            (Kind::OldSum, "--=", all),
        ] {
            assert_eq!(parse(kind, false, line).0, [message]);
        }
    }
}
