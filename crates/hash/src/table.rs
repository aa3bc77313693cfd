//! The table of algorithms, and how names are looked up.
//!
//! Rows are defined in the families. This module concatenates them and adds the constructions over any hash
//! (`sha256-tree`, `mtsum-md5`), whose algorithms are created when their names are first used.

use crate::algorithm::{Algorithm, Lengths};
use crate::family::FAMILIES;
use crate::family::crc::{self, CRC_CATALOGUE};
use crate::keyed::{self, HMAC, KEYED};
use crate::spec::{Spec, SpecError};
use crate::tree::{self, btih};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::ops::Index;
use std::str::FromStr;
use std::sync::LazyLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// All algorithms, in the order of listings.
pub static ALGORITHMS: Algorithms = Algorithms(());

/// The type of [`ALGORITHMS`]: a list whose rows are defined in the families.
#[derive(Clone, Copy)]
pub struct Algorithms(());

impl Algorithms {
    /// Iterates over the rows.
    pub fn iter(self) -> std::iter::Copied<std::slice::Iter<'static, &'static Algorithm>> {
        // A single list rather than a list of lists, because code that iterates over it is compiled in many places.
        static ROWS: LazyLock<Vec<&'static Algorithm>> =
            LazyLock::new(|| FAMILIES.iter().chain(tree::ROWS).flat_map(|rows| rows.iter()).collect());
        ROWS.iter().copied()
    }

    /// Returns the number of rows.
    #[expect(clippy::len_without_is_empty, reason = "the table is never empty")]
    pub fn len(self) -> usize {
        self.iter().count()
    }
}

impl IntoIterator for Algorithms {
    type Item = &'static Algorithm;
    type IntoIter = Box<dyn Iterator<Item = &'static Algorithm>>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl Index<usize> for Algorithms {
    type Output = Algorithm;

    /// # Panics
    /// If there is no such row.
    fn index(&self, row: usize) -> &Algorithm {
        self.iter().nth(row).expect("a row of the table")
    }
}

/// Returns the row with this name, alias or tag, ignoring case; also those of [`CRC_CATALOGUE`] and [`KEYED`], HMAC
/// with any hash, and the composite digests over any hash ([`tree::FAMILIES`]).
pub fn find(name: &str) -> Option<&'static Algorithm> {
    if name.len() > MAX_NAME {
        return None;
    }
    if let Some(row) = LAST.with_borrow(|(last, row)| (last == name).then_some(*row)) {
        return row;
    }
    // A name of a construction looks up another name.
    let row = look_up(&name.to_ascii_lowercase());
    LAST.set((name.to_owned(), row));
    row
}

thread_local! {
    /// The name that this thread looked up last, and its row: each line of a manifest has the same tag.
    static LAST: RefCell<(String, Option<&'static Algorithm>)> = const { RefCell::new((String::new(), None)) };
}

/// Returns the row with this lower-case name, as [`find`] does.
fn look_up(name: &str) -> Option<&'static Algorithm> {
    // A short run looks up a few names, and a manifest with a million files one for each digest.
    let row = match SCANS.load(Relaxed) {
        MAX_SCANS.. => BY_NAME.get(name).copied(),
        _ => {
            SCANS.fetch_add(1, Relaxed);
            scan(name)
        }
    };
    row.or_else(|| find_over(name))
}

/// Returns the row with this name, alias or tag without building [`BY_NAME`].
fn scan(name: &str) -> Option<&'static Algorithm> {
    names().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(row, _)| row)
}

/// How many names have been looked up by [`scan`].
static SCANS: AtomicUsize = AtomicUsize::new(0);

/// After this number of scans, the map is built, which takes about as long.
const MAX_SCANS: usize = 32;

/// Returns a name without separators.
fn bare(name: &str) -> String {
    name.chars().filter(|mark| !matches!(mark, '-' | '_' | '/' | ',')).collect()
}

/// Longer than any name: constructions cannot be nested.
const MAX_NAME: usize = 128;

/// All names, aliases and tags in lower case.
static BY_NAME: LazyLock<HashMap<String, &'static Algorithm>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for (row, name) in names() {
        by_name.entry(name.to_ascii_lowercase()).or_insert(row);
    }
    by_name
});

/// The same without separators; `None` if the name is ambiguous.
static BY_BARE_NAME: LazyLock<HashMap<String, Option<&'static Algorithm>>> = LazyLock::new(|| {
    let mut by_name = HashMap::new();
    for (row, name) in names() {
        let known = by_name.entry(bare(&name.to_ascii_lowercase())).or_insert(Some(row));
        *known = known.filter(|known| std::ptr::eq(*known, row));
    }
    by_name
});

/// All rows that can be found by name, with each of their names.
fn names() -> impl Iterator<Item = (&'static Algorithm, &'static str)> {
    let rows = ALGORITHMS.iter().chain(CRC_CATALOGUE).chain(KEYED.iter().copied().flatten());
    rows.flat_map(|row| {
        let names = [row.name, row.tag].into_iter().chain(row.aliases.iter().copied());
        names.map(move |name| (row, name))
    })
}

/// Returns the construction with this lower-case name over a hash.
fn find_over(name: &str) -> Option<&'static Algorithm> {
    if let Some(base) = name.strip_prefix(HMAC) {
        return keyed::over(&base.parse().ok()?);
    }
    tree::FAMILIES.iter().find_map(|family| {
        let base = name.strip_prefix(family.prefix)?.strip_suffix(family.suffix)?;
        family.over(&base.parse().ok()?)
    })
}

/// The maximum number of names that are suggested for a mistyped one.
const SUGGESTED: usize = 3;

/// Returns the names to suggest for a mistyped one, the likeliest first: of the same family, with the same prefix, near
/// enough in spelling, or else containing it. An algorithm that is not tamper-evident is suggested for a misspelt one only
/// if there is no better match.
fn suggestions(text: &str) -> Vec<&'static str> {
    let text = text.to_ascii_lowercase();
    let begin = bare(&text);
    let (mut family, mut begun, mut near, mut within) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (at, (row, name)) in names().enumerate() {
        let evident = row.status.tamper_evident();
        let lower = name.to_ascii_lowercase();
        if begin.len() > 2 {
            if let Some(rest) = row.name.strip_prefix(text.as_str()).filter(|_| evident) {
                // `sha3` is a family and needs a length; `blake` does not have a number yet.
                let lacks_length =
                    rest.starts_with('-') && text.ends_with(|last: char| last.is_ascii_digit());
                let rank = (!lacks_length, rest.contains('-'), row.digest_len != 32, rest.len());
                family.push(((rank, at), row.name));
            }
            match bare(&lower).strip_prefix(&begin) {
                Some("") => begun.push(((false, at), row.name)),
                Some(_) => begun.push(((true, at), name)),
                None => {}
            }
        }
        let distance = edit_distance(&text, name);
        if distance <= 2 && distance < name.len() / 2 {
            near.push(((!evident, distance, at), name));
        }
        // A short word counts only as a complete part of a name: `s3` of `s3-etag`.
        let is_part = |part: &str| part == text;
        if begin.len() > 1
            && (row.name.split('-').any(is_part) || begin.len() > 3 && row.name.contains(&text))
        {
            within.push(((!row.name.starts_with(&text), at), row.name));
        }
    }
    // Names that are less similar are not better guesses.
    let nearest = near.iter().map(|((weak, distance, _), _)| (*weak, *distance)).min();
    near.retain(|((weak, distance, _), _)| Some((*weak, *distance)) == nearest);
    first(family).or(first(begun)).or(first(near)).or(first(within)).unwrap_or_default()
}

/// Returns the names with the lowest ranks, each algorithm once; `None` if there are none.
fn first<R: PartialOrd>(mut ranked: Vec<(R, &'static str)>) -> Option<Vec<&'static str>> {
    ranked.sort_by(|(one, _), (other, _)| one.partial_cmp(other).unwrap_or(Ordering::Equal));
    let mut names: Vec<&'static str> = Vec::new();
    for (_, name) in ranked {
        let is_known = |known: &&str| find(known).zip(find(name)).is_some_and(|(a, b)| std::ptr::eq(a, b));
        if names.len() < SUGGESTED && !names.iter().any(is_known) {
            names.push(name);
        }
    }
    (!names.is_empty()).then_some(names)
}

// Defined here and not next to the type, because finding the nearest name requires the table.
/// The maximum length of an unknown name that is displayed in full.
const LONGEST: usize = 200;

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(not(feature = "fsb"))]
            SpecError::Unknown(name) if name.starts_with("fsb") => {
                write!(f, "unknown algorithm '{name}' (FSB requires a build with --features full)")
            }
            // No name is that long, and the time for finding the nearest one grows with the length.
            SpecError::Unknown(name) if name.len() > LONGEST => {
                let begin: String = name.chars().take(LONGEST).collect();
                write!(f, "unknown algorithm '{begin}...' ({} bytes)", name.len())
            }
            SpecError::Unknown(name) => {
                let near: Vec<String> = suggestions(name).iter().map(|near| format!("'{near}'")).collect();
                match &near[..] {
                    [] => write!(f, "unknown algorithm '{name}'"),
                    [near] => write!(f, "unknown algorithm '{name}' (did you mean {near}?)"),
                    [others @ .., last] => {
                        write!(
                            f,
                            "unknown algorithm '{name}' (did you mean {} or {last}?)",
                            others.join(", ")
                        )
                    }
                }
            }
            SpecError::NotHere(name) => write!(f, "unknown algorithm '{name}'"),
            SpecError::FixedLength(name) => write!(f, "the digest length of {name} is fixed"),
            SpecError::Length(name, bits, allowed) => {
                write!(f, "{name} cannot produce {bits} bits (expected {allowed})")
            }
            SpecError::NotKeyed(name) => write!(f, "{name} takes no key"),
            SpecError::LacksKey(name) => write!(f, "{name} needs a key"),
            SpecError::LacksName(name) => {
                write!(
                    f,
                    "{name} depends on the file name, which must be specified in hexadecimal: {name};name=HEX"
                )
            }
            SpecError::KeyLength { name, len, least, most } if least == most => {
                write!(f, "{name} requires a key of {least} bytes, not {len}")
            }
            SpecError::KeyLength { name, len, most, .. } if *len > *most => {
                write!(f, "{name} requires a key of at most {most} bytes, not {len}")
            }
            SpecError::KeyLength { name, len, least, .. } => {
                write!(f, "{name} requires a key of at least {least} bytes, not {len}")
            }
            SpecError::Parameter(name, why) => write!(f, "{name}: {why}"),
        }
    }
}

/// Returns the number of insertions, deletions, replacements and swaps of adjacent characters that turn `a` into `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = usize::from(a[i - 1] != b[j - 1]);
                let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + same);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[a.len()][b.len()]
}

impl Spec {
    /// Returns the digest for a [`tree::stored`] name. `leaf` is the leaf size in bytes, for a tree whose leaf size is
    /// variable.
    pub fn from_stored(number: u8, base: &str, leaf: u64) -> Option<Spec> {
        tree::from_stored(number, base, leaf, |name| name.parse().ok())
    }
}

impl Spec {
    /// Adds the parameters after a name, which are separated by `;`.
    fn with_parameters(mut self, parameters: &str) -> Result<Spec, SpecError> {
        let mut given: Vec<String> = Vec::new();
        for parameter in parameters.split(';') {
            let key = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
            // A repeated parameter is ambiguous.
            if given.contains(&key) {
                return Err(SpecError::Parameter(self.algorithm.name, format!("'{key}' is specified twice")));
            }
            given.push(key);
            self = self.with_parameter(parameter)?;
        }
        Ok(self)
    }

    /// Parses an algorithm name entered by a user: like [`Spec::from_str`], but with other separators between the parts
    /// of the name, or none (`sha512_256`, `tiger/192`, `blake2b256`, `hmacsha256`). Manifests are parsed strictly,
    /// because they may be damaged.
    ///
    /// # Errors
    /// Fails if no algorithm has this name, or if it is ambiguous.
    pub fn typed(text: &str) -> Result<Spec, SpecError> {
        let known = text.parse();
        if !matches!(known, Err(SpecError::Unknown(_) | SpecError::FixedLength(_))) || text.len() > MAX_NAME {
            return known;
        }
        let (name, parameters) = text.split_once(';').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let bare = bare(&name.to_ascii_lowercase());
        let over =
            || keyed::over(&Spec::typed(bare.strip_prefix("hmac").filter(|base| !base.is_empty())?).ok()?);
        let with_bits = || {
            let (name, bits) = bare.split_at_checked(bare.len().checked_sub(3)?)?;
            let row =
                BY_BARE_NAME.get(name).copied().flatten().filter(|row| row.lengths != Lengths::Fixed)?;
            Spec::new(row).with_bits(bits.parse().ok()?).ok()
        };
        let row = BY_BARE_NAME.get(bare.as_str()).copied().flatten().or_else(over);
        match row.map(Spec::new).or_else(with_bits) {
            Some(spec) => parameters.map_or(Ok(spec.clone()), |parameters| spec.with_parameters(parameters)),
            None => known,
        }
    }

    /// Returns the info hash of a single-file torrent whose file name is still unknown ([`Spec::lacks_name`]).
    pub fn nameless() -> Spec {
        Spec::new(&btih::ROW)
    }

    /// Parses a name like [`Spec::typed`]. The file name that some digests depend on may be missing
    /// ([`Spec::lacks_name`]).
    ///
    /// # Errors
    /// Fails if there is no such algorithm, or if its parameters are invalid.
    pub fn typed_without_name(text: &str) -> Result<Spec, SpecError> {
        let (name, parameters) = text.split_once(';').map_or((text, None), |(name, rest)| (name, Some(rest)));
        if name.eq_ignore_ascii_case(btih::KEY) { info_hash(parameters) } else { Spec::typed(text) }
    }

    /// Returns the algorithm for a file with this name: if its digests depend on the name and lack it, the name is added.
    ///
    /// # Errors
    /// Fails if the name is empty or has more than 255 bytes.
    pub fn for_file(&self, name: &[u8]) -> Result<Spec, SpecError> {
        match self.lacks_name() {
            true if name.is_empty() => Err(SpecError::LacksName(btih::KEY)),
            true => self.clone().with_customization(name),
            false => Ok(self.clone()),
        }
    }

    /// Returns the info hash of a single-file torrent with this file name (BEP 3), with RHash's piece length or
    /// `piece`, a power of two from 16 KiB to 1 GiB.
    ///
    /// # Errors
    /// Fails if the name is empty or has more than 255 bytes, or if the piece length is invalid.
    pub fn info_hash(name: &[u8], piece: Option<u64>) -> Result<Spec, SpecError> {
        if name.is_empty() {
            return Err(SpecError::LacksName(btih::KEY));
        }
        let spec = Spec::new(&btih::ROW).with_customization(name)?;
        piece.map_or(Ok(spec.clone()), |piece| spec.with_unit(piece))
    }
}

/// Returns the info hash with these parameters, which may lack the file name.
fn info_hash(parameters: Option<&str>) -> Result<Spec, SpecError> {
    let spec = Spec::nameless();
    parameters.map_or(Ok(spec.clone()), |parameters| spec.with_parameters(parameters))
}

impl FromStr for Spec {
    type Err = SpecError;

    /// Parses a name, alias or tag in any case, followed by `-BITS` if the length is variable and by `;leaf=SIZE` or
    /// `;part=SIZE` if the digest has leaves or parts of variable size. A CRC without a name is given by its
    /// parameters: `crc;width=16;poly=0x1021;init=0xffff;refin=false;refout=false;xorout=0x0`.
    fn from_str(text: &str) -> Result<Spec, SpecError> {
        if let Some((key, parameters)) = text.split_once(':')
            && key.eq_ignore_ascii_case(crc::KEY)
        {
            let parameters: Vec<_> =
                parameters.split([',', ' ', ';']).filter(|part| !part.is_empty()).collect();
            return format!("{};{}", crc::KEY, parameters.join(";")).parse();
        }
        let (text, parameters) = match text.split_once(';') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (text, None),
        };
        if let Some(parameters) = parameters.filter(|_| text.eq_ignore_ascii_case(crc::KEY)) {
            let made = crc::open(parameters).map_err(|why| SpecError::Parameter(crc::KEY, why))?;
            return Ok(Spec::new(made));
        }
        if text.eq_ignore_ascii_case(btih::KEY) {
            let spec = info_hash(parameters)?;
            return if spec.lacks_name() { Err(SpecError::LacksName(btih::KEY)) } else { Ok(spec) };
        }
        if let Some(parameters) = parameters {
            return text.parse::<Spec>()?.with_parameters(parameters);
        }
        if let Some(algorithm) = find(text) {
            return Ok(Spec::new(algorithm));
        }
        if let Some((name, bits)) = text.rsplit_once('-')
            && let (Some(algorithm), Ok(bits)) = (find(name), bits.parse())
            // The other CRCs have names of their own.
            && algorithm.name != crc::KEY
        {
            return Spec::new(algorithm).with_bits(bits);
        }
        Err(SpecError::Unknown(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Status;
    use std::collections::HashSet;

    #[test]
    fn names_tags_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for row in ALGORITHMS {
            assert_eq!(row.name, row.name.to_ascii_lowercase());
            let names: HashSet<String> =
                [row.name, row.tag].iter().chain(row.aliases).map(|n| n.to_ascii_lowercase()).collect();
            for name in names {
                assert!(seen.insert(name.clone()), "{name} is in two rows");
            }
        }
    }

    #[test]
    fn scan_and_map_find_the_same_rows() {
        for (_, name) in names() {
            let name = name.to_ascii_lowercase();
            let rows = scan(&name).zip(BY_NAME.get(name.as_str()));
            assert!(rows.is_some_and(|(scanned, mapped)| std::ptr::eq(scanned, *mapped)), "{name}");
        }
        assert!(scan("sha-257").is_none() && !BY_NAME.contains_key("sha-257"));
    }

    #[test]
    fn every_algorithm_matches_its_check_value() {
        for row in ALGORITHMS {
            assert_eq!(Spec::new(row).digest(b"123456789").to_hex(), row.check, "{}", row.name);
            let hex = row.check.split('-').next().unwrap_or_default();
            assert_eq!(hex.len(), row.digest_len * 2, "{}", row.name);
        }
    }

    #[test]
    fn every_status_has_a_reason() {
        for row in ALGORITHMS {
            assert!(row.status.reason().len() > 7 && !row.summary.is_empty(), "{}", row.name);
            if let Status::Broken(why) = row.status {
                assert!(why.chars().any(|c| c.is_ascii_digit()), "{}: no year in '{why}'", row.name);
            }
        }
    }

    #[test]
    fn names_tags_and_aliases_resolve_to_their_row() {
        for row in ALGORITHMS {
            for name in [row.name, row.tag].iter().chain(row.aliases) {
                assert_eq!(name.parse::<Spec>().map(|s| s.algorithm.name), Ok(row.name), "{name}");
                assert_eq!(name.to_uppercase().parse::<Spec>().map(|s| s.algorithm.name), Ok(row.name));
            }
            let spec = Spec::new(row);
            assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
            assert_eq!(spec.tag().parse(), Ok(spec));
        }
    }

    #[test]
    fn names_are_accepted_with_other_separators() {
        for (text, name) in [
            ("sha512_256", "sha512-256"),
            ("sha-512-256", "sha512-256"),
            ("SHA_256", "sha256"),
            ("sha3256", "sha3-256"),
            ("md5_sha1", "md5-sha1"),
            ("murmur3_x64_128", "murmur3-128"),
            ("mmh3-128", "murmur3-128"),
            ("haval256/5", "haval256-5"),
            ("tiger/192", "tiger"),
            ("xor-8", "xor8"),
            ("hmac_sha256", "hmac-sha256"),
            ("hmacsha256", "hmac-sha256"),
            ("blake2b256", "blake2b-256"),
            ("BLAKE2s128", "blake2s-128"),
            ("crc32-mpeg2", "crc-32/mpeg-2"),
            ("xxh3_64bits", "xxh3"),
            ("kangaroo12", "kt128"),
        ] {
            assert_eq!(Spec::typed(text).map(|spec| spec.to_string()), Ok(name.to_owned()), "{text}");
        }
        assert_eq!(
            Spec::typed("xxh_64;seed=0x10").map(|spec| spec.to_string()),
            Ok("xxh64;seed=16".to_owned())
        );
        assert!("sha2256".parse::<Spec>().is_err(), "in a list that is a damaged name");
        for (tag, name) in [("XXH3_64", "xxh3"), ("XXH3_128", "xxh128"), ("SIPHASH24", "siphash-2-4")] {
            assert_eq!(find(tag).map(|row| row.name), Some(name), "lists have it");
        }
        // Names that have the same letters as another one are not accepted.
        for text in
            ["gost256", "sha256-128", "sha256512", "sha256128", "crc-16", "sha2-6", "hmac", "", "hmachmac"]
        {
            assert!(Spec::typed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let unknown = "sha265".parse::<Spec>().unwrap_err();
        assert_eq!(unknown, SpecError::Unknown("sha265".to_owned()));
        assert_eq!(unknown.to_string(), "unknown algorithm 'sha265' (did you mean 'sha256'?)");
        let several = "s3".parse::<Spec>().unwrap_err().to_string();
        assert_eq!(several, "unknown algorithm 's3' (did you mean 's3-etag', 's3-sha256' or 's3-sha1'?)");
        assert_eq!("sha256-128".parse::<Spec>(), Err(SpecError::FixedLength("sha256")));
        for (text, near) in [
            ("sha3", Some("sha3-256")),
            ("SHA2", Some("sha256")),
            ("sha", Some("sha256")),
            ("sha5", Some("sha512")),
            ("blake", Some("blake3")),
            ("crc23", Some("crc32")),
            ("crc-16", Some("crc-16/arc")),
            ("crc16", Some("crc-16/arc")),
            ("mmh3", Some("mmh3-32")),
            ("murmur3", Some("murmur3-32")),
            ("fnv-1a", Some("fnv1a-32")),
            ("streebog", Some("streebog256")),
            ("highwayhash", Some("highwayhash256")),
            ("kmac", Some("kmac128")),
            ("crc64-ecma", Some("crc-64/ecma-182")),
            ("haval-256", Some("haval256-3")),
            ("s3", Some("s3-etag")),
            ("md", None),
            ("nonsense", None),
        ] {
            assert_eq!(suggestions(text).first().copied(), near, "{text}");
        }
        let weaker = |row: &Algorithm| {
            suggestions(&row.name[..row.name.len() - 1])
                .first()
                .and_then(|near| find(near))
                .filter(|near| row.status.tamper_evident() && !near.status.tamper_evident())
        };
        assert_eq!(
            ALGORITHMS.iter().find_map(weaker).map(|row| row.name),
            None,
            "a slip leads to nothing weaker"
        );
    }

    #[test]
    fn stored_names_resolve_to_their_algorithm() {
        let names = ["sha256-tree;leaf=1MiB", "sha512-224-tree", "blake2b-256-tree", "mtsum-md5", "blake3"];
        for name in names.into_iter().chain(["mtsum-v1.0-sha512-256", "mtsum-mpi-sha256"]) {
            let spec: Spec = name.parse().unwrap();
            let (number, base) = tree::stored(&spec).unwrap();
            assert_eq!(Spec::from_stored(number, &base, spec.unit()), Some(spec.clone()), "{number} {base}");
            assert!(base.len() <= 16);
        }
        for name in ["glacier", "s3-etag", "sha256", "crc32", "blake3-128"] {
            assert_eq!(tree::stored(&name.parse().unwrap()), None, "{name}");
        }
        assert_eq!(tree::stored(&"sha512-224-tree".parse().unwrap()), Some((0, "sha512/224".to_owned())));
        assert_eq!(Spec::from_stored(9, "md5", 65_536), None);
        assert_eq!(Spec::from_stored(0, "crc32", 65_536), None);
        assert_eq!(Spec::from_stored(0, "md5", 100), None);
    }
}
