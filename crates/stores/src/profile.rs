//! The shared files of AWS: `~/.aws/credentials` and `~/.aws/config`, limited to keys, region and endpoint.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The settings of a profile.
#[derive(Default, PartialEq, Eq)]
pub(crate) struct Profile {
    /// Key, secret and session token.
    pub keys: Option<(String, String, Option<String>)>,
    pub region: Option<String>,
    pub endpoint: Option<String>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").field("region", &self.region).finish_non_exhaustive()
    }
}

impl Profile {
    /// Reads the profile that `AWS_PROFILE` names, or the default one if it exists. Its keys are ignored if the
    /// environment has keys.
    ///
    /// # Errors
    /// A named profile does not exist, its files cannot be read, or its credentials come from an unsupported source.
    pub(crate) fn find(has_keys: bool) -> Result<Profile, String> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let home = variable("HOME").map(PathBuf::from);
        let file = |name, usual: &str| {
            let path = variable(name)
                .map(PathBuf::from)
                .or_else(|| Some(home.as_ref()?.join(".aws").join(usual)))?;
            Some(std::fs::read_to_string(&path).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(String::new()),
                _ => Err(format!("{}: cannot read: {error}", path.display())),
            }))
        };
        let credentials = file("AWS_SHARED_CREDENTIALS_FILE", "credentials").transpose()?.unwrap_or_default();
        let config = file("AWS_CONFIG_FILE", "config").transpose()?.unwrap_or_default();
        let named = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]
            .into_iter()
            .find_map(|name| variable(name).map(|profile| (name, profile.to_string_lossy().into_owned())));
        let named = named.as_ref().map(|(variable, name)| (*variable, &name[..]));
        Profile::of(&credentials, &config, named, has_keys)
    }

    /// `named` is a variable and the name of the profile in it.
    fn of(
        credentials: &str,
        config: &str,
        named: Option<(&str, &str)>,
        has_keys: bool,
    ) -> Result<Profile, String> {
        let name = named.map_or("default", |(_, name)| name);
        let mut section = section(credentials, name);
        let of_config = match name {
            "default" => section_of(config, &["default", "profile default"]),
            name => section_of(config, &[&format!("profile {name}")]),
        };
        if let (Some((variable, _)), None, None) = (named, &section, &of_config) {
            return Err(format!("{variable}: there is no profile {name}"));
        }
        section.get_or_insert_default().extend(of_config.unwrap_or_default());
        let pairs = section.unwrap_or_default();
        let value =
            |wanted: &str| pairs.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.clone());
        let keys = match (value("aws_access_key_id"), value("aws_secret_access_key")) {
            (Some(id), Some(secret)) => Some((id, secret, value("aws_session_token"))),
            _ => None,
        };
        let foreign = ["role_arn", "sso_session", "sso_start_url", "credential_process", "credential_source"];
        if !has_keys
            && keys.is_none()
            && let Some(way) = foreign.into_iter().find(|way| value(way).is_some())
        {
            let export = "aws configure export-credentials --format env";
            return Err(format!(
                "the profile {name} gets its credentials through {way}, which is not supported; to export them: eval \"$({export})\""
            ));
        }
        Ok(Profile {
            keys: keys.filter(|_| !has_keys),
            region: value("region"),
            endpoint: value("endpoint_url"),
        })
    }
}

type Pairs = Vec<(String, String)>;

fn section(text: &str, name: &str) -> Option<Pairs> {
    section_of(text, &[name])
}

/// Returns the settings of the sections with these names; `None` if there is none. Indented lines belong to nested
/// settings.
fn section_of(text: &str, names: &[&str]) -> Option<Pairs> {
    let mut pairs: Option<Pairs> = None;
    let mut inside = false;
    for line in text.lines() {
        let plain = line.trim();
        if let Some(name) = plain.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            inside = names.contains(&name.0.split_whitespace().collect::<Vec<_>>().join(" ").as_str());
            if inside {
                pairs.get_or_insert_default();
            }
        } else if inside
            && !line.starts_with([' ', '\t', '#', ';'])
            && let (Some((key, value)), Some(pairs)) = (plain.split_once('='), &mut pairs)
        {
            pairs.push((key.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREDENTIALS: &str = "[default]\naws_access_key_id = ID\naws_secret_access_key=SE=CRET\n# x\n\
        [other]\naws_access_key_id=ID2\naws_secret_access_key=S2\naws_session_token=T2\n";
    const CONFIG: &str = "[default]\nregion = eu-west-1\ns3 =\n  addressing_style = path\n[profile  sso]\n\
        sso_session = x\nregion=r\n[profile other]\nendpoint_url = http://h:1\n";

    fn named(name: &str) -> Option<(&str, &str)> {
        Some(("AWS_PROFILE", name))
    }

    #[test]
    fn profiles_provide_keys_region_and_endpoint() {
        let usual = Profile::of(CREDENTIALS, CONFIG, None, false).unwrap();
        assert_eq!(usual.keys, Some(("ID".into(), "SE=CRET".into(), None)));
        assert_eq!((usual.region.as_deref(), usual.endpoint.as_deref()), (Some("eu-west-1"), None));
        let other = Profile::of(CREDENTIALS, CONFIG, named("other"), false).unwrap();
        assert_eq!(other.keys, Some(("ID2".into(), "S2".into(), Some("T2".into()))));
        assert_eq!(other.endpoint.as_deref(), Some("http://h:1"));
        assert_eq!(
            Profile::of(CREDENTIALS, CONFIG, None, true).unwrap().keys,
            None,
            "the environment goes first"
        );
        assert_eq!(Profile::of("", "", None, false), Ok(Profile::default()));
        assert!(!format!("{other:?}").contains("S2"));
    }

    #[test]
    fn unknown_or_unsupported_profiles_are_reported() {
        // regression: the error named AWS_PROFILE in either case.
        for variable in ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"] {
            let error = Profile::of(CREDENTIALS, CONFIG, Some((variable, "none")), false).unwrap_err();
            assert_eq!(error, format!("{variable}: there is no profile none"));
        }
        assert!(Profile::of(CREDENTIALS, CONFIG, named("sso"), false).unwrap_err().contains("sso_session"));
        assert_eq!(
            Profile::of(CREDENTIALS, CONFIG, named("sso"), true).unwrap().region.as_deref(),
            Some("r")
        );
    }
}
