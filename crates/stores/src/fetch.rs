//! The bytes of one version of an object: the beginning, and ranges.

use crate::client::Client;
use crate::failure::Failure;
use crate::request::Response;
use crate::service::Service;
use bytes::Bytes;
use std::ops::Range;
use truesum::ObjectVersion;
use truesum::run::remote::SMALL;

/// Bytes per request for larger objects.
pub(crate) const RANGE: u64 = 8 << 20;

/// The client and the service it talks to.
#[derive(Debug)]
pub(crate) struct Source {
    pub client: Client,
    pub service: Box<dyn Service>,
}

/// The beginning of an object.
#[derive(Clone, Debug)]
pub(crate) struct ObjectStart {
    /// The whole of a small object, otherwise the bytes that were requested; nothing for an object that is known to be
    /// larger.
    pub bytes: Bytes,
    pub size: u64,
    pub version: Option<String>,
    /// Seconds since 1970.
    pub modified: i64,
}

impl Source {
    /// Reads the beginning of an object: of the version that was listed, or of the current one.
    ///
    /// # Errors
    /// It does not exist, has another version, or cannot be read; it is too large for one request and has no versions.
    pub(crate) async fn begin(
        &self,
        key: &str,
        listed: Option<&ObjectVersion>,
    ) -> Result<ObjectStart, Failure> {
        let start = match listed {
            Some(listed) if listed.version().is_some() && listed.size() > SMALL => {
                let version = listed.version().map(str::to_owned);
                return Ok(ObjectStart {
                    bytes: Bytes::new(),
                    size: listed.size(),
                    version,
                    modified: listed.modified(),
                });
            }
            Some(listed) => self.first(key, listed.version(), Some(listed.size())).await?,
            None => self.first(key, None, None).await?,
        };
        if (start.bytes.len() as u64) < start.size && start.version.is_none() {
            let why = "the service reports no version of the object, so successive reads could return different versions";
            return Err(Failure::Unrequested(why.to_owned()));
        }
        Ok(start)
    }

    async fn first(
        &self,
        key: &str,
        version: Option<&str>,
        size: Option<u64>,
    ) -> Result<ObjectStart, Failure> {
        if size == Some(0) {
            return self.empty(key, version).await;
        }
        let range = 0..size.unwrap_or(SMALL).min(SMALL);
        let mut ask = self.service.read(key, version, Some(&range));
        ask.most = SMALL as usize;
        let start = self.client.send(&ask, |answer| {
            if answer.status == 416 {
                return match answer.content_range() {
                    Some((_, 0)) | None if size.is_none() => Ok(None),
                    _ => Err(Failure::wrong(
                        "the service reports that the object does not contain the requested range",
                    )),
                };
            }
            let (got, whole) = self.answered(answer)?;
            let expected = 0..whole.min(range.end);
            if got != expected || size.is_some_and(|size| size != whole) {
                return Err(not_requested(&got, whole, &range, size));
            }
            self.same(answer, version)?;
            let version = self.service.version(answer).or_else(|| version.map(str::to_owned));
            Ok(Some(ObjectStart {
                bytes: answer.body.clone(),
                size: whole,
                version,
                modified: answer.modified(),
            }))
        });
        match start.await? {
            Some(start) => Ok(start),
            None => self.empty(key, version).await,
        }
    }

    /// Opens an empty object, which has no range to request.
    async fn empty(&self, key: &str, version: Option<&str>) -> Result<ObjectStart, Failure> {
        let ask = self.service.read(key, version, None);
        self.client
            .send(&ask, |answer| {
                let (got, size) = self.answered(answer)?;
                if size != 0 {
                    return Err(not_requested(&got, size, &(0..0), Some(0)));
                }
                self.same(answer, version)?;
                let version = self.service.version(answer);
                Ok(ObjectStart { bytes: Bytes::new(), size, version, modified: answer.modified() })
            })
            .await
    }

    /// Reads a range of an object's version.
    ///
    /// # Errors
    /// It has another version by now, or cannot be read.
    pub(crate) async fn range(
        &self,
        key: &str,
        version: Option<&str>,
        range: Range<u64>,
        size: u64,
    ) -> Result<Bytes, Failure> {
        let mut ask = self.service.read(key, version, Some(&range));
        ask.most = (range.end - range.start) as usize;
        let take = |answer: &Response| {
            if answer.status == 416 {
                return Err(Failure::Overwritten("the object became shorter during the read".to_owned()));
            }
            let (got, whole) = self.answered(answer)?;
            if got != range || whole != size {
                return Err(not_requested(&got, whole, &range, Some(size)));
            }
            self.same(answer, version)?;
            Ok(answer.body.clone())
        };
        self.client.send(&ask, take).await
    }

    /// Returns the range and the object size of an answer; its body must have exactly that many bytes.
    fn answered(&self, answer: &Response) -> Result<(Range<u64>, u64), Failure> {
        let received = answer.body.len() as u64;
        let (range, size) = match (answer.status, answer.content_range()) {
            (206, Some((Some(range), size))) => (range, size),
            // A server that ignores ranges sends the whole object. Without a length, the end of the connection would
            // count as the end of the object, wherever it occurs.
            (200, _) if !answer.has_known_length() => {
                return Err(Failure::wrong("the response does not specify its length"));
            }
            (200, _) => (0..received, received),
            _ => return Err(Failure::wrong("the response does not specify its byte range")),
        };
        if range.end.checked_sub(range.start) != Some(received) || range.end > size {
            let why = format!(
                "the response length of {received} does not match its declared range: {} of {size}",
                inclusive(&range)
            );
            return Err(Failure::wrong(why));
        }
        Ok((range, size))
    }

    /// Checks that an answer states the requested version: not every service respects the condition.
    fn same(&self, answer: &Response, requested: Option<&str>) -> Result<(), Failure> {
        match (requested, self.service.version(answer)) {
            (Some(requested), Some(got)) if requested != got => Err(Failure::Overwritten(
                "the object was overwritten: another version was received".to_owned(),
            )),
            (Some(_), None) => Err(Failure::wrong("the response does not specify the object's version")),
            _ => Ok(()),
        }
    }
}

/// A task that is aborted when its handle is dropped.
pub(crate) struct AbortOnDrop<T>(pub tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn not_requested(got: &Range<u64>, whole: u64, requested: &Range<u64>, size: Option<u64>) -> Failure {
    let of = size.map_or(String::new(), |size| format!(" of {size}"));
    Failure::wrong(format!(
        "received {} of {whole}, but requested {}{of}",
        inclusive(got),
        inclusive(requested)
    ))
}

/// Returns a range as HTTP headers show it, with its last byte (RFC 9110 section 14.1.2).
fn inclusive(range: &Range<u64>) -> String {
    match range.end.checked_sub(1).filter(|last| *last >= range.start) {
        Some(last) => format!("bytes {}-{last}", range.start),
        None => "no bytes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_shown_with_their_last_byte() {
        // regression: `0..10` was "bytes 0 to 10".
        assert_eq!(inclusive(&(0..10)), "bytes 0-9");
        assert_eq!(inclusive(&(5..5)), "no bytes");
        let failure = not_requested(&(0..10), 20, &(10..20), None);
        assert!(format!("{failure:?}").contains("received bytes 0-9 of 20, but requested bytes 10-19"));
    }
}
