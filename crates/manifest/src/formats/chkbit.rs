//! Indexes of chkbit: `.chkbit` in each folder, with the files in that folder, or `.chkbit-db` with the files of all
//! folders.

use crate::formats::prelude::*;
use crate::json::Text;
use crate::records::Records;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

pub(crate) static CHKBIT: Format = Format {
    name: "chkbit",
    file_names: &[".chkbit", ".chkbit-db"],
    summary: "indexes of chkbit: names, sizes and digests of the files in a folder, or in all folders",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["blake3", "sha512", "md5"]),
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head: &Head<'_>| {
        let text = &head.text[..head.text.len().min(256)];
        let text: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let is_index = text.starts_with(b"{\"v\":") && scan::contains(&text, b",\"idx\":{");
        Claim::mark(is_index || text.starts_with(b"{\"type\":\"chkbit\""))
    },
    reading: Reading::document(64 << 20, parse),
    ..Format::DEFAULT
};

/// The index of one folder. `idx_hash` is a digest of the text of `idx`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Index<'t> {
    #[serde(rename = "v")]
    version: u64,
    #[serde(borrow)]
    idx: Map<'t, File<'t>>,
    #[serde(rename = "idx_hash")]
    _idx_hash: IgnoredAny,
    #[serde(rename = "dirlist", default)]
    _dirlist: IgnoredAny,
}

/// The indexes of all folders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Database<'t> {
    #[serde(rename = "type")]
    _type: IgnoredAny,
    version: u64,
    #[serde(borrow)]
    data: Map<'t, Index<'t>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File<'t> {
    #[serde(rename = "mod")]
    _mtime: IgnoredAny,
    #[serde(borrow, rename = "a")]
    algorithm: Option<Text<'t>>,
    #[serde(borrow, rename = "h")]
    digest: Option<Text<'t>>,
    #[serde(rename = "s")]
    size: Option<u64>,
    /// The digest in indexes of the first versions.
    #[serde(borrow)]
    md5: Option<Text<'t>>,
}

/// The members of an object, in order.
struct Map<'t, V>(Vec<(Cow<'t, str>, V)>);

impl<'de: 't, 't, V: Deserialize<'de>> Deserialize<'de> for Map<'t, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Map<'t, V>, D::Error> {
        struct MapVisitor<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for MapVisitor<V> {
            type Value = Map<'de, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<'de, V>, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry::<Text<'de>, V>()? {
                    members.push((key, value));
                }
                Ok(Map(members))
            }
        }
        deserializer.deserialize_map(MapVisitor(PhantomData))
    }
}

/// The version of the index of a folder, and that of an index of all folders.
const VERSIONS: (u64, u64) = (2, 6);

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let is_database = text.windows(6).take(64).any(|part| part == b"\"type\"");
    let folders = match is_database {
        true => {
            serde_json::from_slice(&text).map(|all: Database<'_>| (all.version == VERSIONS.1, all.data.0))
        }
        false => serde_json::from_slice(&text).map(|one| (true, vec![(Cow::Borrowed(""), one)])),
    };
    let (is_known, folders): (bool, Vec<(Cow<'_, str>, Index<'_>)>) = folders.map_err(|error| {
        let what = Reason::Message(format!("not a readable index of chkbit ({error})"));
        LineError { at: Place::Byte(0), reason: what }
    })?;
    let mut records = Records::new(options);
    if !is_known || folders.iter().any(|(_, index)| index.version != VERSIONS.0) {
        records.bad(0, "an index of another version of chkbit");
        return Ok(records.read(options));
    }
    for (folder, index) in folders {
        for (name, file) in index.idx.0 {
            // A name with escapes is not a slice of the text.
            records.begin(scan::offset_in(&text, name.as_bytes()).unwrap_or(0));
            let separator = if folder.is_empty() { "" } else { "/" };
            records.name([&folder, separator, &name].concat().as_bytes());
            if let Some(size) = file.size {
                records.size(size.to_string().as_bytes());
            }
            match (file.algorithm, file.digest, file.md5) {
                (Some(Text(tag)), Some(Text(digest)), None) => {
                    records.digest(tag.as_bytes(), digest.as_bytes());
                }
                (None, None, Some(Text(md5))) => records.digest(b"md5", md5.as_bytes()),
                (_, None, None) => {}
                _ => records.fault("a digest without its algorithm, or two digests"),
            }
            records.attribute(b"mod");
        }
    }
    Ok(records.read(options))
}
