//! A client of a server's API, for `saker import` and `saker export`.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use thiserror::Error;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

/// An answer at most: an export of all official templates is 25 MB.
const ANSWER_BYTES_MAX: u64 = 256 << 20;

/// Address and credentials of the server.
#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub struct ApiArgs {
    /// Address of the server.
    #[arg(long, env = "SAKER_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// API token of a user with the permission; *Users → API tokens* creates one. In the
    /// environment it is hidden from other users of this machine.
    #[arg(long, env = "SAKER_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    token: String,
    /// Seconds for each answer.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3_600))]
    timeout: u64,
}

#[derive(Debug, Error)]
pub enum ApiClientError {
    #[error("cannot ask {url}: {source}")]
    Away { url: String, source: Box<ureq::Error> },
    #[error("{url} returned status {status}, which is no response of the API")]
    Status { url: String, status: u16 },
    #[error("{url} returned no response of the API")]
    Malformed { url: String },
    /// In the server's words.
    #[error("{0}")]
    Refused(String),
}

/// Asks one server.
#[derive(Debug)]
pub struct Api {
    agent: Agent,
    url: String,
    token: String,
}

impl Api {
    pub fn new(args: &ApiArgs) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::NativeTls)
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(args.timeout)))
            .tls_config(tls)
            .build();
        let url = args.url.trim_end_matches('/').trim_end_matches("/api_jsonrpc.php").to_owned();
        Self { agent: Agent::new_with_config(config), url, token: args.token.clone() }
    }

    /// Calls a method of the JSON-RPC API.
    ///
    /// # Errors
    /// [`ApiClientError`].
    pub fn call(&self, method: &str, params: &Value) -> Result<Value, ApiClientError> {
        let request = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
        let url = format!("{}/api_jsonrpc.php", self.url);
        let mut answer = self.post(&url, "application/json-rpc", &request)?;
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(ApiClientError::Malformed { url }),
        }
    }

    /// Fetches data that the pages use.
    ///
    /// # Errors
    /// [`ApiClientError`].
    pub fn native(&self, path: &str, body: &Value) -> Result<Value, ApiClientError> {
        self.post(&format!("{}/api/v1/{path}", self.url), "application/json", body)
    }

    fn post(&self, url: &str, kind: &str, body: &Value) -> Result<Value, ApiClientError> {
        let away = |source| ApiClientError::Away { url: url.to_owned(), source: Box::new(source) };
        let ask = self
            .agent
            .post(url)
            .header("Content-Type", kind)
            .header("Authorization", format!("Bearer {}", self.token));
        let mut answer = ask.send(body.to_string()).map_err(away)?;
        let status = answer.status().as_u16();
        let text = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_string();
        let text = text.map_err(away)?;
        let malformed = |_not_json| match status {
            200 => ApiClientError::Malformed { url: url.to_owned() },
            status => ApiClientError::Status { url: url.to_owned(), status },
        };
        let parsed: Value = serde_json::from_str(&text).map_err(malformed)?;
        let error = parsed.get("error").unwrap_or(&Value::Null);
        let message = ["data", "message"].into_iter().find_map(|it| error.get(it)?.as_str());
        match message {
            Some(message) => Err(ApiClientError::Refused(message.to_owned())),
            None if status != 200 => Err(ApiClientError::Status { url: url.to_owned(), status }),
            None => Ok(parsed),
        }
    }
}
