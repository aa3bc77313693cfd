//! A writer of a JSON list of objects.

use crate::algorithm::column_of;
use crate::formats::prelude::*;
use crate::json::path_into;

/// A writer of `{"files":[{"path":...,"size":...,"digests":{"ALG":...}}]}`.
pub(super) struct List {
    style: Style,
    begun: bool,
}

impl List {
    pub(super) fn new(heading: &Heading) -> List {
        List { style: heading.style, begun: false }
    }
}

impl Compose for List {
    fn begin(&mut self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"{\"files\":[");
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        entry.has_no_algorithm_twice()?;
        text.extend_from_slice(if self.begun { b",\n{" } else { b"\n{" });
        path_into(&entry.path, text);
        if let Some(size) = entry.size {
            text.extend_from_slice(format!(",\"size\":{size}").as_bytes());
        }
        text.extend_from_slice(b",\"digests\":{");
        for (at, (spec, digest)) in entry.digests.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            let (name, digest) = (column_of(spec), self.style.spelling.of(digest));
            text.extend_from_slice(format!("{comma}\"{name}\":\"{digest}\"").as_bytes());
        }
        text.extend_from_slice(b"}}");
        self.begun = true;
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"\n]}\n");
        Ok(())
    }
}
