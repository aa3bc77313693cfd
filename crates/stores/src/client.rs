//! HTTP requests: signed, retried where that makes sense, and answered only by complete bodies.

use crate::failure::{Failure, at_its_root};
use crate::gate::Gate;
use crate::request::{Request, Response};
use crate::settings::Settings;
use crate::sign::Signing;
use crate::xml;
use bytes::BytesMut;
use http::{HeaderName, HeaderValue, Method};
use http_body_util::BodyExt;
use object_store::client::{HttpClient, HttpRequestBody};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The shortest and the longest pause before a retry.
const PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(20);
/// The longest delay that a service may request.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);
/// Maximum size in bytes of an error answer.
const MAX_ERROR_BODY: usize = 64 << 10;

/// Sends requests.
#[derive(Debug)]
pub(crate) struct Client {
    http: HttpClient,
    signing: Signing,
    settings: Settings,
    gate: Gate,
}

impl Client {
    /// Returns a client without connections.
    ///
    /// # Errors
    /// The system's certificates cannot be loaded.
    pub(crate) fn new(signing: Signing, settings: Settings) -> Result<Client, Failure> {
        // A redirection would send the request to a host for which its signature is not valid; it is reported instead.
        let http = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(settings.silence)
            .pool_max_idle_per_host(settings.requests)
            .user_agent(concat!("truesum/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| Failure::Unrequested(at_its_root(&error)))?;
        Ok(Client { http: HttpClient::new(http), signing, settings, gate: Gate::new(settings.requests) })
    }

    /// Sends a request until `take` accepts an answer, or until further attempts make no sense.
    ///
    /// # Errors
    /// The last failure; those of `take` are only retried if the answer did not match the request.
    pub(crate) async fn send<T>(
        &self,
        ask: &Request,
        take: impl Fn(&Response) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let permit = self.gate.enter().await;
            let failure = match self.once(ask).await.and_then(|answer| take(&answer)) {
                Ok(taken) => {
                    self.gate.succeeded();
                    return Ok(taken);
                }
                Err(failure) => failure,
            };
            match failure.is_throttling() {
                true => self.gate.throttled(permit),
                false => drop(permit),
            }
            if attempt >= failure.attempts(self.settings.attempts) {
                return Err(failure.after(attempt));
            }
            let requested = match &failure {
                Failure::Status { after, .. } => *after,
                _ => None,
            };
            sleep(requested.unwrap_or_else(|| pause(attempt)).min(MAX_RETRY_AFTER)).await;
        }
    }

    async fn once(&self, ask: &Request) -> Result<Response, Failure> {
        let unsendable = |_| Failure::Unrequested("the request could not be created".to_owned());
        let mut request = http::Request::new(HttpRequestBody::empty());
        *request.method_mut() = ask.method.clone();
        *request.uri_mut() = ask.url.parse().map_err(|_| unsendable(()))?;
        for (name, value) in &ask.headers {
            let value = HeaderValue::from_str(value).map_err(|_| unsendable(()))?;
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        self.signing.sign(&mut request).await?;
        let silence = self.settings.silence;
        let silent = || {
            let why = format!("the service did not respond for {} s", silence.as_secs());
            Failure::Unreached { why, attempts: 1 }
        };
        let lost = |error: &dyn std::error::Error, what: &str| {
            let why = format!("{what}: {}", at_its_root(error.source().unwrap_or(&ConnectionLost)));
            Failure::Unreached { why, attempts: 1 }
        };
        let sent = timeout(silence, self.http.execute(request)).await.map_err(|_| silent())?;
        let response = sent.map_err(|error| lost(&error, "the service cannot be reached"))?;
        let (parts, mut frames) = response.into_parts();
        let good = parts.status.is_success();
        let most = if good { ask.most } else { MAX_ERROR_BODY };
        let promised = parts
            .headers
            .get(http::header::CONTENT_LENGTH)
            .and_then(|length| length.to_str().ok()?.parse().ok());
        let is_head = ask.method == Method::HEAD;
        if good && !is_head && promised.is_some_and(|promised: u64| promised > most as u64) {
            let why = format!("the response is longer than requested: {} bytes", promised.unwrap_or(0));
            return Err(Failure::wrong(why));
        }
        let mut body =
            BytesMut::with_capacity(promised.filter(|_| !is_head).unwrap_or(0).min(most as u64) as usize);
        while let Some(frame) = timeout(silence, frames.frame()).await.map_err(|_| silent())? {
            let frame = match frame {
                Ok(frame) => frame,
                // Failing to read the rest of an error answer is not a failure of its own.
                Err(_) if !good => break,
                Err(error) => {
                    let what = format!("the response ended at byte {}", body.len());
                    return Err(lost(&error, &what));
                }
            };
            let Some(data) = frame.data_ref() else { continue };
            if body.len() + data.len() > most {
                if !good {
                    break;
                }
                return Err(Failure::wrong("the response is longer than requested"));
            }
            body.extend_from_slice(data);
        }
        let answer = Response { status: parts.status.as_u16(), headers: parts.headers, body: body.freeze() };
        if good && !is_head && promised.is_some_and(|promised| promised != answer.body.len() as u64) {
            let why = format!("received {} of {} bytes", answer.body.len(), promised.unwrap_or(0));
            return Err(Failure::Unreached { why, attempts: 1 });
        }
        // An unsatisfiable range is a valid answer.
        if good || answer.status == 416 { Ok(answer) } else { Err(refusal(&answer)) }
    }
}

/// An error without a source.
#[derive(Debug)]
struct ConnectionLost;

impl std::fmt::Display for ConnectionLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the connection was lost")
    }
}

impl std::error::Error for ConnectionLost {}

/// Returns the reason for a refusal. Only the error code and the message are used: other members repeat what was
/// signed.
fn refusal(answer: &Response) -> Failure {
    let (mut code, mut text) = match answer.body.first() {
        Some(b'{') => error_in_json(&answer.body),
        _ => (xml::text(&answer.body, "Code"), xml::text(&answer.body, "Message")),
    };
    if code.is_empty()
        && let Some(word) = answer.header("x-ms-error-code")
    {
        code = word.to_owned();
    }
    let text_of = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        line.chars().filter(|character| !character.is_control()).take(200).collect::<String>()
    };
    (code, text) = (text_of(&code), text_of(&text));
    let nothing_there = ["", "NoSuchKey", "BlobNotFound", "notFound", "NotFound"];
    match answer.status {
        404 if nothing_there.contains(&&*code) && !text.contains("bucket") => return Failure::Missing,
        412 => {
            return Failure::Overwritten("the object was overwritten (412 Precondition Failed)".to_owned());
        }
        301 | 302 | 307 | 308 => {
            let region = answer
                .header("x-amz-bucket-region")
                .filter(|region| region.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
            if let Some(region) = region {
                text = format!("the bucket is in another region (set AWS_REGION={region})");
            }
        }
        _ => {}
    }
    let after =
        answer.header("retry-after").and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
    Failure::Status { status: answer.status, code, text, after, attempts: 1 }
}

/// Returns the error code and the message from Google's JSON format.
fn error_in_json(body: &[u8]) -> (String, String) {
    let value: serde_json::Value = serde_json::from_slice(body).unwrap_or_default();
    let text = |pointer| value.pointer(pointer).and_then(|text| text.as_str()).unwrap_or_default().to_owned();
    (text("/error/errors/0/reason"), text("/error/message"))
}

/// Returns the delay before attempt number `attempt + 1`: doubled each time, minus a random half, so that requests that
/// failed together are not retried together.
fn pause(attempt: u32) -> Duration {
    let longest = (PAUSE * 2u32.saturating_pow(attempt - 1).min(1 << 16)).min(MAX_PAUSE);
    let random = RandomState::new().hash_one(attempt) % 1024;
    longest / 2 + longest / 2 * random as u32 / 1024
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use http::HeaderMap;

    fn answer(status: u16, body: &'static str) -> Response {
        Response { status, headers: HeaderMap::new(), body: Bytes::from_static(body.as_bytes()) }
    }

    #[test]
    fn service_errors_are_reported_without_secrets() {
        assert_eq!(refusal(&answer(404, "")), Failure::Missing);
        let xml = "<Error><Code>NoSuchKey</Code><Message>gone</Message></Error>";
        assert_eq!(refusal(&answer(404, xml)), Failure::Missing);
        let text = refusal(&answer(404, "<Error><Code>NoSuchBucket</Code></Error>")).to_string();
        assert_eq!(text, "the service returned 404 Not Found, NoSuchBucket");
        assert!(matches!(refusal(&answer(412, "")), Failure::Overwritten(_)));
        let xml = "<Error><Code>SignatureDoesNotMatch</Code><Message>m\nn</Message>\
            <StringToSign>SECRET</StringToSign></Error>";
        assert_eq!(
            refusal(&answer(403, xml)).to_string(),
            "the service returned 403 Forbidden, SignatureDoesNotMatch, m"
        );
        let json = r#"{"error":{"message":"Not found","errors":[{"reason":"forbidden"}]}}"#;
        assert_eq!(
            refusal(&answer(403, json)).to_string(),
            "the service returned 403 Forbidden, forbidden, Not found"
        );
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        for attempt in 1..200 {
            assert!(pause(attempt) >= PAUSE / 2 && pause(attempt) <= MAX_PAUSE);
        }
        assert!(pause(9) >= MAX_PAUSE / 2);
    }
}
