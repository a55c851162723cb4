//! `saker get`: one value of a passive agent, as zabbix_get asks for it.

use std::net::IpAddr;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use thiserror::Error;
use wire::passive::{self, Form, PassiveAnswer};

use super::connection::{Connection, ConnectionError, PeerAddress};
use super::tls::{TlsArgs, TlsArgsError};

const PORT: u16 = 10050;

/// Options have the names of zabbix_get's.
#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub struct GetArgs {
    /// Name or address of the agent.
    #[arg(short = 's', long)]
    host: String,
    /// Its port.
    #[arg(short, long, default_value_t = PORT)]
    port: u16,
    /// Address of this machine to connect from.
    #[arg(short = 'I', long, value_name = "ADDRESS")]
    source_address: Option<IpAddr>,
    /// Seconds for the connection and for the answer, 1 to 30.
    #[arg(short, long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// Key of the item.
    #[arg(short, long)]
    key: String,
    /// Use only this form of the protocol: "json" (since 7.0) or "plain" [default: JSON first].
    #[arg(short = 'P', long, value_parser = ["auto", "json", "plain", "plaintext"], default_value = "auto")]
    protocol: String,
    #[command(flatten)]
    tls: TlsArgs,
    /// Required issuer of the agent's certificate.
    #[arg(long, value_name = "ISSUER")]
    tls_agent_cert_issuer: Option<String>,
    /// Required subject of the agent's certificate.
    #[arg(long, value_name = "SUBJECT")]
    tls_agent_cert_subject: Option<String>,
}

#[derive(Debug, Error)]
pub enum GetError {
    #[error("{0}")]
    Target(String),
    #[error("{0}")]
    Connection(#[from] ConnectionError),
    #[error("{0}")]
    Tls(#[from] TlsArgsError),
    #[error("ZBX_NOTSUPPORTED: {0}")]
    NotSupported(String),
    #[error("the agent does not allow this address to ask it")]
    AccessDenied,
    #[error("the agent reported an error without a reason")]
    Agent,
    #[error("the agent refused the request: {0}")]
    Refused(String),
    #[error("the response does not follow the protocol")]
    Malformed,
    #[error("cannot print the value: {0}")]
    Say(std::io::Error),
}

/// Asks, and prints the value with a line feed.
///
/// # Errors
/// [`GetError`].
pub fn run(args: &GetArgs) -> Result<ExitCode, GetError> {
    let timeout = Duration::from_secs(args.timeout);
    // Several colons are an address of version 6; otherwise the port is an option of its own.
    let target = PeerAddress {
        host: args.host.trim_matches(['[', ']']).to_owned(),
        port: args.port,
        source: args.source_address,
        timeout,
    };
    if target.host.is_empty() {
        return Err(GetError::Target("no agent is named".to_owned()));
    }
    let tls = args
        .tls
        .open(args.tls_agent_cert_issuer.as_deref(), args.tls_agent_cert_subject.as_deref())?;
    let forms: &[Form] = match args.protocol.as_str() {
        "json" => &[Form::Json],
        "plain" | "plaintext" => &[Form::Plain],
        _ => &[Form::Json, Form::Plain],
    };
    let seconds = u32::try_from(args.timeout).unwrap_or(u32::MAX);
    for form in forms {
        let mut request = Vec::new();
        passive::encode_request(*form, &args.key, seconds, &mut request);
        let payload = match Connection::open(&target, &tls)?.exchange(&request) {
            Ok(payload) => payload,
            Err(ConnectionError::Closed { .. }) => return Err(GetError::AccessDenied),
            Err(error) => return Err(error.into()),
        };
        let value = match passive::parse_answer(*form, &payload) {
            PassiveAnswer::Value(value) => value,
            PassiveAnswer::NoValue => "".into(),
            PassiveAnswer::OldProtocol if forms.len() > 1 => continue,
            PassiveAnswer::NotSupported(reason) => {
                return Err(GetError::NotSupported(reason.into_owned()));
            }
            PassiveAnswer::AccessDenied => return Err(GetError::AccessDenied),
            PassiveAnswer::AgentError => return Err(GetError::Agent),
            PassiveAnswer::RequestFailed(reason) => {
                return Err(GetError::Refused(reason.into_owned()));
            }
            PassiveAnswer::Malformed | PassiveAnswer::OldProtocol => {
                return Err(GetError::Malformed);
            }
        };
        crate::say(&format!("{value}\n")).map_err(GetError::Say)?;
        return Ok(ExitCode::SUCCESS);
    }
    Err(GetError::Malformed)
}
