//! Tiger tree hashes in GNU's shape: 39 characters of base 32, two blanks, the name.

use crate::digest::of_bytes;
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::Reason;
use crate::{radix, scan};
use truesum_hash::Spec;

pub(crate) static TTH: Format = Format {
    name: "tth",
    file_names: &[".tth"],
    summary: "Tiger tree hash in base 32 and a name: named, and bad, because there is no such algorithm here",
    holds: Holds::DIGESTS,
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| !scan::is_empty(line))?;
        let (word, name) = scan::word(head.lines(b'\n').nth(at)?);
        let own = word.len() == 39 && radix::base32(word).is_some() && !name.is_empty();
        own.then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| Box::new(Lines { options: options.clone() }),
    },
    writing: Writing::No,
    tagged: None,
};

struct Lines {
    options: Options,
}

impl Parse for Lines {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        if scan::is_empty(line) {
            return Ok(None);
        }
        let end = scan::find(line, scan::is_blank).ok_or(Reason::NotALine)?;
        let (word, rest) = line.split_at(end);
        let name = rest.strip_prefix(b"  ").or(rest.strip_prefix(b" *")).ok_or(Reason::NotALine)?;
        "tth".parse::<Spec>().map_err(Reason::Algorithm)?;
        let bytes = radix::base32(word).ok_or(Reason::Part("the digest is not base 32"))?;
        let (spec, digest) = of_bytes("tth", &bytes, &self.options)?;
        Ok(Some(Entry::new(name, spec, digest)))
    }
}
