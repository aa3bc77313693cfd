//! Property tests: the reader returns what a writer wrote, and handles every input without a panic.

use proptest::prelude::*;
use truesum_hash::{ALGORITHMS, Digest, Lengths, Spec};
use truesum_manifest::path::{Charset, display_safe, escape_into, quotef, unescape, within_root};
use truesum_manifest::{
    AlgorithmSource, Algorithms, Entry, FORMATS, Format, Heading, Mode, NAME_LIMIT, Names, Options, Place,
    ReadError, Reader, SIZE_LIMIT, Spelling, Style, Time, Unrepresentable, WriteError, Writer, Writing,
    append, for_file,
};

/// Names that programs have lost, each with one peculiarity.
const HOSTILE: &[&[u8]] = &[
    b"x",
    b" lead",
    b"trail ",
    b"two  blanks",
    b"new\nline",
    b"end\n",
    b"\n",
    b"cr\rmid",
    b"crend\r",
    b"\r",
    b"back\\slash",
    b"back\\nslash",
    b"back\\",
    b"\\",
    b"*star",
    b"-dash",
    b"-",
    b"--help",
    b"#hash",
    b";semi",
    b"//",
    b"quo\"te",
    b"quo'te",
    b"%s%n%d",
    b"tab\tx",
    b"\xffbad\xfeutf8",
    b"\xef\xbb\xbfbom",
    b"\xff\xfe",
    "u\u{308}nfd".as_bytes(),
    "repl\u{fffd}x".as_bytes(),
    "rtl\u{202e}x".as_bytes(),
    b"esc\x1b[31mx",
    b"comma,x",
    b"(paren) = x",
    b"a) = b",
    b")",
    b"(",
    b"sub dir/x y",
    b"@at",
    b"SHA256 (x) = y",
    b"a:b",
    b"~tilde",
    b"$(id)",
    b"d41d8cd98f00b204e9800998ecf8427e",
    b"d41d8cd98f00b204e9800998ecf8427e  a",
    b"{\"schema\":1}",
    b"-----BEGIN PGP SIGNED MESSAGE-----",
    b"../up",
    b"/abs",
    b"\x7f",
    b"\xc2\x9b",
    b" ",
    b"  ",
    b"\t",
    b"a\n\nb",
];

fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        4 => prop::sample::select(&b" \t\n\r\\*()=#;,\"'-/.:{}%\x1b\x7f\xff\xc2"[..]),
        2 => 1..=255u8,
        3 => b'0'..=b'9',
        3 => b'a'..=b'f',
    ];
    prop_oneof![
        1 => prop::sample::select(HOSTILE).prop_map(<[u8]>::to_vec),
        4 => prop::collection::vec(byte, 1..40),
        1 => "\\PC{1,20}".prop_map(String::into_bytes),
        1 => any::<String>().prop_map(|text| text.replace('\0', "0").into_bytes()),
    ]
    .prop_filter("a name has bytes", |name| !name.is_empty())
}

fn spec() -> impl Strategy<Value = Spec> {
    (prop::sample::select((0..ALGORITHMS.len()).collect::<Vec<_>>()), 16..=64usize).prop_map(|(row, len)| {
        let spec = Spec::new(&ALGORITHMS[row]);
        match spec.algorithm().lengths() {
            Lengths::Fixed => spec,
            Lengths::UpTo(max) => spec.with_bits(len.min(max) * 8).unwrap(),
            Lengths::Any => spec.with_bits(len * 8).unwrap(),
        }
    })
}

fn digest(spec: &Spec) -> impl Strategy<Value = Digest> + use<> {
    let parts = if spec.counts_parts() { 1..=10_000u64 } else { 0..=0 };
    let bytes = prop::collection::vec(any::<u8>(), spec.digest_len());
    (bytes, parts).prop_map(|(bytes, parts)| Digest::new(&bytes).with_parts(parts))
}

fn entry() -> impl Strategy<Value = Entry> {
    let spec_and_digest = spec().prop_flat_map(|spec| {
        let digest = digest(&spec);
        (Just(spec), digest)
    });
    let mtime = prop::option::of((any::<i64>(), 0..1_000_000_000u32));
    let mtime = mtime.prop_map(|time| time.map(|(seconds, nanos)| Time { seconds, nanos }));
    (name(), spec_and_digest, prop::option::of(0..=SIZE_LIMIT), mtime).prop_map(
        |(path, found, size, mtime)| Entry { path, size, mtime, ..Entry::new(b"", found.0, found.1) },
    )
}

fn style() -> impl Strategy<Value = Style> {
    let spelling = prop::sample::select(&[Spelling::Hex, Spelling::HexUpper, Spelling::Base64][..]);
    (spelling, any::<bool>()).prop_map(|(spelling, binary)| {
        Style::default().spelling(spelling).mode(if binary { Mode::Binary } else { Mode::Text })
    })
}

fn read(text: &[u8], options: Options) -> Vec<Entry> {
    Reader::new(text, options)
        .map(|item| match item {
            Ok(line) => line.entry,
            Err(error) => panic!("{error} in {:?}", String::from_utf8_lossy(text)),
        })
        .collect()
}

/// Returns the manifest of these entries, or the reason why the format cannot hold one of them.
fn written(entries: &[Entry], format: &'static Format, style: Style) -> Result<Vec<u8>, Unrepresentable> {
    let mut writer = Writer::new(Vec::new(), format, &Heading::default().style(style));
    let refused = |error| match error {
        WriteError::Refused(why) => why,
        WriteError::Io(error) => panic!("memory can be written to: {error}"),
    };
    for entry in entries {
        writer.write(entry).map_err(refused)?;
    }
    writer.finish().map_err(refused)
}

/// Returns options for a manifest of this format with digests of this algorithm.
fn options_for(format: &'static Format, spec: &Spec) -> Options {
    let name = format!("manifest-{}.txt", spec.to_string().replace('-', ""));
    let named = if format.capabilities().algorithm_source() == AlgorithmSource::FileName {
        Options::for_name(name.as_bytes())
    } else {
        Options::default()
    };
    named.format(Some(format))
}

/// Returns whether a format may refuse an entry for this reason, because it declares that it does
/// not hold everything.
fn is_limit(format: &Format, why: &Unrepresentable) -> bool {
    match why {
        Unrepresentable::NoSize => format.capabilities().size(),
        Unrepresentable::Pieces => format.capabilities().pieces().is_some(),
        Unrepresentable::Algorithm(_) => format.capabilities().algorithms() != Algorithms::Any,
        Unrepresentable::Twice(_) => {
            format.capabilities().algorithms() != Algorithms::Any
                || format.capabilities().algorithm_source() == AlgorithmSource::FileName
        }
        Unrepresentable::Byte(_) | Unrepresentable::Edge | Unrepresentable::Components => {
            format.capabilities().names() != Names::Bytes
        }
        Unrepresentable::ReadOnly => matches!(format.writing(), Writing::No),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_format_round_trips(entry in entry(), style in style(), row in 0..FORMATS.len()) {
        let format = FORMATS[row];
        let text = match written(std::slice::from_ref(&entry), format, style) {
            Ok(text) => text,
            Err(why) => {
                prop_assert!(is_limit(format, &why), "{}: {why}", format.name());
                return Ok(());
            }
        };
        // The reader is given the format, and then recognizes it.
        let requested = vec![entry.digests[0].0.clone()];
        let specified = Options::default().requested(requested.clone()).format(Some(format));
        prop_assert_eq!(&read(&text, specified), &[format.capabilities().as_read(&entry)]);
        let found = Options::default().requested(requested);
        // A digest of 16 bits can be mistaken for a word.
        let by_name = format.capabilities().algorithm_source() == AlgorithmSource::FileName;
        if entry.digests[0].1.len() >= 4 && !is_ambiguous(&entry.path) && !by_name {
            prop_assert_eq!(&read(&text, found), &[format.capabilities().as_read(&entry)]);
        }
    }

    #[test]
    fn many_entries_round_trip_in_order(
        entries in prop::collection::vec(entry(), 1..20),
        row in 0..FORMATS.len(),
    ) {
        let format = FORMATS[row];
        // Pieces connect entries, so `torrent.rs` tests them. Formats that can only be read are
        // tested in `multi_line_entries.rs` if their entries are held back.
        if format.capabilities().pieces().is_some() || matches!(format.writing(), Writing::No) {
            return Ok(());
        }
        let spec = format.capabilities().usual_algorithm();
        let entry = |entry: &Entry| Entry { digests: vec![(spec.clone(), spec.digest(&entry.path))], ..entry.clone() };
        let mut entries: Vec<Entry> = entries.iter().map(entry).collect();
        // Some formats merge entries with the same name.
        let mut names = std::collections::HashSet::new();
        entries.retain(|entry| names.insert(entry.path.clone()));
        let fits = |entry: &&Entry| written(std::slice::from_ref(*entry), format, Style::default()).is_ok();
        let entries: Vec<Entry> = entries.iter().filter(fits).cloned().collect();
        let text = written(&entries, format, Style::default()).unwrap();
        let expected: Vec<Entry> = entries.iter().map(|entry| format.capabilities().as_read(entry)).collect();
        prop_assert_eq!(read(&text, options_for(format, &spec)), expected);
    }

    #[test]
    fn several_digests_round_trip(path in name(), bytes in prop::collection::vec(any::<u8>(), 64), row in 0..FORMATS.len()) {
        let format = FORMATS[row];
        let digests: Vec<(Spec, Digest)> = ["md5", "sha256", "sha512", "crc32"]
            .map(|name| {
                let spec: Spec = name.parse().unwrap();
                let digest = Digest::new(&bytes[..spec.digest_len()]);
                (spec, digest)
            })
            .to_vec();
        let entry = Entry { path, size: Some(7), digests: digests.clone(), ..Entry::default() };
        let text = match written(std::slice::from_ref(&entry), format, Style::default()) {
            Ok(text) => text,
            Err(why) => {
                prop_assert!(is_limit(format, &why), "{}: {why}", format.name());
                return Ok(());
            }
        };
        let found = read(&text, options_for(format, &digests[0].0));
        let found: Vec<(Spec, Digest)> = found.into_iter().flat_map(|entry| entry.digests).collect();
        prop_assert_eq!(found, digests);
    }

    #[test]
    fn escaping_round_trips(name in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut text = Vec::new();
        escape_into(&name, &mut text);
        prop_assert!(!text.contains(&b'\n') && !text.contains(&b'\r'));
        prop_assert_eq!(unescape(&text), Some(name));
    }

    #[test]
    fn displayed_names_are_harmless_and_parse_back(name in name()) {
        let shown = display_safe(&name);
        for c in shown.chars() {
            let harm = c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
            prop_assert!(!harm, "{:?}", c);
        }
        prop_assert_eq!(unquote(&shown), name);
    }

    #[test]
    fn gnu_quoted_names_parse_back(name in name()) {
        for charset in [Charset::Ascii, Charset::Utf8] {
            let shown = quotef(&name, charset);
            prop_assert!(!shown.contains(|c: char| c.is_control()));
            prop_assert!(charset == Charset::Utf8 || shown.is_ascii());
            prop_assert_eq!(unquote(&shown), name.clone());
        }
    }

    #[test]
    fn within_root_matches_the_definition(name in "(\\.\\.|\\.|a|bb|/){1,8}") {
        let mut depth = 0i32;
        let mut lowest = 0;
        for part in name.split('/') {
            depth += match part { "" | "." => 0, ".." => -1, _ => 1 };
            lowest = lowest.min(depth);
        }
        prop_assert_eq!(within_root(name.as_bytes()).is_ok(), lowest >= 0 && !name.starts_with('/'));
    }

    #[test]
    fn reader_handles_arbitrary_input(text in hostile_text(), allow_weak: bool, requested: bool) {
        let requested = if requested { vec!["sha256".parse().unwrap()] } else { Vec::new() };
        let options = Options::default().requested(requested).allow_weak(allow_weak);
        let (mut last, mut fallen) = (Place::Line(0), 0);
        let mut reader = Reader::new(&text[..], options);
        while let Some(item) = reader.next() {
            let number = match item {
                Ok(line) => {
                    prop_assert!(!line.entry.path.is_empty() && line.entry.path.len() <= NAME_LIMIT);
                    prop_assert!(!line.entry.path.contains(&0));
                    prop_assert!(line.entry.digests.iter().all(|(spec, digest)| spec.digest_len() == digest.len()));
                    line.at
                }
                Err(ReadError::Line(error)) => {
                    let text = error.to_string();
                    prop_assert!(!text.ends_with('.') && !text.chars().any(char::is_control), "{:?}", text);
                    error.at
                }
                // A file that is not a manifest gives this error.
                Err(ReadError::Io(error)) if error.kind() == std::io::ErrorKind::InvalidData => break,
                Err(ReadError::Io(error)) => return Err(TestCaseError::fail(error.to_string())),
            };
            // These formats hold entries back until the end, where they follow in order;
            // `multi_line_entries.rs` has the details. A bare digest is held back if it is the first one,
            // because it may be the only one.
            let falls = reader.format().is_some_and(|row| ["bare", "deb822", "distinfo"].contains(&row.name()));
            fallen += usize::from(number < last);
            prop_assert!(fallen <= usize::from(falls), "{} after {}", number, last);
            last = number;
        }
    }

    #[test]
    fn single_bit_flip_always_changes_the_entries(at in any::<prop::sample::Index>(), bit in 0..8u8, tagged: bool) {
        let sha256: Spec = "sha256".parse().unwrap();
        let entries: Vec<Entry> =
            ["a", "sub/b", "c d"].map(|path| Entry::new(path.as_bytes(), sha256.clone(), sha256.digest(path.as_bytes()))).to_vec();
        let format = FORMATS.iter().find(|row| row.name() == if tagged { "bsd" } else { "gnu" }).unwrap();
        let mut text = Vec::new();
        for entry in &entries {
            append(entry, format, &Style::default(), &mut text).unwrap();
        }
        let at = at.index(text.len());
        text[at] ^= 1 << bit;
        let items: Vec<_> = Reader::new(&text[..], Options::default()).collect();
        let found: Vec<Entry> = items.iter().filter_map(|item| item.as_ref().ok()).map(|line| line.entry.clone()).collect();
        // Only the line end of the last line may be lost without an error. A damaged line end
        // before it joins two entries into one with another name, a changed name is another name,
        // and elsewhere the line is bad.
        let last_end = at == text.len() - 1;
        let silent = items.len() == found.len() && found.iter().all(|entry| entries.contains(entry));
        let spelling = bit == 5 && text[at].is_ascii_alphanumeric() || matches!(text[at], b'*' | b'\t' | b'(' | b' ');
        let spelling = spelling && found == entries;
        prop_assert!(!silent || spelling || last_end, "in silence: {:?}", String::from_utf8_lossy(&text));
    }
}

/// Returns whether the content of a single record can pass for another format, so that a reader
/// must be given the format.
fn is_ambiguous(path: &[u8]) -> bool {
    let text = String::from_utf8_lossy(path);
    text.contains("-----BEGIN PGP") || path.starts_with(b"\xef\xbb\xbf") || text.contains("{\"")
}

/// Parses a word as a shell does.
fn unquote(shown: &str) -> Vec<u8> {
    if !shown.starts_with(['\'', '"']) && !shown.contains("'") {
        return shown.as_bytes().to_vec();
    }
    if let Some(plain) = shown.strip_prefix('"') {
        return plain.strip_suffix('"').expect("a closing quote").as_bytes().to_vec();
    }
    if !shown.starts_with('\'') {
        return shown.as_bytes().to_vec();
    }
    let mut name = Vec::new();
    let mut rest = shown;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("$'") {
            let end = quoted.find('\'').expect("a closing quote");
            let mut escapes = quoted[..end].bytes();
            while let Some(byte) = escapes.next() {
                assert_eq!(byte, b'\\', "only escapes stand in $''");
                name.push(match escapes.next().unwrap() {
                    b'a' => 7,
                    b'b' => 8,
                    b't' => b'\t',
                    b'n' => b'\n',
                    b'v' => 11,
                    b'f' => 12,
                    b'r' => b'\r',
                    first => {
                        let digits = [first, escapes.next().unwrap(), escapes.next().unwrap()];
                        u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 8).unwrap()
                    }
                });
            }
            rest = &quoted[end + 1..];
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            let end = quoted.find('\'').expect("a closing quote");
            name.extend_from_slice(&quoted.as_bytes()[..end]);
            rest = &quoted[end + 1..];
        } else {
            rest = rest.strip_prefix("\\'").expect("nothing else stands between quotes");
            name.push(b'\'');
        }
    }
    name
}

/// Returns texts made of fragments of manifests and of noise.
fn hostile_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces: &[&[u8]] = &[
        b"9dd4e461268c8034f5c8564e155c67a6",
        b"9DD4E461",
        b"  ",
        b" *",
        b" ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\0",
        b"\\",
        b"\\n",
        b"\\\\",
        b"SHA256 (",
        b"SHA2-256(",
        b"BLAKE2b-8 (",
        b"MD5 (",
        b"(",
        b")",
        b") = ",
        b")= ",
        b"=",
        b"==",
        b"a",
        b"name",
        b"../",
        b"#",
        b";",
        b"//",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"-----BEGIN PGP SIGNED MESSAGE-----\n",
        b"\n\n",
        b"Hash: SHA256\n",
        b"-----BEGIN PGP SIGNATURE-----\n",
        b"-----END PGP SIGNATURE-----\n",
        b"- ",
        b"-",
        b"{\"schema\":\"truesum-entry/1\",",
        b"\"path\":\"a\",",
        b"\"digests\":{\"md5\":\"9dd4e461268c8034f5c8564e155c67a6\"}}",
        b"{",
        b"}",
        b"\"path_base64\":\"YQ==\",",
        b"\"mtime\":\"2026-11-21T19:06:42Z\",",
        b"1219131554 3 a",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

#[test]
fn hostile_names_round_trip_in_every_format() {
    for format in FORMATS {
        let spec = format.capabilities().usual_algorithm();
        for path in HOSTILE {
            let entry = Entry { size: Some(3), ..Entry::new(path, spec.clone(), spec.digest(path)) };
            let text = match written(std::slice::from_ref(&entry), format, Style::default()) {
                Ok(text) => text,
                Err(why) => {
                    assert!(is_limit(format, &why), "{} {path:?}: {why}", format.name());
                    continue;
                }
            };
            let kept = [format.capabilities().as_read(&entry)];
            assert_eq!(read(&text, options_for(format, &spec)), kept, "{} {path:?}", format.name());
            // The reader also recognizes the format, unless the name can be mistaken for another
            // format's text or only the manifest's name shows the format.
            if !is_ambiguous(path) && format.capabilities().algorithm_source() != AlgorithmSource::FileName {
                let mut reader = Reader::new(&text[..], Options::default());
                assert_eq!(reader.next().unwrap().unwrap().entry, kept[0], "{} {path:?}", format.name());
                // RHash writes a single digest as GNU does.
                let found = if format.name() == "rhash-simple" { "gnu" } else { format.name() };
                // Standard input has this name.
                let is_input = *path == b"-" && ["gnu", "bsd", "openssl"].contains(&found);
                let found = if is_input { "bare" } else { found };
                assert_eq!(reader.format().map(|format| format.name()), Some(found), "{path:?}");
            }
        }
    }
}

/// Returns every algorithm with its default length, with other lengths, and with other sizes of
/// parts or leaves.
fn all_specs() -> Vec<Spec> {
    let mut specs = Vec::new();
    for row in ALGORITHMS {
        let spec = Spec::new(row);
        let lengths: &[usize] = match row.lengths() {
            Lengths::Fixed => &[],
            Lengths::UpTo(max) => &[16, 20, 32, 48, 64].map(|len: usize| len.min(max)),
            Lengths::Any => &[16, 20, 28, 32, 48, 64, 99, 1000],
        };
        specs.extend(lengths.iter().map(|len| spec.clone().with_bits(len * 8).unwrap()));
        specs.extend(spec.clone().with_unit(1 << 20).ok());
        specs.push(spec);
    }
    specs
}

fn is_not_storable(why: &Unrepresentable) -> bool {
    matches!(
        why,
        Unrepresentable::Algorithm(_)
            | Unrepresentable::Byte(_)
            | Unrepresentable::Edge
            | Unrepresentable::Pieces
            | Unrepresentable::Components
    )
}

#[test]
fn every_algorithm_and_manifest_name_round_trips() {
    let mut names: Vec<String> =
        ["M", "sums", "sums.txt", "checksums.txt", "SUMS.asc", "a b", "list.sfv", "x.torrent"]
            .map(str::to_owned)
            .to_vec();
    names.extend(FORMATS.iter().flat_map(|row| row.file_names()).map(|end| format!("x{end}")));
    for row in ALGORITHMS {
        names.extend([format!("{}SUMS", row.name().to_uppercase()), format!("x.{}", row.name())]);
        names.extend(row.aliases().iter().map(|alias| format!("x.{alias}")));
    }
    let paths: [&[u8]; 3] = [b"plain", b"12345678  x deadbeef", b"\\(a\n) = 12345678"];
    let specs: Vec<(Spec, [Digest; 3])> =
        all_specs().into_iter().map(|spec| (spec.clone(), paths.map(|path| spec.digest(path)))).collect();
    let mut tagged = 0;
    for (at, spec) in specs.iter().enumerate() {
        let mut several = vec![spec, &specs[(at * 7 + 3) % specs.len()]];
        several.dedup();
        for (which, name) in names.iter().enumerate() {
            let spelling = [Spelling::Hex, Spelling::HexUpper, Spelling::Base64][(at + which) % 3];
            let format = FORMATS[(at + which / 3) % FORMATS.len()];
            for several in [&several[..1], &several] {
                let specs: Vec<Spec> = several.iter().map(|(spec, _)| spec.clone()).collect();
                let row = for_file(format, &specs, spelling, name.as_bytes());
                tagged += usize::from(row != format);
                let entries = [0, 1, 2].map(|which| Entry {
                    path: paths[which].to_vec(),
                    size: Some(paths[which].len() as u64),
                    digests: several
                        .iter()
                        .map(|(spec, found)| (spec.clone(), found[which].clone()))
                        .collect(),
                    ..Entry::default()
                });
                let text = match written(&entries, row, Style::default().spelling(spelling)) {
                    Ok(text) => text,
                    Err(why) => {
                        let some = row.capabilities().algorithms() != Algorithms::Any
                            || row.capabilities().names() != Names::Bytes;
                        let only_read = why == Unrepresentable::ReadOnly;
                        assert!(only_read || is_not_storable(&why) && some, "{}: {why}", row.name());
                        continue;
                    }
                };
                let specified = Options::for_name(name.as_bytes());
                let options = specified.allow_weak(true).allow_sampled(true);
                let found: Vec<_> = Reader::new(&text[..], options).collect();
                let shown = || format!("{name} {spelling:?} {}", String::from_utf8_lossy(&text));
                let mut digests = Vec::new();
                for line in found {
                    let entry = line.unwrap_or_else(|error| panic!("{error}: {}", shown())).entry;
                    digests.extend(entry.digests.into_iter().map(|found| (entry.path.clone(), found)));
                }
                let mut wanted: Vec<_> = entries
                    .iter()
                    .flat_map(|entry| entry.digests.iter().map(|found| (entry.path.clone(), found.clone())))
                    .collect();
                // A format may have its own order.
                let order = |found: &(Vec<u8>, (Spec, Digest))| (found.0.clone(), found.1.0.to_string());
                wanted.sort_by_key(order);
                digests.sort_by_key(order);
                assert_eq!(digests, wanted, "{}", shown());
            }
        }
    }
    assert!(tagged > 1000);
}
