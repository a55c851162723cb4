//! JMX items: the server asks a Java gateway, which asks the application.
//!
//! Items of one interface that are due together and have the same endpoint and login go in one
//! request. An application that does not answer counts against the interface; a gateway that does
//! not answer does not: the items are not supported, with the reason.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use lang::lld::EscapeTarget;
use model::batch::OwnedRaw;
use model::content::{ItemContent, ItemType};
use rt::queue::Receiver;
use serde_json::{Value as Json, json};
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;
use wire::zbxd;

use super::collector::{Collector, Grouping, JobLimits};
use super::context::CollectorContext;
use super::host_item::HostItem;
use super::network::{describe, is_shortage};
use super::request::{CheckResult, Finished};
use super::scratch;
use crate::ports::not_supported;
use crate::transcript::LineKind;

/// Default port of a gateway.
const GATEWAY_PORT: u16 = 10_052;
/// Keys in one request, as in Zabbix.
const KEYS_MAX: usize = 32;
/// Longest answer: values of up to 16 MiB, as in Zabbix. A longer one is an error.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// The endpoint if the item has none.
const DEFAULT_ENDPOINT: &str = "service:jmx:rmi:///jndi/rmi://{HOST.CONN}:{HOST.PORT}/jmxrmi";

rt::section! {
    /// JMX items, through a Java gateway.
    pub struct Settings in "collectors.jmx" {
        /// Address of Zabbix's Java gateway, as `address` or `address:port`; Zabbix's `JavaGateway` and
        /// `JavaGatewayPort`. If not given, JMX items are not checked.
        pub gateway: Option<String> = unset r#""127.0.0.1:10052""#,
        /// Most requests at once. More than the gateway's `START_POLLERS` wait in the gateway.
        pub requests_max: NonZeroUsize = "10",
        /// Milliseconds for one request to the gateway, which may ask for 32 values.
        pub timeout_ms: u64 = "10_000",
    }
}

pub(super) struct Jmx;

/// A key, and the application to ask.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JmxCheck {
    key: String,
    place: Place,
}

/// An application and a login there.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    endpoint: String,
    username: String,
    password: String,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

type Request = super::request::Request<JmxCheck>;

impl Collector for Jmx {
    type Settings = Settings;
    type Payload = JmxCheck;

    const USES_INTERFACE: bool = true;
    const HAS_AVAILABILITY: bool = true;

    fn takes(content: &ItemContent) -> Option<Grouping> {
        (content.kind == ItemType::Jmx).then_some(Grouping::Together)
    }

    fn limits(settings: &Settings) -> JobLimits {
        let jobs_max = settings.requests_max.get();
        JobLimits { jobs_max, device_jobs_max: 1, job_checks_max: KEYS_MAX }
    }

    fn prepare(item: &HostItem<'_>) -> Result<JmxCheck, CheckResult> {
        let content = item.content();
        let text = |it: &str| item.text(it, EscapeTarget::Text);
        let endpoint = content.jmx_endpoint.as_str();
        let endpoint = if endpoint.is_empty() { DEFAULT_ENDPOINT } else { endpoint };
        let place = Place {
            endpoint: text(endpoint),
            username: text(&content.username),
            password: text(&content.password),
        };
        Ok(JmxCheck { key: item.key()?.into_owned(), place })
    }

    async fn run(shared: Arc<CollectorContext>, requests: Receiver<Request>) {
        let shared = &*shared;
        let mut under_way = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = under_way.next() => {}
                request = requests.receive() => match request {
                    Some(request) => under_way.push({
                        let converse = |it| converse(shared, it);
                        shared.contained("JMX check", request, converse)
                    }),
                    None => break,
                },
            }
        }
        while under_way.next().await.is_some() {}
    }
}

async fn converse(shared: &CollectorContext, mut request: Request) {
    let mut readings = std::mem::take(&mut request.done);
    let mut left = request.checks;
    while let Some(place) = left.first().map(|it| it.payload.place.clone()) {
        let (same, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|it| it.payload.place == place);
        let keys: Vec<&str> = same.iter().map(|it| it.payload.key.as_str()).collect();
        let results = ask(shared, &place, &keys).await;
        let now = shared.clock.wall();
        readings.extend(same.iter().zip(results).map(|(it, result)| it.reading(now, result)));
        left = others;
    }
    shared.finish(Finished { job: request.job, readings }).await;
}

/// One result for each key.
async fn ask(shared: &CollectorContext, place: &Place, keys: &[&str]) -> Vec<CheckResult> {
    let all = |result: CheckResult| vec![result; keys.len()];
    let (gateway, time) = &shared.java_gateway;
    let Some(gateway) = gateway else {
        let reason =
            "JMX items need a Java gateway: the setting collectors.jmx.gateway names none.";
        return all(CheckResult::Refused(reason.to_owned()));
    };
    let Some(at) = address(gateway) else {
        return all(CheckResult::Refused(format!("Invalid address of a Java gateway: {gateway}.")));
    };
    if let Some(it) = &shared.transcript {
        it.hide(&place.password);
        it.push(LineKind::Note, &format!("by the Java gateway at [{}]:{}", at.0, at.1), b"");
    }
    let exchanged = timeout(*time, exchange(shared, at, place, keys)).await;
    let failed = |why: String| {
        if let Some(it) = &shared.transcript {
            it.push(LineKind::Note, &format!("no answer of the gateway: {why}"), b"");
        }
        let reason = format!("Cannot connect to Java gateway [[{}]:{}]: {why}", at.0, at.1);
        all(CheckResult::Answer(not_supported(reason)))
    };
    match exchanged {
        Ok(Ok(answer)) => judge(&answer, keys.len()),
        Ok(Err(error)) if is_shortage(&error) => all(CheckResult::NotMade),
        Ok(Err(error)) => failed(describe(&error)),
        Err(_elapsed) => failed(format!("no answer after {} s", time.as_secs_f32())),
    }
}

async fn exchange(
    shared: &CollectorContext,
    at: (&str, u16),
    place: &Place,
    keys: &[&str],
) -> std::io::Result<Vec<u8>> {
    let mut stream = shared.dns.connect(at, shared.java_gateway.1).await?;
    let (request, mut packet) = (request(place, keys).to_string(), Vec::new());
    if let Some(it) = &shared.transcript {
        it.push(LineKind::Sent, &request, b"");
    }
    zbxd::encode(request.as_bytes(), &mut packet);
    stream.write_all(&packet).await?;
    let mut decoder = zbxd::Decoder::new(zbxd::FrameLimits::with_max(ANSWER_BYTES_MAX));
    let mut reading = shared.readings.begin(&place.endpoint);
    let invalid = |why: String| std::io::Error::new(std::io::ErrorKind::InvalidData, why);
    loop {
        let n = scratch::read(&mut stream, &mut decoder, &mut reading).await?;
        let frame = if n == 0 { decoder.close() } else { decoder.poll() };
        match frame.map_err(|it| invalid(it.to_string()))? {
            Some(frame) => {
                if let Some(it) = &shared.transcript {
                    it.push(LineKind::Received, "", frame.payload);
                }
                return Ok(frame.payload.to_vec());
            }
            None if n == 0 => return Err(invalid("it closed the connection".to_owned())),
            None => {}
        }
    }
}

fn request(place: &Place, keys: &[&str]) -> Json {
    let mut request = json!({
        "request": "java gateway jmx",
        "jmx_endpoint": place.endpoint,
        "keys": keys,
    });
    if let Some(members) = request.as_object_mut()
        && !place.username.is_empty()
    {
        members.insert("username".to_owned(), Json::from(place.username.as_str()));
        members.insert("password".to_owned(), Json::from(place.password.as_str()));
    }
    request
}

/// `address`, `address:port`, `[address]:port`.
pub(super) fn address(text: &str) -> Option<(&str, u16)> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('[') {
        let (host, port) = rest.split_once(']')?;
        let port = match port {
            "" => GATEWAY_PORT,
            it => it.strip_prefix(':')?.parse().ok()?,
        };
        return Some((host, port));
    }
    match text.split_once(':') {
        // An address of IPv6 without a port.
        Some((_, rest)) if rest.contains(':') => Some((text, GATEWAY_PORT)),
        Some((host, port)) if !host.is_empty() => Some((host, port.parse().ok()?)),
        Some(_) => None,
        None if text.is_empty() => None,
        None => Some((text, GATEWAY_PORT)),
    }
}

/// The gateway's answer for each key.
fn judge(answer: &[u8], n_keys: usize) -> Vec<CheckResult> {
    let all = |result: CheckResult| vec![result; n_keys];
    let invalid =
        || all(CheckResult::Answer(not_supported("The Java gateway returned an invalid answer.")));
    let Ok(answer) = serde_json::from_slice::<Json>(answer) else { return invalid() };
    let text = |name: &str| answer.get(name).and_then(Json::as_str);
    match text("response") {
        Some("success") => {}
        // The gateway could not ask the application.
        Some("failed") => {
            let why = text("error").unwrap_or("the Java gateway gave no reason");
            return all(CheckResult::NetworkError(why.to_owned()));
        }
        _ => return invalid(),
    }
    let Some(data) = answer.get("data").and_then(Json::as_array) else { return invalid() };
    if data.len() != n_keys {
        return invalid();
    }
    let value = |it: &Json| {
        let text = |name: &str| it.get(name).and_then(Json::as_str);
        CheckResult::Answer(match (text("value"), text("error")) {
            (Some(value), _) => OwnedRaw::Text(value.to_owned()),
            (None, Some(why)) => not_supported(why),
            (None, None) => not_supported("The Java gateway gave neither a value nor an error."),
        })
    };
    data.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gateways_have_a_port() {
        for (text, expected) in [
            ("gateway", Some(("gateway", 10_052))),
            ("127.0.0.1:8", Some(("127.0.0.1", 8))),
            ("::1", Some(("::1", 10_052))),
            ("[::1]:9", Some(("::1", 9))),
            ("[::1]", Some(("::1", 10_052))),
            ("", None),
            (":9", None),
            ("a:x", None),
            ("[::1]9", None),
        ] {
            assert_eq!(address(text), expected, "{text}");
        }
    }

    #[test]
    fn a_login_is_sent_where_there_is_one() {
        let place = |username: &str| Place {
            endpoint: "service:jmx:x".to_owned(),
            username: username.to_owned(),
            password: "secret".to_owned(),
        };
        let bare = json!({
            "request": "java gateway jmx", "jmx_endpoint": "service:jmx:x", "keys": ["jmx[a,b]"],
        });
        assert_eq!(request(&place(""), &["jmx[a,b]"]), bare);
        let with_login = request(&place("me"), &["jmx[a,b]"]);
        assert_eq!(
            (&with_login["username"], &with_login["password"]),
            (&json!("me"), &json!("secret"))
        );
        assert!(!format!("{:?}", place("me")).contains("secret"));
    }

    #[test]
    fn answers_are_values_errors_or_an_application_that_is_away() {
        let value = |it: &str| CheckResult::Answer(OwnedRaw::Text(it.to_owned()));
        let error = |it: &str| CheckResult::Answer(not_supported(it));
        let other = error("The Java gateway returned an invalid answer.");
        for (answer, expected) in [
            (
                r#"{"response":"success","data":[{"value":"1"},{"error":"no such bean"}]}"#,
                vec![value("1"), error("no such bean")],
            ),
            (
                r#"{"response":"success","data":[{"value":"1"},{}]}"#,
                vec![value("1"), error("The Java gateway gave neither a value nor an error.")],
            ),
            (
                r#"{"response":"failed","error":"refused"}"#,
                vec![CheckResult::NetworkError("refused".to_owned()); 2],
            ),
            (r#"{"response":"success","data":[{"value":"1"}]}"#, vec![other.clone(); 2]),
            (r#"{"response":"success"}"#, vec![other.clone(); 2]),
            ("[]", vec![other.clone(); 2]),
            ("no JSON", vec![other; 2]),
        ] {
            assert_eq!(judge(answer.as_bytes(), 2), expected, "{answer}");
        }
    }
}
