//! Google Cloud Storage, through its JSON API: its listings include checksums, and versions are generations.

use super::{Object, PAGE, Page, Service, variable};
use crate::failure::Failure;
use crate::metadata::{Checksum, ObjectMetadata};
use crate::request::{Request, Response, escaped};
use crate::sign::Signing;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use serde_json::Value;
use std::ops::Range;
use truesum::manifest::Time;

/// A bucket.
#[derive(Debug)]
pub(super) struct Gcs {
    /// The URL of its objects, without a trailing slash.
    base: String,
}

/// Opens a bucket with the settings of the environment.
///
/// # Errors
/// Its credentials cannot be read.
pub(super) fn open(bucket: &str) -> Result<(Gcs, Signing), Failure> {
    let emulator = variable(&["STORAGE_EMULATOR_HOST"]);
    let host = match &emulator {
        Some(host) if host.contains("://") => host.trim_end_matches('/').to_owned(),
        Some(host) => format!("http://{host}"),
        None => "https://storage.googleapis.com".to_owned(),
    };
    let base = format!("{host}/storage/v1/b/{bucket}/o");
    let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
    let anonymous =
        builder.get_config_value(&GoogleConfigKey::SkipSignature).is_some_and(|value| value == "true");
    let signing = match emulator.is_some() || anonymous {
        true => Signing::Nothing,
        false => {
            let store = builder.build().map_err(|error| crate::failure::of_credentials(&error))?;
            Signing::Gcp { provider: store.credentials().clone() }
        }
    };
    Ok((Gcs { base }, signing))
}

impl Gcs {
    fn object(&self, key: &str, query: &str, version: Option<&str>) -> String {
        let condition = version.map_or(String::new(), |version| format!("&ifGenerationMatch={version}"));
        format!("{}/{}?{query}{condition}", self.base, escaped(key, false))
    }
}

/// Returns a member that is text, or a number as text.
fn text<'v>(value: &'v Value, member: &str) -> Option<&'v str> {
    value.get(member)?.as_str()
}

impl Service for Gcs {
    fn list(&self, prefix: &str, next: Option<&str>, most: u32) -> Request {
        let fields = "nextPageToken,items(name,size,generation,updated)";
        let mut url = format!(
            "{}?maxResults={most}&prefix={}&fields={}",
            self.base,
            escaped(prefix, false),
            escaped(fields, false)
        );
        if let Some(next) = next {
            url += &format!("&pageToken={}", escaped(next, false));
        }
        Request::get(url, PAGE)
    }

    fn page(&self, body: &[u8]) -> Result<Page, String> {
        let bad = |what: &str| format!("the response is not a list of objects: {what}");
        let value: Value = serde_json::from_slice(body).map_err(|error| bad(&error.to_string()))?;
        if !value.is_object() || value.get("error").is_some() {
            return Err(bad("unexpected content"));
        }
        let mut page = Page { objects: Vec::new(), next: text(&value, "nextPageToken").map(str::to_owned) };
        for item in value.get("items").and_then(Value::as_array).into_iter().flatten() {
            let key = text(item, "name").ok_or_else(|| bad("an object has no name"))?.to_owned();
            // Some servers list empty objects without a size.
            let size = text(item, "size").map_or(Some(0), |size| size.parse().ok());
            let size = size.ok_or_else(|| bad("an object has an invalid size"))?;
            let version = text(item, "generation").map(str::to_owned);
            let modified = text(item, "updated").and_then(Time::parse).map_or(0, |time| time.seconds);
            page.objects.push(Object { key, size, version, modified });
        }
        Ok(page)
    }

    fn read(&self, key: &str, version: Option<&str>, range: Option<&Range<u64>>) -> Request {
        // Requests the bytes as stored: compressed objects would be decompressed otherwise.
        Request::get(self.object(key, "alt=media", version), 0).ranged(range).with("accept-encoding", "gzip")
    }

    fn metadata_request(&self, key: &str, version: Option<&str>, _: Option<u32>) -> Request {
        Request::get(self.object(key, "alt=json", version), 1 << 20)
    }

    fn version(&self, answer: &Response) -> Option<String> {
        answer.header("x-goog-generation").map(str::to_owned)
    }

    fn metadata(&self, answer: &Response) -> Result<ObjectMetadata, String> {
        let value: Value = serde_json::from_slice(&answer.body).map_err(|error| error.to_string())?;
        let size = text(&value, "size").map_or(Some(0), |size| size.parse().ok());
        let mut metadata = ObjectMetadata {
            size: size.ok_or("the service reports an invalid size for the object")?,
            ..ObjectMetadata::default()
        };
        for (member, algorithm) in [("md5Hash", "md5"), ("crc32c", "crc32c")] {
            if let Some(value) = text(&value, member) {
                metadata.checksums.push(Checksum::base64(algorithm, value, false)?);
            }
        }
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcs_requests_and_list_pages_are_correct() {
        let gcs = Gcs { base: "http://h/storage/v1/b/b/o".to_owned() };
        assert_eq!(
            gcs.read("a/b c", Some("17"), None).url,
            "http://h/storage/v1/b/b/o/a%2Fb%20c?alt=media&ifGenerationMatch=17"
        );
        let page =
            gcs.page(br#"{"items":[{"name":"a/b","size":"3","generation":"17","updated":"1970-01-01T00:01:00.9Z"},{"name":"e"}]}"#).unwrap();
        let first = Object { key: "a/b".into(), size: 3, version: Some("17".into()), modified: 60 };
        assert_eq!(page.objects[0], first);
        assert_eq!((page.objects[1].size, page.next), (0, None));
        assert_eq!(gcs.page(b"{}").unwrap(), Page::default());
        for bad in [
            &b"[]"[..],
            b"",
            br#"{"items":[{"size":"3"}]}"#,
            br#"{"error":{}}"#,
            br#"{"items":[{"name":"a","size":"x"}]}"#,
        ] {
            assert!(gcs.page(bad).is_err());
        }
    }
}
