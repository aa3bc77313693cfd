//! Amazon S3, and services with its protocol: ListObjectsV2, GetObject, HeadObject.

use super::{ObjectBuilder, PAGE, Page, Service, etag, variable};
use crate::failure::Failure;
use crate::metadata::{Checksum, ObjectMetadata};
use crate::profile::Profile;
use crate::request::{Request, Response, escaped, unescaped};
use crate::sign::Signing;
use crate::xml;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use std::ops::Range;
use truesum::manifest::Time;

/// A bucket.
#[derive(Debug)]
pub(super) struct S3 {
    /// The URL that keys are appended to, with a trailing slash.
    base: String,
}

/// Opens a bucket with the settings of environment and profiles.
///
/// # Errors
/// The profile does not exist, or has unsupported settings.
pub(super) fn open(bucket: &str) -> Result<(S3, Signing), Failure> {
    let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_allow_http(true);
    let config = |key| builder.get_config_value(&key);
    let has_own = config(AmazonS3ConfigKey::AccessKeyId).is_some()
        || config(AmazonS3ConfigKey::WebIdentityTokenFile).is_some();
    let profile = Profile::find(has_own).map_err(Failure::Unrequested)?;
    let region = variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]).or(profile.region);
    let region = region.unwrap_or_else(|| "us-east-1".to_owned());
    let endpoint =
        variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]).or(profile.endpoint);
    let base = match endpoint {
        Some(endpoint) if !(endpoint.starts_with("http://") || endpoint.starts_with("https://")) => {
            return Err(Failure::Unrequested(
                "the S3 endpoint must begin with https:// or http://".to_owned(),
            ));
        }
        Some(endpoint) => format!("{}/{bucket}/", endpoint.trim_end_matches('/')),
        // The wildcard certificate for buckets does not cover names with dots.
        None if bucket.contains('.') => format!("https://s3.{region}.amazonaws.com/{bucket}/"),
        None => format!("https://{bucket}.s3.{region}.amazonaws.com/"),
    };
    let anonymous = config(AmazonS3ConfigKey::SkipSignature).is_some_and(|value| value == "true");
    let payer =
        config(AmazonS3ConfigKey::RequestPayer).is_some_and(|value| value == "true" || value == "requester");
    let mut builder = builder.with_region(&region);
    if let Some((id, secret, token)) = profile.keys {
        builder = builder.with_access_key_id(id).with_secret_access_key(secret);
        if let Some(token) = token {
            builder = builder.with_token(token);
        }
    }
    let signing = match anonymous {
        true => Signing::Nothing,
        false => {
            let store = builder.build().map_err(|error| crate::failure::of_credentials(&error))?;
            Signing::Aws { provider: store.credentials().clone(), region, payer }
        }
    };
    Ok((S3 { base }, signing))
}

impl S3 {
    fn object(&self, key: &str) -> String {
        format!("{}{}", self.base, escaped(key, true))
    }
}

impl Service for S3 {
    fn list(&self, prefix: &str, next: Option<&str>, most: u32) -> Request {
        let mut url = format!(
            "{}?encoding-type=url&list-type=2&max-keys={most}&prefix={}",
            self.base,
            escaped(prefix, false)
        );
        if let Some(next) = next {
            url += &format!("&continuation-token={}", escaped(next, false));
        }
        Request::get(url, PAGE)
    }

    fn page(&self, body: &[u8]) -> Result<Page, String> {
        let mut page = Page::default();
        let mut object = ObjectBuilder::default();
        let (mut truncated, mut is_escaped, mut is_list, mut bad) = (false, false, false, None);
        xml::elements(body, |path, text| match path {
            "EncodingType" => is_escaped = text == "url",
            "IsTruncated" => (is_list, truncated) = (true, text == "true"),
            "NextContinuationToken" if !text.is_empty() => page.next = Some(text.to_owned()),
            "Contents/Key" => object.key = Some(text.to_owned()),
            "Contents/Size" => object.size = text.parse().ok(),
            "Contents/LastModified" => object.modified = Time::parse(text).map_or(0, |time| time.seconds),
            "Contents/ETag" => object.version = etag(text),
            "Contents" => match object.end() {
                Some(object) => page.objects.push(object),
                None => bad = Some("an object in the list has no key or size"),
            },
            _ => {}
        })?;
        // Its position in the document is up to the service.
        for object in page.objects.iter_mut().filter(|_| is_escaped) {
            match unescaped(&object.key) {
                Some(key) => object.key = key,
                None => bad = Some("a key in the list is not valid URL-encoded UTF-8"),
            }
        }
        if !is_list {
            bad = Some("the response is not a list of objects");
        }
        if truncated != page.next.is_some() {
            bad = Some("the list has no continuation token");
        }
        match bad {
            Some(why) => Err(why.to_owned()),
            None => Ok(page),
        }
    }

    fn read(&self, key: &str, version: Option<&str>, range: Option<&Range<u64>>) -> Request {
        Request::get(self.object(key), 0).ranged(range).matching(version)
    }

    fn metadata_request(&self, key: &str, version: Option<&str>, part: Option<u32>) -> Request {
        let query = part.map_or(String::new(), |part| format!("?partNumber={part}"));
        Request::head(self.object(key) + &query).with("x-amz-checksum-mode", "ENABLED").matching(version)
    }

    fn version(&self, answer: &Response) -> Option<String> {
        etag(answer.header("etag")?)
    }

    fn metadata(&self, answer: &Response) -> Result<ObjectMetadata, String> {
        let size = answer.header("content-length").and_then(|size| size.parse().ok());
        let mut metadata = ObjectMetadata {
            size: size.ok_or("the service does not report the size of the object")?,
            ..ObjectMetadata::default()
        };
        // For objects encrypted with a customer's or a KMS key, the ETag is not the MD5 of the readable content.
        let sealed = answer.header("x-amz-server-side-encryption").is_some_and(|how| how != "AES256")
            || answer.header("x-amz-server-side-encryption-customer-algorithm").is_some();
        let etag = answer.header("etag").and_then(Checksum::etag);
        let is_multipart = etag.as_ref().is_some_and(|etag| etag.digest.parts().is_some());
        for (header, algorithm) in [
            ("x-amz-checksum-sha256", "sha256"),
            ("x-amz-checksum-sha1", "sha1"),
            ("x-amz-checksum-crc32", "crc32"),
            ("x-amz-checksum-crc32c", "crc32c"),
            ("x-amz-checksum-crc64nvme", "crc64nvme"),
        ] {
            if let Some(value) = answer.header(header) {
                // Services that do not report the type may omit the number of parts as well. CRC-64/NVME is never composite.
                let composite = match answer.header("x-amz-checksum-type") {
                    Some(kind) => kind == "COMPOSITE",
                    None => is_multipart && algorithm != "crc64nvme",
                };
                metadata.checksums.push(Checksum::base64(algorithm, value, composite)?);
            }
        }
        metadata.checksums.extend(etag.filter(|_| !sealed));
        // rclone stores the MD5 of the complete object with an upload in parts.
        if let Some(value) = answer.header("x-amz-meta-md5chksum") {
            let md5 = Checksum::base64("md5", value, false).ok();
            // Other programs may store something else under this name.
            metadata.checksums.extend(md5.filter(|md5| md5.digest.len() == 16));
        }
        metadata.parts = answer.header("x-amz-mp-parts-count").and_then(|count| count.parse().ok());
        Ok(metadata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUCKET: &str = "https://host/bucket/";

    #[test]
    fn s3_requests_escape_keys_and_pin_the_version() {
        let s3 = S3 { base: BUCKET.to_owned() };
        let ask = s3.read("a b/+%41", Some("\"e\""), Some(&(5..10)));
        assert_eq!(ask.url, "https://host/bucket/a%20b/%2B%2541");
        assert_eq!(ask.headers, [("range", "bytes=5-9".to_owned()), ("if-match", "\"e\"".to_owned())]);
        let list = s3.list("p q/", Some("t=/"), 1000).url;
        assert!(list.ends_with("&max-keys=1000&prefix=p%20q%2F&continuation-token=t%3D%2F"), "{list}");
    }

    #[test]
    fn checksums_of_multipart_uploads_are_those_of_the_object_only_if_this_is_certain() {
        const ETAG: (&str, &str) = ("etag", "\"25f9e794323b453885f5181f1b624d0b-2\"");
        let found = |headers: &[(&'static str, &'static str)]| -> Vec<(&str, Option<u64>)> {
            let mut all = http::HeaderMap::new();
            for (name, value) in [ETAG, ("content-length", "9")].iter().chain(headers) {
                all.insert(*name, http::HeaderValue::from_static(value));
            }
            let answer = Response { status: 200, headers: all, body: Default::default() };
            let metadata = S3 { base: BUCKET.to_owned() }.metadata(&answer).unwrap();
            metadata.checksums.iter().map(|checksum| (checksum.algorithm, checksum.digest.parts())).collect()
        };
        let (crc, etag) = (("x-amz-checksum-crc32", "y/Q5Jg=="), ("s3-etag", Some(2)));
        assert_eq!(found(&[crc]), [("s3-crc32", None), etag]);
        assert_eq!(found(&[crc, ("x-amz-checksum-type", "COMPOSITE")]), [("s3-crc32", None), etag]);
        assert_eq!(found(&[crc, ("x-amz-checksum-type", "FULL_OBJECT")]), [("crc32", None), etag]);
        assert_eq!(found(&[("x-amz-checksum-crc32", "y/Q5Jg==-2")]), [("s3-crc32", Some(2)), etag]);
        assert_eq!(found(&[("x-amz-checksum-crc64nvme", "rosUhgokCpE=")]), [("crc64nvme", None), etag]);
        let rclone = ("x-amz-meta-md5chksum", "JfnnlDI7RTiF9RgfG2JNCw==");
        assert_eq!(found(&[rclone]), [etag, ("md5", None)]);
        assert_eq!(found(&[("x-amz-meta-md5chksum", "none")]), [etag], "metadata of another program");
    }

    #[test]
    fn s3_list_pages_are_parsed() {
        let s3 = S3 { base: BUCKET.to_owned() };
        let body = "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a+b%0A</Key><Size>7</Size>\
            <LastModified>2009-10-12T17:50:30.900Z</LastModified><ETag>&quot;x-2&quot;</ETag></Contents><Contents><Key>c</Key><Size>0</Size><ETag>\"\"</ETag></Contents>\
            <EncodingType>url</EncodingType><NextContinuationToken>n</NextContinuationToken></ListBucketResult>";
        let page = s3.page(body.as_bytes()).unwrap();
        assert_eq!(page.next.as_deref(), Some("n"));
        let seen: Vec<_> =
            page.objects.iter().map(|o| (&*o.key, o.size, o.version.as_deref(), o.modified)).collect();
        assert_eq!(seen, [("a b\n", 7, Some("\"x-2\""), 1_255_369_830), ("c", 0, None, 0)]);
        for (old, new) in [
            ("<Key>c</Key>", ""),
            ("<Size>0<", "<Size>-<"),
            ("true<", "false<"),
            (">n<", "><"),
            ("+b%0A", "%zz"),
        ] {
            assert!(s3.page(body.replacen(old, new, 1).as_bytes()).is_err(), "{old}");
        }
        assert!(s3.page(b"<Error><Code>x</Code></Error>").is_err());
    }
}
