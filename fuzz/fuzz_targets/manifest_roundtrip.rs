//! Any name, in every format: everything written can be read back, and everything refused is refused for the reason
//! that the format's row gives.
#![no_main]

use libfuzzer_sys::fuzz_target;
use truesum_manifest::{
    AlgorithmSource, Entry, FORMATS, Heading, NAME_LIMIT, Names, Options, Reader, Writer, Writing,
};

fuzz_target!(|name: &[u8]| {
    // Torrent entries need digests of pieces.
    for format in FORMATS.iter().filter(|format| format.capabilities().pieces().is_none()) {
        let spec = format.capabilities().usual_algorithm();
        let entry = Entry { size: Some(3), ..Entry::new(name, spec.clone(), spec.digest(b"")) };
        let mut writer = Writer::new(Vec::new(), format, &Heading::default());
        let written = writer.write(&entry).is_ok();
        let possible = !name.is_empty() && !name.contains(&0) && name.len() <= NAME_LIMIT;
        assert!(!written || possible);
        assert!(
            written
                || !possible
                || format.capabilities().names() != Names::Bytes
                || matches!(format.writing(), Writing::No)
        );
        let Ok(text) = writer.finish() else { continue };
        // The algorithm of a bag's manifest is in its name.
        let manifest = format!("manifest-{spec}.txt");
        let named = match format.capabilities().algorithm_source() {
            AlgorithmSource::FileName => Options::for_name(manifest.as_bytes()),
            _ => Options::default(),
        };
        let options = named.format(Some(format));
        let found: Vec<Entry> =
            Reader::new(&text[..], options).filter_map(Result::ok).map(|line| line.entry).collect();
        assert_eq!(found, if written { vec![format.capabilities().as_read(&entry)] } else { Vec::new() });
    }
});
