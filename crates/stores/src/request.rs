//! Requests to a service and its answers, without credentials.

use bytes::Bytes;
use http::{HeaderMap, Method};
use std::ops::Range;

/// A request before it is signed.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub method: Method,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// The maximum accepted size of the body in bytes.
    pub most: usize,
}

impl Request {
    pub(crate) fn get(url: String, most: usize) -> Request {
        Request { method: Method::GET, url, headers: Vec::new(), most }
    }

    pub(crate) fn head(url: String) -> Request {
        Request { method: Method::HEAD, url, headers: Vec::new(), most: 0 }
    }

    /// Adds a header.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    /// Restricts the request to one version, if one is given.
    pub(crate) fn matching(self, version: Option<impl Into<String>>) -> Request {
        match version {
            Some(version) => self.with("if-match", version),
            None => self,
        }
    }

    /// Restricts the request to a range of the object, which must not be empty.
    pub(crate) fn ranged(mut self, range: Option<&Range<u64>>) -> Request {
        if let Some(range) = range {
            self.headers.push(("range", format!("bytes={}-{}", range.start, range.end - 1)));
        }
        self
    }
}

/// A complete answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Response {
    /// Returns a header's value, if it is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok().map(str::trim)
    }

    /// Returns whether the end of the body is determined by more than the end of the connection.
    pub(crate) fn has_known_length(&self) -> bool {
        let chunked = || self.header("transfer-encoding").is_some_and(|how| how.ends_with("chunked"));
        self.header("content-length").is_some() || chunked()
    }

    /// Returns the object's size and the transmitted range from `Content-Range`; no range if it was not satisfiable.
    pub(crate) fn content_range(&self) -> Option<(Option<Range<u64>>, u64)> {
        let (range, size) = self.header("content-range")?.strip_prefix("bytes")?.trim().split_once('/')?;
        let size = size.parse().ok()?;
        if range == "*" {
            return Some((None, size));
        }
        let (first, last) = range.split_once('-')?;
        Some((Some(first.parse().ok()?..last.parse::<u64>().ok()?.checked_add(1)?), size))
    }

    /// Returns when the object was last written, in seconds since 1970.
    pub(crate) fn modified(&self) -> i64 {
        self.header("last-modified").and_then(seconds).unwrap_or(0)
    }
}

/// Escapes text for a URL: everything but letters, digits and `-._~`, and slashes too unless they are kept (RFC 3986,
/// 2.3).
pub(crate) fn escaped(text: &str, slashes: bool) -> String {
    let mut url = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => url.push(byte.into()),
            b'/' if slashes => url.push('/'),
            _ => url += &format!("%{byte:02X}"),
        }
    }
    url
}

/// Decodes text with escapes; `+` is a space.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = &tail[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Parses a date in HTTP format (RFC 9110, 5.6.7) into seconds since 1970: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn seconds(date: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let words: Vec<&str> = date.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = words[..] else { return None };
    let number = |text: &str| text.parse::<i64>().ok().filter(|number| (0..10_000).contains(number));
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let (day, year) = (number(day)?, number(year)?);
    // Days of the Gregorian calendar, counted from a year that starts in March.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 719_469;
    Some(days * 86_400 + number(hour)? * 3600 + number(minute)? * 60 + number(second)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_escapes_round_trip() {
        assert_eq!(escaped("a b/ü+%41~", true), "a%20b/%C3%BC%2B%2541~");
        assert_eq!(escaped("a/b\n", false), "a%2Fb%0A");
        for text in ["a b/ü+%41~\n", "", "plain"] {
            assert_eq!(unescaped(&escaped(text, true)).as_deref(), Some(text));
        }
        assert_eq!(unescaped("a+b%2Bc").as_deref(), Some("a b+c"));
        assert_eq!((unescaped("%4"), unescaped("%zz"), unescaped("%ff")), (None, None, None));
    }

    #[test]
    fn http_dates_are_parsed() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds("Thu, 29 Feb 2024 23:59:59 GMT"), Some(1_709_251_199));
        assert_eq!(seconds("yesterday"), None);
    }

    #[test]
    fn body_without_length_is_recognized() {
        for (name, value, tells) in [
            ("content-length", "5", true),
            ("transfer-encoding", "chunked", true),
            ("transfer-encoding", "gzip", false),
            ("etag", "x", false),
        ] {
            let headers = HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]);
            let answer = Response { status: 200, headers, body: Bytes::new() };
            assert_eq!(answer.has_known_length(), tells, "{name}: {value}");
        }
    }

    #[test]
    fn content_ranges_are_parsed() {
        let answer = |value: &str| {
            let headers = HeaderMap::from_iter([(http::header::CONTENT_RANGE, value.parse().unwrap())]);
            Response { status: 206, headers, body: Bytes::new() }.content_range()
        };
        assert_eq!(answer("bytes 0-9/20"), Some((Some(0..10), 20)));
        assert_eq!(answer("bytes */0"), Some((None, 0)));
        assert_eq!((answer("bytes 0-9/*"), answer("items 0-9/20"), answer("bytes 9")), (None, None, None));
    }
}
