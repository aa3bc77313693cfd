//! Hints on why nothing was verified and how to fix this.

use crate::advice::{FORMATS, signature_command};
use crate::check::plan::Subject;
use crate::console::Console;
use crate::digests::pasted::{is_digest, sum_line};
use crate::digests::{candidates, cryptographic_first, is_checksum};
use crate::key::HINT;
use crate::output::{listed, lists};
use crate::values::path::folder_of;
use crate::words::{SAME_OPTIONS, count, path_word};
use std::ffi::OsStr;
use std::fs::{DirEntry, read_dir};
use std::io::Read;
use std::path::{Path, PathBuf};
use truesum::hash::{Digest, Spec};
use truesum::manifest::identify::{Candidate, likelihood};
use truesum::manifest::path::{display_safe, percent_escape_into, within_root};
use truesum::manifest::{Head, LineError, Options, ReadError, Reader, Reason, Signer, detect};
use truesum::names::{self, NameMatch};
use truesum::open::open_companion;
use truesum::verify::bag::is_bag;
use truesum::verify::history;
use truesum::verify::lists_one_of;
use truesum::verify::ocfl;
use truesum::verify::place::folder_of_names;
use truesum::{Checked, Kind, NotUsed, Outcome, Progress, ReadOptions, Report, Root, Verdict};
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;

/// Reports why nothing was verified with a manifest.
pub fn nothing_verified(
    name: &[u8],
    checked: &Checked,
    read: &ReadOptions,
    lacks_key: bool,
    console: &mut Console,
) {
    let path = Path::new(OsStr::from_bytes(name));
    let damaged = checked.entries() == 0 && checked.counts().malformed() > 0;
    if damaged
        && !lacks_key
        && let Some(why) = excluded_by_options(path, read)
    {
        console.error_of(name, &format!("nothing verified: {why}"));
        if let Some(hint) = hmac_of_standard_input(path, read) {
            return console.hint(&hint);
        }
        return console
            .hint(&format!("to check the digests that it contains: truesum check {}", path_word(path)));
    }
    let elsewhere = "if the files are in another folder, use --root DIR";
    let (why, hint) = match (checked.entries(), checked.ignored()) {
        (0, _) if lacks_key => ("no line can be read without a key", Some(HINT)),
        (0, _) => ("it contains no entries", Some(FORMATS)),
        _ if checked.counts().unverified() > 0 => (
            "it has no digests for the files that exist",
            Some(
                "a matching size does not verify the content of a file; to record digests: truesum hash -o FILE.sha256 DIR",
            ),
        ),
        (_, 0) => ("the run ended early", None),
        (_, _) => ("none of its files exist", Some(elsewhere)),
    };
    console.error_of(name, &format!("nothing verified: {why}"));
    // A damaged, truncated or too large manifest of a recognized format was already reported as
    // such.
    let known = checked.format().is_some_and(|row| row.terminator().is_none());
    let head = head_of(path).filter(|_| checked.entries() == 0);
    if let Some(hint) = head
        .and_then(|head| {
            lines_of_cksum(&head, path)
                .or_else(|| lines_of_sum(&head, path))
                .or_else(|| lines_of_etags(&head, path))
                .or_else(|| unknown_algorithm(&head, path))
                .or_else(|| only_digest(&head))
        })
        .or_else(|| manifest_in_folder_hint(path, false).filter(|_| checked.entries() == 0))
        .or_else(|| named_like_a_digest(path).filter(|_| checked.entries() == 0))
    {
        console.hint(&hint);
    } else if let Some(hint) = hint
        && (lacks_key || !(damaged && (known || checked.unverified_signature().is_some())))
    {
        console.hint(hint);
    }
}

/// Returns a hint if a file that is not a manifest has the name of a digest, which was probably meant instead.
fn named_like_a_digest(file: &Path) -> Option<String> {
    /// The number of digits of the shortest digest that is not a checksum.
    const SHORTEST: usize = 32;
    let digits = file.as_os_str().as_bytes();
    let is_digest = digits.len() >= SHORTEST && digits.iter().all(u8::is_ascii_hexdigit);
    let word = path_word(file);
    is_digest.then(|| format!("to compare a file with the digest {word}: truesum check --expect {word} FILE"))
}

/// Returns which option is the reason why no line of a manifest was read, if there are entries without it.
fn excluded_by_options(manifest: &Path, read: &ReadOptions) -> Option<&'static str> {
    let why = if !read.get_algorithms().is_empty() {
        "no line has a digest of the algorithm specified with --algorithm"
    } else if read.get_key().is_some() {
        "no line has a keyed digest, although a key was specified"
    } else if read.get_format().is_some() {
        "no line is in the format specified with --format"
    } else {
        return None;
    };
    lists(manifest).then_some(why)
}

/// Returns a hint if a key was specified, but no algorithm, and the only digest of a manifest is that of standard input:
/// OpenSSL does not write that it is an HMAC.
fn hmac_of_standard_input(manifest: &Path, read: &ReadOptions) -> Option<String> {
    read.get_key().filter(|_| read.get_algorithms().is_empty() && of_standard_input(manifest))?;
    let options = Options::for_name(manifest.as_os_str().as_bytes());
    let line = Reader::new(open_companion(manifest).ok()?, options).find_map(Result::ok)?;
    let (spec, _) = line.entry.digests.first()?;
    let hmac: Spec = format!("hmac-{spec}").parse().ok()?;
    let manifest = path_word(manifest);
    Some(format!("if the digest is an HMAC: truesum check{SAME_OPTIONS} -a {hmac} - FILE < {manifest}"))
}

/// Returns whether the only entry of a manifest is for standard input.
fn of_standard_input(manifest: &Path) -> bool {
    let mut names = listed(manifest);
    names.next().is_some_and(|name| matches!(&name[..], b"-" | b"stdin" | b"(stdin)"))
        && names.next().is_none()
}

/// Returns a hint if the only digest of a manifest is that of standard input, which may have been this file.
pub fn from_standard_input(manifest: &Path, file: &Path) -> Option<String> {
    let (manifest_word, file) = (path_word(manifest), path_word(file));
    of_standard_input(manifest).then(|| {
        format!(
            "{manifest_word} has the digest of standard input; to compare a file with it: truesum check{SAME_OPTIONS} - {file} < {manifest_word}"
        )
    })
}

/// The maximum size of a manifest next to a file that is searched for it, and of all of them together.
const SIZE_LIMITS: (u64, u64) = (4 << 20, 16 << 20);

/// Returns a hint if a manifest in the folder of this file lists it: a check needs the manifest. Of
/// the options of the run, only `--pubkey` is repeated; others, such as `-a`, were meant for the
/// file.
pub fn manifest_in_folder_hint(file: &Path, needs_key: bool) -> Option<String> {
    if file == Path::new("-") {
        return None;
    }
    let (longest, mut left) = SIZE_LIMITS;
    let nothing = Head::new(b"", true);
    let is_manifest = |item: &DirEntry| detect(nothing, Some(item.file_name().as_bytes())).is_some();
    let sized = |item: DirEntry| {
        let found = item.metadata().ok().filter(|found| found.is_file() && found.len() <= longest)?;
        Some((found.len(), item.path()))
    };
    let items = read_dir(folder_of(file)).ok()?.flatten();
    let mut manifests: Vec<_> = items.filter(is_manifest).filter_map(sized).collect();
    // Other files can have the same suffixes as manifests, so the number of candidates is not limited.
    manifests.sort();
    let affordable = manifests.into_iter().take_while(|(len, _)| {
        // Opening a file takes as long as reading a few KiB.
        left = left.saturating_sub(len + (16 << 10));
        left > 0
    });
    let manifest = affordable.map(|(_, manifest)| manifest).find(|manifest| {
        lists_one_of(manifest, &ReadOptions::default(), &Progress::default(), &[file]).is_some()
    })?;
    let manifest = manifest.strip_prefix(".").unwrap_or(&manifest);
    let options = if needs_key { String::from(SAME_OPTIONS) } else { String::new() };
    Some(format!(
        "to check {} with the manifest that lists it: truesum check{options} {} {}",
        display_safe(file.as_os_str().as_bytes()),
        path_word(manifest),
        path_word(file)
    ))
}

/// Returns the note on files that a search of folders did not check.
pub fn not_used(why: NotUsed, files: u64, first: &Path) -> String {
    let word = path_word(first);
    let one = if files == 1 { "it" } else { "one" };
    match why {
        NotUsed::Format => format!(
            "{} not checked, because --recursive does not check torrents, Metalink, PAR2 or MHL files, or package indexes; \
             to check {one}: truesum check {word}",
            count(files, "manifest was", "manifests were")
        ),
        NotUsed::Ocfl => format!(
            "{} not checked as a whole, because --recursive checks only manifests; to check {one} completely: truesum check {word}",
            count(files, "OCFL object or storage root was", "OCFL objects or storage roots were")
        ),
        NotUsed::Compressed => format!(
            "{} not checked, because --recursive does not decompress such files; to check {one}: truesum check {word}",
            count(files, "compressed JSON Lines file was", "compressed JSON Lines files were")
        ),
        NotUsed::Name => format!(
            "{} not checked, because --recursive does not check files with such names; to check {one}: truesum check {word}",
            count(files, "file that looks like a manifest was", "files that look like manifests were")
        ),
        NotUsed::OtherLines => {
            let first = display_safe(first.as_os_str().as_bytes());
            match files {
                1 => format!(
                    "1 JSON Lines file was not checked, because it contains no entries in truesum's format ({first})"
                ),
                _ => format!(
                    "{} not checked, because they contain no entries in truesum's format (first: {first})",
                    count(files, "JSON Lines file was", "JSON Lines files were")
                ),
            }
        }
    }
}

/// Reports that the folders or manifests contain nothing to verify.
pub fn nothing_found(subject: &Subject, report: &Report, console: &mut Console) {
    match subject {
        Subject::Below(_) if report.manifests() == Some(0) && report.unread() == 0 => {
            console.error("nothing verified: no manifest found");
            console.hint(
                "manifests are recognized by name, for example SHA256SUMS, x.iso.sha256, x.sfv or x.jsonl",
            );
        }
        Subject::ContentAddressed(_) => {
            console.error("nothing verified: no files found in a supported content-addressed layout");
        }
        Subject::Embedded(_) => {
            console.error("nothing verified: no file name contains a digest");
            console.hint("to add a CRC-32 to a file name: truesum embed add --yes FILE");
        }
        Subject::Manifests(names) if report.unread() > 0 => {
            if let Some(folder) =
                names.iter().find(|name| name.is_dir() && !is_bag(name) && history::folder_of(name).is_none())
                && ocfl::kind_of(folder).is_none()
            {
                let new = path_word(folder.join("SHA256SUMS"));
                let folder = path_word(folder);
                if let Some(manifest) = names.first().filter(|name| name.is_file()) {
                    let manifest = path_word(manifest);
                    console.hint(&format!(
                        "if the files are in {folder}: truesum check --root {folder} {manifest}; to check only the entries in that folder, use --only with its name in the manifest"
                    ));
                    return;
                }
                console.hint(&format!(
                    "to check the manifests in the folder: truesum check -r {folder}; to create one: truesum hash -o {new} {folder}"
                ));
            }
        }
        _ => {}
    }
}

/// Returns a hint if a missing file is a symbolic link whose target does not exist.
pub fn dangling_link(folder: &Path, names: &[Vec<u8>]) -> Option<String> {
    names.iter().find_map(|name| {
        let path = folder.join(OsStr::from_bytes(name));
        let target = std::fs::read_link(&path).ok()?;
        let is_missing = path.metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        let [name, target] = [&name[..], target.as_os_str().as_bytes()].map(display_safe);
        is_missing.then(|| format!("{name} is a symbolic link to {target}, which does not exist"))
    })
}

/// Returns a hint if a missing file exists under another spelling of its name.
pub fn equivalent_name(folder: &Path, names: &[Vec<u8>]) -> Option<String> {
    let mut matches =
        names.iter().map(|name| (name, names::equivalent_name(folder, OsStr::from_bytes(name))));
    // A missing file may be expected under another name than that of its entry, which exists.
    let is_other = |name: &Vec<u8>, found: &NameMatch| match found {
        NameMatch::Nothing => false,
        NameMatch::One { found, .. } => found != name,
        NameMatch::Several(_) => true,
    };
    let (name, found) = match matches.find(|(name, found)| is_other(name, found))? {
        (name, NameMatch::One { found, .. }) => (name, found),
        (name, NameMatch::Several(found)) => return Some(ambiguous(name, &found)),
        (_, NameMatch::Nothing) => return None,
    };
    if name.strip_suffix(b"/") == Some(&found[..]) {
        let (name, found) = (display_safe(name), display_safe(&found));
        return Some(format!(
            "{found} is a file, but {name} is the name of a folder; remove the slash at its end from the manifest"
        ));
    }
    let (name, found) = (display_safe(name), display_safe(&found));
    Some(format!(
        "{found} exists, and its name differs from {name} only in letter case or Unicode normalization: accept it with --match-case=no or --normalize, or rename it with --fix-names"
    ))
}

/// Returns a hint if several files match a missing one, so that no other spelling of its name was accepted.
pub fn ambiguous_name(folder: &Path, name: &[u8]) -> Option<String> {
    match names::equivalent_name(folder, OsStr::from_bytes(name)) {
        NameMatch::Several(found) => Some(ambiguous(name, &found)),
        NameMatch::Nothing | NameMatch::One { .. } => None,
    }
}

fn ambiguous(name: &[u8], found: &[Vec<u8>]) -> String {
    let more = if found.len() > 3 { ", ..." } else { "" };
    let found: Vec<String> = found.iter().take(3).map(|found| display_safe(found)).collect();
    format!(
        "the names of several files differ from {name} only in letter case or Unicode normalization ({}{more}), so none is accepted; rename the right one to {name}",
        found.join(", "),
        name = display_safe(name)
    )
}

/// Returns a hint if a missing file of a bag exists under a name that contains `%25`, `%0A` or `%0D`: the program that
/// wrote the manifest did not escape names.
pub fn unescaped(manifest: &Path, folder: &Path, names: &[Vec<u8>]) -> Option<String> {
    let root = Root::folder(folder, false).ok().filter(|_| is_bag(folder))?;
    let spelled = names.iter().filter(|name| name.iter().any(|byte| b"%\n\r".contains(byte))).map(|name| {
        let mut spelled = Vec::new();
        percent_escape_into(name, &mut spelled);
        spelled
    });
    let found = spelled.into_iter().find(|name| root.exists(OsStr::from_bytes(name)))?;
    let found = display_safe(&found);
    Some(format!("{found} exists, but its name is not escaped in the manifest; {}", searching(manifest)))
}

/// Returns a hint if this folder contains the missing files of a torrent without the first component of their names: the
/// folder of the torrent has been renamed.
pub fn renamed_folder(manifest: &Path, folder: &Path, names: &[Vec<u8>]) -> Option<String> {
    let root = Root::folder(folder, false).ok()?;
    let is_there = |name: &Vec<u8>| {
        let end = name.iter().position(|&byte| byte == b'/');
        end.is_some_and(|end| root.exists(OsStr::from_bytes(&name[end + 1..])))
    };
    let (folder, manifest) = (path_word(folder), path_word(manifest));
    names.iter().any(is_there).then(|| {
        format!("if {folder} is the folder of the torrent under another name: truesum check{SAME_OPTIONS} --data {folder} {manifest}")
    })
}

/// Returns a hint if files of this manifest that are missing from its folder exist in the current folder or in the
/// parent folder.
pub fn missing(manifest: &Path, folder: &Path, names: &[Vec<u8>]) -> Option<String> {
    for (other, what) in [(Path::new(".").to_owned(), "current folder"), (folder.join(".."), "parent folder")]
    {
        if let Ok(root) = Root::folder(&other, false)
            && names.iter().any(|name| root.exists(OsStr::from_bytes(name)))
            && !is_bag(folder)
        {
            let (other, manifest) = (path_word(&other), path_word(manifest));
            return Some(format!(
                "at least one missing file is in the {what}; to check the files there: truesum check{SAME_OPTIONS} --root {other} {manifest}"
            ));
        }
    }
    let below = subfolder_with(folder, names)?;
    let (below, manifest) = (path_word(below), path_word(manifest));
    Some(format!(
        "files with these names are in {below}; to check them: truesum check{SAME_OPTIONS} --root {below} {manifest}"
    ))
}

/// Returns the first subfolder of a folder that contains all these files.
fn subfolder_with(folder: &Path, names: &[Vec<u8>]) -> Option<PathBuf> {
    /// The maximum number of objects in the folder that are examined.
    const LIMIT: usize = 1000;
    let items = read_dir(folder).ok()?.flatten().take(LIMIT);
    let mut folders: Vec<PathBuf> = items
        .filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|item| item.path().strip_prefix(".").map_or_else(|_| item.path(), Path::to_owned))
        .collect();
    folders.sort();
    folders.into_iter().find(|folder| {
        let exists = |root: &Root| names.iter().all(|name| root.exists(OsStr::from_bytes(name)));
        Root::folder(folder, false).is_ok_and(|root| exists(&root))
    })
}

/// Returns a hint if a file that no entry names has the name of an entry in another folder, as a copy has.
pub fn in_other_folder(manifest: &Path, file: &Path) -> Option<String> {
    let other = listed(manifest).find_map(|name| {
        let name = Path::new(OsStr::from_bytes(&name)).to_owned();
        let depth = name.components().count();
        let is_below = file.is_file() && file.ends_with(&name) && file.components().count() > depth;
        is_below.then(|| file.ancestors().nth(depth).map(Path::to_owned))?
    })?;
    let (other, manifest) = (path_word(other), path_word(manifest));
    Some(format!("to check the files in {other}: truesum check{SAME_OPTIONS} --root {other} {manifest}"))
}

/// Returns a hint if files that are missing from this folder seem to exist under another name: in another encoding,
/// without the folders in the name or without blanks at its end. If all files are missing, any other file with the same
/// suffix counts.
pub fn renamed(manifest: &Path, root: Option<&Path>, names: &[Vec<u8>], all: bool) -> Option<String> {
    let folder = root.map_or_else(|| folder_of_names(manifest), Path::to_owned);
    let own = Root::folder(&folder, false).ok()?;
    let ascii = |text: &[u8]| -> Vec<u8> { text.iter().copied().filter(u8::is_ascii).collect() };
    let is_elsewhere = |name: &Vec<u8>| {
        // Lists from Windows have backslashes between folders.
        let at = name.iter().rposition(|&byte| matches!(byte, b'/' | b'\\')).map_or(0, |at| at + 1);
        let (parent, base) = name.split_at(at);
        let padding = name.len() - name.trim_ascii_end().len();
        let is_there = |name: &[u8]| !name.is_empty() && own.exists(OsStr::from_bytes(name));
        if at > 0 && is_there(base) || padding > 0 && is_there(name.trim_ascii_end()) {
            return true;
        }
        if !all && base.is_ascii() || within_root(name).is_err() {
            return false;
        }
        let suffix =
            |name: &[u8]| Path::new(OsStr::from_bytes(name)).extension().map(OsStr::to_ascii_lowercase);
        // Encodings differ in all characters but those of ASCII, which may also be parts of others.
        let is_subsequence = |short: Vec<u8>, long: Vec<u8>| {
            let mut long = long.into_iter();
            short.into_iter().all(|byte| long.any(|other| other == byte))
        };
        let files = std::fs::read_dir(folder.join(OsStr::from_bytes(parent))).into_iter().flatten().flatten();
        let mut names =
            files.map(|file| file.file_name()).filter(|found| Some(&**found) != manifest.file_name());
        names.any(|found| match (base.is_ascii(), found.as_bytes()) {
            (true, found) => all && suffix(base).is_some() && suffix(found) == suffix(base),
            (false, found) => !found.is_ascii() && is_subsequence(ascii(found), ascii(base)),
        })
    };
    names.iter().any(is_elsewhere).then(|| searching(manifest))
}

/// Returns the hint to search for files.
pub fn searching(manifest: &Path) -> String {
    let manifest = path_word(manifest);
    format!(
        "to find the files by size and digest: truesum check{SAME_OPTIONS} --search --moved=ok {manifest}"
    )
}

/// Returns a hint if a name may be that of a file on another machine: it begins with a Windows drive, or it leads out of
/// the folder. Whether it exists there is not tested, because names outside the folder are never looked up.
pub fn on_another_machine(manifest: &Path, outcome: &Outcome) -> Option<String> {
    // A file with piece digests only cannot be searched for.
    let is_searchable = !outcome.job.expected().is_empty();
    if outcome.result.as_ref().is_err_and(|error| error.kind() == Kind::OutsideRoot) {
        let reading = "to read files outside the folder, use --allow-outside";
        return Some(match is_searchable {
            true => format!("{}; {reading}", searching(manifest)),
            false => reading.to_owned(),
        });
    }
    let is_of_drive = outcome.verdict() == Verdict::Missing
        && matches!(outcome.job.path(), [b'a'..=b'z' | b'A'..=b'Z', b':', b'\\' | b'/', ..]);
    (is_of_drive && is_searchable).then(|| searching(manifest))
}

/// Returns a hint if most files of a manifest are missing, for example because the user downloaded
/// only one of the files.
pub fn mostly_missing(manifest: &Path, checked: &Checked) -> Option<String> {
    let present = checked.counts().verified() + checked.counts().mismatched();
    (present > 0 && checked.counts().missing() > present).then(|| {
        let manifest = path_word(manifest);
        format!(
            "to skip files that do not exist: truesum check{SAME_OPTIONS} --ignore-missing {manifest}; to check one file: truesum check{SAME_OPTIONS} {manifest} FILE"
        )
    })
}

/// A digest of an entry that was compared with that of a file.
pub struct Listed {
    pub spec: Spec,
    pub digest: Digest,
    pub differs: bool,
}

impl Listed {
    /// Returns the digests of the entry of an outcome.
    pub fn all_of(outcome: &Outcome) -> Vec<Listed> {
        let found = outcome.result.as_ref().map_or(&[][..], |found| found.digests());
        let listed = outcome.job.specs().iter().zip(outcome.job.expected()).enumerate();
        let of = |(at, (spec, digest)): (usize, (&Spec, &Digest))| Listed {
            spec: spec.clone(),
            digest: digest.clone(),
            differs: found.get(at) != Some(digest),
        };
        listed.map(of).collect()
    }
}

/// Returns whether the algorithm of a list in base32 was assumed to be TTH, because neither its name nor the user specifies it.
pub fn assumes_tth(checked: &Checked, read: &ReadOptions) -> bool {
    checked.format().is_some_and(|format| format.name() == "tth") && read.get_algorithms().is_empty()
}

/// Returns a hint if the algorithm was guessed from the length of a digest of an entry and another algorithm
/// with that length matches. `file` is the file of the entry; it is not read again if it is large.
pub fn guessed(listed: &[Listed], file: &Path) -> Option<String> {
    let wrong = listed.iter().position(|one| one.differs)?;
    let Listed { spec: guessed, digest: expected, .. } = &listed[wrong];
    const LARGE: u64 = 16 << 20;
    /// For files up to this size, trying all candidates takes less than a second. For larger files,
    /// only the likely ones are tried.
    const SMALL: u64 = 1 << 20;
    const LIKELY: usize = 14;
    let all = candidates(&expected.to_hex(), &[]).unwrap_or_default();
    let is_common_checksum = |one: &&Candidate| is_checksum(one.spec()) && likelihood(one.spec()).is_some();
    let mut likely: Vec<Candidate> = all.iter().filter(is_common_checksum).cloned().collect();
    let others = cryptographic_first(all);
    likely.extend(others.into_iter().filter(|one| !is_common_checksum(&one)));
    let mut specs: Vec<Spec> = likely.iter().map(|candidate| candidate.spec().clone()).collect();
    specs.retain(|spec| spec != guessed);
    specs.dedup();
    let size = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
    if size > SMALL {
        specs.truncate(LIKELY);
    }
    let digits = guessed.digest_len() * 2;
    if size > LARGE {
        let names: Vec<String> = specs.iter().map(Spec::to_string).collect();
        let names = names.join(", ");
        return Some(format!(
            "no algorithm was specified, so {guessed} was assumed from the digest length ({digits} digits); to use another algorithm, specify -a NAME ({names})"
        ));
    }
    // Standard input cannot be read again.
    let found = (file != Path::new("-")).then(|| truesum::hash_file(file, &specs))?.ok()?;
    let (spec, _) = specs.iter().zip(found.digests()).find(|(_, digest)| *digest == expected)?;
    let mut all_names: Vec<String> = listed.iter().map(|one| one.spec.to_string()).collect();
    all_names[wrong] = spec.to_string();
    let doubt = if is_checksum(spec) { " (this does not rule out tampering)" } else { "" };
    Some(format!(
        "no algorithm was specified, so {guessed} was assumed from the digest length ({digits} digits), but the {spec} digest of the file matches: use -a {}{doubt}",
        all_names.join(",")
    ))
}

/// Returns a hint if a manifest has digests of text with converted line ends, which other bytes than those of a file can
/// match.
pub fn converted_line_ends(manifest: &Path, checked: &Checked) -> Option<String> {
    checked.format().filter(|format| format.name() == "shasum")?;
    Some(format!(
        "in mode U, shasum converts CR LF and CR to LF before it computes a digest, so files with CR never match; to check them: shasum -c {}",
        path_word(manifest)
    ))
}

/// Returns a hint if a file that does not match is a pointer of Git LFS to the content that the manifest describes.
pub fn pointer(file: &Path, outcome: &Outcome) -> Option<String> {
    /// Maximum size of a pointer in bytes.
    const LIMIT: u64 = 1024;
    let is_small = std::fs::metadata(file).is_ok_and(|metadata| metadata.len() <= LIMIT);
    let text = head_of(file).filter(|_| is_small)?;
    let mut lines = text.lines();
    let is_pointer = lines.next()?.starts_with("version https://git-lfs.github.com/spec/");
    let oid = lines.find_map(|line| line.strip_prefix("oid sha256:")).filter(|_| is_pointer)?;
    let mut comparable =
        outcome.job.expected().iter().map(Digest::to_hex).filter(|digest| digest.len() == oid.len());
    let other = if comparable.next().is_some_and(|digest| digest != oid) { "other " } else { "" };
    let name = display_safe(outcome.job.name());
    Some(format!("{name} is a Git LFS pointer to {other}content; to download the content: git lfs pull"))
}

/// Returns a hint on an entry that no file can match.
pub fn impossible_entry_hint(manifest: &Path, file: &Path, outcome: &Outcome) -> Option<String> {
    let id = |path: &Path| Metadata::at(path).map(|metadata| metadata.id()).ok();
    match outcome.verdict() {
        Verdict::Missing if outcome.job.name() == b"-" => Some(
            "an entry named - has the digest of standard input; to compare the current input: truesum check --expect DIGEST -".to_owned(),
        ),
        // A file that lists digests of its own content is not an entry for itself by mistake.
        Verdict::Mismatch if lists_content(outcome) => None,
        Verdict::Mismatch if id(file).is_some() && id(file) == id(manifest) => {
            let name = display_safe(manifest.as_os_str().as_bytes());
            Some(format!("{name} contains an entry for itself, which cannot match; delete that line, or create the manifest with truesum hash -o, which leaves it out"))
        }
        _ => None,
    }
}

fn lists_content(outcome: &Outcome) -> bool {
    let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces());
    pieces.is_some_and(|pieces| !pieces.compared().is_empty())
}

/// Returns a hint with the command that verifies the signature next to a manifest, if there is one.
pub fn signature_beside(manifest: &Path) -> Option<String> {
    let (what, command) = signature_command(manifest, true)?;
    let shown = display_safe(manifest.as_os_str().as_bytes());
    Some(format!("{shown} has a {what} that was not verified; to verify it: {command}"))
}

/// Returns the beginning of a file as text.
fn head_of(file: &Path) -> Option<String> {
    const HEAD: u64 = 4 << 10;
    let mut text = Vec::new();
    open_companion(file).ok()?.take(HEAD).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Returns a hint if a text is a digest without the name of a file.
fn only_digest(text: &str) -> Option<String> {
    let digest = text.trim();
    let hint = || {
        format!("to compare a file with this digest: truesum check {} FILE", path_word(OsStr::new(digest)))
    };
    (!digest.contains(char::is_whitespace) && is_digest(OsStr::new(digest))).then(hint)
}

/// Returns a hint if a manifest without a matching entry looks like one of `cksum`: a checksum of eight decimal digits was
/// read as hexadecimal.
pub fn decimal_lines(manifest: &Path, checked: &Checked) -> Option<String> {
    let is_unread = checked.counts().verified() == 0 && checked.counts().malformed() > 0;
    lines_of_cksum(&head_of(manifest).filter(|_| is_unread)?, manifest)
}

/// Returns a hint if a line of a text has the form of `cksum`. A name of the manifest that does not show the algorithm
/// leaves decimal lines without a meaning.
fn lines_of_cksum(text: &str, manifest: &Path) -> Option<String> {
    let is_line = |line: &str| {
        let line = sum_line(line);
        line.filter(|line| line.is_of_cksum() && line.name.is_some()).is_some()
    };
    text.lines().find(|line| is_line(line))?;
    Some(format!(
        "these lines look like the output of cksum; to check them: truesum check{SAME_OPTIONS} -a crc {}",
        path_word(manifest)
    ))
}

/// Returns a hint if a text is the output of `sum`, whose lines do not show which of its two algorithms they are of.
fn lines_of_sum(text: &str, manifest: &Path) -> Option<String> {
    let line = sum_line(text.lines().next()?).filter(|line| !line.is_of_cksum())?;
    line.name?;
    let algorithm = if line.number.len() == 5 && line.size < 100_000 { "bsd" } else { "sysv" };
    Some(format!(
        "these lines look like the output of sum; to check them: truesum check{SAME_OPTIONS} -a {algorithm} {}",
        path_word(manifest)
    ))
}

/// Returns a hint if the algorithm of the digests in a manifest is unknown. Most digests of 64 bits without the name of their
/// algorithm are printed by `xxhsum`.
fn unknown_algorithm(text: &str, manifest: &Path) -> Option<String> {
    let options = Options::for_name(manifest.as_os_str().as_bytes());
    let error = Reader::new(text.as_bytes(), options).find_map(Result::err)?;
    let ReadError::Line(LineError { reason, .. }) = error else { return None };
    /// The number of digits of the shortest digest that is not a checksum.
    const SHORTEST: usize = 32;
    let path = path_word(manifest);
    let name = match reason.cause() {
        Reason::UnknownAlgorithm { names, .. } if names.contains(&"xxh64") => "xxh64",
        Reason::UnknownAlgorithm { names, .. } => match names[..] {
            [] => return None,
            [name] => name,
            // The message lists them.
            _ => "NAME",
        },
        Reason::Columns(names) => {
            let names = names.join(",");
            return Some(format!(
                "to specify all algorithms, for example: truesum check{SAME_OPTIONS} -a {names} {path}"
            ));
        }
        Reason::Length { spec, found } if *found >= SHORTEST => {
            let spec = spec.clone().with_bits(4 * found).ok()?;
            return Some(format!(
                "if the digests have {} bits: truesum check{SAME_OPTIONS} -a {spec} {path}",
                4 * found
            ));
        }
        _ => return None,
    };
    Some(format!("to specify the algorithm: truesum check{SAME_OPTIONS} -a {name} {path}"))
}

/// Returns a hint if the lines of a manifest begin with ETags of multipart uploads, which have no length of their own.
fn lines_of_etags(text: &str, manifest: &Path) -> Option<String> {
    let (md5, parts) = text.split_whitespace().next()?.split_once('-')?;
    let is_etag = md5.len() == 32
        && md5.bytes().all(|byte| byte.is_ascii_hexdigit())
        && parts.parse::<u32>().is_ok_and(|parts| parts > 0);
    (is_etag && text.trim().contains(char::is_whitespace)).then(|| {
        format!(
            "to check ETags of multipart uploads: truesum check{SAME_OPTIONS} -a s3-etag {}",
            path_word(manifest)
        )
    })
}

/// Reports that the signature of a manifest was not verified, with a hint on how to verify it.
pub fn unverified_signature(name: &[u8], signer: Signer, console: &mut Console) {
    let word = path_word(OsStr::from_bytes(name));
    console.note(&format!("{} is signed, but the signature was not verified", display_safe(name)));
    console.hint(&match signer {
        Signer::OpenPgp => format!("to verify it: gpg --verify {word}"),
        Signer::Signify => format!("to verify it: truesum check --pubkey KEY.pub {word}"),
        Signer::Package => format!("to verify it: apksigner verify --print-certs {word}"),
    });
}
