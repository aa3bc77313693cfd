//! Compares the checksums that a service stores for its objects with those in a manifest. Nothing is read, and so
//! nothing is verified: they are what the service recorded when the object was written, or checked since.

use crate::failure::Failure;
use crate::fetch::Source;
use crate::kept::{Checksum, Kept};
use truesum::hash::Spec;
use truesum::{Error, Job, Listed, Notice, Outcome};

/// The result of comparing stored checksums with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
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
    Silent(Vec<String>),
}

/// The result of an entry whose stored checksums were requested.
#[derive(Debug)]
pub enum StoredResult {
    /// The comparison with them, or the reason they could not be requested.
    Kept(Job, Result<Answer, Error>),
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

/// Requests the metadata of an object.
///
/// # Errors
/// It does not exist, or the request failed.
pub(crate) async fn stored_facts(source: &Source, key: &str) -> Result<StoredFacts, Failure> {
    let look = source.service.look(key, None, None);
    let requested = source.client.ask(&look, |answer| {
        let kept = source.service.kept(answer).map_err(Failure::wrong)?;
        Ok((kept, source.service.version(answer)))
    });
    let (kept, version) = match requested.await {
        Err(Failure::Missing) => {
            bucket(source, key).await?;
            return Err(Failure::Missing);
        }
        requested => requested?,
    };
    let of_parts = kept.checksums.iter().any(|kept| kept.digest.parts().is_some());
    let part = if of_parts { part(source, key, version.as_deref()).await? } else { None };
    Ok(StoredFacts { size: kept.size, version, checksums: kept.checksums, part })
}

/// Checks that the bucket exists and is readable, which an answer without a body does not show: listing it does.
async fn bucket(source: &Source, key: &str) -> Result<(), Failure> {
    let list = source.service.list(key, None, 1);
    let page = source.client.ask(&list, |answer| source.service.page(&answer.body).map_err(Failure::wrong));
    page.await.map(drop)
}

/// Returns the size of an object's first part, if the service reports parts.
async fn part(source: &Source, key: &str, version: Option<&str>) -> Result<Option<u64>, Failure> {
    let look = source.service.look(key, version, Some(1));
    let part = source.client.ask(&look, |answer| {
        let part = source.service.kept(answer).map_err(Failure::wrong)?;
        Ok((part.size, part.parts))
    });
    match part.await {
        Ok((size, parts)) => Ok(parts.map(|_| size)),
        // Not every service reports parts: then the size is unknown.
        Err(Failure::Status { .. }) => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Compares an object's stored checksums with what a job expects. The size of parts is only requested if it decides.
///
/// # Errors
/// The object does not exist, or the request failed.
pub(crate) async fn compare(source: &Source, key: &str, job: &Job) -> Result<Answer, Failure> {
    let version = job.listed().and_then(Listed::version);
    let look = source.service.look(key, version, None);
    let kept = source.client.ask(&look, |answer| source.service.kept(answer).map_err(Failure::wrong)).await;
    if kept == Err(Failure::Missing) {
        bucket(source, key).await?;
    }
    let kept = kept?;
    let answer = judge(&kept, job, None);
    match (&answer, job.specs().iter().any(Spec::counts_parts)) {
        (Answer::Silent(_), true) if kept.checksums.iter().any(|kept| kept.digest.parts().is_some()) => {
            // If no part is reported, its size is unknown.
            let part = part(source, key, version).await?;
            Ok(part.map_or(answer, |size| judge(&kept, job, Some(size))))
        }
        _ => Ok(answer),
    }
}

/// Compares the checksums. Different digests of parts prove nothing unless the parts have the same size, `part`, and
/// the same number.
fn judge(kept: &Kept, job: &Job, part: Option<u64>) -> Answer {
    if let Some(size) = job.size().filter(|size| *size != kept.size) {
        return Answer::Differs { listed: format!("size {size}"), stored: format!("size {}", kept.size) };
    }
    let mut agreed = Vec::new();
    for (spec, listed) in job.specs().iter().zip(job.expected()) {
        for stored in kept.checksums.iter().filter(|stored| stored.is_of(spec)) {
            if spec.agree(listed, &stored.digest) {
                agreed.push(spec.clone());
                break;
            }
            let alike = || stored.digest.parts() == Some(kept.size.div_ceil(spec.unit()));
            if !spec.counts_parts() || (part == Some(spec.unit()) && alike()) {
                let listed = format!("{spec} {listed}");
                return Answer::Differs { listed, stored: format!("{} {}", stored.algorithm, stored.digest) };
            }
        }
    }
    if agreed.is_empty() {
        let names = kept.checksums.iter().map(|stored| match stored.digest.parts() {
            Some(parts) => format!("{} of {parts} parts", stored.algorithm),
            None => stored.algorithm.to_owned(),
        });
        return Answer::Silent(names.collect());
    }
    Answer::Agrees(agreed)
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
    fn only_checksums_of_the_same_kind_are_compared() {
        let kept = Kept {
            size: 9 << 20,
            checksums: vec![
                Checksum::base64("crc32", "y/Q5Jg==", false).unwrap(),
                Checksum::etag(&format!("{MD5}-2")).unwrap(),
            ],
            parts: None,
        };
        let crc: Spec = "crc32".parse().unwrap();
        assert_eq!(judge(&kept, &job(&[("crc32", "cbf43926")]), None), Answer::Agrees(vec![crc.clone()]));
        assert_eq!(
            judge(&kept, &job(&[("md5", MD5), ("crc32", "cbf43926")]), None),
            Answer::Agrees(vec![crc])
        );
        assert!(matches!(judge(&kept, &job(&[("crc32", "cbf43927")]), None), Answer::Differs { .. }));
        assert!(
            matches!(judge(&kept, &job(&[("md5", MD5)]), None), Answer::Silent(names) if names == ["crc32", "s3-etag of 2 parts"])
        );
        let sized = job(&[("crc32", "cbf43926")]).with_size(Some(9));
        assert!(matches!(judge(&kept, &sized, None), Answer::Differs { .. }));
        // A different digest of parts shows different content only if the parts have the same size.
        let etag = |hex: &str| job(&[("s3-etag;part=5MiB", &format!("{hex}-2"))]);
        assert!(matches!(judge(&kept, &etag(MD5), None), Answer::Agrees(_)));
        let other = etag("00000000000000000000000000000000");
        assert!(matches!(judge(&kept, &other, None), Answer::Silent(_)));
        assert!(matches!(judge(&kept, &other, Some(8 << 20)), Answer::Silent(_)));
        assert!(matches!(judge(&kept, &other, Some(5 << 20)), Answer::Differs { .. }));
        let uneven = Kept { size: 11 << 20, ..kept.clone() };
        assert!(matches!(judge(&uneven, &other, Some(5 << 20)), Answer::Silent(_)), "three parts, not two");
    }
}
