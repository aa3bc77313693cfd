//! The location of objects, given by URLs: `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`.

use std::fmt;

/// The kind of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Amazon S3, and services with its protocol.
    S3,
    /// Google Cloud Storage.
    Gcs,
    /// Azure Blob Storage.
    Azure,
}

/// A bucket and a key prefix in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The kind of service.
    pub kind: Kind,
    /// The bucket; the container for Azure.
    pub bucket: String,
    /// The rest of the URL, taken literally, without escapes.
    pub path: String,
}

impl Location {
    /// Parses a URL.
    ///
    /// # Errors
    /// The URL is not one of a supported service, or has no bucket.
    pub fn parse(url: &str) -> Result<Location, String> {
        let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
        let kind = match &*scheme.to_ascii_lowercase() {
            "s3" => Kind::S3,
            "gs" => Kind::Gcs,
            "az" => Kind::Azure,
            _ => return Err("a URL must begin with s3://, gs:// or az://".to_owned()),
        };
        let (bucket, path) = rest.split_once('/').unwrap_or((rest, ""));
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_$".contains(&byte);
        if bucket.is_empty() || !bucket.bytes().all(allowed) {
            return Err("no valid bucket name after ://".to_owned());
        }
        if let Err(why) = nameable(path.strip_suffix('/').unwrap_or(path)) {
            return Err(format!("cannot be requested: {why}"));
        }
        Ok(Location { kind, bucket: bucket.to_owned(), path: path.to_owned() })
    }

    /// Returns the prefix of the keys of all objects below.
    pub(crate) fn prefix(&self) -> String {
        match self.path.is_empty() || self.path.ends_with('/') {
            true => self.path.clone(),
            false => format!("{}/", self.path),
        }
    }

    /// Returns the path as a key, unless its form is that of a folder.
    pub(crate) fn object(&self) -> Option<&str> {
        (!self.path.is_empty() && !self.path.ends_with('/')).then_some(&*self.path)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.kind {
            Kind::S3 => "s3",
            Kind::Gcs => "gs",
            Kind::Azure => "az",
        };
        write!(f, "{scheme}://{}/{}", self.bucket, self.path)
    }
}

/// Checks that a request can name this key: in a URL, `.` and `..` are path steps, however they are escaped, and would
/// lead to another key.
pub(crate) fn nameable(key: &str) -> Result<(), &'static str> {
    if key.split('/').any(|part| matches!(part, "." | "..")) {
        return Err("a component of its name is . or ..");
    }
    if key.len() > 1024 { Err("its name is longer than 1,024 bytes") } else { Ok(()) }
}

/// Returns the name of a key's object below a prefix.
///
/// # Errors
/// The reason why it cannot be a file name.
pub(crate) fn name_below<'k>(prefix: &str, key: &'k str) -> Result<&'k str, &'static str> {
    let name = key
        .strip_prefix(prefix)
        .ok_or("the service returned it, but its name does not begin with the requested prefix")?;
    nameable(key)?;
    match name {
        "" => Err("its name equals the prefix, so no file name remains"),
        _ if name.ends_with('/') => {
            Err("its name ends with /, like that of a folder, but the object is not empty")
        }
        _ if name.starts_with('/') => {
            Err("its name below the prefix begins with /; to read it, end the URL with //")
        }
        _ => Ok(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_parsed_into_service_bucket_and_path() {
        let location = Location::parse("s3://bucket/a b/%41+c").unwrap();
        assert_eq!((location.kind, &*location.bucket, &*location.path), (Kind::S3, "bucket", "a b/%41+c"));
        assert_eq!(location.prefix(), "a b/%41+c/");
        assert_eq!(Location::parse("S3://Bucket/A").unwrap().to_string(), "s3://Bucket/A");
        assert_eq!(location.object(), Some("a b/%41+c"));
        assert_eq!(location.to_string(), "s3://bucket/a b/%41+c");
        let whole = Location::parse("gs://b.c").unwrap();
        assert_eq!((&*whole.prefix(), whole.object()), ("", None));
        let folder = Location::parse("az://c/p/").unwrap();
        assert_eq!((&*folder.prefix(), folder.object()), ("p/", None));
        for bad in [
            "s3:/bucket",
            "http://bucket/x",
            "s3://",
            "s3:///key",
            "s3://b@host/x",
            "s3://b/a/../c",
            "s3://b/.",
        ] {
            assert!(Location::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn impossible_file_names_are_rejected() {
        for name in ["a", "a//b", "a b\n", "..a/b.", "%2e%2e/x"] {
            assert_eq!(name_below("p/", &format!("p/{name}")), Ok(name));
        }
        for name in ["", "a/", "/a", "../a", "a/./b", "a/.."] {
            assert!(name_below("p/", &format!("p/{name}")).is_err(), "{name}");
        }
        assert!(name_below("p/", "q/a").is_err());
    }
}
