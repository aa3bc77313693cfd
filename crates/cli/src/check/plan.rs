//! Converts the options of `check` to a plan. All invalid combinations are refused here, before any
//! file is read.

use crate::check::arguments::{Case, CheckArgs};
use crate::check::named::{Operands, manifest_in_first, named};
use crate::check::report::{Detail, Form, NAMED_LINES};
use crate::digests::pasted::{
    SEVERAL, bare, cksum, embedded, grouped, has_other_digest, is_cut, name_in_line, normalized, pasted,
    sum_line, translated,
};
use crate::digests::{COMPLETE, mistyped_refusal};
use crate::ending::{self, Ending};
use crate::exit::Refusal;
use crate::formats;
use crate::key::HINT;
use crate::options::{Moved, Reporting};
use crate::output::lists;
use crate::selection::{literal, selection};
use crate::stores;
use crate::words::{path_word, shell_word};
use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::{Digest, Secret, Spec, SpecError};
use truesum::manifest::encoding::ENCODINGS;
use truesum::manifest::identify::{Candidate, identify};
use truesum::manifest::path::display_safe;
use truesum::manifest::signify::PublicKey;
use truesum::manifest::{self, Entry, meant};
use truesum::names::Spellings;
use truesum::open::{open_companion, open_named};
use truesum::verify::{ocfl, seal};
use truesum::{Mapping, Order, Remote, Renaming, Special, Unlisted};
use truesum_fs::name::OsStrExt;

/// A validated `check` command.
pub struct Checking {
    pub subject: Subject,
    pub options: truesum::Options,
    /// `Some` with `--stored`: compare with the checksums of the object store. The value is whether
    /// objects without a matching stored checksum are read.
    #[cfg(feature = "stores")]
    pub stored: Option<bool>,
    pub form: Form,
    /// Whether to report every malformed line.
    pub warn: bool,
    /// How to locate damage in files that fail; `None` without `--locate`.
    pub locate: Option<LocateOptions>,
    /// The file for the HTML report.
    pub html: Option<PathBuf>,
    pub ending: Ending,
    /// Whether the user requested a summary, which is printed even with `--quiet`.
    pub summary_requested: bool,
    pub reporting: Reporting,
    /// Names of entries that were given as arguments.
    pub entries: Vec<OsString>,
    /// Notes to print before the check.
    pub notes: Vec<String>,
}

/// The input of a check.
pub enum Subject {
    Manifests(Vec<PathBuf>),
    /// All manifests below these folders.
    Below(Vec<PathBuf>),
    /// Files whose names contain their digest.
    Embedded(Vec<PathBuf>),
    /// Files that a store names by their digest.
    ContentAddressed(Vec<PathBuf>),
    /// Files that must have this digest.
    Files(Vec<PathBuf>, Box<Expected>),
}

/// How to locate damage.
pub struct LocateOptions {
    /// The folder of the stored trees, if they are not next to the files.
    pub trees: Option<PathBuf>,
    /// Whether to draw a map of the damage.
    pub map: bool,
    /// The file for the HTML page with all damaged files.
    pub page: Option<PathBuf>,
}

impl Checking {
    /// Returns how much to print about entries.
    pub fn detail(&self) -> Detail {
        self.form.detail()
    }
}

/// A digest from the command line.
#[derive(Debug)]
pub struct Expected {
    pub spec: Spec,
    pub digest: Digest,
    /// Whether the algorithm was guessed from the length of the digest.
    pub guessed: bool,
    /// The name after the digest, if a complete line was given.
    pub name: Option<Vec<u8>>,
    /// The size in bytes, if the line specified it.
    pub size: Option<u64>,
    /// The digest as one of a multipart upload, if its part size is unknown.
    pub parts: Option<Candidate>,
}

/// Validates the arguments of `check`.
///
/// # Errors
/// Fails if options contradict each other or specify something that does not exist.
pub fn plan(args: CheckArgs) -> Result<Checking, Refusal> {
    let of_a_list = of_a_list(&args);
    if let (Some(_), Some(option)) = (&args.pubkey, of_a_list.first()) {
        let detached = args.manifests.iter().find(|name| seal::is_detached(Path::new(name)));
        if let Some(name) = detached {
            let name = manifest::path::display_safe(name.as_bytes());
            return Err(Refusal::with_hint(
                format!("{option}: {name} is a detached signature, not a manifest"),
                "specify the manifest instead; truesum finds a signature in the manifest or next to it",
            ));
        }
    }
    let detail = match (args.quiet, args.status) {
        (_, true) => Detail::None,
        (true, _) => Detail::Bad,
        _ => Detail::All,
    };
    let form = if args.json {
        Form::Json { detail }
    } else {
        // Leaked once per process, because forms are copied.
        let template = args.format_string.as_deref().map(formats::template).transpose()?;
        let template = template.map(|template| &*Box::leak(Box::new(template)));
        Form::Text { detail, colors: args.run.color.on(&std::io::stdout()), template }
    };
    let mut remote = remote(&args)?;
    let mut names: Vec<PathBuf> = args.manifests.into_iter().map(PathBuf::from).collect();
    let needs_folders = args.recursive || args.embedded || args.content_addressed;
    if names.is_empty() {
        if needs_folders {
            let option = if args.content_addressed { "--content-addressed" } else { "--recursive" };
            return Err(Refusal::with_hint(
                "check: no folder given",
                format!("usage: truesum check {option} DIR"),
            ));
        }
        if std::io::stdin().is_terminal() {
            return Err(Refusal::with_hint(
                "check: no manifest given",
                "usage: truesum check MANIFEST; for help: truesum check --help",
            ));
        }
        names.push("-".into());
    }
    let mut root = args.root;
    let mut data = args.data;
    if args.locate && data.is_none() && root.is_none() && !needs_folders && args.expect.is_empty() {
        match list_and_data(&names, args.reading.format)? {
            Some(file) if file.is_dir() => (names, root) = (names[..1].to_vec(), Some(file)),
            Some(file) => (names, data) = (names[..1].to_vec(), Some(file)),
            None => {}
        }
    }
    if data.is_some() && names.len() != 1 {
        return Err(Refusal::new("--data: exactly one piece list is required"));
    }
    let (mut expect, mut entries, mut as_argument) = (args.expect, Vec::new(), false);
    let mut clash = None;
    if expect.is_empty() && !needs_folders && data.is_none() {
        match named(names, root.as_deref())? {
            Operands::Manifests(manifests) => {
                if let Some(name) = manifest_in_first(&manifests, root.as_deref()) {
                    let (name, first) = (path_word(name), path_word(&manifests[0]));
                    clash = Some(format!(
                        "{name} is checked as a manifest; to verify it as a file: truesum check --only {name} {first}"
                    ));
                }
                names = manifests;
            }
            Operands::Entries(manifest, chosen) => (names, entries) = (vec![manifest], chosen),
            Operands::Digest(digest, files) => {
                if args.pubkey.is_some() {
                    return Err(Refusal::new(
                        "--pubkey: cannot be combined with a digest argument, which is not signed",
                    ));
                }
                if let Some(option) = of_a_list.iter().find(|option| **option != "--algorithm") {
                    let text = format!("{option}: cannot be combined with a digest argument");
                    return Err(Refusal::new(text));
                }
                (expect, names, as_argument) = (vec![digest], files, true);
            }
        }
    }
    let (read, mut notes) = args.reading.options(&names)?;
    notes.extend(clash);
    // A digest from a pipe has no name, so it belongs to the only file.
    let of_pipe = match (&names[..], &entries[..]) {
        ([manifest], [file]) if manifest == Path::new("-") => Some(PathBuf::from(file)),
        _ => None,
    };
    let read = read.subject(of_pipe);
    let subject = match &expect[..] {
        [] if args.recursive => Subject::Below(names),
        [] if args.embedded => Subject::Embedded(names),
        [] if args.content_addressed => Subject::ContentAddressed(names),
        [] => Subject::Manifests(names),
        [_, _, ..] => {
            return Err(Refusal::new("check: --expect was given more than once"));
        }
        [text] => {
            let expected =
                expected(text, read.get_algorithms(), read.get_allow_weak(), read.get_key().cloned());
            let expected = expected.map_err(|refusal| match embedded(text) {
                Some(digest) if digest != text.trim() && identify(text).is_err() => {
                    let files: Vec<String> = names.iter().map(path_word).collect();
                    let files = if files.is_empty() { "FILE".to_owned() } else { files.join(" ") };
                    let hint = format!("to use only the digest: truesum check --expect {digest} {files}");
                    Refusal { hint: Some(hint), ..refusal }
                }
                _ => refusal,
            });
            let expected = Box::new(expected.map_err(|refusal| match as_argument {
                true => Refusal { text: refusal.text.replacen("--expect", "check", 1), ..refusal },
                false => refusal,
            })?);
            if as_argument {
                notes.push(format!("expected digest: {} {}", expected.spec, expected.digest));
            }
            if let [file] = &mut names[..]
                && stores::is_url(file.as_os_str())
            {
                let (folder, name) = stores::split(file);
                remote = Some(stores::open(folder.as_os_str())?);
                *file = name;
            }
            if names.iter().any(|name| stores::is_url(name.as_os_str())) {
                return Err(Refusal::new("--expect: exactly one object is required"));
            }
            if let Some(refusal) = unread_part(&expected, &names) {
                return Err(refusal);
            }
            Subject::Files(names, expected)
        }
    };
    if args.yes && !args.rename_to_match && !args.fix_names {
        let hint = "to rename moved files: truesum check --search --rename-to-match --yes MANIFEST";
        return Err(Refusal::with_hint("--yes: no renames requested", hint));
    }
    let renaming =
        Renaming::default().to_match(args.rename_to_match).names(args.fix_names).carried_out(args.yes);
    let renaming = (args.rename_to_match || args.fix_names).then_some(renaming);
    if args.exact && !(entries.is_empty() && args.only.only.is_empty()) {
        let why = "--exact: files that are not in the manifest can be found only if the complete manifest is checked";
        return Err(Refusal::with_hint(why, "remove --only and the file names"));
    }
    let sample = args.part.sample();
    let only = args.only.only.into_iter().chain(entries.iter().map(|name| literal(name))).collect();
    let select = selection(&args.filter.wanted().only(only).sample(sample))?;
    let required: Vec<PathBuf> = args.require.iter().chain(&entries).map(PathBuf::from).collect();
    let limits = args.part.limits();
    let single = matches!(&subject, Subject::Manifests(names) if names.len() == 1);
    if !single && !limits.is_all() && !matches!(subject, Subject::Files(..)) {
        return Err(Refusal::new("--max-bytes, --max-time and --state require a single manifest"));
    }
    if let Subject::Manifests(names) = &subject
        && let [folder] = &names[..]
        && folder.is_dir()
        && !limits.is_all()
    {
        let name = display_safe(folder.as_os_str().as_bytes());
        let (manifest, word) = (path_word(folder.join("SHA256SUMS")), path_word(folder));
        // An OCFL object cannot contain other files.
        let hint = match ocfl::kind_of(folder) {
            Some(_) => format!("to check the OCFL objects in one run: truesum check {word}"),
            None => format!(
                "to create one: truesum -o {manifest} {word}; then check it: truesum check --state FILE {manifest}"
            ),
        };
        return Err(Refusal::with_hint(
            format!("{name} is a folder, but --max-bytes, --max-time and --state require a single manifest"),
            hint,
        ));
    }
    if let (Some(state), Subject::Manifests(names)) = (limits.get_state(), &subject)
        && state.is_dir()
    {
        let names: Vec<String> = names.iter().map(path_word).collect();
        return Err(Refusal::with_hint(
            format!("--state: {} is a folder, not a file", display_safe(state.as_os_str().as_bytes())),
            format!(
                "to store the state file in it: truesum check --state {} {}",
                path_word(state.join("check.state")),
                names.join(" ")
            ),
        ));
    }
    if matches!(subject, Subject::Files(..)) && !(select.is_open() && limits.is_all()) {
        return Err(Refusal::new(
            "--expect: cannot be combined with selection options, --max-bytes, --max-time or --state",
        ));
    }
    let searches = args.search || args.match_case == Some(Case::No) || args.normalize || args.fix_names;
    if searches && !limits.is_all() {
        let why = "--search, --match-case, --normalize and --fix-names require a complete check";
        return Err(Refusal::with_hint(why, "remove --max-bytes, --max-time and --state"));
    }
    let reporting = args.run.reporting(args.quiet || args.status);
    let public_key = args.pubkey.as_deref().map(public_key).transpose()?;
    let unlisted = match (args.exact, args.ignore_missing, detail) {
        // Other files next to a specified data file are irrelevant.
        _ if data.is_some() => Unlisted::Unrequested,
        (true, ..) => Unlisted::Refused,
        _ if !entries.is_empty() => Unlisted::Unrequested,
        // Listing all objects takes requests, and each request costs money.
        (false, false, Detail::All) if remote.is_none() => Unlisted::Reported,
        (false, false, Detail::Bad) if form.is_json() && remote.is_none() => Unlisted::Reported,
        _ => Unlisted::Unrequested,
    };
    let needs_digests =
        form.is_json() || args.html.is_some() || matches!(args.summary, Some(Ending::Long | Ending::Json));
    let all_malformed = form.is_json() || args.warn || args.html.is_some();
    let read = read
        .root(root)
        .data(data)
        .remote(remote)
        .allow_outside(args.allow_outside)
        .select(select)
        .special(if args.special { Special::Read } else { Special::Refuse })
        .threads(reporting.threads)
        .reads(args.reads.mode())
        .mapping(Mapping::Guarded)
        .order(if args.unordered { Order::AsReady } else { Order::Stable })
        .digest_manifests(needs_digests);
    let any_case = args.match_case == Some(Case::No);
    let options = truesum::Options::from(read)
        .public_key(public_key)
        .unlisted(unlisted)
        .ignore_missing(args.ignore_missing)
        .max_malformed_reported((!all_malformed).then_some(NAMED_LINES))
        .search(args.search)
        .locate(args.locate)
        .spellings(Spellings::default().any_case(any_case).any_form(args.normalize))
        .moved_passes(args.moved == Some(Moved::Ok))
        .renaming(renaming)
        .limits(limits)
        .required(required)
        .expect_manifests(args.expect_manifests);
    let state = options.get_limits().get_state().map(Path::to_owned);
    let page = |option, path: &Option<PathBuf>| path.clone().map(|path| (option, path));
    let written = [page("--html", &args.html), page("--map-html", &args.map_html), page("--state", &state)];
    let written: Vec<_> = written.iter().flatten().map(|(option, path)| (*option, path.as_path())).collect();
    let manifests = match &subject {
        Subject::Manifests(names) => &names[..],
        _ => &[],
    };
    ending::outputs(&written, manifests, options.get_read())?;
    if let Some(html) = &args.html {
        ending::may_write(html).map_err(|error| Refusal::new(error.to_string()))?;
    }
    let ending = args.summary.unwrap_or(if args.json { Ending::None } else { Ending::Short });
    let locate =
        args.locate.then_some(LocateOptions { trees: args.trees, map: args.map, page: args.map_html });
    Ok(Checking {
        subject,
        options,
        #[cfg(feature = "stores")]
        stored: args.stored.then_some(args.read),
        form,
        warn: args.warn,
        locate,
        html: args.html,
        ending,
        summary_requested: args.summary.is_some_and(|ending| ending != Ending::None),
        reporting,
        entries,
        notes,
    })
}

/// Returns the second of two names if the first is that of a piece list and the second is not a
/// manifest: it is the data file of the list, or the folder of its files. A list that can be read
/// only once is not opened for this, because it would be empty afterwards.
fn list_and_data(
    names: &[PathBuf],
    format: Option<&'static manifest::Format>,
) -> Result<Option<PathBuf>, Refusal> {
    let [list, data] = names else { return Ok(None) };
    let format_of = |path: &Path| {
        let mut head = Vec::new();
        open_companion(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
        let complete = (head.len() as u64) < HEAD;
        manifest::detect(manifest::Head::new(&head, complete), Some(path.as_os_str().as_bytes()))
    };
    // Data may look like a manifest by chance, but then contains no entry.
    let is_data = || data.is_dir() || data.is_file() && (format_of(data).is_none() || !lists(data));
    if format.is_none()
        && !list.is_file()
        && !list.is_dir()
        && (list.exists() || list == Path::new("-"))
        && is_data()
    {
        let list = manifest::path::display_safe(list.as_os_str().as_bytes());
        return Err(Refusal::with_hint(
            format!("--locate: {list} can be read only once, so its format cannot be detected first"),
            "specify the data file with --data FILE, or the folder of the files with --root DIR",
        ));
    }
    let is_list = format.or_else(|| format_of(list)).is_some_and(|row| row.capabilities().locates());
    Ok((is_list && is_data()).then(|| data.clone()))
}

/// Number of bytes by which the format of a file is detected.
const HEAD: u64 = 64 << 10;

/// Returns the options given that only apply to manifests.
fn of_a_list(args: &CheckArgs) -> Vec<&'static str> {
    let (filter, part) = (&args.filter, &args.part);
    let given = [
        ("--root", args.root.is_some()),
        ("--only", !args.only.only.is_empty()),
        ("--include", !filter.include.is_empty()),
        ("--exclude", !filter.exclude.is_empty()),
        ("--newer", filter.newer.is_some()),
        ("--older", filter.older.is_some()),
        ("--min-size", filter.min_size.is_some()),
        ("--max-size", filter.max_size.is_some()),
        ("--sample", part.sample.is_some()),
        ("--max-bytes", part.max_bytes.is_some()),
        ("--max-time", part.max_time.is_some()),
        ("--state", part.state.is_some()),
        ("--exact", args.exact),
        ("--ignore-missing", args.ignore_missing),
        ("--require", !args.require.is_empty()),
        ("--search", args.search),
        ("--match-case", args.match_case.is_some()),
        ("--normalize", args.normalize),
        ("--fix-names", args.fix_names),
        ("--algorithm", !args.reading.algorithm.is_empty()),
        ("--format", args.reading.format.is_some()),
    ];
    given.into_iter().filter_map(|(option, is_given)| is_given.then_some(option)).collect()
}

/// Returns the object store that contains the files, if one is specified.
fn remote(args: &CheckArgs) -> Result<Option<Arc<dyn Remote>>, Refusal> {
    let url = args.root.as_deref().filter(|root| stores::is_url(root.as_os_str()));
    let is_object = |name: &OsString| stores::is_url(name);
    if url.is_none() && !args.manifests.iter().any(is_object) {
        #[cfg(feature = "stores")]
        if args.stored {
            return Err(Refusal::with_hint(
                "--stored: --root must name an object store",
                "usage: truesum check --stored --root s3://BUCKET/PREFIX MANIFEST",
            ));
        }
        return Ok(None);
    }
    let part = &args.part;
    stores::refuse(&[
        ("--recursive", args.recursive),
        ("--search and --moved", args.search || args.moved.is_some()),
        ("--match-case and --normalize", args.match_case.is_some() || args.normalize),
        ("--fix-names and --rename-to-match", args.fix_names || args.rename_to_match),
        ("--locate", args.locate),
        ("--allow-outside", args.allow_outside),
        ("--special", args.special),
        ("--newer and --older", args.filter.newer.is_some() || args.filter.older.is_some()),
        ("--min-size and --max-size", args.filter.min_size.is_some() || args.filter.max_size.is_some()),
        (
            "--max-bytes, --max-time and --state",
            part.max_bytes.is_some() || part.max_time.is_some() || part.state.is_some(),
        ),
    ])?;
    match url {
        Some(url) => stores::open(url.as_os_str()).map(Some),
        None if !args.expect.is_empty() => Ok(None),
        None => Err(Refusal::with_hint(
            "check: a manifest must be a local file",
            "to check objects: truesum check --root s3://BUCKET/PREFIX MANIFEST; to check a single object: truesum check --expect DIGEST s3://BUCKET/OBJECT",
        )),
    }
}

/// Reads the file of a public key, or its text.
fn public_key(path: &Path) -> Result<PublicKey, Refusal> {
    // The argument may be the text of a key instead of a file name.
    if let (Some(key), false) = (PublicKey::parse(path.as_os_str().as_bytes()), path.exists()) {
        return Ok(key);
    }
    let shown = manifest::path::display_safe(path.as_os_str().as_bytes());
    let mut text = Vec::new();
    let read = open_named(path).and_then(|file| file.take(KEY_LIMIT).read_to_end(&mut text));
    read.map_err(|error| {
        let why = format!("--pubkey {shown}: cannot read: {}", truesum::error::io_reason(&error));
        Refusal::with_hint(why, "specify a key file, or the 56 characters of the key, which begin with RW")
    })?;
    PublicKey::parse(&text).ok_or_else(|| {
        let why = format!("--pubkey {shown}: not a minisign or signify public key");
        Refusal::with_hint(
            why,
            "a key file has a comment line and a line that begins with RW; for OpenPGP and SSH keys, see truesum help signatures",
        )
    })
}

/// Maximum number of bytes read from a public key file.
const KEY_LIMIT: u64 = 64 << 10;

/// Parses a digest as web pages show it: `DIGEST`, `NAME:DIGEST` or a complete line of a manifest.
fn expected(
    text: &str,
    requested: &[Spec],
    allow_weak: bool,
    key: Option<Secret>,
) -> Result<Expected, Refusal> {
    // The name in a pasted line need not be that of the file.
    if let Some(spec) = requested.iter().find(|spec| spec.lacks_name()) {
        return Err(Refusal::new(SpecError::LacksName(spec.algorithm().name()).to_string()));
    }
    if is_cut(text) {
        return Err(Refusal::with_hint(
            "--expect: the digest is abbreviated",
            "specify all digits of the digest (SHA-256 has 64)",
        ));
    }
    if let Some(refusal) = mistyped_refusal(text) {
        return Err(Refusal { text: format!("--expect: {}", refusal.text), ..refusal });
    }
    let text = translated(text)?.or_else(|| normalized(text)).unwrap_or_else(|| pasted(text));
    let sum = sum_line(&text);
    let stated: Option<Spec> = sum.as_ref().and_then(|line| line.algorithm.parse().ok());
    let requested = stated.as_ref().map_or(requested, std::slice::from_ref);
    let cksum = cksum(&text).filter(|_| requested.is_empty());
    let crc = ["crc".parse().expect("a row of the table")];
    let is_cksum = cksum.is_some();
    let (text, requested, size) = match (cksum, sum) {
        (Some((number, size)), _) => (format!("{number:08x}"), &crc[..], size),
        (None, Some(line)) if requested.is_empty() => {
            let number = line.number;
            return Err(Refusal::with_hint(
                "--expect: this line was written by the sum command, which has two algorithms",
                format!("specify the algorithm: bsd:{number} or, for sum -s, sysv:{number}"),
            ));
        }
        (None, Some(line)) => {
            let is_in_bytes =
                |spec: &Spec| spec.algorithm().decimal().is_some_and(|decimal| decimal.block() == 1);
            (line.number.to_owned(), requested, requested.iter().all(is_in_bytes).then_some(line.size))
        }
        (None, None) => (text, requested, None),
    };
    if let Some(parts) = of_parts(&text).filter(|_| requested.is_empty()) {
        let (spec, digest) = (parts.spec().clone(), parts.digest().clone());
        return Ok(Expected { spec, digest, guessed: false, name: None, size: None, parts: Some(parts) });
    }
    let joined = grouped(&text)
        .map_err(|why| Refusal::with_hint(format!("--expect: {why}"), "specify only one of them"))?;
    let text = joined.as_deref().unwrap_or(&text);
    // The manifest parser reads the line, so that the same rules for lengths apply.
    let read = |line: &str, format: &str, requested: &[Spec]| {
        let format = manifest::format(format);
        let options = manifest::Options::default()
            .allow_weak(allow_weak)
            .requested(requested.to_vec())
            .format(format)
            .key(key.clone());
        let error = match manifest::Reader::new(format!("{line}\n").as_bytes(), options).next() {
            Some(Ok(line)) if line.entry.digests.len() == 1 => return Ok(line.entry),
            Some(Err(manifest::ReadError::Line(error))) => error,
            _ => return Err(not_a_digest(text)),
        };
        let reason = error.reason.cause();
        let hint = match reason {
            manifest::Reason::Key(_) => HINT.to_owned(),
            manifest::Reason::UnknownAlgorithm { names, .. } if names.is_empty() => COMPLETE.to_owned(),
            manifest::Reason::NotALine | manifest::Reason::NotHex => return Err(not_a_digest(text)),
            // The algorithm was given, and does not have digests of this length.
            reason if !requested.is_empty() || matches!(reason, manifest::Reason::Length { .. }) => {
                let digest = bare(text);
                let digits = digest.rsplit(':').next().and_then(|digits| digits.trim().split(' ').next());
                match digits.filter(|digits| identify(digits).is_ok()) {
                    Some(digits) => {
                        format!("to list the possible algorithms: truesum identify {}", shell_word(digits))
                    }
                    None => COMPLETE.to_owned(),
                }
            }
            _ => return Err(no_digest(&reason.to_string())),
        };
        Err(Refusal::with_hint(format!("--expect: {reason}"), hint))
    };
    let made = |entry: Entry, guessed: bool| {
        let (spec, digest) = entry.digests[0].clone();
        Expected { spec, digest, guessed, name: Some(entry.path), size: None, parts: None }
    };
    if text.contains(' ') {
        if let Ok(entry) = read(text, "gnu", requested) {
            return Ok(made(entry, requested.is_empty()));
        }
        match read(text, "bsd", requested) {
            Ok(entry) => return Ok(made(entry, false)),
            // The line names the algorithm of its digest.
            Err(refusal) if bare(text).contains(':') && name_in_line(text).is_some() => return Err(refusal),
            Err(_) => {}
        }
    }
    // SRI, as used on web pages: `sha256-BASE64`. The name of the algorithm may itself contain
    // hyphens, so the last match counts.
    let mut sri = text.char_indices().filter(|(_, c)| *c == '-').filter_map(|(at, _)| {
        let spec: Spec = text[..at].parse().ok()?;
        let digest = text[at + 1..].split('?').next()?;
        let is_digest =
            Digest::from_base64(digest.as_bytes()).is_ok_and(|found| found.len() == spec.digest_len());
        is_digest.then_some((spec, digest))
    });
    let sri = sri.next_back().map(|(spec, digest)| (vec![spec], digest));
    let (named, digits) = match text.split_once(':') {
        _ if sri.is_some() => sri.unwrap_or_default(),
        Some((name, digits)) => {
            let digits = digits.trim();
            let spec = meant(name.trim(), digits.as_bytes()).parse();
            (vec![spec.map_err(|error| Refusal::new(format!("--expect: {error}")))?], digits)
        }
        None => (requested.to_vec(), text),
    };
    let alone = |digits: &str| read(&format!("{digits}  file"), "gnu", &named);
    match alone(digits).or_else(|why| respelled(&named, digits).map_or(Err(why), |digits| alone(&digits)))? {
        entry if entry.path == b"file" => {
            Ok(Expected { name: None, size, ..made(entry, named.is_empty() || is_cksum) })
        }
        _ => Err(not_a_digest(text)),
    }
}

/// Refuses a pasted line in which more than a name follows the digest, as far as that can be told from the name of a file:
/// another digest, or a size or an algorithm before the name of the file. It would not be compared.
fn unread_part(expected: &Expected, files: &[PathBuf]) -> Option<Refusal> {
    let name = String::from_utf8_lossy(expected.name.as_deref()?);
    if files.iter().any(|file| file.file_name() == Path::new(&*name).file_name()) {
        return None;
    }
    if has_other_digest(&name, &expected.digest.to_hex()) {
        return Some(Refusal::with_hint(format!("--expect: {SEVERAL}"), "specify only one of them"));
    }
    let is_part = |word: &str| word.parse::<u64>().is_ok() || word.parse::<Spec>().is_ok();
    files.iter().find_map(|file| {
        let before = name.strip_suffix(file.file_name()?.to_str()?)?;
        let mut words = before.split([' ', '\t', '*', '?']).filter(|word| !word.is_empty()).peekable();
        (words.peek().is_some() && before.ends_with([' ', '\t', '*']) && words.all(is_part)).then(|| {
            Refusal::with_hint(
                format!(
                    "--expect: the line has more than a digest and a name: {}",
                    display_safe(name.as_bytes())
                ),
                "to check all of it, pass the line on standard input: truesum check -",
            )
        })
    })
}

/// Returns the digest of a multipart upload as `identify` recognizes it, unless the text specifies
/// the part size.
fn of_parts(text: &str) -> Option<Candidate> {
    let candidates = identify(text).ok().filter(|_| !text.contains(";part="))?;
    candidates.into_iter().find(|candidate| candidate.spec().counts_parts())
}

/// Converts a digest of the given algorithm to hexadecimal from an encoding that no manifest uses
/// (Nix, base 58, Z85, multibase), or from the decimal number that is usual for the algorithm. Returns `None` if the text
/// is not such a digest or could be more than one. Hexadecimal digits of a wrong length are a truncated digest or one of
/// another algorithm.
fn respelled(named: &[Spec], digits: &str) -> Option<String> {
    let [spec] = named else { return None };
    if spec.algorithm().decimal().is_some_and(|decimal| decimal.usual())
        && let Ok(number) = digits.parse::<u64>()
        && spec.digest_len() <= 8
        && number.leading_zeros() as usize >= 64 - 8 * spec.digest_len()
    {
        return Some(Digest::new(&number.to_be_bytes()[8 - spec.digest_len()..]).to_hex());
    }
    if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let readings = ENCODINGS.iter().filter_map(|row| row.read(digits.as_bytes()));
    let mut found: Vec<_> = readings.filter(|bytes| bytes.len() == spec.digest_len()).collect();
    found.dedup();
    let [bytes] = &found[..] else { return None };
    Some(Digest::new(bytes).to_hex())
}

/// Returns the error for a text that is a digest of no algorithm.
fn not_a_digest(text: &str) -> Refusal {
    Refusal::with_hint(
        format!("--expect '{}': not a digest", text.escape_debug()),
        "a digest is written in hexadecimal or base64, possibly as NAME:DIGEST, or as a checksum line",
    )
}

fn no_digest(why: &str) -> Refusal {
    Refusal::with_hint(format!("--expect: {why}"), "specify the algorithm: -a NAME, or NAME:DIGEST")
}
