//! Bytes of one version of an object: the beginning, and the ranges after it a few ahead of whoever hashes them.

use crate::client::Client;
use crate::failure::Failure;
use crate::request::Answer;
use crate::service::Service;
use bytes::Bytes;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::mpsc;
use truesum::Listed;

/// An object of at most this size is asked for whole.
pub(crate) const SMALL: u64 = 4 << 20;
/// Bytes asked for at a time of larger ones.
pub(crate) const RANGE: u64 = 8 << 20;
/// Ranges of one object that are under way or wait to be hashed.
pub(crate) const AHEAD: usize = 4;

/// Who asks whom.
#[derive(Debug)]
pub(crate) struct Source {
    pub client: Client,
    pub service: Box<dyn Service>,
}

/// The beginning of an object.
#[derive(Clone, Debug)]
pub(crate) struct Begun {
    /// All of a small object, else as much of it as was asked for; nothing of one that is known to be larger.
    pub bytes: Bytes,
    pub size: u64,
    pub version: Option<String>,
    /// Seconds since 1970.
    pub modified: i64,
}

impl Source {
    /// Reads the beginning of an object: of the version that was listed, or of the one that is there.
    ///
    /// # Errors
    /// It is not there or another version, or cannot be read; it is too large for one request and has no versions.
    pub(crate) async fn begin(&self, key: &str, listed: Option<&Listed>) -> Result<Begun, Failure> {
        let begun = match listed {
            Some(Listed { size, version: Some(version), modified }) if *size > SMALL => {
                let version = Some(version.clone());
                return Ok(Begun { bytes: Bytes::new(), size: *size, version, modified: *modified });
            }
            Some(listed) => self.first(key, listed.version.as_deref(), Some(listed.size)).await?,
            None => self.first(key, None, None).await?,
        };
        if (begun.bytes.len() as u64) < begun.size && begun.version.is_none() {
            let why = "the service reports no version for it, so its parts could be from different versions";
            return Err(Failure::Unasked(why.to_owned()));
        }
        Ok(begun)
    }

    async fn first(&self, key: &str, version: Option<&str>, size: Option<u64>) -> Result<Begun, Failure> {
        if size == Some(0) {
            return self.empty(key, version).await;
        }
        let range = 0..size.unwrap_or(SMALL).min(SMALL);
        let mut ask = self.service.read(key, version, Some(&range));
        ask.most = SMALL as usize;
        let begun = self.client.ask(&ask, |answer| {
            if answer.status == 416 {
                return match answer.content_range() {
                    Some((_, 0)) | None if size.is_none() => Ok(None),
                    _ => Err(Failure::wrong("the service has no such range of it")),
                };
            }
            let (got, whole) = self.answered(answer)?;
            let expected = 0..whole.min(range.end);
            if got != expected || size.is_some_and(|size| size != whole) {
                return Err(not_asked(&got, whole, &range, size));
            }
            self.same(answer, version)?;
            let version = self.service.version(answer).or_else(|| version.map(str::to_owned));
            Ok(Some(Begun { bytes: answer.body.clone(), size: whole, version, modified: answer.modified() }))
        });
        match begun.await? {
            Some(begun) => Ok(begun),
            None => self.empty(key, version).await,
        }
    }

    /// An object without bytes, of which there is no range to ask for.
    async fn empty(&self, key: &str, version: Option<&str>) -> Result<Begun, Failure> {
        let ask = self.service.read(key, version, None);
        self.client
            .ask(&ask, |answer| {
                let (got, size) = self.answered(answer)?;
                if size != 0 {
                    return Err(not_asked(&got, size, &(0..0), Some(0)));
                }
                self.same(answer, version)?;
                let version = self.service.version(answer);
                Ok(Begun { bytes: Bytes::new(), size, version, modified: answer.modified() })
            })
            .await
    }

    /// A range of an object's version.
    ///
    /// # Errors
    /// It is not that version any more, or cannot be read.
    pub(crate) async fn range(
        &self,
        key: &str,
        version: Option<&str>,
        range: Range<u64>,
        size: u64,
    ) -> Result<Bytes, Failure> {
        let mut ask = self.service.read(key, version, Some(&range));
        ask.most = (range.end - range.start) as usize;
        let take = |answer: &Answer| {
            if answer.status == 416 {
                return Err(Failure::Overwritten("it is shorter than it was".to_owned()));
            }
            let (got, whole) = self.answered(answer)?;
            if got != range || whole != size {
                return Err(not_asked(&got, whole, &range, Some(size)));
            }
            self.same(answer, version)?;
            Ok(answer.body.clone())
        };
        self.client.ask(&ask, take).await
    }

    /// What range of how large an object an answer holds; its body must have as many bytes as that.
    fn answered(&self, answer: &Answer) -> Result<(Range<u64>, u64), Failure> {
        let came = answer.body.len() as u64;
        let (range, size) = match (answer.status, answer.content_range()) {
            (206, Some((Some(range), size))) => (range, size),
            // Whoever ignores that a range was asked for sends all of it. Without a length the end of the connection would be the
            // end of the object, wherever that comes.
            (200, _) if !answer.tells_its_length() => {
                return Err(Failure::wrong("the response has no length"));
            }
            (200, _) => (0..came, came),
            _ => return Err(Failure::wrong("the response does not specify its byte range")),
        };
        if range.end.checked_sub(range.start) != Some(came) || range.end > size {
            let why = format!("{came} bytes came as bytes {} to {} of {size}", range.start, range.end);
            return Err(Failure::wrong(why));
        }
        Ok((range, size))
    }

    /// Whether an answer is of the version that was asked for, and says so: not every service heeds the condition.
    fn same(&self, answer: &Answer, asked: Option<&str>) -> Result<(), Failure> {
        match (asked, self.service.version(answer)) {
            (Some(asked), Some(got)) if asked != got => {
                Err(Failure::Overwritten("it was overwritten: another version came".to_owned()))
            }
            (Some(_), None) => Err(Failure::wrong("the response does not specify its version")),
            _ => Ok(()),
        }
    }

    /// The rest of an object from `start`, range after range in order.
    pub(crate) fn rest(
        self: &Arc<Source>,
        key: String,
        begun: &Begun,
        start: u64,
    ) -> mpsc::Receiver<Result<Bytes, Failure>> {
        let (send, receive) = mpsc::channel(1);
        let (source, version, size) = (self.clone(), begun.version.clone(), begun.size);
        let (key, version) = (Arc::<str>::from(key), version.map(Arc::<str>::from));
        tokio::spawn(async move {
            // Whoever drops the set ends what is under way.
            let mut under_way = VecDeque::new();
            let mut next = start;
            while next < size || !under_way.is_empty() {
                while next < size && under_way.len() < AHEAD {
                    let range = next..size.min(next + RANGE);
                    next = range.end;
                    let (source, key, version) = (source.clone(), key.clone(), version.clone());
                    under_way.push_back(Aborting(tokio::spawn(async move {
                        source.range(&key, version.as_deref(), range, size).await
                    })));
                }
                let Some(mut first) = under_way.pop_front() else { break };
                let lost = |_| Err(Failure::wrong("reading it was given up"));
                let bytes = tokio::select! {
                    bytes = &mut first.0 => bytes.unwrap_or_else(lost),
                    () = send.closed() => return,
                };
                let failed = bytes.is_err();
                if send.send(bytes).await.is_err() || failed {
                    return;
                }
            }
        });
        receive
    }
}

/// A task that ends with whoever waits for it.
pub(crate) struct Aborting<T>(pub tokio::task::JoinHandle<T>);

impl<T> Drop for Aborting<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn not_asked(got: &Range<u64>, whole: u64, asked: &Range<u64>, size: Option<u64>) -> Failure {
    let of = size.map_or(String::new(), |size| format!(" of {size}"));
    Failure::wrong(format!(
        "received bytes {} to {} of {whole}, but requested {} to {}{of}",
        got.start, got.end, asked.start, asked.end
    ))
}
