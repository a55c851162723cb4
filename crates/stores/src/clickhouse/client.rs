//! Requests to ClickHouse's HTTP interface.

use std::time::Duration;

use history::{Error, Result};
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::settings::ClickHouseSettings;
use crate::error::{away, refused};

/// The longest answer: a page of values is a small part of it.
const ANSWER_BYTES_MAX: u64 = 1 << 30;
/// The longest error text that is kept, in characters.
const ERROR_CHARS_MAX: usize = 300;

/// Errors that waiting does not mend: somebody has to change user, rights, or tables. Their numbers are
/// those of ClickHouse (`ErrorCodes.cpp`, table `system.errors`).
const REFUSALS: [u32; 16] = [
    6,   // CANNOT_PARSE_TEXT
    16,  // NO_SUCH_COLUMN_IN_TABLE
    36,  // BAD_ARGUMENTS
    42,  // NUMBER_OF_ARGUMENTS_DOESNT_MATCH
    43,  // ILLEGAL_TYPE_OF_ARGUMENT
    46,  // UNKNOWN_FUNCTION
    47,  // UNKNOWN_IDENTIFIER
    53,  // TYPE_MISMATCH
    60,  // UNKNOWN_TABLE
    62,  // SYNTAX_ERROR
    115, // UNKNOWN_SETTING
    170, // BAD_GET: an unknown cluster
    192, // UNKNOWN_USER
    193, // WRONG_PASSWORD
    497, // ACCESS_DENIED
    516, // AUTHENTICATION_FAILED
];

/// A server's address and who asks.
#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    url: String,
    user: String,
    password: String,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Never the password.
        f.debug_struct("Client").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Client {
    /// `timeout` is that of a request, whole.
    ///
    /// # Errors
    /// The certificate authority's file can't be read.
    pub(super) fn new(settings: &ClickHouseSettings, timeout: Duration) -> Result<Self> {
        let mut tls = TlsConfig::builder().provider(TlsProvider::NativeTls);
        if let Some(pem) = &settings.ca_pem {
            let certificate = Certificate::from_pem(pem.as_bytes())
                .map_err(|error| refused(format!("certificate authority: {error}")))?;
            tls = tls.root_certs(RootCerts::new_with_certs(&[certificate]));
        } else {
            tls = tls.root_certs(RootCerts::PlatformVerifier);
        }
        let agent = Agent::config_builder()
            .tls_config(tls.build())
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_connect(Some(timeout.min(Duration::from_secs(5))))
            .timeout_global(Some(timeout))
            .build()
            .into();
        let (url, user, password) =
            (settings.url.clone(), settings.user.clone(), settings.password.clone());
        Ok(Self { agent, url, user, password })
    }

    /// Runs a statement and returns the answer.
    ///
    /// # Errors
    /// The server does not answer, or refuses.
    pub(super) fn query(&self, sql: &str, parameters: &[(&str, &str)]) -> Result<Vec<u8>> {
        self.send(None, parameters, sql.as_bytes())
    }

    /// Runs an INSERT with its rows.
    ///
    /// # Errors
    /// The server does not answer, or refuses. It may have stored the rows all the same.
    pub(super) fn insert(&self, sql: &str, parameters: &[(&str, &str)], rows: &[u8]) -> Result<()> {
        self.send(Some(sql), parameters, rows).map(drop)
    }

    fn send(
        &self,
        query: Option<&str>,
        parameters: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Vec<u8>> {
        let mut request = self
            .agent
            .post(&self.url)
            .header("X-ClickHouse-User", &self.user)
            .header("X-ClickHouse-Key", &self.password)
            // An error after the first rows would come with status 200.
            .query("wait_end_of_query", "1");
        for (name, value) in parameters {
            request = request.query(name, value);
        }
        if let Some(sql) = query {
            request = request.query("query", sql);
        }
        let mut response = request.send(body).map_err(|error| away(error.to_string()))?;
        let status = response.status();
        let read = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let answer = read.map_err(|error| away(error.to_string()))?;
        if status.is_success() {
            return Ok(answer);
        }
        Err(failure(status.as_u16(), &answer))
    }
}

/// The code in the text of an error: `Code: 60, e.displayText() = …` or `Code: 60. DB::Exception:
/// …`.
fn failure(status: u16, answer: &[u8]) -> Error {
    let text = String::from_utf8_lossy(answer);
    let text: String = text.trim().chars().take(ERROR_CHARS_MAX).collect();
    let code = text.strip_prefix("Code: ").and_then(|it| {
        it.split(|it: char| !it.is_ascii_digit()).next().and_then(|it| it.parse::<u32>().ok())
    });
    let reason = if text.is_empty() { format!("status {status}") } else { text };
    if code.is_some_and(|it| REFUSALS.contains(&it)) { refused(reason) } else { away(reason) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_errors_are_distinguished() {
        let of = |text: &str| failure(500, text.as_bytes());
        let old = "Code: 60, e.displayText() = DB::Exception: Table a.b doesn't exist.";
        assert!(matches!(of(old), Error::Refused { .. }));
        let new = "Code: 516. DB::Exception: default: Authentication failed";
        assert!(matches!(of(new), Error::Refused { .. }));
        let busy = "Code: 241. DB::Exception: Memory limit (total) exceeded";
        assert!(matches!(of(busy), Error::Away { .. }));
        assert!(matches!(of("<html>Bad gateway"), Error::Away { .. }));
        let Error::Away { reason } = of("") else { panic!("waiting may help") };
        assert_eq!(&*reason, "status 500");
    }
}
