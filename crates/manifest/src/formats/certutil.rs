//! Output of `certutil -hashfile` (Windows): three lines per file, in the language of the system.
//! The digest is on the second line.

use crate::digest::{self, is_hex, is_long_hex, tagged};
use crate::formats::prelude::*;

pub(crate) static CERTUTIL: Format = Format {
    name: "certutil",
    summary: "output of certutil -hashfile (Windows)",
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| line.starts_with(LAST))?;
        let others =
            head.lines(b'\n').take(at).filter(|line| !scan::is_empty(line) && !is_prompt(line)).count();
        (others == 0 || others == 2).then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::lines(|options| Box::new(Runs { options: options.clone(), ..Runs::default() })),
    ..Format::DEFAULT
};

/// The beginning of the last line of a run, in every language.
const LAST: &[u8] = b"CertUtil:";

/// Marks the last line of a failed run, in every language.
const FAILED: &[u8] = b": 0x";

/// The first line of a run in the languages of Windows, without the colon: `@` is the algorithm, `#`
/// the file. A line that fits several has the first one, so longer texts precede shorter ones.
const TITLES: &[&str] = &[
    // English
    "@ hash of file # | @ hash of #",
    // German
    "@-Hash der Datei # | @-Hash von # | @ Hash der Datei # | @ Hash von #",
    // French
    "Hachage @ du fichier # | Hachage @ de # | @ hachage du fichier # | @ hachage de # | @ hash du fichier #",
    // Spanish, Portuguese
    "@ hash de archivo # | @ hash del archivo # | @ hash do arquivo # | @ hash do ficheiro # | @ hash de #",
    "Hash @ de archivo # | Hash @ del archivo # | Hash @ do arquivo #",
    "Hash @ do ficheiro # | hash @ do arquivo # | hash @ do ficheiro # | hash @ de # | Hash @ de #",
    // Italian
    "Hash @ del file # | Hash @ di # | @ hash del file # | @ hash di #",
    // Dutch
    "@-hash van bestand # | @-hash van # | @ hash van bestand # | @ hash van #",
    // Swedish, Danish, Norwegian, Finnish
    "@-hash av filen # | @-hash av # | @-hash för # | @-hash af # | @-hash for #",
    "Tiedoston # @-hajautus | @-hajautus kohteesta # | @-hajautus tiedostosta #",
    // Polish
    "Wartość skrótu @ pliku # | Skrót @ pliku # | Skrót @ # | @ skrót pliku # | @ skrót #",
    // Czech, Slovak, Romanian
    "Hodnota hash @ souboru # | Hodnota hash @ # | @ hash souboru #",
    "Hodnota hash @ súboru # | @ hash súboru # | Hash @ al fișierului # | Hash @ pentru # | @ hash al #",
    // Russian, Ukrainian
    "Хеш @ файлу # | Геш @ файлу # | Геш @ # | @ хеш файлу # | @ геш файлу # | @ геш #",
    "Хэш @ файла # | Хеш @ файла # | Хэш @ # | Хеш @ # | @ хэш файла # | @ хеш файла # | @ хэш # | @ хеш #",
    // Turkish, Hungarian
    "# öğesinin @ karması | # dosyasının @ karması | # @ karması | # @ kivonata",
    // Japanese
    "@ ハッシュ (対象 #) | @ ハッシュ (ファイル #) | @ ハッシュ (# の) | # の @ ハッシュ",
    // Chinese, simplified and traditional
    "@ 哈希(文件 #) | @ 的 # 哈希 | # 的 @ 哈希 | @ 雜湊 (檔案 #) | @ 雜湊(檔案 #) | @ 的 # 雜湊 | # 的 @ 雜湊 | @ 雜湊 #",
    // Korean
    "@ 해시(파일 #) | @ 해시(#) | @의 # 해시 | #의 @ 해시",
];

/// The algorithms of certutil.
const TAGS: &[&str] = &["MD2", "MD4", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"];

#[derive(Default)]
struct Runs {
    options: Options,
    /// The title (first line) of the current run.
    title: Option<Vec<u8>>,
    /// The entry of the current run, which becomes valid with the third line.
    entry: Option<Entry>,
    /// True if any run has produced a digest.
    good: bool,
    /// True if a run failed without a title before any run succeeded. It is reported only if
    /// another title follows; otherwise the manifest has no entries, which is an error anyway.
    failed: bool,
    /// True if a line of the current run was read, even a bad one.
    has_lines: bool,
}

const NO_DIGEST: Reason = Reason::Part("certutil failed, so there is no digest");
const CUT: Reason = Reason::Part("the final line 'CertUtil:' is missing");

impl Runs {
    fn digest(&self, title: &[u8], line: &[u8]) -> Result<Entry, Reason> {
        let digest: Vec<u8> = line.iter().copied().filter(|&byte| !scan::is_blank(byte)).collect();
        if !is_hex(&digest) {
            return Err(Reason::NotHex);
        }
        let title =
            title.strip_suffix(b":").or(title.strip_suffix("\u{ff1a}".as_bytes())).ok_or(Reason::NotALine)?;
        // French has a space before the colon, which may be one that does not break; the last two are those of
        // code pages 1252 and 850.
        let spaces = ["\u{a0}".as_bytes(), "\u{202f}".as_bytes(), b" ", b"\xa0", b"\xff"];
        let title = spaces.iter().find_map(|space| title.strip_suffix(*space)).unwrap_or(title);
        let mut titles = TITLES.iter().flat_map(|titles| titles.split(" | "));
        let (tag, name) = titles.find_map(|known| fit(known, title)).ok_or(Reason::Part(
            "it is unclear where the file name is, because the language of this line is unknown",
        ))?;
        let (spec, digest) = tagged(tag, &digest, &self.options)?;
        Ok(Entry::new(name, spec, digest))
    }
}

/// Returns the algorithm and the name in a title that fits a pattern of [`TITLES`].
fn fit<'t>(known: &str, title: &'t [u8]) -> Option<(&'t str, &'t [u8])> {
    let (first, last) = (known.find(['@', '#'])?, known.rfind(['@', '#'])?);
    let rest = title.strip_prefix(&known.as_bytes()[..first])?;
    let rest = rest.strip_suffix(&known.as_bytes()[last + 1..])?;
    let between = &known.as_bytes()[first + 1..last];
    let is_first = known.as_bytes()[first] == b'@';
    let of = |tag: &'t [u8], name: &'t [u8]| {
        let tag = std::str::from_utf8(tag).ok()?;
        // English has no other titles, so another word is an algorithm that certutil does not know.
        let is_tag = TAGS.contains(&tag) || known == "@ hash of #" && digest::is_tag(tag.as_bytes());
        (is_tag && !name.is_empty()).then_some((tag, name))
    };
    let split = |at: usize| Some((&rest[..at], rest[at..].strip_prefix(between)?));
    match is_first {
        true => split(scan::find(rest, |byte| byte == between[0])?).and_then(|(tag, name)| of(tag, name)),
        false => TAGS.iter().find_map(|tag| {
            split(rest.len().checked_sub(tag.len() + between.len())?).and_then(|(name, tag)| of(tag, name))
        }),
    }
}

/// Returns true for the line of a console with the command.
fn is_prompt(line: &[u8]) -> bool {
    let command = b">certutil ";
    scan::count(line.len());
    line.windows(command.len()).any(|part| part.eq_ignore_ascii_case(command))
}

impl Parse for Runs {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = scan::trim(line);
        if line.is_empty() || is_prompt(line) {
            return Ok(None);
        }
        if line.starts_with(LAST) {
            let failed = scan::contains(line, FAILED);
            let has_lines = std::mem::take(&mut self.has_lines);
            return match (self.title.take(), self.entry.take()) {
                (None, None) if failed && self.good => Err(NO_DIGEST),
                (_, Some(_)) if failed => {
                    Err(Reason::Part("certutil failed, so this digest may be incomplete"))
                }
                (None, None) if failed => {
                    self.failed = true;
                    Ok(None)
                }
                (_, Some(entry)) => {
                    self.good = true;
                    Ok(Some(entry))
                }
                (Some(_), None) => Err(Reason::EmptyDigest),
                (None, None) if self.good && !has_lines => {
                    Err(Reason::Part("the preceding lines, with the file name and the digest, are missing"))
                }
                (None, None) => Ok(None),
            };
        }
        self.has_lines = true;
        if self.entry.take().is_some() {
            self.title = None;
            return Err(CUT);
        }
        let joined: Vec<u8> = line.iter().copied().filter(|&byte| byte != b' ').collect();
        match self.title.take() {
            Some(title) if is_long_hex(&joined) || !line.ends_with(b":") => {
                self.entry = Some(self.digest(&title, line)?);
            }
            before => {
                // Otherwise the digest would be assigned to the next title.
                if is_long_hex(&joined) {
                    return Err(Reason::Part("a digest without a preceding line that names its file"));
                }
                self.title = Some(line.to_vec());
                if before.is_some() {
                    return Err(Reason::EmptyDigest);
                }
                if std::mem::take(&mut self.failed) {
                    return Err(Reason::Part(
                        "certutil failed for an earlier file, so that file has no digest",
                    ));
                }
            }
        }
        Ok(None)
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        if self.entry.is_some() || self.title.is_some() { Err(CUT) } else { Ok(None) }
    }
}
