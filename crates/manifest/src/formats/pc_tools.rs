//! Output of `md5sums.exe` (PC-Tools): a banner, a header, and for each folder its path in brackets and a row for each file.

use super::console::Drive;
use crate::digest::{contains_like, is_long_hex, tagged};
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;

pub(crate) static PC_TOOLS: Format = Format {
    name: "md5sums-exe",
    summary: "output of md5sums.exe (PC-Tools): folders in brackets, and names with MD5 digests",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["md5"]), ..Capabilities::DIGESTS },
    sniff: |head| head.marked(is_header),
    reading: Reading::lines(|options| Box::new(List { options: options.clone(), ..List::default() })),
    ..Format::DEFAULT
};

fn is_header(line: &[u8]) -> bool {
    line.starts_with(b"[Path] / filename") && line.trim_ascii_end().ends_with(b"MD5 sum")
}

#[derive(Default)]
struct List {
    options: Options,
    has_header: bool,
    /// The folder of the rows that follow.
    folder: Vec<u8>,
    drive: Drive,
}

impl Parse for List {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = scan::trim_end(line);
        if is_header(line) {
            self.has_header = true;
            return Ok(None);
        }
        if !self.has_header {
            return if contains_like(line) { Err(Reason::NotALine) } else { Ok(None) };
        }
        if scan::all(line, |byte| byte == b'-') {
            return Ok(None);
        }
        if let Some(folder) = line.strip_prefix(b"[").and_then(|line| line.strip_suffix(b"]")) {
            // The name of a file may begin with a bracket.
            let last = &folder[scan::rfind(folder, scan::is_blank).map_or(0, |gap| gap + 1)..];
            if last.len() < folder.len() && is_long_hex(last) {
                return Err(Reason::Part("a digest in the name of a folder"));
            }
            if folder.len() > FOLDER_LIMIT {
                return Err(Reason::NameTooLong);
            }
            self.folder = folder.to_vec();
            return Ok(None);
        }
        let gap = scan::rfind(line, scan::is_blank).ok_or(Reason::NotALine)?;
        let name = scan::trim_end(&line[..gap]);
        let (spec, digest) =
            tagged("md5", &line[gap + 1..], &self.options).map_err(|reason| reason.of(name))?;
        if name.is_empty() {
            return Err(Reason::EmptyName);
        }
        let path = [&self.folder[..], name].concat();
        Ok(Some(Entry::new(&self.drive.relative(&path), spec, digest)))
    }
}
