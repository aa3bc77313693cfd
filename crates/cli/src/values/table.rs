//! Values that name a row of a table: algorithms, formats and encodings.
//!
//! They are read from their tables, so a new row becomes an option value, a completion and a line
//! in the manual page without a change here.

use crate::values::similar::distance;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsStr;
use truesum::hash::{ALGORITHMS, KEYED, Size, Spec, SpecError};
use truesum::manifest::encoding::{ENCODINGS, encoding};
use truesum::manifest::{FORMATS, Format, Spelling};

/// Parses names such as `sha256` or `blake2b-256`, and offers the names in the table. For commands
/// without a key: a name that requires a key is rejected.
#[derive(Clone)]
pub struct SpecParser;

/// Does the same for commands that accept a key or compute nothing.
#[derive(Clone)]
pub struct KeyedSpecParser;

/// Does the same for commands that compute digests of files: a digest that depends on the file name gets that of each
/// file.
#[derive(Clone)]
pub struct FileSpecParser;

impl TypedValueParser for SpecParser {
    type Value = Spec;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Spec, clap::Error> {
        let spec = KeyedSpecParser.parse_ref(command, arg, value)?;
        if spec.lacks_key() {
            let why = format!("{spec} needs a key, which this command does not accept");
            return Err(refuse(command, arg, &value.to_string_lossy(), why));
        }
        Ok(spec)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        offered(ALGORITHMS.iter().map(|row| (row.name(), row.summary())))
    }
}

impl TypedValueParser for KeyedSpecParser {
    type Value = Spec;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Spec, clap::Error> {
        parsed(command, arg, value, Spec::typed)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let rows = ALGORITHMS.iter().chain(KEYED.iter().copied().flatten());
        offered(rows.map(|row| (row.name(), row.summary())))
    }
}

impl TypedValueParser for FileSpecParser {
    type Value = Spec;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Spec, clap::Error> {
        parsed(command, arg, value, Spec::typed_without_name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        KeyedSpecParser.possible_values()
    }
}

fn parsed(
    command: &clap::Command,
    arg: Option<&clap::Arg>,
    value: &OsStr,
    parse: fn(&str) -> Result<Spec, SpecError>,
) -> Result<Spec, clap::Error> {
    let text = value.to_string_lossy();
    let explained = |error: SpecError| match meant(&text) {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    };
    parse(&text).map_err(|error| refuse(command, arg, &text, explained(error)))
}

/// Returns a hint on a text that is not an algorithm: the name of a format, or a name with the part
/// size in another notation.
fn meant(text: &str) -> Option<String> {
    if let Some(format) = truesum::manifest::format(text) {
        return Some(format!("this is a format: use -t {}", format.name()));
    }
    let (head, size) = text.rsplit_once(['=', '-', ':', ';'])?;
    let Size(bytes) = size.parse().ok()?;
    let name = head.split(';').next()?.trim_end_matches("part").trim_end_matches('-');
    let spec: Spec = if name.is_empty() { "s3-etag" } else { name }.parse().ok()?;
    // The size is shown even if it is the default, because the user specified it.
    Some(format!("use -a '{}'", spec.with_unit(bytes).ok()?.name_with_unit()?))
}

/// Returns a list of algorithms with the commas within names replaced: `crc:width=16,poly=0x1021`
/// and `haval256,5`.
pub fn whole_names(list: &str) -> String {
    let mut whole = String::with_capacity(list.len());
    for (at, part) in list.split(',').enumerate() {
        let (name, digit) = (whole.rsplit(',').next().unwrap_or_default(), part.len() == 1);
        whole.push_str(match name {
            _ if at == 0 => "",
            name if name.to_ascii_lowercase().contains("crc:") && is_parameter(part) => ";",
            name if name.contains("haval") && digit => "-",
            _ => ",",
        });
        whole.push_str(part);
    }
    whole
}

/// Parses the name of a manifest format.
#[derive(Clone)]
pub struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = &'static Format;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static Format, clap::Error> {
        let text = value.to_string_lossy();
        let why = || match text.parse::<Spec>() {
            Ok(_) => format!("this is an algorithm, not a format: use -a {text}"),
            Err(_) => match &similar_formats(&text)[..] {
                [] => "unknown format (see truesum list formats)".to_owned(),
                names => format!("unknown format (did you mean {}?)", names.join(" or ")),
            },
        };
        truesum::manifest::format(&text).ok_or_else(|| refuse(command, arg, &text, why()))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        offered(FORMATS.iter().map(|row| (row.name(), row.summary())))
    }
}

/// Maximum number of formats that are suggested.
const SUGGESTED: usize = 3;

/// Returns the formats that an unknown name may mean, in quotes: those with a similar name, or else
/// with that word in their description.
fn similar_formats(text: &str) -> Vec<String> {
    let text = text.to_ascii_lowercase();
    // Programs that write lines of digests and names.
    let of_program = text.strip_suffix("sum").is_some_and(|name| name.parse::<Spec>().is_ok());
    if of_program || text == "coreutils" {
        return vec!["'gnu'".to_owned()];
    }
    let shares_begin = |name: &str| name.len() > 2 && (name.starts_with(&text) || text.starts_with(name));
    let is_word = |summary: &str| {
        summary.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(&text))
    };
    let rank = |row: &Format| match distance(&text, row.name()) {
        edits if edits <= 2 && edits < row.name().len() / 2 => Some((0, edits)),
        _ if text.len() > 2 && shares_begin(row.name()) => Some((1, row.name().len().abs_diff(text.len()))),
        _ if text.len() > 2 && is_word(row.summary()) => Some((2, 0)),
        _ => None,
    };
    let mut ranked: Vec<_> = FORMATS.iter().filter_map(|row| Some((rank(row)?, row.name()))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().take(SUGGESTED).map(|(_, name)| format!("'{name}'")).collect()
}

/// Parses the name of an encoding of digests.
#[derive(Clone)]
pub struct EncodingParser;

impl TypedValueParser for EncodingParser {
    type Value = Spelling;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Spelling, clap::Error> {
        let text = value.to_string_lossy();
        match encoding(&text).map(|row| (row.name(), row)) {
            Some(("hex", _)) => Ok(Spelling::Hex),
            Some(("hexupper", _)) => Ok(Spelling::HexUpper),
            Some(("base64", _)) => Ok(Spelling::Base64),
            Some(("base32", _)) => Ok(Spelling::Base32),
            Some((_, row)) => Ok(Spelling::Other(row)),
            None => {
                let names: Vec<&str> = ENCODINGS.iter().map(|row| row.name()).collect();
                Err(refuse(
                    command,
                    arg,
                    &text,
                    format!("unknown encoding; the encodings are {}", names.join(", ")),
                ))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        offered(ENCODINGS.iter().map(|row| (row.name(), row.summary())))
    }
}

/// Returns the rows of a table as values with descriptions.
fn offered(
    rows: impl Iterator<Item = (&'static str, &'static str)> + 'static,
) -> Option<Box<dyn Iterator<Item = PossibleValue>>> {
    Some(Box::new(rows.map(|(name, summary)| PossibleValue::new(name).help(summary))))
}

fn refuse(command: &clap::Command, arg: Option<&clap::Arg>, value: &str, why: String) -> clap::Error {
    let option = arg.map(ToString::to_string).unwrap_or_default();
    let mut error = clap::Error::raw(ErrorKind::ValueValidation, format!("invalid value '{value}': {why}\n"))
        .with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(option));
    error
}

/// Returns whether a text is a parameter of a CRC.
fn is_parameter(text: &str) -> bool {
    let keys = ["width", "poly", "init", "refin", "refout", "xorout", "check", "residue", "name"];
    text.split_once('=').is_some_and(|(key, _)| keys.contains(&key.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::whole_names;

    #[test]
    fn commas_within_algorithm_names_do_not_split_them() {
        for (list, whole) in [
            ("sha256,md5", "sha256,md5"),
            (
                "md5,crc:width=16,poly=0x1021,init=0xffff,sha1",
                "md5,crc:width=16;poly=0x1021;init=0xffff,sha1",
            ),
            ("crc:width=8,poly=7,xxh64;seed=5", "crc:width=8;poly=7,xxh64;seed=5"),
            ("haval256,5,haval128,3,md5", "haval256-5,haval128-3,md5"),
            ("--algorithm=crc:width=8,poly=7", "--algorithm=crc:width=8;poly=7"),
            ("sha256,leaf=1", "sha256,leaf=1"),
            ("", ""),
            (",md5", ",md5"),
        ] {
            assert_eq!(whole_names(list), whole);
        }
    }
}
