//! Output of `certutil -hashfile` (Windows): three lines per file, in the language of the system.
//! The digest is on the second line. A list without the third lines, as filtered by `findstr /v CertUtil`, has two lines per
//! file.

use super::console::{Drive, is_console, is_of_drive};
use crate::digest::{self, is_hex, is_long_hex, tagged};
use crate::formats::json::name::is_file_like;
use crate::formats::prelude::*;

pub(crate) static CERTUTIL: Format = Format {
    name: "certutil",
    summary: "output of certutil -hashfile (Windows)",
    sniff,
    reading: Reading::lines(|options| Box::new(Runs { options: options.clone(), ..Runs::default() })),
    ..Format::DEFAULT
};

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let last = head.lines(b'\n').position(|line| line.starts_with(LAST));
    let mut others = head.lines(b'\n').take(last.unwrap_or(usize::MAX)).filter(|line| !is_skipped(line));
    let is_run = match (last, [others.next(), others.next(), others.next()]) {
        (Some(_), [None, ..] | [Some(_), Some(_), None]) => true,
        (None, [Some(title), Some(digest), _]) => {
            without_colon(title.trim_ascii()).and_then(titled).is_some()
                && is_long_hex(&without_blanks(digest))
        }
        _ => false,
    };
    is_run.then_some(Claim { sign: Sign::Mark, at: last.unwrap_or(0) })
}

/// The beginning of the last line of a run, in every language. A list in which no run has it was filtered.
const LAST: &[u8] = b"CertUtil:";

/// Returns whether a line is the last one of a run.
pub(crate) fn is_last(line: &[u8]) -> bool {
    line.starts_with(b"CertUtil: -hashfile")
}

/// Marks the last line of a failed run, in every language.
const FAILED: &[u8] = b": 0x";

/// Words of first lines before the name, and words for "file" in the same language, in lower case. The last word before
/// the name is one for "file", so the name may be any text.
const WORDS: &[(&str, &str)] = &[
    // English, Italian
    ("hash of the del di", "file"),
    ("hash der von für", "datei"),
    ("hachage hash du de", "fichier"),
    // Spanish, Portuguese
    ("hash de del do da para o a", "archivo fichero arquivo ficheiro"),
    ("hash van het voor", "bestand"),
    // Swedish, Danish, Norwegian
    ("hash hashen hashvärde hashværdi hashverdi hash-værdi hash-verdi för for av af på til", "filen fil"),
    ("wartość skrótu skrót hash z dla", "pliku"),
    // Czech, Slovak, Romanian
    ("hodnota hash hodnoty pro pre", "souboru súboru"),
    ("hash valoarea al a de pentru", "fișierului fişierului fișier fișierul"),
    // Russian, Ukrainian, Bulgarian
    ("хэш хеш геш хэш-код хеш-код для на", "файла файлу файл"),
];

/// Other first lines in the languages of Windows, without the colon: `@` is the algorithm, `#` the file. A word for
/// "file" separates the name from the rest, so the name may be any text. A line that fits several has the first one, so
/// longer texts precede shorter ones.
const TITLES: &[&str] = &[
    // Finnish
    "Tiedoston # @-hajautus | @-hajautus tiedostosta #",
    // Turkish
    "# dosyasının @ karması",
    // Japanese
    "@ ハッシュ (対象 #) | @ ハッシュ (ファイル #) | ファイル # の @ ハッシュ",
    // Chinese, simplified and traditional
    "@ 哈希(文件 #) | 文件 # 的 @ 哈希 | @ 雜湊 (檔案 #) | @ 雜湊(檔案 #) | 檔案 # 的 @ 雜湊",
    // Korean
    "@ 해시(파일 #)",
    // English, which no other language resembles
    "@ hash of #",
];

/// First lines without a word for "file", and words of the last line in the same language. Another language may have such
/// a word where these have the beginning or the end of the name (`@ хеш на файл #`). The name is therefore certain only if
/// it is one word or an absolute path, or if the last line is in this language.
const SHORT_TITLES: &[(&str, &str)] = &[
    ("erfolgreich ausgeführt", "@-Hash von # | @ Hash von #"),
    ("terminée correctement", "Hachage @ de # | @ hachage de #"),
    ("completado correctamente", "@ hash de # | hash @ de # | Hash @ de #"),
    ("concluído com êxito", "@ hash de # | hash @ de # | Hash @ de #"),
    ("riuscita", "Hash @ di # | @ hash di #"),
    ("is voltooid", "@-hash van # | @ hash van #"),
    ("", "@-hash av # | @-hash för # | @-hash af # | @-hash for # | @-hajautus kohteesta #"),
    ("pomyślnie", "Skrót @ # | @ skrót #"),
    ("", "Hodnota hash @ # | Hash @ pentru # | @ hash al #"),
    ("успішно", "Геш @ # | @ геш #"),
    ("команда успешно выполнена", "Хэш @ # | Хеш @ # | @ хэш # | @ хеш #"),
    ("başarıyla tamamlandı", "# öğesinin @ karması | # @ karması"),
    ("", "# @ kivonata"),
    ("正常に完了", "@ ハッシュ (# の) | # の @ ハッシュ"),
    ("命令成功完成", "@ 的 # 哈希 | # 的 @ 哈希 | @ 的 # 雜湊 | # 的 @ 雜湊 | @ 雜湊 #"),
    ("성공적으로 완료", "@ 해시(#) | @의 # 해시 | #의 @ 해시"),
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
    /// The doubt about the name of that entry.
    doubt: Option<Doubt>,
    /// True if any run has produced a digest.
    good: bool,
    /// True if the line that was read last is the last one of a run.
    is_last: bool,
    /// True if any run had its last line.
    has_last: bool,
    /// True if a run failed without a title before any run succeeded. It is reported only if
    /// another title follows; otherwise the manifest has no entries, which is an error anyway.
    failed: bool,
    /// True if a line of the current run was read, even a bad one.
    has_lines: bool,
    drive: Drive,
}

/// A name that may be another one unless the last line has one of these words.
struct Doubt {
    words: Vec<&'static str>,
    reason: Reason,
}

const NO_DIGEST: Reason = Reason::Part("certutil failed, so there is no digest");
const CUT: Reason = Reason::Part("the final line, which begins with 'CertUtil:', is missing");

impl Runs {
    fn digest(&mut self, title: &[u8], line: &[u8]) -> Result<(Entry, Option<Doubt>), Reason> {
        let digest = without_blanks(line);
        if !is_hex(&digest) {
            return Err(Reason::NotHex);
        }
        let title = without_colon(title).ok_or(Reason::NotALine)?;
        let Title { tag, name, other } = titled(title).ok_or(Reason::Part(
            "it is unclear where the file name is, because the language of this line is unknown",
        ))?;
        let (spec, digest) = tagged(tag, &digest, &self.options)?;
        let doubt = other.map(|(other, words)| {
            let (name, other) = (String::from_utf8_lossy(name), String::from_utf8_lossy(other));
            let why = format!("the language is unknown, so the file name may be {name:?} or {other:?}");
            Doubt { words, reason: Reason::Message(why) }
        });
        Ok((Entry::new(&self.drive.relative(name), spec, digest), doubt))
    }

    /// Returns an entry whose run ends with this line.
    fn finished(&mut self, entry: Entry, last: &[u8]) -> Result<Option<Entry>, Reason> {
        let is_known = |words: &[&str]| words.iter().any(|words| scan::contains(last, words.as_bytes()));
        match self.doubt.take().filter(|doubt| !is_known(&doubt.words)) {
            Some(doubt) => Err(doubt.reason),
            None => Ok(Some(entry)),
        }
    }
}

/// Returns a title without the colon at its end.
fn without_colon(title: &[u8]) -> Option<&[u8]> {
    let title = title.strip_suffix(b":").or(title.strip_suffix("\u{ff1a}".as_bytes()))?;
    // French has a space before the colon, which may be one that does not break; the last two are those of
    // code pages 1252 and 850.
    let spaces = ["\u{a0}".as_bytes(), "\u{202f}".as_bytes(), b" ", b"\xa0", b"\xff"];
    Some(spaces.iter().find_map(|space| title.strip_suffix(*space)).unwrap_or(title))
}

/// Returns a digest without the blanks that old versions write between its bytes.
fn without_blanks(line: &[u8]) -> Vec<u8> {
    line.iter().copied().filter(|&byte| !byte.is_ascii_whitespace()).collect()
}

/// The information in a title.
struct Title<'t> {
    tag: &'t str,
    name: &'t [u8],
    /// The other possible name, and the words of the last line with which it is ruled out.
    other: Option<(&'t [u8], Vec<&'static str>)>,
}

/// Returns the algorithm and the name in a title, or `None` if its language is unknown.
fn titled(title: &[u8]) -> Option<Title<'_>> {
    let mut titles = TITLES.iter().flat_map(|titles| titles.split(" | "));
    let worded = || WORDS.iter().find_map(|(words, files)| behind_file(words, files, title));
    let long = worded().or_else(|| titles.find_map(|known| fit(known, title)));
    let short = || {
        let mut titles = SHORT_TITLES
            .iter()
            .flat_map(|(_, titles)| titles.split(" | ").map(move |known| (*titles, known)));
        titles
            .find_map(|(titles, known)| Some((titles, known.find('@') < known.find('#'), fit(known, title)?)))
    };
    let (titles, is_last, (tag, name)) = match long {
        Some(found) => (None, true, found),
        None => match short() {
            Some((titles, is_last, found)) => (Some(titles), is_last, found),
            None => (None, true, path_at_end(title)?),
        },
    };
    // Only a drive has a colon, so a name with one begins there.
    let drive = (1..name.len()).find(|&at| scan::is_blank(name[at - 1]) && is_of_drive(&name[at..]));
    let is_absolute = is_of_drive(name) || name.starts_with(b"\\\\");
    let part = match is_last {
        true if is_absolute => None,
        true => scan::find(name, scan::is_blank).map(|gap| &name[gap + 1..]),
        false => scan::rfind(name, scan::is_blank).map(|gap| &name[..gap]),
    };
    let other = match (drive, titles) {
        (Some(at), _) => Some((&name[at..], Vec::new())),
        (None, None) => None,
        (None, Some(titles)) => part.map(|part| {
            let languages =
                SHORT_TITLES.iter().filter(|(words, known)| *known == titles && !words.is_empty());
            (part, languages.map(|(words, _)| *words).collect())
        }),
    };
    Some(Title { tag, name, other })
}

/// Returns the algorithm at the beginning of a word, which another word may follow after a hyphen.
fn tag_of(word: &str) -> Option<(&'static str, &str)> {
    let is_end = |rest: &&str| rest.is_empty() || rest.starts_with('-');
    TAGS.iter().find_map(|tag| Some((*tag, word.strip_prefix(tag).filter(is_end)?)))
}

/// Returns the algorithm and the name in a title whose words before the name are these, the last of them one for "file".
fn behind_file<'t>(words: &str, files: &str, title: &'t [u8]) -> Option<(&'t str, &'t [u8])> {
    let is_in = |words: &str, word: &str| {
        let word = word.to_lowercase();
        words.split(' ').any(|known| known == word)
    };
    let (mut tag, mut rest) = (None, title);
    loop {
        let end = scan::find(rest, |byte| byte == b' ')?;
        let word = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        match tag_of(word) {
            Some((found, more)) if tag.is_none() && (more.is_empty() || is_in(words, &more[1..])) => {
                tag = Some(found);
            }
            _ if is_in(files, word) => return tag.filter(|_| !rest.is_empty()).map(|tag| (tag, rest)),
            _ if is_in(words, word) => {}
            _ => return None,
        }
    }
}

/// Returns the algorithm and the name in a title of an unknown language that ends in a path without blanks. Its beginning
/// shows that it is complete, and its extension that nothing follows it.
fn path_at_end(title: &[u8]) -> Option<(&str, &[u8])> {
    let (before, path) = title.split_at(scan::rfind(title, scan::is_blank)? + 1);
    let is_path = is_of_drive(path) || path.starts_with(b".\\") || path.starts_with(b"\\\\");
    let mut words = std::str::from_utf8(before).ok()?.split(' ');
    let tag = words.find_map(tag_of).filter(|_| is_path && is_file_like(path))?;
    (!before.contains(&b'\\') && words.all(|word| tag_of(word).is_none())).then_some((tag.0, path))
}

/// Returns the algorithm and the name in a title that fits a pattern of [`TITLES`] or [`SHORT_TITLES`].
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

/// Returns true for a line of a console that no run writes.
fn is_skipped(line: &[u8]) -> bool {
    let command = b">certutil ";
    scan::count(line.len());
    is_console(line) || line.windows(command.len()).any(|part| part.eq_ignore_ascii_case(command))
}

impl Parse for Runs {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        self.is_last = is_last(line);
        let line = scan::trim(line);
        if is_skipped(line) {
            return Ok(None);
        }
        if line.starts_with(LAST) {
            self.has_last = true;
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
                    self.finished(entry, line)
                }
                (Some(_), None) => Err(Reason::EmptyDigest),
                (None, None) if self.good && !has_lines => {
                    Err(Reason::Part("the preceding lines, with the file name and the digest, are missing"))
                }
                (None, None) => Ok(None),
            };
        }
        self.has_lines = true;
        let joined = without_blanks(line);
        if let Some(entry) = self.entry.take() {
            if self.has_last || is_long_hex(&joined) {
                self.title = None;
                return Err(CUT);
            }
            self.title = Some(line.to_vec());
            return self.finished(entry, b"");
        }
        match self.title.take() {
            Some(title) if is_long_hex(&joined) || !line.ends_with(b":") => {
                let (entry, doubt) = self.digest(&title, line)?;
                (self.entry, self.doubt) = (Some(entry), doubt);
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
                        "certutil failed for an earlier file, which therefore has no digest",
                    ));
                }
            }
        }
        Ok(None)
    }

    fn has_kept_line(&self) -> bool {
        self.is_last
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        match (self.title.take(), self.entry.take()) {
            (None, Some(entry)) if !self.has_last => self.finished(entry, b""),
            (None, None) => Ok(None),
            _ => Err(CUT),
        }
    }
}
