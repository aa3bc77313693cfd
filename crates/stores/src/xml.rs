//! Reads the needed elements of XML answers: lists of objects, and error messages.

use quick_xml::Reader;
use quick_xml::events::Event;

/// Reads the text of elements, each with its path from the root, such as `Contents/Key`.
///
/// Calls `each` for one after the other, in order; an element without text is passed once with an empty one when it
/// ends.
///
/// # Errors
/// The input is not XML, or the document ends before its root element does.
pub(crate) fn elements(xml: &[u8], mut each: impl FnMut(&str, &str)) -> Result<(), String> {
    let bad = |error: &dyn std::fmt::Display| format!("the response is not the expected XML: {error}");
    let mut reader = Reader::from_reader(xml);
    let (mut path, mut text, mut seen) = (Vec::<String>::new(), String::new(), false);
    loop {
        match reader.read_event().map_err(|error| bad(&error))? {
            Event::Start(tag) => {
                path.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
                text.clear();
                seen = true;
            }
            Event::Empty(tag) => {
                path.push(String::from_utf8_lossy(tag.local_name().as_ref()).into_owned());
                each(&path[1..].join("/"), "");
                path.pop();
                seen = true;
            }
            Event::Text(part) => text += &part.decode().map_err(|error| bad(&error))?,
            Event::CData(part) => text += &part.decode().map_err(|error| bad(&error))?,
            Event::GeneralRef(name) => match name.resolve_char_ref().map_err(|error| bad(&error))? {
                Some(character) => text.push(character),
                None => {
                    let name = name.decode().map_err(|error| bad(&error))?;
                    let named = quick_xml::escape::resolve_predefined_entity(&name);
                    text += named.ok_or_else(|| bad(&format!("&{name};")))?;
                }
            },
            Event::End(_) => {
                if path.len() > 1 {
                    each(&path[1..].join("/"), &text);
                }
                text.clear();
                path.pop();
            }
            Event::Eof if seen && path.is_empty() => return Ok(()),
            Event::Eof => return Err(bad(&"it ends too early")),
            _ => {}
        }
    }
}

/// Returns the first text at this path; empty if there is none.
pub(crate) fn text(xml: &[u8], wanted: &str) -> String {
    let mut found = None;
    // Elements before an error count: error answers are often truncated.
    let _ = elements(xml, |path, text| {
        if path == wanted && found.is_none() {
            found = Some(text.to_owned());
        }
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_elements_have_paths_and_text() {
        let xml =
            b"<?xml version=\"1.0\"?><R xmlns=\"x\"><C><K>a&amp;b&#10;<![CDATA[<]]></K><E/></C><N>1</N></R>";
        let mut seen = Vec::new();
        elements(xml, |path, text| seen.push(format!("{path}={text}"))).unwrap();
        assert_eq!(seen, ["C/K=a&b\n<", "C/E=", "C=", "N=1"]);
        assert_eq!(text(b"<Error><Code>NoSuchKey</Code>", "Code"), "NoSuchKey");
        for bad in [&b"<R><C>"[..], b"", b"{}", b"<R>&none;</R>"] {
            assert!(elements(bad, |_, _| {}).is_err());
        }
    }
}
