//! Output of `7z h`: a table whose line of dashes defines the columns. Sizes are between digests
//! and names.

use crate::digest::tagged;
use crate::formats::prelude::*;

pub(crate) static SEVEN_ZIP: Format = Format {
    name: "7z-h",
    summary: "output of 7z h: a table of digests, sizes and names",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| {
        let mut names = false;
        head.marked(|line| {
            let here = names && is_rule(line);
            names = heading(line).is_some();
            here
        })
    },
    reading: Reading::lines(|options| Box::new(Table { options: options.clone(), ..Table::default() })),
    ..Format::DEFAULT
};

/// Returns the algorithms of the columns before `Size` and `Name`, or `None` if the line is not a
/// header.
fn heading(line: &[u8]) -> Option<Vec<String>> {
    if line.len() > 4096 {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?;
    let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
    if words.pop() != Some("Name") || words.pop() != Some("Size") || words.is_empty() {
        return None;
    }
    let name = |word: &str| match word {
        "CRC64" => "crc64xz".to_owned(),
        word => word.to_ascii_lowercase(),
    };
    Some(words.into_iter().map(name).collect())
}

fn is_rule(line: &[u8]) -> bool {
    line.starts_with(b"-----") && scan::all(line, |byte| matches!(byte, b'-' | b' ' | b'\r'))
}

/// How the lines around the tables begin; all others are reports of problems, or do not belong to
/// the output.
const AROUND: [&[u8]; 15] = [
    b"7-Zip ",
    b"7-Zip(",
    b"p7zip Version ",
    b"64-bit ",
    b"32-bit ",
    b"Scanning",
    b"Folders: ",
    b"Files: ",
    b"Size: ",
    b"Alternate Streams",
    b"Everything is Ok",
    b"Kernel  Time = ",
    b"User    Time = ",
    b"Process Time = ",
    b"Global  Time = ",
];

/// Returns true for a line such as `1 folder, 3 files, 57 bytes (1 KiB)`.
fn is_count(text: &[u8]) -> bool {
    let (number, rest) = scan::word(text);
    let (unit, _) = scan::word(rest);
    scan::decimal(number).is_some()
        && matches!(unit.strip_suffix(b",").unwrap_or(unit), b"folder" | b"folders" | b"file" | b"files")
}

/// The parser's position in the output.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Before,
    Heading,
    Rows,
    /// The next line contains the sums of the table.
    Sums,
    After,
}

#[derive(Default)]
struct Table {
    options: Options,
    names: Vec<String>,
    part: Part,
    /// The offsets at which the columns before the name end.
    ends: Vec<usize>,
}

impl Table {
    fn rule(&mut self, line: &[u8]) {
        self.ends.clear();
        for at in 1..line.len() {
            if line[at] == b' ' && line[at - 1] == b'-' {
                self.ends.push(at);
            }
        }
    }

    /// Returns true for a line that 7-Zip prints around its tables.
    fn is_around(&self, line: &[u8]) -> bool {
        let text = scan::trim(line);
        // `SHA256 for data and names:  DIGEST`
        let (first, rest) = scan::word(text);
        let is_named = |name: &String| {
            first.eq_ignore_ascii_case(name.as_bytes()) || name == "crc64xz" && first == b"CRC64"
        };
        text.is_empty()
            || AROUND.iter().any(|begin| text.starts_with(begin))
            || is_count(text)
            || rest.starts_with(b"for data") && self.names.iter().any(is_named)
    }

    /// Returns true for the line below a table: a sum for each column of digests, and the total size.
    fn is_sums(&self, line: &[u8]) -> bool {
        let words: Vec<&[u8]> =
            line.split(|&byte| scan::is_blank(byte)).filter(|word| !word.is_empty()).collect();
        let is_sum = |word: &&[u8]| scan::all(word, |byte| byte.is_ascii_hexdigit() || byte == b'-');
        match words.split_last() {
            Some((size, sums)) => {
                scan::decimal(size).is_some() && sums.len() <= self.names.len() && sums.iter().all(is_sum)
            }
            None => false,
        }
    }

    fn row(&self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let mut begin = 0;
        let mut cells = Vec::new();
        for &end in &self.ends {
            cells.push(scan::trim(line.get(begin..end).ok_or(Reason::NotALine)?));
            begin = end;
        }
        let name = line.get(begin..).and_then(|rest| rest.strip_prefix(b"  ")).ok_or(Reason::NotALine)?;
        let size = cells.pop().ok_or(Reason::NotALine)?;
        if size.is_empty() && cells.iter().all(|cell| cell.is_empty()) {
            return Ok(None);
        }
        let mut entry = Entry {
            path: name.to_vec(),
            size: Some(scan::decimal(size).ok_or(Reason::Size)?),
            ..Entry::default()
        };
        for (name, cell) in self.names.iter().zip(cells) {
            entry.digests.push(tagged(name, cell, &self.options)?);
        }
        Ok(Some(entry))
    }
}

impl Parse for Table {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        match self.part {
            Part::Sums if self.is_sums(line) => {
                self.part = Part::After;
                Ok(None)
            }
            Part::Before | Part::Sums | Part::After => {
                if let Some(names) = heading(line) {
                    self.names = names;
                    self.part = Part::Heading;
                    return Ok(None);
                }
                match self.is_around(line) {
                    true => Ok(None),
                    false if self.part == Part::Before => Err(Reason::NotALine),
                    false => {
                        self.part = Part::After;
                        Err(Reason::Part("a line outside a table"))
                    }
                }
            }
            Part::Heading => {
                self.part = if is_rule(line) { Part::Rows } else { Part::Before };
                self.rule(line);
                if self.ends.len() != self.names.len() + 1 {
                    self.part = Part::After;
                    return Err(Reason::Part("the line of dashes does not match the header"));
                }
                Ok(None)
            }
            Part::Rows if is_rule(line) => {
                self.part = Part::Sums;
                Ok(None)
            }
            Part::Rows => self.row(line),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        match self.part {
            Part::Rows | Part::Heading => Err(Reason::Part("the table is truncated")),
            Part::Before | Part::Sums | Part::After => Ok(None),
        }
    }
}
