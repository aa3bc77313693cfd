//! Comma-separated values (RFC 4180) with a header that names the columns: PowerShell's
//! `Get-FileHash | Export-Csv`, HashMyFiles, iLook, and exports of spreadsheets.
//!
//! Columns are recognized by their titles only. A column that is not a name, size or digest is
//! ignored and never becomes part of a name.

pub(super) mod fields;

use super::json::key::is_nearly_affixed;
use super::json::name::is_file_like;
use super::json::vocabulary::ALGORITHMS;
use crate::algorithm::NamedAlgorithm;
use crate::algorithm::column_of;
use crate::digest::{MIN_DIGITS, is_hex, is_like, is_nearly, is_nearly_algorithm, is_tag};
use crate::entry::ObjectKind;
use crate::formats::prelude::*;
use crate::records::{Records, refused};
use fields::{Fields, TORN, each_row, quoted};
use truesum_hash::SpecError;

pub(crate) static CSV: Format = Format {
    name: "csv",
    summary: "CSV with a header: Get-FileHash | Export-Csv, HashMyFiles, iLook, spreadsheets",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff,
    reading: Reading::document(64 << 20, parse),
    writing: Writing::Manifest(|heading| Box::new(Table { heading: heading.clone(), specs: None })),
    ..Format::DEFAULT
};

/// Maximum number of columns. A header with more is not recognized.
const MAX_COLUMNS: usize = 256;

/// The meaning of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    /// A file name. The column with the lowest rank is used.
    Name(u8),
    /// The directory of the file.
    Folder,
    /// The directory of the file, or its path: DROID writes the path.
    FilePath,
    /// A complete path. Names are relative to the folder that contains all of them.
    FullPath,
    /// A URL, whose last component is the name if there is no other column with names.
    Address,
    Size,
    Digest(String),
    /// A digest whose algorithm is in another column or is not specified.
    Hash,
    Algorithm,
    /// A column that occurs only in sets of known digests, whose names are not files in a
    /// directory.
    Known,
    /// A column whose title resembles an algorithm or is one that truesum does not implement, so
    /// its digests cannot be verified.
    Doubtful,
    /// A digest of another version of iLook. If there is no MD5 column, its title may be that of
    /// the MD5 column, damaged.
    Version,
    /// Any other column, with its title.
    Other(String),
}

/// Titles of columns with names, in lower case and without hyphens, underscores, blanks and parentheses,
/// in the languages of Windows: the name of a file, a file, and a name or title.
pub(super) const FILE_NAMES: &str = "\
    filename filenames datafile dateiname nomdefichier nomdufichier nombredearchivo nombredelarchivo \
    nombredefichero nomefile nomedoarquivo nomedoficheiro bestandsnaam nazwapliku názevsouboru \
    filnamn filnavn имяфайла ファイル名 文件名 檔案名稱 檔名 파일이름";
pub(super) const FILES: &str = "\
    file datei fichier archivo fichero arquivo ficheiro bestand plik soubor fil файл ファイル \
    文件 檔案 파일 key objectkey object objectname resource asset assetname artifact";
pub(super) const NAMES: &str = "\
    name nom nombre nome naam nazwa název namn navn имя 名前 名称 名稱 이름";

/// Titles of columns with paths that may be relative, with complete paths, and with folders.
const PATHS: &str = "\
    path relativepath pfad chemin ruta percorso caminho pad ścieżka cesta sökväg sti путь パス \
    路径 路徑 경로";
pub(super) const FULL_PATHS: &str = "\
    fullpath fullname vollständigerpfad chemincomplet rutacompleta percorsocompleto caminhocompleto \
    volledigpad pełnaścieżka úplnácesta fullständigsökväg fuldsti полныйпуть フルパス 完整路径 \
    完整路徑 전체경로";
const FOLDERS: &str = "\
    directory folder dir parent subfolder subdirectory parentfolder parentpath \
    folderpath directoryname foldername ordner verzeichnis dossier répertoire carpeta directorio \
    cartella pasta diretório map katalog folderu složka mapp mappe папка каталог フォルダー \
    フォルダ 文件夹 資料夾 目录 目錄 폴더";

/// Titles of columns with URLs, and with names if no other column has them.
const ADDRESSES: &str = "url uri fileurl downloadurl filedownloadurl fileuri s3uri gsuri href";
const OTHER_NAMES: &str = "accession fileaccession source location";

/// Titles of columns with sizes.
pub(super) const SIZES: &str = "\
    size filesize length bytes sizebytes sizeinbytes filesizebytes filesizeinbytes größe \
    dateigröße größebytes taille tailleoctets tamaño dimensione dimensioni tamanho grootte \
    rozmiar velikost storlek størrelse размер サイズ 大小 크기";

/// Titles of columns with digests whose algorithm they do not name.
const HASHES: &str = "\
    hash checksum digest hashvalue checksumvalue digestvalue filehash filechecksum filedigest \
    fixity fixityvalue";

/// Returns true if one of these words, which blanks separate, is the given one.
fn is_among(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

fn plain(title: &str) -> String {
    title.chars().filter(|c| !matches!(c, '-' | '_' | ' ' | '(' | ')')).flat_map(char::to_lowercase).collect()
}

/// Returns true if a title is in one of these lists of titles.
pub(super) fn is_titled(title: &[u8], lists: &[&str]) -> bool {
    let title = std::str::from_utf8(title).ok().filter(|title| title.len() <= 32).map(plain);
    title.is_some_and(|title| lists.iter().any(|titles| is_among(titles, &title)))
}

fn column(title: &[u8]) -> Column {
    let title = String::from_utf8_lossy(title).replace(char::REPLACEMENT_CHARACTER, "?");
    // The mark of a comment before the header.
    let title = title.trim_start_matches('#').trim();
    if title.len() > 64 {
        return Column::Other(title.chars().take(64).collect());
    }
    let plain = plain(title);
    let titled = |titles: &str| is_among(titles, &plain);
    match plain.as_str() {
        _ if titled(FILE_NAMES) => Column::Name(1),
        _ if titled(FILES) => Column::Name(2),
        _ if titled(NAMES) => Column::Name(3),
        _ if titled(SIZES) => Column::Size,
        _ if plain != "type" && titled(ALGORITHMS) => Column::Algorithm,
        _ if titled(PATHS) => Column::Name(0),
        _ if titled(FULL_PATHS) => Column::FullPath,
        _ if titled(FOLDERS) => Column::Folder,
        "filepath" => Column::FilePath,
        _ if titled(ADDRESSES) => Column::Address,
        _ if titled(OTHER_NAMES) => Column::Name(4),
        _ if titled(HASHES) => Column::Hash,
        // Listings of S3: the MD5 of an object that was not uploaded in parts.
        "etag" => Column::Digest("md5".to_owned()),
        "productcode" => Column::Known,
        // iLook, versions 3 and 4.
        "v3hash" | "v4hash" => Column::Digest("md5".to_owned()),
        "v1hash" | "v2hash" | "v5hash" => Column::Version,
        _ => {
            let stem = plain.strip_prefix("hash").unwrap_or(&plain);
            // `SHA256 Hash`, `md5_checksum`, `File SHA-1`.
            let words =
                "hash checksum digest value content file hex base64 prüfsumme empreinte sum".split(' ');
            let bare = words.fold(plain.clone(), |bare, word| bare.replacen(word, "", 1));
            let names = [title.to_ascii_lowercase(), plain.clone(), stem.to_owned(), bare];
            // A known algorithm with invalid parameters still counts, so its digests are reported
            // as errors.
            let unknown = |name: &str| {
                matches!(name.parse::<Spec>(), Err(SpecError::Unknown(_) | SpecError::NotHere(_)))
            };
            let known = |name: &&String| is_tag(name.as_bytes()) && !unknown(name);
            // True if the title contains an algorithm or a word for a digest.
            let within = || {
                let mut words = title.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                ["hash", "checksum", "digest"].iter().any(|word| plain.contains(word))
                    || words.any(|word| is_tag(word.as_bytes()) && word.parse::<Spec>().is_ok())
            };
            let other = || {
                let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
                is_nearly_algorithm(title.as_bytes())
                    || is_nearly_affixed(&plain)
                    || [&b"v3hash"[..], b"v4hash"].iter().any(|known| is_nearly(plain.as_bytes(), known))
                    || matches!(NamedAlgorithm::of(stem), Some(NamedAlgorithm::Other(_)))
            };
            match names.iter().find(known) {
                Some(name) => Column::Digest(name.clone()),
                None if other() || within() => Column::Doubtful,
                None => {
                    Column::Other(if title.is_empty() { "untitled".to_owned() } else { title.to_owned() })
                }
            }
        }
    }
}

/// Returns the rank of a column's title among those of columns with names; the lowest is preferred.
pub(super) fn name_rank(title: &[u8]) -> Option<u8> {
    match column(title) {
        Column::Name(rank) => Some(rank),
        Column::FullPath => Some(u8::MAX),
        _ => None,
    }
}

/// Returns true for a column with a part of the name of a file.
fn is_place(column: &Column) -> bool {
    use Column::{Address, FilePath, Folder, FullPath, Name};
    matches!(column, Name(_) | Folder | FilePath | FullPath | Address)
}

/// Returns the separator and the columns of a header, or `None` if it has no column of names or
/// digests.
fn heading(line: &[u8]) -> Option<(u8, Vec<Column>)> {
    [b',', b';', b'\t', b'|'].into_iter().find_map(|separator| {
        // Bars with blanks or at the edges are those of a table in Markdown.
        let is_table = || line.starts_with(b"|") || line.windows(2).any(|pair| matches!(pair, b" |" | b"| "));
        if separator == b'|' && is_table() {
            return None;
        }
        let mut fields = Fields::new(line, separator);
        let mut columns = Vec::new();
        while let Ok(Some(field)) = fields.next() {
            if field.torn {
                return None;
            }
            columns.push(column(&field.text));
            if field.ends_row || columns.len() > MAX_COLUMNS {
                break;
            }
        }
        if !columns.contains(&Column::Digest("md5".to_owned())) {
            columns
                .iter_mut()
                .filter(|column| **column == Column::Version)
                .for_each(|c| *c = Column::Doubtful);
        }
        let has = |wanted: fn(&Column) -> bool| columns.iter().any(wanted);
        let good = has(is_place)
            && has(|column| matches!(column, Column::Digest(_) | Column::Hash))
            && !columns.contains(&Column::Known)
            && columns.len() <= MAX_COLUMNS;
        good.then_some((separator, columns))
    })
}

/// Returns the offset of the header, which may follow blank lines, comments such as PowerShell's `#TYPE`
/// line, and the line in which Excel names the separator.
fn heading_at(text: &[u8]) -> usize {
    let is_before = |line: &[u8]| {
        scan::count(line.len());
        scan::all(line, |byte| byte.is_ascii_whitespace()) || is_preamble(line)
    };
    scan::lines(text).find(|(_, line)| !is_before(line)).map_or(text.len(), |(at, _)| at)
}

/// Returns true for lines before the header: a comment with a blank after its mark, `#TYPE`, or `sep=;`.
fn is_preamble(line: &[u8]) -> bool {
    line.starts_with(b"#TYPE ") || line.starts_with(b"# ") || matches!(line, [b's', b'e', b'p', b'=', _])
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let text = &head.text[heading_at(head.text)..];
    let line = &text[..scan::find(text, |byte| byte == b'\n').unwrap_or(text.len())];
    // hashdeep has its own header. The length is limited because the line is parsed once per
    // separator.
    Claim::mark(!line.starts_with(b"%%%%") && line.len() <= 16 << 10 && heading(line).is_some())
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let begin = heading_at(&text);
    let end = text[begin..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| begin + at + 1);
    let (separator, mut columns) =
        heading(&text[begin..end]).ok_or(refused(begin, "no header with columns for names and digests"))?;
    let rows = || {
        let mut fields = Fields::new(&text, separator);
        fields.at = end;
        fields
    };
    // The header of a list that was appended.
    let header = Fields::new(&text[begin..end], separator).row(MAX_COLUMNS).unwrap_or_default();
    // `Get-FileHash | Export-Csv` writes complete paths. Next to another column of names, a path may be that of a folder.
    let path = columns.iter().position(|column| *column == Column::Name(0));
    let is_get_filehash = columns.contains(&Column::Algorithm) && columns.contains(&Column::Hash);
    let is_complete = is_get_filehash || columns.iter().filter(|column| is_place(column)).count() == 1;
    if let Some(at) = path.filter(|_| is_complete && !columns.contains(&Column::FullPath)) {
        let (mut is_drive, mut is_any) = (true, false);
        each_row(rows(), MAX_COLUMNS, options, |row| {
            let path = row.fields.get(at).map_or(&[][..], |path| path);
            is_any |= !path.is_empty();
            is_drive &=
                path.is_empty() || matches!(path, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
        })?;
        if is_drive && is_any {
            columns[at] = Column::FullPath;
        }
    }
    let best = columns.iter().filter_map(|column| match column {
        Column::Name(rank) => Some(*rank),
        _ => None,
    });
    let best = best.min();
    let has_folders =
        columns.iter().any(|column| matches!(column, Column::Folder | Column::FilePath | Column::FullPath));
    let mut records = match best == Some(0) || has_folders {
        true => Records::new(options),
        false => Records::with_names_once(options),
    };
    let mut droid = Droid::of(&columns);
    // The folder that contains all files whose complete path is known.
    let mut roots = Vec::new();
    if let Some(at) = columns.iter().position(|column| *column == Column::FullPath) {
        each_row(rows(), MAX_COLUMNS, options, |row| {
            let Some(path) = row.fields.get(at).filter(|path| !path.is_empty()) else { return };
            let is_absolute = matches!(path[..], [b'/' | b'\\', ..] | [_, b':', b'/' | b'\\', ..]);
            let end = scan::rfind(path, |byte| matches!(byte, b'/' | b'\\')).filter(|_| is_absolute);
            let folder = &path[..end.unwrap_or(0)];
            match roots.first_mut() {
                None => roots.push(folder.to_vec()),
                Some(root) => shared(root, folder),
            }
        })?;
    }
    each_row(rows(), MAX_COLUMNS, options, |row| {
        if row.torn {
            records.bad(row.at, TORN);
        } else if row.fields == header {
        } else if let Some(uri) = droid.as_ref().and_then(|droid| droid.member(&row.fields)) {
            records.begin(row.at);
            records.name(uri);
            records.object(ObjectKind::Member);
        } else if droid.as_mut().is_none_or(|droid| droid.is_file(&row.fields)) {
            let roots = droid.as_ref().map_or(&roots[..], |droid| &droid.roots);
            entry(&mut records, &columns, best, roots, &row.fields, row.at);
        }
    })?;
    Ok(records.read(options))
}

/// The schemes of the URIs that DROID gives to files inside archives.
const SCHEMES: [&[u8]; 14] = [
    b"zip:", b"tar:", b"gz:", b"gzip:", b"bz:", b"bz2:", b"bzip2:", b"xz:", b"rar:", b"7z:", b"sevenz:",
    b"iso:", b"arc:", b"warc:",
];

/// The columns of a profile of DROID, which has rows for folders as well, and full paths.
struct Droid {
    parent: usize,
    kind: usize,
    path: usize,
    uri: usize,
    columns: usize,
    /// The folders that were profiled. Names are relative to them.
    roots: Vec<Vec<u8>>,
}

impl Droid {
    fn of(columns: &[Column]) -> Option<Droid> {
        let titled = |title: &str| {
            columns.iter().position(|column| matches!(column, Column::Other(known) if known == title))
        };
        let uri = columns.iter().position(|column| *column == Column::Address)?;
        let path = columns.iter().position(|column| *column == Column::FilePath)?;
        let (parent, kind) = (titled("PARENT_ID")?, titled("TYPE")?);
        Some(Droid { parent, kind, path, uri, columns: columns.len(), roots: Vec::new() })
    }

    /// Returns the URI of a file inside an archive: `zip:file:/w/a.zip!/b.txt`.
    fn member<'r>(&self, row: &'r [Vec<u8>]) -> Option<&'r [u8]> {
        let is_file = row.len() == self.columns && row[self.kind] != b"Folder";
        let uri = &row.get(self.uri).filter(|_| is_file)?[..];
        let mut outer = uri;
        while let Some(rest) = SCHEMES.iter().find_map(|scheme| outer.strip_prefix(*scheme)) {
            outer = rest;
        }
        let is_member = outer.len() < uri.len()
            && outer.starts_with(b"file:")
            && outer.windows(2).any(|pair| pair == b"!/");
        is_member.then_some(uri)
    }

    /// Returns false for the row of a folder, and remembers a folder without a parent.
    fn is_file(&mut self, row: &[Vec<u8>]) -> bool {
        if row.len() != self.columns || row[self.kind] != b"Folder" {
            return true;
        }
        if row[self.parent].is_empty() {
            self.roots.push(row[self.path].clone());
        }
        false
    }
}

/// Shortens a folder to the part that also contains another one.
fn shared(root: &mut Vec<u8>, folder: &[u8]) {
    let is_end = |at: usize| {
        let next = |path: &[u8]| path.get(at).is_none_or(|byte| matches!(byte, b'/' | b'\\'));
        next(root) && next(folder)
    };
    let same = root.iter().zip(folder).take_while(|(a, b)| a == b).count();
    let end = (0..=same).rev().find(|&at| is_end(at)).unwrap_or(0);
    root.truncate(end);
}

/// Returns a path relative to one of the folders that contain it.
fn relative<'p>(path: &'p [u8], roots: &[Vec<u8>]) -> &'p [u8] {
    let below = |root: &Vec<u8>| {
        let rest = path.strip_prefix(&root[..])?;
        rest.strip_prefix(b"/").or_else(|| rest.strip_prefix(b"\\"))
    };
    roots.iter().find_map(below).unwrap_or(path)
}

/// Adds the record of a row.
fn entry(
    records: &mut Records,
    columns: &[Column],
    best: Option<u8>,
    roots: &[Vec<u8>],
    row: &[Vec<u8>],
    at: usize,
) {
    records.begin(at);
    if row.len() != columns.len() {
        records.fault("the number of columns differs from that in the header");
        return;
    }
    let digests = columns.iter().any(|column| matches!(column, Column::Digest(_) | Column::Hash));
    let (mut folder, mut name, mut algorithm, mut hash) = (&[][..], &[][..], &[][..], &[][..]);
    // The name in another column than that of the path.
    let (mut second, mut address, mut full) = (&[][..], &[][..], &[][..]);
    let mut may_be_path = false;
    for (column, field) in columns.iter().zip(row) {
        match column {
            Column::Name(rank) if Some(*rank) == best => name = field,
            Column::Name(_) if second.is_empty() => second = field,
            Column::Address => address = field,
            Column::FullPath => full = field,
            Column::Folder => folder = field,
            Column::FilePath => (folder, may_be_path) = (field, true),
            Column::Algorithm => algorithm = field,
            Column::Hash if hash.is_empty() => hash = field,
            Column::Hash if !field.is_empty() && field != hash => {
                records.fault("two digests in columns whose titles do not name an algorithm")
            }
            Column::Size if !field.is_empty() => records.size(field),
            // An empty cell means that the digest was not computed.
            Column::Other(title) if digests && is_like(field) => records.unread(title.as_bytes()),
            Column::Other(title) if !field.is_empty() => records.attribute(title.as_bytes()),
            Column::Digest(tag) if !field.is_empty() => records.digest(tag.as_bytes(), field),
            Column::Doubtful
                if field.len() >= MIN_DIGITS && (is_hex(field) || radix::base64(field).is_some()) =>
            {
                records.fault("a digest in a column whose title is not a known algorithm");
            }
            _ => {}
        }
    }
    match (hash.is_empty(), algorithm.is_empty()) {
        (true, _) => {}
        (false, true) => records.stated_digest(hash),
        (false, false) => records.digest(algorithm, hash),
    }
    // A column with an unknown title may contain the folder without which the name is that of another file.
    let ends_in_name = |field: &[u8]| {
        let at = scan::rfind(field, |byte| matches!(byte, b'/' | b'\\'));
        at.is_some_and(|at| !name.is_empty() && (field[at + 1..] == *name || at + 1 == field.len()))
    };
    let is_unknown =
        |(column, field): (&Column, &Vec<u8>)| matches!(column, Column::Other(_)) && ends_in_name(field);
    if folder.is_empty() && full.is_empty() && columns.iter().zip(row).any(is_unknown) {
        records.fault("a column that appears to contain the folder of the file has an unknown title");
    }
    if !full.is_empty() {
        records.name(relative(full, roots));
        return;
    }
    // A path that is only the folder of the file, with its name in another column.
    if best == Some(0) && folder.is_empty() && !second.is_empty() {
        let is_folder = name.is_empty() || name.ends_with(b"/") || name.ends_with(b"\\");
        if is_folder || is_file_like(second) && !is_file_like(name) {
            (folder, name) = (name, second);
        }
    }
    if best.is_none() && folder.is_empty() && !address.is_empty() {
        records.name(&radix::url_name(address).unwrap_or_default());
        return;
    }
    let folder = match folder {
        b"\\" | b"/" | b".\\" | b"./" => b"",
        folder => folder,
    };
    if best.is_none() || folder.is_empty() {
        records.name(if best.is_none() { folder } else { name });
    } else {
        // Some programs write the full path in the directory column as well.
        let is_folder = |rest: &[u8]| rest.ends_with(b"/") || rest.ends_with(b"\\");
        let whole =
            folder.strip_suffix(name).is_some_and(|rest| is_folder(rest) || may_be_path && rest.is_empty());
        if whole && !name.is_empty() {
            records.name(relative(folder, roots));
            return;
        }
        // osquery writes the complete path next to the folder.
        let is_below = name
            .strip_prefix(folder)
            .is_some_and(|rest| is_folder(folder) || matches!(rest, [b'/' | b'\\', ..]));
        if best == Some(0) && is_below {
            records.name(name);
            return;
        }
        let separator: &[u8] = if is_folder(folder) { b"" } else { b"/" };
        records.name(&[folder, separator, name].concat());
    }
}

/// A writer of CSV with the header `path,size,ALG...`.
struct Table {
    heading: Heading,
    /// The algorithms in the header, once it has been written.
    specs: Option<Vec<Spec>>,
}

impl Compose for Table {
    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        entry.has_no_algorithm_twice()?;
        let specs: Vec<Spec> = entry.digests.iter().map(|(spec, _)| spec.clone()).collect();
        match &self.specs {
            Some(known) if *known != specs => return Err(Unrepresentable::Columns),
            Some(_) => {}
            None => {
                text.extend_from_slice(b"path,size");
                for spec in &specs {
                    text.extend_from_slice(format!(",{}", column_of(spec)).as_bytes());
                }
                text.push(b'\n');
            }
        }
        quoted(&entry.path, text);
        text.push(b',');
        if let Some(size) = entry.size {
            text.extend_from_slice(size.to_string().as_bytes());
        }
        for (_, digest) in &entry.digests {
            text.push(b',');
            text.extend_from_slice(self.heading.style.spelling.of(digest).as_bytes());
        }
        text.push(b'\n');
        self.specs = Some(specs);
        Ok(())
    }
}
