//! Selects the format in which a manifest is written, or the template of its lines.

use crate::exit::Refusal;
use std::ffi::OsStr;
use std::path::Path;
use truesum::hash::Spec;
use truesum::manifest::template::Template;
use truesum::manifest::{self, Format, Spelling};
use truesum_fs::name::OsStrExt;

/// Returns the format in which lines with these digests can be read back from a file of this name:
/// the requested one, or the one with tags if its lines do not determine the algorithm.
///
/// # Errors
/// Fails if the lines do not determine the algorithm and the user specified the format (`named`).
pub fn readable_format(
    output: Option<&Path>,
    format: &'static Format,
    named: bool,
    specs: &[Spec],
    spelling: Spelling,
) -> Result<&'static Format, Refusal> {
    let Some(output) = output else {
        // xxhsum reads an XXH3 digest without a tag as XXH64.
        let is_misread = !named && specs.iter().any(|spec| spec.algorithm().name() == "xxh3");
        return Ok(if is_misread { manifest::for_file(format, specs, spelling, b"") } else { format });
    };
    let name = output.as_os_str().as_bytes();
    let implied = manifest::for_file(format, specs, spelling, name);
    if implied != format && named {
        let given = specs;
        let specs: Vec<String> = given.iter().map(Spec::to_string).collect();
        let hint = match specs.as_slice() {
            [spec] => {
                let sums = [format!("{}SUMS", spec.to_ascii_uppercase()), format!("checksums.{spec}")];
                let names = if format.name() == "bagit" {
                    vec![format!("manifest-{spec}.txt")]
                } else {
                    sums.to_vec()
                };
                let suits =
                    |name: &&String| manifest::for_file(format, given, spelling, name.as_bytes()) == format;
                let name = names.iter().find(suits).map(|name| format!(", or name the file {name}"));
                format!("use -t {}{}", implied.name(), name.unwrap_or_default())
            }
            _ => format!("use -t {}, which names the algorithms", implied.name()),
        };
        let (shown, specs) = (manifest::path::display_safe(name), specs.join(" and "));
        let why = match spelling {
            Spelling::Base32 => {
                "digests in base32 are recognized only next to the name of their algorithm".into()
            }
            _ => format!("the name {shown} does not indicate that the digests are {specs}"),
        };
        let text = format!("-t {}: {why}", format.name());
        return Err(Refusal::with_hint(text, hint));
    }
    Ok(implied)
}

/// Parses a template.
///
/// # Errors
/// Fails if it contains an invalid directive.
pub fn template(text: &OsStr) -> Result<Template, Refusal> {
    Template::parse(text.as_bytes()).map_err(|error| {
        Refusal::with_hint(
            format!("--format-string {error}"),
            "for a percent sign, write %%; to list all placeholders: truesum hash --help-all",
        )
    })
}
