//! Version 2 of torrents (BEP 52): a tree of names, the root of each file's Merkle tree, and for
//! files of more than one piece the layer of the tree whose nodes each cover a piece.
//!
//! The last node of a layer may cover leaves beyond the end of the file. It is computed from the
//! digest of the last piece and zeros ([`PieceList::agrees`]).

use super::bencode::Cursor;
use super::refused;
use crate::digest::{is_nearly, of_bytes};
use crate::entry::pairs::{LEAF, NODE, Pairs, height};
use crate::entry::{ObjectKind, PieceList};
use crate::formats::prelude::*;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The algorithm of a file's root.
pub(super) const ROOT: &str = "bt2-pieces-root";

/// Maximum length of a path in bytes, which is that of most systems.
const PATH: usize = 4 << 10;

/// The directories and files, with their names as ranges of the document.
pub(super) struct Tree {
    /// The parent's index and the name of each directory. The first is the root, which is its own
    /// parent and has no name.
    folders: Vec<(usize, Range<usize>)>,
    files: Vec<File>,
    /// The symbolic links, which have no digests.
    links: Vec<File>,
}

struct File {
    folder: usize,
    name: Range<usize>,
    at: usize,
    len: u64,
    root: Option<[u8; NODE]>,
    /// True for a symbolic link or padding.
    is_nothing: bool,
    is_link: bool,
}

/// Parses a `file tree`.
pub(super) fn read(cursor: &mut Cursor<'_>, text: &[u8]) -> Result<Tree, LineError> {
    let mut tree = Tree { folders: vec![(0, 0..0)], files: Vec::new(), links: Vec::new() };
    folder(cursor, text, 0, &mut tree)?;
    tree.links = tree.files.extract_if(.., |file| file.is_nothing).filter(|file| file.is_link).collect();
    if tree.files.is_empty() {
        return cursor.fault("no files");
    }
    Ok(tree)
}

/// Returns the position of a slice in the document.
fn place(text: &[u8], part: &[u8]) -> Range<usize> {
    let start = scan::offset_in(text, part).expect("the part is a slice of the document");
    start..start + part.len()
}

fn folder(cursor: &mut Cursor<'_>, text: &[u8], own: usize, tree: &mut Tree) -> Result<(), LineError> {
    cursor.dictionary(|name, value| {
        let at = value.at;
        if name.is_empty() || name.contains(&b'/') {
            return value.fault("a name in the file tree is empty or contains a slash");
        }
        let name = place(text, name);
        // A dictionary whose first key is empty is a file, and has no other keys.
        if text[at..].starts_with(b"d0:") {
            let mut file = None;
            value.dictionary(|key, member| {
                if !key.is_empty() {
                    return member.fault("the same name for a file and a folder");
                }
                file = Some(read_file(member, own, name.clone())?);
                Ok(())
            })?;
            tree.files.extend(file);
            return Ok(());
        }
        tree.folders.push((own, name));
        let below = tree.folders.len() - 1;
        folder(value, text, below, tree)
    })
}

fn read_file(cursor: &mut Cursor<'_>, folder: usize, name: Range<usize>) -> Result<File, LineError> {
    let at = cursor.at;
    let (mut len, mut root, mut is_nothing, mut is_link) = (None, None, false, false);
    cursor.dictionary(|key, value| {
        match key {
            b"length" => len = Some(value.unsigned()?),
            b"pieces root" => match <[u8; NODE]>::try_from(value.string()?) {
                Ok(bytes) => root = Some(bytes),
                Err(_) => return value.fault("a 'pieces root' that is not 32 bytes long"),
            },
            b"attr" => {
                let attributes = value.string()?;
                is_link = attributes.contains(&b'l');
                is_nothing = is_link || attributes.contains(&b'p');
            }
            key if is_nearly(key, b"pieces root") || is_nearly(key, b"length") => {
                return value.fault("an unknown key that resembles 'pieces root' or 'length'");
            }
            _ => value.skip()?,
        }
        Ok(())
    })?;
    let len = if is_nothing { len.unwrap_or(0) } else { len.ok_or(refused(at, "a file without a length"))? };
    if !is_nothing && root.is_none() == (len > 0) {
        return Err(refused(at, "a 'pieces root' is missing, or an empty file has one"));
    }
    Ok(File { folder, name, at, len, root, is_nothing, is_link })
}

/// The ranges of a root and of its layer of pieces in the document.
pub(super) type Layer = (Range<usize>, Range<usize>);

/// Parses `piece layers`, which are sorted by their roots.
pub(super) fn read_layers(cursor: &mut Cursor<'_>, text: &[u8]) -> Result<Vec<Layer>, LineError> {
    let mut layers = Vec::new();
    cursor.dictionary(|root, value| {
        let row = value.string()?;
        if root.len() != NODE || row.is_empty() || !row.len().is_multiple_of(NODE) {
            return value.fault("an entry of 'piece layers' is not a list of digests");
        }
        layers.push((place(text, root), place(text, row)));
        Ok(())
    })?;
    Ok(layers)
}

/// The files of a torrent of version 2.
pub(super) struct Rows {
    tree: Tree,
    layers: Vec<Layer>,
    piece_len: u64,
    /// The torrent's own name: the directory of all files, or the name of the only one.
    name: Vec<u8>,
    /// The digests of layers that have already been used, by index of the layer.
    given: HashMap<usize, Arc<[u8]>>,
}

impl Rows {
    /// Verifies that every layer matches its root.
    ///
    /// # Errors
    /// A layer does not match, or the piece length is invalid.
    pub(super) fn new(
        tree: Tree,
        layers: Vec<Layer>,
        piece_len: u64,
        name: Vec<u8>,
        text: &[u8],
        at: usize,
    ) -> Result<Rows, LineError> {
        if !piece_len.is_power_of_two() || piece_len < LEAF {
            return Err(refused(
                at,
                "the 'piece length' of version 2 must be a power of two and at least 16 KiB",
            ));
        }
        let mut pairs = Pairs::new();
        for (root, row) in &layers {
            crate::scan::count(row.len());
            if pairs.root(&text[row.clone()], height(piece_len)).as_bytes() != &text[root.clone()] {
                return Err(refused(row.start, "an entry of 'piece layers' does not match its root"));
            }
        }
        Ok(Rows { tree, layers, piece_len, name, given: HashMap::new() })
    }

    pub(super) fn len(&self) -> usize {
        self.tree.files.len()
    }

    /// Returns the components of a path in reverse order, or `None` if the path is too long.
    fn parts<'t>(&'t self, file: &File, text: &'t [u8]) -> Option<Vec<&'t [u8]>> {
        let mut parts = vec![&text[file.name.clone()]];
        let mut folder = file.folder;
        while folder != 0 {
            let (above, name) = &self.tree.folders[folder];
            parts.push(&text[name.clone()]);
            folder = *above;
        }
        let alone = self.tree.files.len() == 1 && parts == [&self.name[..]];
        if !alone {
            parts.push(&self.name);
        }
        (parts.iter().map(|part| part.len() + 1).sum::<usize>() <= PATH).then_some(parts)
    }

    fn path(&self, file: &File, text: &[u8]) -> Option<Vec<u8>> {
        let mut parts = self.parts(file, text)?;
        parts.reverse();
        Some(parts.join(&b'/'))
    }

    /// Returns true if the file with this index has the given path and length.
    pub(super) fn is(&self, file: usize, path: &[u8], len: Option<u64>, text: &[u8]) -> bool {
        self.tree
            .files
            .get(file)
            .is_some_and(|file| Some(file.len) == len && self.path(file, text).is_some_and(|own| own == path))
    }

    /// Returns the root of the file with this index; `None` if the file is empty.
    pub(super) fn digest(&self, file: usize, options: &Options) -> Result<Option<(Spec, Digest)>, Reason> {
        let root = self.tree.files.get(file).and_then(|file| file.root);
        root.map(|root| of_bytes(ROOT, &root, options)).transpose()
    }

    /// Returns the symbolic links.
    pub(super) fn links(&self, text: &[u8]) -> Vec<LineResult> {
        let found = |file: &File| {
            let reason = Reason::NotAFile(ObjectKind::Link, self.path(file, text).unwrap_or_default());
            Err(LineError { at: Place::Byte(file.at as u64), reason })
        };
        self.tree.links.iter().map(found).collect()
    }

    /// Returns the entry of the file with this index.
    pub(super) fn entry(&mut self, number: usize, text: &[u8], options: &Options) -> Option<LineResult> {
        let file = self.tree.files.get(number)?;
        let at = file.at;
        let fault = |reason| Some(Err(LineError { at: Place::Byte(at as u64), reason }));
        let Some(path) = self.path(file, text) else {
            return fault(Reason::Part("the path is too long"));
        };
        let mut entry = Entry { path, size: Some(file.len), ..Entry::default() };
        match self.digest(number, options) {
            Ok(digest) => entry.digests.extend(digest),
            Err(reason) => return fault(reason),
        }
        match self.pieces(number, text, options) {
            Ok(pieces) => entry.pieces.extend(pieces),
            Err(what) => return fault(Reason::Part(what)),
        }
        Some(Ok(Line { at: Place::Byte(at as u64), entry }))
    }

    /// Returns the pieces of a file. An empty file has none. The root of a file with a single
    /// piece is its only digest, and it is returned as a piece only to locate damage.
    fn pieces(
        &mut self,
        number: usize,
        text: &[u8],
        options: &Options,
    ) -> Result<Option<PieceList>, &'static str> {
        let (len, root) = (self.tree.files[number].len, self.tree.files[number].root);
        let spec = find(ROOT).map(Spec::new).ok_or("unsupported hash algorithm")?;
        let Some(root) = root else {
            return Ok(PieceList::new(spec, 0..0, self.piece_len, Arc::from([])));
        };
        let by_root = |(own, _): &Layer| -> Ordering { text[own.clone()].cmp(&root[..]) };
        let Ok(layer) = self.layers.binary_search_by(by_root) else {
            let alone = options.one_piece && len <= self.piece_len;
            return Ok(PieceList::whole(spec, len, &root).filter(|_| alone));
        };
        let row = &text[self.layers[layer].1.clone()];
        if len <= self.piece_len || (row.len() / NODE) as u64 != len.div_ceil(self.piece_len) {
            return Err("an entry of 'piece layers' does not match the file size");
        }
        let digests = self.given.entry(layer).or_insert_with(|| Arc::from(row));
        let pieces = PieceList::new(spec, 0..len, self.piece_len, digests.clone());
        let pieces = pieces.ok_or("the number of pieces does not match the file size")?;
        // The last node has the same height as the others and may cover leaves beyond the end.
        let last = (len - 1) % self.piece_len + 1;
        Ok(Some(pieces.raised(height(last), height(self.piece_len))))
    }
}
