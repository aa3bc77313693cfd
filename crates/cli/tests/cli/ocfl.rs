//! Objects and storage roots in the Oxford Common File Layout (OCFL), compared with the validator of ocfl-py.

use crate::program::Folder;
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use truesum::hash::Spec;

fn digest(algorithm: &str, text: &[u8]) -> String {
    algorithm.parse::<Spec>().unwrap().digest(text).to_hex()
}

/// Writes an inventory and its sidecar to a folder.
fn write_inventory(folder: &Folder, place: &str, inventory: &Value) {
    let text = inventory.to_string();
    let algorithm = inventory["digestAlgorithm"].as_str().unwrap();
    folder.write(format!("{place}/inventory.json"), &text);
    let line = format!("{} inventory.json\n", digest(algorithm, text.as_bytes()));
    folder.write(format!("{place}/inventory.json.{algorithm}"), line);
}

/// Returns an inventory of the first versions of the object: `a` and `b` in the first, `a` and `c` in the second.
fn inventory(algorithm: &str, head: usize) -> Value {
    let [a, b, c] = ["1", "2", "3"].map(|text| digest(algorithm, text.as_bytes()));
    let version = |state: Value| json!({"created": "2026-01-01T00:00:00Z", "state": state});
    let mut found = json!({
        "id": "urn:x", "type": "https://ocfl.io/1.1/spec/#inventory", "digestAlgorithm": algorithm,
        "head": format!("v{head}"),
        "manifest": {&a: ["v1/content/a"], &b: ["v1/content/b"]},
        "fixity": {"md5": {digest("md5", b"1"): ["v1/content/a"]}},
        "versions": {"v1": version(json!({&a: ["a"], &b: ["b"]}))},
    });
    if head == 2 {
        found["manifest"][&c] = json!(["v2/content/c"]);
        found["versions"]["v2"] = version(json!({&a: ["a"], &c: ["c"]}));
    }
    found
}

/// Writes an object with two versions.
fn write_object(folder: &Folder, name: &str) {
    for (file, text) in [("v1/content/a", "1"), ("v1/content/b", "2"), ("v2/content/c", "3")] {
        let path = folder.path(format!("{name}/{file}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder.write(format!("{name}/0=ocfl_object_1.1"), "ocfl_object_1.1\n");
    write_inventory(folder, &format!("{name}/v1"), &inventory("sha512", 1));
    write_inventory(folder, &format!("{name}/v2"), &inventory("sha512", 2));
    write_inventory(folder, name, &inventory("sha512", 2));
}

/// Returns whether ocfl-py accepts an object, if it is installed.
fn accepted(folder: &Folder, name: &str) -> Option<bool> {
    let ran = Command::new("ocfl-validate.py").args(["-q", name]).current_dir(folder.root()).output().ok()?;
    Some(ran.status.success())
}

/// Writes the same inventory to the object and its last version.
fn write_head(folder: &Folder, inventory: &Value) {
    write_inventory(folder, "o", inventory);
    write_inventory(folder, "o/v2", inventory);
}

/// Writes an inventory with another value of one member.
fn write_head_with(folder: &Folder, member: &str, value: Value) {
    let mut other = inventory("sha512", 2);
    other[member] = value;
    write_head(folder, &other);
}

/// Writes an inventory with another value of one member of its second version.
fn write_version_with(folder: &Folder, member: &str, value: Value) {
    let mut other = inventory("sha512", 2);
    other["versions"]["v2"][member] = value;
    write_head(folder, &other);
}

/// Moves a file of the object to another name and replaces it with a symbolic link.
fn replace_with_link(folder: &Folder, name: &str) {
    fs::create_dir(folder.path("o/logs")).unwrap();
    fs::rename(folder.path(name), folder.path("o/logs/moved")).unwrap();
    std::os::unix::fs::symlink(folder.path("o/logs/moved"), folder.path(name)).unwrap();
}

/// A change to the object `o` in a folder.
type Change = fn(&Folder);

#[test]
fn object_is_verified_with_its_inventories_and_all_its_content() {
    let remove = |folder: &Folder, name: &str| fs::remove_file(folder.path(name)).unwrap();
    let cases: &[(&str, i32, Change)] = &[
        ("3 files verified;", 0, |_| {}),
        ("3 files verified;", 0, |folder| {
            fs::create_dir(folder.path("o/logs")).unwrap();
            folder.write("o/logs/x", "any");
        }),
        ("3 files verified;", 0, |folder| {
            fs::remove_file(folder.path("o/v1/inventory.json")).unwrap();
            fs::remove_file(folder.path("o/v1/inventory.json.sha512")).unwrap();
        }),
        ("v1/content/a: FAILED", 1, |folder| folder.write("o/v1/content/a", "x")),
        ("v1/content/b: MISSING", 1, |folder| fs::remove_file(folder.path("o/v1/content/b")).unwrap()),
        ("o/v2/content/new: cannot verify: it is not in the inventory", 1, |folder| {
            folder.write("o/v2/content/new", "");
        }),
        (
            "o/v1/content/l: cannot verify: it is a symbolic link, which an object cannot contain",
            1,
            |folder| {
                std::os::unix::fs::symlink("a", folder.path("o/v1/content/l")).unwrap();
            },
        ),
        ("o/v1/junk: cannot verify: it is not in the inventory", 1, |folder| folder.write("o/v1/junk", "")),
        ("o/junk: cannot verify: it does not belong to the object", 1, |folder| folder.write("o/junk", "")),
        ("o/v3: cannot verify: it does not belong to the object", 1, |folder| {
            fs::create_dir(folder.path("o/v3")).unwrap();
        }),
        ("o/v2: cannot verify: the folder of this version is missing", 1, |folder| {
            fs::remove_dir_all(folder.path("o/v2")).unwrap();
        }),
        ("o/inventory.json.sha512: cannot open: No such file", 1, |folder| {
            fs::remove_file(folder.path("o/inventory.json.sha512")).unwrap();
        }),
        (
            "o/inventory.json: cannot verify: it does not match its digest in o/inventory.json.sha512",
            1,
            |folder| {
                folder
                    .write("o/inventory.json.sha512", format!("{} inventory.json\n", digest("sha512", b"x")));
            },
        ),
        ("o/v1/inventory.json: cannot verify: it does not match its digest", 1, |folder| {
            folder.write("o/v1/inventory.json", inventory("sha512", 1).to_string() + "\n");
        }),
        ("o/v1/inventory.json.sha512: cannot verify: expected a single line", 1, |folder| {
            folder.write("o/v1/inventory.json.sha512", "");
        }),
        ("o/0=ocfl_object_1.1: cannot verify: its content differs from its name", 1, |folder| {
            folder.write("o/0=ocfl_object_1.1", "ocfl_object_1.0\n");
        }),
        ("o/v2/inventory.json: cannot verify: its head is not v2", 1, |folder| {
            write_inventory(folder, "o/v2", &inventory("sha512", 1));
        }),
        ("o/v2/inventory.json: cannot verify: it differs from inventory.json", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["versions"]["v2"]["message"] = json!("x");
            write_inventory(folder, "o/v2", &other);
        }),
        ("o/v1/inventory.json: cannot verify: its state of v1 differs", 1, |folder| {
            let mut other = inventory("sha512", 1);
            other["versions"]["v1"]["state"][digest("sha512", b"2")] = json!(["z"]);
            write_inventory(folder, "o/v1", &other);
        }),
        ("o/v1/inventory.json: cannot verify: its id is \"urn:y\", not \"urn:x\"", 1, |folder| {
            let mut other = inventory("sha512", 1);
            other["id"] = json!("urn:y");
            write_inventory(folder, "o/v1", &other);
        }),
        // The digest of the fixity block is verified in addition to the one that identifies the content.
        ("v1/content/a: FAILED", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["fixity"] = json!({"md5": {digest("md5", b"x"): ["v1/content/a"]}});
            write_head(folder, &other);
        }),
        // An older inventory with another algorithm has digests of its own.
        ("v1/content/b: FAILED", 1, |folder| {
            let mut other = inventory("sha256", 1);
            let text = other.to_string().replace(&digest("sha256", b"2"), &digest("sha256", b"x"));
            other = serde_json::from_str(&text).unwrap();
            fs::remove_file(folder.path("o/v1/inventory.json.sha512")).unwrap();
            write_inventory(folder, "o/v1", &other);
        }),
        ("the manifest contains \"v1/content/b\", which belongs to no version", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["versions"]["v1"]["state"].as_object_mut().unwrap().remove(&digest("sha512", b"2"));
            write_head(folder, &other);
        }),
        ("the digest of \"c\" in v2 is not in the manifest", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["manifest"].as_object_mut().unwrap().remove(&digest("sha512", b"3"));
            write_head(folder, &other);
        }),
        ("the head is \"v1\", but the last version is \"v2\"", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["head"] = json!("v1");
            write_head(folder, &other);
        }),
        ("invalid digest in the fixity block: md5 of \"v1/content/a\"", 1, |folder| {
            write_head_with(folder, "fixity", json!({"md5": {"00000000": ["v1/content/a"]}}));
        }),
        ("not a valid inventory: invalid type: null", 1, |folder| {
            write_head_with(folder, "fixity", Value::Null);
        }),
        // An older fixity block with the algorithm of the object has digests of its own.
        ("v1/content/a: FAILED", 1, |folder| {
            let mut other = inventory("sha512", 1);
            other["fixity"] = json!({"md5": {digest("md5", b"x"): ["v1/content/a"]}});
            write_inventory(folder, "o/v1", &other);
        }),
        ("o/extensions/x: cannot verify: the folder of extensions contains only folders", 1, |folder| {
            fs::create_dir_all(folder.path("o/extensions/y")).unwrap();
            folder.write("o/extensions/x", "");
        }),
        ("v2 contains \"q/r\", although \"q\" is a file", 1, |folder| {
            let [a, c] = ["1", "3"].map(|text| digest("sha512", text.as_bytes()));
            write_version_with(folder, "state", json!({a: ["q", "q/r"], c: ["c"]}));
        }),
        ("the time \"2026-01-01\" in v2 is not in RFC 3339", 1, |folder| {
            write_version_with(folder, "created", json!("2026-01-01"));
        }),
        ("invalid type: integer `5`", 1, |folder| write_version_with(folder, "created", json!(5))),
        ("invalid type: string \"x\"", 1, |folder| write_version_with(folder, "user", json!("x"))),
        ("missing field `name`", 1, |folder| write_version_with(folder, "user", json!({}))),
        ("invalid type: sequence, expected a string", 1, |folder| {
            write_version_with(folder, "message", json!([]));
        }),
        ("o/v1/inventory.json: cannot verify: its contentDirectory is \"other\"", 1, |folder| {
            let text = inventory("sha512", 1).to_string().replace("/content/", "/other/");
            let mut other: Value = serde_json::from_str(&text).unwrap();
            other["contentDirectory"] = json!("other");
            write_inventory(folder, "o/v1", &other);
        }),
        (
            "o/inventory.json: cannot verify: it has the type of OCFL 1.1, which differs from that of the object",
            1,
            |folder| {
                fs::remove_file(folder.path("o/0=ocfl_object_1.1")).unwrap();
                folder.write("o/0=ocfl_object_1.0", "ocfl_object_1.0\n");
            },
        ),
        (
            "o/v1/inventory.json: cannot verify: it has the type of OCFL 1.1, but a later inventory has that of OCFL 1.0",
            1,
            |folder| {
                fs::remove_file(folder.path("o/0=ocfl_object_1.1")).unwrap();
                folder.write("o/0=ocfl_object_1.0", "ocfl_object_1.0\n");
                write_head_with(folder, "type", json!("https://ocfl.io/1.0/spec/#inventory"));
            },
        ),
        ("the manifest contains the invalid name \"v1/content/../content/a\"", 1, |folder| {
            let mut other = inventory("sha512", 2);
            other["manifest"][digest("sha512", b"1")] = json!(["v1/content/../content/a"]);
            write_head(folder, &other);
        }),
    ];
    let mut is_compared = true;
    for case @ (expected, code, _) in cases {
        let folder = Folder::new();
        let text = checked(&folder, case);
        match accepted(&folder, "o") {
            Some(is_accepted) => assert_eq!(is_accepted, *code == 0, "{expected}: {text}"),
            None => is_compared = false,
        }
    }
    // A declaration of an unknown version: the rules of the layout are unknown.
    let folder = Folder::new();
    write_object(&folder, "o");
    remove(&folder, "o/0=ocfl_object_1.1");
    folder.write("o/0=ocfl_object_9.0", "ocfl_object_9.0\n");
    let ran = folder.run(&["check", "o"]);
    assert!(ran.code == Some(1) && ran.err.contains("unsupported version \"9.0\" of OCFL"), "{}", ran.err);
    if !is_compared {
        truesum_test_support::oracle::missing("ocfl-validate.py (ocfl-py)");
    }
}

/// Returns the text of a check of the object after a change, which must have this exit status and text.
fn checked(folder: &Folder, (expected, code, change): &(&str, i32, Change)) -> String {
    write_object(folder, "o");
    change(folder);
    let ran = folder.run(&["check", "o"]);
    let text = ran.out() + &ran.err;
    assert!(ran.code == Some(*code) && text.contains(expected), "{expected}: {text}");
    text
}

// ocfl-py knows fewer algorithms and does not compare digests of the others, and it follows symbolic links.
#[test]
fn object_is_verified_with_all_its_digests_and_without_links() {
    let cases: &[(&str, i32, Change)] = &[
        // Digests in the fixity block are read whatever their length.
        ("v1/content/a: FAILED", 1, |folder| {
            write_head_with(folder, "fixity", json!({"crc32": {"00000000": ["v1/content/a"]}}));
        }),
        // The first version has a fixity block of its own, so its files are compared twice.
        ("5 files verified;", 0, |folder| {
            let crc = digest("crc32", b"1");
            write_head_with(folder, "fixity", json!({"crc32": {crc: ["v1/content/a"]}}));
        }),
        // An unknown algorithm is not taken for that of the object, whatever the length of its digests.
        ("1 digest of an unknown algorithm (own) was not checked", 0, |folder| {
            write_head_with(folder, "fixity", json!({"own": {"ab".repeat(64): ["v1/content/a"]}}));
        }),
        ("1 digest of an unknown algorithm (size) was not checked", 0, |folder| {
            write_head_with(folder, "fixity", json!({"size": {"1": ["v1/content/a"]}}));
        }),
        ("o/v1/content/a: cannot verify: it is a symbolic link", 1, |folder| {
            replace_with_link(folder, "o/v1/content/a");
        }),
        ("o/v1/inventory.json: cannot verify: it is a symbolic link", 1, |folder| {
            replace_with_link(folder, "o/v1/inventory.json");
        }),
        ("o/v1/inventory.json.sha512: cannot verify: it is a symbolic link", 1, |folder| {
            replace_with_link(folder, "o/v1/inventory.json.sha512");
        }),
    ];
    cases.iter().for_each(|case| _ = checked(&Folder::new(), case));
}

#[test]
fn storage_root_consists_of_objects() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("r/a/b")).unwrap();
    folder.write("r/0=ocfl_1.1", "ocfl_1.1\n");
    folder.write("r/ocfl_layout.json", "{}");
    write_object(&folder, "r/a/b/one");
    write_object(&folder, "r/two");
    let ran = folder.run(&["check", "r"]);
    assert!(ran.code == Some(0) && ran.err.contains("6 files verified;"), "{}{}", ran.out(), ran.err);
    folder.write("r/a/stray", "");
    fs::create_dir(folder.path("r/empty")).unwrap();
    folder.write("r/two/v1/content/a", "x");
    let ran = folder.run(&["check", "r"]);
    for what in
        ["r/a/stray: cannot verify: it belongs to no object", "r/empty: cannot verify: the folder is empty"]
    {
        assert!(ran.code == Some(1) && ran.err.contains(what), "{}", ran.err);
    }
    // The names show to which object a file belongs, also those in the inventory of a version.
    assert!(ran.out().contains("r/two/v1/content/a: FAILED"), "{}", ran.out());
    assert!(ran.out().contains("r/a/b/one/v1/content/a: OK"), "{}", ran.out());
    // A storage root without any object verifies nothing.
    let folder = Folder::new();
    fs::create_dir(folder.path("r")).unwrap();
    folder.write("r/0=ocfl_1.1", "ocfl_1.1\n");
    let ran = folder.run(&["check", "r"]);
    let errors: Vec<&str> =
        ran.err.lines().filter(|line| line.contains("r: ") || line.contains("hint")).collect();
    assert!(ran.code == Some(2) && errors.len() == 1, "{}", ran.err);
    assert!(ran.err.contains("r: cannot verify: the storage root contains no objects"), "{}", ran.err);
}

#[test]
fn object_without_content_files_is_valid_and_its_inventories_are_verified() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("o/v1")).unwrap();
    folder.write("o/0=ocfl_object_1.1", "ocfl_object_1.1\n");
    let mut empty = inventory("sha512", 1);
    empty.as_object_mut().unwrap().remove("fixity");
    empty["manifest"] = json!({});
    empty["versions"]["v1"]["state"] = json!({});
    ["o", "o/v1"].iter().for_each(|place| write_inventory(&folder, place, &empty));
    let ran = folder.run(&["check", "o"]);
    assert!(ran.code == Some(0) && ran.err.contains("the object has no content files"), "{}", ran.err);
    folder.write("o/inventory.json", "{}");
    assert_eq!(folder.run(&["check", "o"]).code, Some(1));
}

#[test]
fn names_of_an_older_inventory_are_relative_to_the_object() {
    let folder = Folder::new();
    fs::create_dir(folder.path("r")).unwrap();
    folder.write("r/0=ocfl_1.1", "ocfl_1.1\n");
    // An object can have the name of a version.
    write_object(&folder, "r/v1");
    let mut other = inventory("sha512", 1);
    other["fixity"] = json!({"md5": {digest("md5", b"x"): ["v1/content/a"]}});
    write_inventory(&folder, "r/v1/v1", &other);
    let ran = folder.run(&["check", "r"]);
    assert!(ran.code == Some(1) && ran.out().contains("r/v1/v1/content/a: FAILED"), "{}", ran.out());
    let ran = folder.run(&["check", "r/v1/inventory.json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn hints_name_the_check_of_the_folder() {
    let folder = Folder::new();
    write_object(&folder, "o");
    let ran = folder.run(&["check", "--max-bytes", "1MB", "o"]);
    assert!(ran.code == Some(2) && ran.err.contains("in one run: truesum check o"), "{}", ran.err);
    assert!(!ran.err.contains("SHA256SUMS"), "{}", ran.err);
    let ran = folder.run(&["check", "-r", "."]);
    assert!(ran.err.contains("to check it completely: truesum check ./o"), "{}", ran.err);
}
