//! `bag-info.txt`: labels and values, two of which are updated by every run.

use super::parts::{BagError, exists, plain, refused};
use crate::origin;
use crate::words::count;
use std::path::Path;
use truesum::verify::bag;

/// The label of the payload's size and number of files, which is always computed.
const OXUM: &str = "Payload-Oxum";
/// The label of the creation date: the specified one, or the day of the run.
const DATE: &str = "Bagging-Date";
const AGENT: &str = "Bag-Software-Agent";

/// Parses `LABEL=VALUE`.
///
/// # Errors
/// Returns why the label or the value is invalid.
pub fn field(text: &str) -> Result<(String, String), String> {
    let (label, value) = text.split_once('=').ok_or("expected LABEL=VALUE, such as Contact-Name=Ada")?;
    let (label, value) = (label.trim_matches(' '), value.trim_matches(' '));
    let control = |c: char| c.is_control();
    if label.is_empty() || label.contains(':') || label.contains(control) {
        return Err("a label must not be empty or contain a colon or control characters".to_owned());
    }
    if value.contains(control) {
        return Err("a value must be a single line without control characters".to_owned());
    }
    if label.eq_ignore_ascii_case(OXUM) {
        return Err("Payload-Oxum is computed and cannot be specified".to_owned());
    }
    Ok((label.to_owned(), value.to_owned()))
}

/// The existing content of `bag-info.txt`.
#[derive(Default)]
pub struct Info {
    /// Labels and values; a value includes its continuation lines.
    fields: Vec<(String, String)>,
    /// Whether the bag was created by another run, and possibly by another program.
    is_old: bool,
}

impl Info {
    /// Reads the file; a missing file has no fields.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not UTF-8.
    pub fn read(path: &Path, is_new: bool) -> Result<Info, BagError> {
        let mut fields: Vec<(String, String)> = Vec::new();
        if !exists(path) {
            return Ok(Info { fields, is_old: !is_new });
        }
        plain(path)?;
        for (at, line) in bag::info(path)?.lines().enumerate() {
            match (line.split_once(':'), fields.last_mut()) {
                _ if line.trim().is_empty() => {}
                (_, Some((_, value))) if line.starts_with([' ', '\t']) => {
                    value.push('\n');
                    value.push_str(line);
                }
                (Some((label, value)), _) if !line.starts_with([' ', '\t']) => {
                    fields.push((label.trim().to_owned(), value.trim().to_owned()));
                }
                _ => return Err(refused(path, &format!("line {}: expected LABEL: VALUE", at + 1))),
            }
        }
        Ok(Info { fields, is_old: !is_new })
    }

    /// Returns why `Payload-Oxum` contradicts the existing payload manifests, which list this number of files. `bytes` is
    /// their total size, if it is known.
    pub fn oxum_fault(&self, files: u64, bytes: Option<u64>) -> Option<String> {
        let mut values = self.fields.iter().filter(|(label, _)| label.eq_ignore_ascii_case(OXUM));
        let oxum = &values.next()?.1;
        if values.next().is_some() {
            return Some("Payload-Oxum occurs more than once".to_owned());
        }
        let numbers = oxum
            .split_once('.')
            .and_then(|(bytes, files)| Some((bytes.parse::<u64>().ok()?, files.parse::<u64>().ok()?)));
        let agrees =
            numbers.is_some_and(|(size, number)| number == files && bytes.is_none_or(|bytes| bytes == size));
        let size = bytes
            .map(|bytes| format!(" with a total of {bytes} {}", if bytes == 1 { "byte" } else { "bytes" }))
            .unwrap_or_default();
        let listed = count(files, "file", "files");
        (!agrees).then(|| format!("Payload-Oxum is {oxum:?}, but the payload manifests list {listed}{size}"))
    }

    /// Returns the text to write: the existing fields except those that are replaced, then the new
    /// ones, the date, and the size and number of files of the payload.
    pub fn text(self, given: &[(String, String)], bytes: u64, files: u64) -> String {
        let Info { mut fields, is_old } = self;
        let is = |label: &str, known: &str| label.eq_ignore_ascii_case(known);
        let agent = !is_old && !fields.iter().chain(given).any(|(label, _)| is(label, AGENT));
        fields.retain(|(label, _)| {
            !is(label, OXUM) && !is(label, DATE) && !given.iter().any(|(new, _)| is(label, new))
        });
        let date = given.iter().any(|(label, _)| is(label, DATE));
        let mut add = |label: &str, value: String| fields.push((label.to_owned(), value));
        given.iter().for_each(|(label, value)| add(label, value.clone()));
        if agent {
            add(AGENT, format!("truesum {}", origin::VERSION));
        }
        if !date {
            let today = origin::now().to_string();
            add(DATE, today.get(..10).unwrap_or_default().to_owned());
        }
        add(OXUM, format!("{bytes}.{files}"));
        fields.into_iter().map(|(label, value)| format!("{label}: {value}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_bag_info_replaces_old_values_and_keeps_the_rest() {
        let of = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(label, value)| (label.to_string(), value.to_string())).collect()
        };
        let fields = of(&[
            ("Contact-Name", "Ada\n  Lovelace"),
            ("bagging-date", "2001-01-01"),
            ("Payload-Oxum", "1.1"),
            ("X", "old"),
        ]);
        let given = of(&[("x", "new"), ("X", "too"), ("Bagging-Date", "2026-01-02")]);
        let text = Info { fields, is_old: true }.text(&given, 12, 3);
        assert_eq!(
            text,
            "Contact-Name: Ada\n  Lovelace\nx: new\nX: too\nBagging-Date: 2026-01-02\nPayload-Oxum: 12.3\n"
        );
    }

    #[test]
    fn bag_info_labels_and_values_are_single_line() {
        assert_eq!(field("A = b=c "), Ok(("A".to_owned(), "b=c".to_owned())));
        for text in ["A", "=b", "a:b=c", "a\n=b", "a=b\nc: d", "payload-oxum=1.1"] {
            assert!(field(text).is_err(), "{text:?}");
        }
    }
}
