//! Digests in metadata sections outside of a file's element, which refers to them by their identifiers: PREMIS in METS.

use super::pieces::attribute_value;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::HashMap;

/// An algorithm and a digest.
type Fixity = (String, String);

/// Returns the digests in `fixity` elements by the identifiers of the elements around them. Errors in the document are
/// those of the parser that reads the files.
pub(super) fn fixities(text: &str) -> HashMap<String, Vec<Fixity>> {
    let mut found: HashMap<String, Vec<Fixity>> = HashMap::new();
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    // The identifiers of open elements, and the text of the innermost one.
    let (mut open, mut content): (Vec<Option<String>>, String) = Default::default();
    let mut fixity = Fixity::default();
    while let Ok(event) = reader.read_event() {
        match event {
            Event::Start(tag) => {
                let is_id = |key: &[u8]| key == b"ID";
                let id = tag.attributes().flatten().find(|found| is_id(found.key.local_name().as_ref()));
                open.push(id.and_then(|id| attribute_value(&id, 0).ok()));
                if tag.local_name().as_ref() == b"fixity" {
                    fixity = Fixity::default();
                }
                content.clear();
            }
            Event::Text(text) => content.push_str(std::str::from_utf8(&text).unwrap_or_default()),
            Event::End(tag) => {
                let text = std::mem::take(&mut content).trim().to_owned();
                match tag.local_name().as_ref() {
                    b"messageDigestAlgorithm" => fixity.0 = text,
                    b"messageDigest" => fixity.1 = text,
                    b"fixity" => {
                        for id in open.iter().flatten() {
                            found.entry(id.clone()).or_default().push(fixity.clone());
                        }
                    }
                    _ => {}
                }
                open.pop();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    found
}
