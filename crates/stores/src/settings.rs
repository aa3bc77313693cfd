//! Settings for requests from the environment: how long an answer may take, the number of attempts, and the number of
//! concurrent requests.

use std::time::Duration;

/// Specifies how requests are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// Limits how long a service may be silent: before it answers, and between any two pieces of an answer.
    pub silence: Duration,
    /// The maximum number of attempts of a request.
    pub attempts: u32,
    /// The maximum number of concurrent requests.
    pub requests: usize,
}

impl Settings {
    /// Reads the environment variables.
    ///
    /// # Errors
    /// One of them is not a number within its bounds.
    pub(crate) fn from_environment() -> Result<Settings, String> {
        Settings::of(|name| std::env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let number = |name: &str, usual: u64, most: u64| match variable(name) {
            None => Ok(usual),
            Some(text) => match text.parse() {
                Ok(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(format!("{name}: '{text}' is not a number from 1 to {most}")),
            },
        };
        Ok(Settings {
            silence: Duration::from_secs(number("TRUESUM_STORE_TIMEOUT", 30, 3600)?),
            attempts: number("TRUESUM_STORE_ATTEMPTS", 8, 100)? as u32,
            requests: number("TRUESUM_STORE_REQUESTS", 32, 1024)? as usize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_settings_are_bounded() {
        let usual = Settings::of(|_| None).unwrap();
        assert_eq!((usual.silence.as_secs(), usual.attempts, usual.requests), (30, 8, 32));
        for bad in ["0", "-1", "x", "", "100000"] {
            assert!(Settings::of(|name| (name == "TRUESUM_STORE_TIMEOUT").then(|| bad.to_owned())).is_err());
        }
    }
}
