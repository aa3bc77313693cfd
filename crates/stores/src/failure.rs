//! Why a request failed, in messages that state status and cause and nothing secret.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::time::Duration;
use truesum::Cause;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The object does not exist.
    Missing,
    /// The object has a different version from the requested one.
    Overwritten(String),
    /// The service refused.
    Status {
        status: u16,
        /// The service's error code, `AccessDenied`, and its message.
        code: String,
        text: String,
        /// The delay before the next attempt that the service requests.
        after: Option<Duration>,
        attempts: u32,
    },
    /// There was no answer, or only the beginning of one.
    Unreached { why: String, attempts: u32 },
    /// The answer does not match the request.
    Wrong { why: String, attempts: u32 },
    /// The request cannot be sent at all.
    Unrequested(String),
}

impl Failure {
    /// An answer that does not match the request.
    pub(crate) fn wrong(why: impl Into<String>) -> Failure {
        Failure::Wrong { why: why.into(), attempts: 1 }
    }

    /// Returns whether the service requests throttling.
    pub(crate) fn is_throttling(&self) -> bool {
        matches!(self, Failure::Status { status: 429 | 503, .. })
    }

    /// Returns how many attempts make sense, up to `most` if the service is busy.
    pub(crate) fn attempts(&self, most: u32) -> u32 {
        match self {
            Failure::Status { status: 408 | 429 | 500 | 502 | 503 | 504, .. } => most,
            Failure::Status { code, .. } if code == "RequestTimeout" => most,
            Failure::Unreached { .. } | Failure::Wrong { .. } => most.min(4),
            _ => 1,
        }
    }

    /// Returns the same failure after this many attempts.
    pub(crate) fn after(mut self, count: u32) -> Failure {
        if let Failure::Status { attempts, .. }
        | Failure::Unreached { attempts, .. }
        | Failure::Wrong { attempts, .. } = &mut self
        {
            *attempts = count;
        }
        self
    }

    /// Returns the corresponding cause of the library.
    pub(crate) fn cause(&self) -> Cause {
        let text = self.to_string();
        let kind = match self {
            Failure::Overwritten(what) => return Cause::Changed(what.clone()),
            Failure::Missing => io::ErrorKind::NotFound,
            Failure::Status { status: 401 | 403, .. } => io::ErrorKind::PermissionDenied,
            Failure::Status { status: 408 | 429 | 500..=599, .. } | Failure::Unreached { .. } => {
                io::ErrorKind::TimedOut
            }
            _ => return Cause::Other(text),
        };
        Cause::Io(io::Error::new(kind, text))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = match self {
            Failure::Missing => return f.write_str("no such object"),
            Failure::Overwritten(text) | Failure::Unrequested(text) => return f.write_str(text),
            Failure::Status { status, code, text, attempts, .. } => {
                let reason =
                    http::StatusCode::from_u16(*status).ok().and_then(|status| status.canonical_reason());
                write!(f, "the service returned {status} {}", reason.unwrap_or("(unknown status)"))?;
                for words in [code, text] {
                    if !words.is_empty() && reason.is_none_or(|reason| reason != words) {
                        write!(f, ", {words}")?;
                    }
                }
                attempts
            }
            Failure::Unreached { why, attempts } | Failure::Wrong { why, attempts } => {
                f.write_str(why)?;
                attempts
            }
        };
        if *attempts > 1 { write!(f, ", after {attempts} attempts") } else { Ok(()) }
    }
}

/// Returns the message of a network error's root cause: the errors above it may contain the URL, and with it a
/// signature.
pub(crate) fn at_its_root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut root = error;
    while let Some(source) = root.source() {
        root = source;
    }
    let text = match root.downcast_ref::<io::Error>() {
        Some(error) => truesum::error::io_reason(error),
        None => root.to_string(),
    };
    if text.contains("No CA certificates") {
        // The message of rustls, in a container without certificates for example.
        "no trusted certificates for TLS were found: install ca-certificates, or name a file with SSL_CERT_FILE".to_owned()
    } else if text.contains("://") {
        "the request could not be sent".to_owned()
    } else {
        text
    }
}

/// The same for an error of the credentials library, whose messages state what was missing.
pub(crate) fn of_credentials(error: &object_store::Error) -> Failure {
    let root = error.source().map_or_else(|| error.to_string(), at_its_root);
    Failure::Unrequested(format!("cannot get credentials: {root}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_name_status_cause_and_attempts() {
        let status = |status, code: &str, text: &str, attempts| Failure::Status {
            status,
            code: code.to_owned(),
            text: text.to_owned(),
            after: None,
            attempts,
        };
        let busy = status(503, "SlowDown", "Reduce your rate.", 1).after(8);
        assert_eq!(
            busy.to_string(),
            "the service returned 503 Service Unavailable, SlowDown, Reduce your rate., after 8 attempts"
        );
        assert!(busy.is_throttling() && busy.attempts(8) == 8);
        let denied = status(403, "AccessDenied", "", 1);
        assert_eq!(denied.to_string(), "the service returned 403 Forbidden, AccessDenied");
        assert_eq!(denied.attempts(8), 1);
        assert!(
            matches!(denied.cause(), Cause::Io(error) if error.kind() == io::ErrorKind::PermissionDenied)
        );
        assert!(matches!(Failure::Overwritten("x".into()).cause(), Cause::Changed(_)));
        assert_eq!(Failure::Unreached { why: "refused".into(), attempts: 1 }.attempts(8), 4);
    }

    #[test]
    fn urls_are_not_printed() {
        let error = io::Error::other("GET https://host/?sig=SECRET failed");
        assert_eq!(at_its_root(&error), "the request could not be sent");
        assert_eq!(at_its_root(&io::Error::from_raw_os_error(111)), "Connection refused");
    }

    #[test]
    fn missing_certificates_are_reported_with_a_remedy() {
        let none = rustls::Error::General("No CA certificates were loaded from the system".to_owned());
        assert!(at_its_root(&none).contains("install ca-certificates"), "{}", at_its_root(&none));
    }
}
