//! Git trees, and the variant of Software Heritage.

use crate::directory::gather::Gathered;
use crate::directory::object::ObjectType;
use truesum_hash::{Digest, Spec};

/// The differences between the kinds of git trees.
pub(super) struct Rules {
    /// The mode bits that make a file executable.
    pub(crate) executable: u32,
    /// Whether folders without content are included.
    pub(crate) empty: bool,
}

/// A folder whose objects are being added.
struct Open<'g> {
    path: &'g [u8],
    name: &'g [u8],
    body: Vec<u8>,
}

/// Returns the object name of a tree, or of a file that was given in place of a tree.
pub(super) fn digest(gathered: &Gathered, hash: &Spec, rules: Rules) -> Digest {
    if gathered.is_file() {
        return Digest::new(gathered.digest(&gathered.objects[0]));
    }
    let mut open = vec![Open { path: b"", name: b"", body: Vec::new() }];
    // The walk sorts folders as if their names ended with a slash, which is git's order.
    for object in gathered.objects.iter().filter(|object| !object.is_root()) {
        while !object.is_below(open.last().expect("the tree itself contains all objects").path) {
            close(&mut open, hash, &rules);
        }
        let name = object.name();
        let (mode, digest) = match &object.what {
            ObjectType::Folder => {
                open.push(Open { path: &object.path, name, body: Vec::new() });
                continue;
            }
            ObjectType::File if object.mode() & rules.executable != 0 => {
                ("100755", gathered.digest(object).to_vec())
            }
            ObjectType::File => ("100644", gathered.digest(object).to_vec()),
            ObjectType::Link(target) => ("120000", named("blob", target, hash).as_bytes().to_vec()),
        };
        add(open.last_mut().expect("the tree itself contains all objects"), mode, name, &digest);
    }
    while open.len() > 1 {
        close(&mut open, hash, &rules);
    }
    named("tree", &open[0].body, hash)
}

/// Closes the innermost open folder and adds it to its parent.
fn close(open: &mut Vec<Open<'_>>, hash: &Spec, rules: &Rules) {
    let Some(folder) = open.pop() else { return };
    if let (Some(above), true) = (open.last_mut(), rules.empty || !folder.body.is_empty()) {
        add(above, "40000", folder.name, named("tree", &folder.body, hash).as_bytes());
    }
}

fn add(folder: &mut Open<'_>, mode: &str, name: &[u8], digest: &[u8]) {
    folder.body.extend_from_slice(mode.as_bytes());
    folder.body.push(b' ');
    folder.body.extend_from_slice(name);
    folder.body.push(0);
    folder.body.extend_from_slice(digest);
}

/// Returns the name of an object of this type.
fn named(kind: &str, body: &[u8], hash: &Spec) -> Digest {
    let mut hasher = hash.hasher();
    hasher.update(format!("{kind} {}\0", body.len()).as_bytes());
    hasher.update(body);
    hasher.finish()
}
