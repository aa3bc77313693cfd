//! Compares the checksums that a service stores for its objects with those in a manifest. Nothing is read, and so
//! nothing is verified: they are what the service recorded when the object was written, or checked since.

use crate::failure::Failure;
use crate::fetch::Source;
use crate::metadata::{Checksum, ObjectMetadata};
use truesum::hash::{Digest, Spec};
use truesum::{Error, Job, Notice, ObjectVersion, Outcome};

/// The result of comparing stored checksums with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredComparison {
    /// These of the listed digests are equal to stored ones, and none differs.
    Agrees(Vec<Spec>),
    /// The size or a digest differs.
    Differs {
        /// The listed value.
        listed: String,
        /// The stored value.
        stored: String,
    },
    /// No stored checksum is comparable with the listed ones; contains the stored ones.
    NotComparable(Vec<String>),
}

/// The result of an entry whose stored checksums were requested.
#[derive(Debug)]
pub enum StoredResult {
    /// The comparison with them, or the reason they could not be requested.
    Compared(Job, Result<StoredComparison, Error>),
    /// They were not sufficient, so the object was read.
    Read(Outcome),
    /// A notice in its position among the results.
    Notice(Notice),
}

/// Holds what a service reports about an object that was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFacts {
    /// Its size in bytes.
    pub size: u64,
    /// Identifies its version: an ETag or its equivalent.
    pub version: Option<String>,
    /// Its checksums, including the ETag if it is a checksum.
    pub checksums: Vec<Checksum>,
    /// Size of its first part in bytes, if it was written in parts and the service reports it.
    pub part: Option<u64>,
}

impl StoredFacts {
    /// Returns the algorithm of a checksum, with the part size if it has parts; `None` if their size or number is not
    /// known.
    pub fn spec(&self, checksum: &Checksum) -> Option<Spec> {
        match (checksum.digest.parts(), self.part) {
            // A composite checksum without its number of parts.
            (None, _) if checksum.algorithm.starts_with("s3-") => None,
            (None, _) => checksum.algorithm.parse().ok(),
            (Some(parts), Some(part)) if part > 0 && self.size.div_ceil(part) == parts => {
                format!("{};part={part}", checksum.algorithm).parse().ok()
            }
            (Some(_), _) => None,
        }
    }

    /// Returns the checksums that can be computed from the same bytes, restricted to these algorithms if there are any.
    pub fn digests(&self, algorithms: &[Spec]) -> (Vec<Spec>, Vec<Digest>) {
        let mut found: (Vec<Spec>, Vec<Digest>) = Default::default();
        for checksum in &self.checksums {
            let is_requested = algorithms.is_empty() || algorithms.iter().any(|one| checksum.is_of(one));
            let spec = self.spec(checksum).filter(|spec| is_requested && !found.0.contains(spec));
            if let Some(spec) = spec {
                found.0.push(spec);
                found.1.push(checksum.digest.clone());
            }
        }
        found
    }
}

/// Describes the checksums of an object, none of which is comparable.
pub fn describe(stored: &[String]) -> String {
    match stored {
        [] => "the object store has no checksum".to_owned(),
        _ => format!("the object store has only {}", stored.join(", ")),
    }
}

/// Returns the names of checksums, with their numbers of parts.
pub(crate) fn names(checksums: &[Checksum]) -> Vec<String> {
    let name = |stored: &Checksum| match stored.digest.parts() {
        Some(parts) => format!("{} of {parts} parts", stored.algorithm),
        None if stored.algorithm.starts_with("s3-") => {
            format!("{} of an unknown number of parts", stored.algorithm)
        }
        None => stored.algorithm.to_owned(),
    };
    checksums.iter().map(name).collect()
}

/// Requests the metadata of an object.
///
/// # Errors
/// It does not exist, or the request failed.
pub(crate) async fn stored_facts(source: &Source, key: &str) -> Result<StoredFacts, Failure> {
    let metadata_request = source.service.metadata_request(key, None, None);
    let requested = source.client.send(&metadata_request, |answer| {
        let metadata = source.service.metadata(answer).map_err(Failure::wrong)?;
        Ok((metadata, source.service.version(answer)))
    });
    let (metadata, version) = match requested.await {
        Err(Failure::Missing) => {
            bucket(source, key).await?;
            return Err(Failure::Missing);
        }
        requested => requested?,
    };
    let of_parts = metadata.checksums.iter().any(|metadata| metadata.digest.parts().is_some());
    let part = if of_parts { part(source, key, version.as_deref()).await? } else { None };
    Ok(StoredFacts { size: metadata.size, version, checksums: metadata.checksums, part })
}

/// Checks that the bucket exists and is readable, which an answer without a body does not show: listing it does.
async fn bucket(source: &Source, key: &str) -> Result<(), Failure> {
    let list = source.service.list(key, None, 1);
    let page = source.client.send(&list, |answer| source.service.page(&answer.body).map_err(Failure::wrong));
    page.await.map(drop)
}

/// Returns the size of an object's first part, if the service reports parts.
async fn part(source: &Source, key: &str, version: Option<&str>) -> Result<Option<u64>, Failure> {
    let metadata_request = source.service.metadata_request(key, version, Some(1));
    let part = source.client.send(&metadata_request, |answer| {
        let part = source.service.metadata(answer).map_err(Failure::wrong)?;
        Ok((part.size, part.parts))
    });
    match part.await {
        Ok((size, parts)) => Ok(parts.map(|_| size)),
        // Not every service reports parts; without them, the size is unknown.
        Err(Failure::Status { .. }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Compares an object's stored checksums with what a job expects. The size of parts is only requested if it decides.
///
/// # Errors
/// The object does not exist, or the request failed.
pub(crate) async fn compare(source: &Source, key: &str, job: &Job) -> Result<StoredComparison, Failure> {
    let version = job.listed().and_then(ObjectVersion::version);
    let metadata_request = source.service.metadata_request(key, version, None);
    let metadata = source
        .client
        .send(&metadata_request, |answer| source.service.metadata(answer).map_err(Failure::wrong))
        .await;
    if metadata == Err(Failure::Missing) {
        bucket(source, key).await?;
    }
    let metadata = metadata?;
    let answer = compare_checksums(&metadata, job, None);
    match (&answer, job.specs().iter().any(Spec::counts_parts)) {
        (StoredComparison::NotComparable(_), true)
            if metadata.checksums.iter().any(|metadata| metadata.digest.parts().is_some()) =>
        {
            // If no part is reported, its size is unknown.
            let part = part(source, key, version).await?;
            Ok(part.map_or(answer, |size| compare_checksums(&metadata, job, Some(size))))
        }
        _ => Ok(answer),
    }
}

/// Compares the checksums. Different digests of parts prove nothing unless the parts have the same size, `part`, and
/// the same number.
fn compare_checksums(metadata: &ObjectMetadata, job: &Job, part: Option<u64>) -> StoredComparison {
    if let Some(size) = job.size().filter(|size| *size != metadata.size) {
        return StoredComparison::Differs {
            listed: format!("size {size}"),
            stored: format!("size {}", metadata.size),
        };
    }
    let mut agreed = Vec::new();
    for (spec, listed) in job.specs().iter().zip(job.expected()) {
        for stored in metadata.checksums.iter().filter(|stored| stored.is_of(spec)) {
            if spec.agree(listed, &stored.digest) {
                agreed.push(spec.clone());
                break;
            }
            let alike = || stored.digest.parts() == Some(metadata.size.div_ceil(spec.unit()));
            if !spec.counts_parts() || (part == Some(spec.unit()) && alike()) {
                let listed = format!("{spec} {listed}");
                return StoredComparison::Differs {
                    listed,
                    stored: format!("{} {}", stored.algorithm, stored.digest),
                };
            }
        }
    }
    if agreed.is_empty() {
        return StoredComparison::NotComparable(names(&metadata.checksums));
    }
    StoredComparison::Agrees(agreed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use truesum::hash::Digest;

    fn job(lines: &[(&str, &str)]) -> Job {
        let specs: Vec<Spec> = lines.iter().map(|(name, _)| name.parse().unwrap()).collect();
        let digest = |text: &str| match text.split_once('-') {
            Some((hex, parts)) => {
                Digest::from_hex(hex.as_bytes()).unwrap().with_parts(parts.parse().unwrap())
            }
            None => Digest::from_hex(text.as_bytes()).unwrap(),
        };
        let expected = lines.iter().map(|(_, text)| digest(text)).collect();
        Job::hash("f", &Arc::from(specs)).with_expected(expected)
    }

    const MD5: &str = "25f9e794323b453885f5181f1b624d0b";

    #[test]
    fn only_computable_checksums_are_digests() {
        let checksums = vec![
            Checksum::etag(&format!("{MD5}-2")).unwrap(),
            Checksum::base64("crc32", "y/Q5Jg==", true).unwrap(),
            Checksum::etag(MD5).unwrap(),
            // The metadata of rclone contain the same algorithm.
            Checksum::etag(MD5).unwrap(),
        ];
        let facts = |part| StoredFacts { size: 9 << 20, version: None, checksums: checksums.clone(), part };
        let names = |facts: StoredFacts, algorithms: &[&str]| {
            let algorithms: Vec<Spec> = algorithms.iter().map(|name| name.parse().unwrap()).collect();
            facts.digests(&algorithms).0.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names(facts(Some(5 << 20)), &[]), ["s3-etag;part=5MiB", "md5"]);
        // The object has two parts, and not three.
        assert_eq!(names(facts(Some(3 << 20)), &[]), ["md5"]);
        assert_eq!(names(facts(None), &[]), ["md5"]);
        assert_eq!(names(facts(Some(5 << 20)), &["s3-etag;part=8MiB"]), ["s3-etag;part=5MiB"]);
        assert!(names(facts(Some(5 << 20)), &["sha256"]).is_empty());
    }

    #[test]
    fn only_checksums_of_the_same_kind_are_compared() {
        let metadata = ObjectMetadata {
            size: 9 << 20,
            checksums: vec![
                Checksum::base64("crc32", "y/Q5Jg==", false).unwrap(),
                Checksum::etag(&format!("{MD5}-2")).unwrap(),
            ],
            parts: None,
        };
        let crc: Spec = "crc32".parse().unwrap();
        assert_eq!(
            compare_checksums(&metadata, &job(&[("crc32", "cbf43926")]), None),
            StoredComparison::Agrees(vec![crc.clone()])
        );
        assert_eq!(
            compare_checksums(&metadata, &job(&[("md5", MD5), ("crc32", "cbf43926")]), None),
            StoredComparison::Agrees(vec![crc])
        );
        assert!(matches!(
            compare_checksums(&metadata, &job(&[("crc32", "cbf43927")]), None),
            StoredComparison::Differs { .. }
        ));
        assert!(
            matches!(compare_checksums(&metadata, &job(&[("md5", MD5)]), None), StoredComparison::NotComparable(names) if names == ["crc32", "s3-etag of 2 parts"])
        );
        let sized = job(&[("crc32", "cbf43926")]).with_size(Some(9));
        assert!(matches!(compare_checksums(&metadata, &sized, None), StoredComparison::Differs { .. }));
        // A different digest of parts shows different content only if the parts have the same size.
        let etag = |hex: &str| job(&[("s3-etag;part=5MiB", &format!("{hex}-2"))]);
        assert!(matches!(compare_checksums(&metadata, &etag(MD5), None), StoredComparison::Agrees(_)));
        let other = etag("00000000000000000000000000000000");
        assert!(matches!(compare_checksums(&metadata, &other, None), StoredComparison::NotComparable(_)));
        assert!(matches!(
            compare_checksums(&metadata, &other, Some(8 << 20)),
            StoredComparison::NotComparable(_)
        ));
        assert!(matches!(
            compare_checksums(&metadata, &other, Some(5 << 20)),
            StoredComparison::Differs { .. }
        ));
        let uncounted = ObjectMetadata {
            checksums: vec![Checksum::base64("crc32", "y/Q5Jg==", true).unwrap()],
            ..metadata.clone()
        };
        for listed in [("crc32", "cbf43927"), ("s3-crc32;part=5MiB", "cbf43927-2")] {
            assert_eq!(
                compare_checksums(&uncounted, &job(&[listed]), Some(5 << 20)),
                StoredComparison::NotComparable(vec!["s3-crc32 of an unknown number of parts".to_owned()])
            );
        }
        let uneven = ObjectMetadata { size: 11 << 20, ..metadata.clone() };
        assert!(
            matches!(compare_checksums(&uneven, &other, Some(5 << 20)), StoredComparison::NotComparable(_)),
            "three parts, not two"
        );
    }
}
