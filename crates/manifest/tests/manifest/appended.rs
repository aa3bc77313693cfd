//! Checksum lines of other programs that were appended to a manifest, or inserted into it, are read or reported, never
//! skipped. `TRUESUM_DAMAGE=all` tries all places instead of a sample.

use crate::shared::{Fixture, fixtures};
use std::collections::BTreeSet;
use truesum_manifest::{Options, Reader};

const NAME: &str = "dir/b.txt";
/// The last line of certutil.
const CERTUTIL: &str = "CertUtil: -hashfile command completed successfully.";

/// Returns lines of other programs with this digest.
fn lines(digest: &str) -> Vec<String> {
    vec![
        format!("{digest}  {NAME}"),
        format!("{digest} *{NAME}"),
        format!("\t{digest}  {NAME}"),
        format!("\\{digest}  {NAME}\\n"),
        format!("SHA256 ({NAME}) = {digest}"),
        format!("SHA256({NAME})= {digest}"),
        format!("SHA2-256({NAME})= {digest}"),
        format!("({NAME}) = {digest}"),
        format!("{NAME}: {digest}"),
        format!("{NAME} = {digest}"),
        format!("{NAME}  {digest}"),
        format!("{NAME}\t{digest}"),
        format!("{NAME} {digest}"),
        format!("{digest}\t{NAME}"),
        format!("{digest} {NAME}"),
        format!("sha256:{digest}  {NAME}"),
        format!("SHA256: {digest}  {NAME}"),
        format!("SHA256 ({NAME}): {digest}"),
        format!("SHA256 {NAME} = {digest}"),
        sized(digest),
        // regression: lines with short digests and digests in base64 were skipped.
        format!("01234567  {NAME}"),
        format!("0123456789abcdef *{NAME}"),
        format!("CRC32 ({NAME}) = 01234567"),
        format!("XXH64 ({NAME}) = 0123456789abcdef"),
        format!("SHA256 ({NAME}) = ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        // regression: these forms were skipped by formats with keys or keywords at the beginning of a line.
        format!("{NAME} 01234567"),
        format!("4294967295 123 {NAME}"),
        "4294967295 123 name".to_owned(),
        format!("12345     1 {NAME}"),
        format!("{digest},{NAME}"),
        format!("{NAME},{digest}"),
        format!("\"{NAME}\",\"3\",\"{digest}\""),
        format!("3,{},{digest},{NAME}", &digest[..32]),
        format!("{digest} C:\\dir\\b.txt"),
        format!("{digest} https://example.org/{NAME}"),
        format!("https://example.org/{NAME}#{}", &digest[..32]),
        format!("https://example.org/{NAME}#sha256={digest}"),
        format!("magnet:?xt=urn:btih:{}&dn=b.txt", &digest[..40]),
        format!("\"{digest}  {NAME}\""),
        format!("'{NAME} {digest}',"),
        format!("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=  {NAME}"),
        // regression: these forms were skipped by documents that allow other text between their entries.
        format!("           3  {digest}  {NAME}"),
        format!("       3  2024:01:02:03:04:05  {digest}  {NAME}"),
        format!("{digest}  2024:01:02:03:04:05  {NAME}"),
        format!("LWPNACQDBZRYXW3VHJVCJ64QBZNGHOHHHZWCLNQ  {NAME}"),
        format!("LWPNACQDBZRYXW3VHJVCJ64QBZNGHOHHHZWCLNQ:{NAME}"),
        format!("XXH3_0123456789abcdef  {NAME}"),
        format!("{NAME}: {}", grouped(digest, 8)),
        format!("{NAME}: {}", grouped(&digest[..40], 4)),
        format!("{NAME}:    MD5 = {}", grouped(&digest[..32], 2)),
        format!("\"SHA256\",\"{}\",\"C:\\dir\\b.txt\"", digest.to_uppercase()),
        format!("\"{NAME}\" {digest}"),
        format!("{NAME},12,01234567,"),
        format!("{NAME},sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,12"),
        format!("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0= {NAME}"),
        format!("{NAME} sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        format!("./{NAME} size=3 sha256digest={digest}"),
        format!("./{NAME} type=file mode=0644 uname=root time=1700000000.000000000 md5={}", &digest[..32]),
        format!("    {NAME} size=3 md5digest={} link=x", &digest[..32]),
        format!("EMEX2IRUAXMCFBSCUR333ISVWMVK3PHEXWQLH57DNSO2O  {NAME}"),
        format!("{NAME}:8:01234567:"),
        format!("sha256sum: {digest}  {NAME}"),
        format!("{digest} ?SHA256*{NAME}"),
        format!("{NAME}|{digest}"),
        format!("| {NAME} | `{digest}` |"),
        format!("* {NAME}: {digest}"),
        // regression: digests of unusual lengths, and names with blanks behind numbers, were skipped.
        format!("{}  {NAME}", &digest[..38]),
        format!("{NAME}  {}", digest.repeat(2).split_at(80).0),
        "4294967295 123 a name.txt".to_owned(),
        "12345     1 a name.txt".to_owned(),
        // regression: objects in JSON and records of several lines were skipped.
        format!("{{\"path\":\"{NAME}\",\"sha256\":\"{digest}\"}}"),
        format!("{{\"sha256\": \"{digest}\", \"path\": \"name\"}},"),
        format!("\nAlgorithm : SHA256\nHash      : {}\nPath      : C:\\dir\\name\n", digest.to_uppercase()),
        // regression: records of gsutil and certutil, whose digests are on a line without the name, were skipped.
        format!(
            "Hashes [base64] for {NAME}:\n\tHash (crc32c):\t\tNhCmhg==\n\tHash (md5):\t\tkAFQmDzST7DWlj99KOF/cg=="
        ),
        format!("SHA1 hash of {NAME}:\n{}\n{CERTUTIL}", grouped(&digest[..40], 2)),
        format!("SHA256 hash of {NAME}:\n{digest}\n{CERTUTIL}"),
        format!("{digest}  name"),
        format!("{digest} *a name"),
        format!("       3  {digest}  name"),
        format!("  {digest}  name"),
        format!("name  {digest}"),
        format!("name,{digest}"),
        format!("\"name\",\"{digest}\""),
        format!("SHA256 (name) = {digest}"),
        format!("    {digest}  name"),
    ]
}

/// Returns a line with a size, as in Debian's lists.
fn sized(digest: &str) -> String {
    format!(" {digest} 3 {NAME}")
}

/// Returns a digest in groups of capital digits, as GnuPG prints it.
fn grouped(digest: &str, digits: usize) -> String {
    let digits: Vec<_> = digest.as_bytes().chunks(digits).map(String::from_utf8_lossy).collect();
    digits.join(" ").to_uppercase()
}

/// Returns the names with digests in a manifest, or `None` if it has a bad line or is rejected.
fn read_cleanly(text: &[u8], options: &Options) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for item in Reader::new(text, options.clone()) {
        let entry = item.ok()?.entry;
        let name = String::from_utf8_lossy(&entry.path);
        found.extend(entry.digests.iter().map(|(spec, digest)| format!("{name} {spec} {digest}")));
    }
    Some(found)
}

/// Returns the offsets in a manifest where a line can be inserted.
fn places(fixture: &Fixture) -> Vec<usize> {
    let text = &fixture.manifest;
    let ends = (0..text.len()).filter(|&at| text[at] == b'\n').map(|at| at + 1);
    let mut places: Vec<usize> = [0].into_iter().chain(ends).collect();
    // Binary checksums follow the header.
    if let Some(end) =
        text.windows(2).position(|pair| pair == b"\n\n").filter(|_| text.starts_with(b"zsync:"))
    {
        places.retain(|&at| at <= end);
    }
    if std::env::var_os("TRUESUM_DAMAGE").is_none() {
        let sample = [0, places.len() / 2, places.len() - 1].map(|at| places[at]);
        places = BTreeSet::from(sample).into_iter().collect();
    }
    places
}

#[test]
fn checksum_lines_of_other_programs_are_never_skipped() {
    let digest = "0123456789abcdef".repeat(4);
    let (mut tried, mut skipped) = (0, String::new());
    for fixture in fixtures() {
        let text = &fixture.manifest;
        if std::str::from_utf8(text).is_err() || text.contains(&0) {
            continue;
        }
        let Some(before) = read_cleanly(text, &fixture.options).filter(|found| !found.is_empty()) else {
            continue;
        };
        for (place, line) in places(&fixture)
            .iter()
            .flat_map(|place| lines(&digest).into_iter().map(move |line| (*place, line)))
        {
            let mut changed = text.clone();
            changed.splice(place..place, format!("{line}\n").bytes());
            tried += 1;
            // An index of Debian lists earlier versions of a file in this form.
            let is_history =
                line == sized(&digest) && text[..place].windows(8).any(|word| word == b"-History");
            // A comment may be about anything. Only lines with names of files are examined.
            let before_place = String::from_utf8_lossy(&text[..place]);
            let is_comment = before_place.rfind("<!--") > before_place.rfind("-->") && !line.contains(NAME);
            if !is_history
                && !is_comment
                && read_cleanly(&changed, &fixture.options).is_some_and(|after| after.is_subset(&before))
            {
                skipped += &format!("{} at {place}: {line:?}\n", fixture.name.display());
            }
        }
    }
    assert!(tried > 10_000, "{tried}");
    assert!(skipped.is_empty(), "{skipped}");
}
