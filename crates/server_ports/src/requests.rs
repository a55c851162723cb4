//! Requests of other programs at the trapper port: `queue.get` of a frontend, `zabbix.stats` of
//! other servers and of agents.
//!
//! Answers are worked out in the pool for blocking work: the queue is looked through.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use api::ports::{Polling, QUEUE_CLASSES_S, QueueFigures};
use collect::trapper::{ReplyFuture, RequestKind, ServerRequests};
use db::Db;
use formats::number::parse_duration_s;
use internals::items::ServerInternals;
use model::content::RoleType;
use model::networks::Networks;
use rt::clock::Clock;
use rt::task::Tasks;
use serde_json::{Value, json};

use crate::api::PollingPort;
use crate::running::Running;

/// Late items that are answered at most.
const DETAILS_MAX: u64 = 5_000;
/// Items that are late by less do not count as queued.
const QUEUE_FROM_S: u64 = 6;

/// Answers them. A clone is the same.
#[derive(Clone)]
pub struct RequestPort {
    pub db: Db,
    pub running: Arc<Running>,
    pub internals: Arc<ServerInternals>,
    /// Addresses that may request `zabbix.stats`.
    pub stats_allowed: Networks,
    pub clock: Clock,
    /// Where answers are worked out.
    pub tasks: Tasks,
}

impl fmt::Debug for RequestPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestPort")
    }
}

impl ServerRequests for RequestPort {
    fn answer<'a>(&'a self, kind: RequestKind, payload: &'a [u8], peer: IpAddr) -> ReplyFuture<'a> {
        let (port, asked) = (self.clone(), serde_json::from_slice::<Value>(payload));
        Box::pin(self.tasks.offload("server request", move || {
            let Ok(asked) = asked else { return failed("cannot parse the request") };
            let reply = match kind {
                RequestKind::QueueGet => port.queue(&asked),
                _ => port.stats(&asked, peer),
            };
            reply.map_or_else(|info| failed(&info), |it| it.to_string().into_bytes())
        }))
    }
}

fn failed(info: &str) -> Vec<u8> {
    json!({ "response": "failed", "info": info }).to_string().into_bytes()
}

/// A number, also one in quotes.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

impl RequestPort {
    /// For super admins, by their session.
    fn queue(&self, asked: &Value) -> Result<Value, String> {
        let session = asked["sid"].as_str().unwrap_or_default();
        let identity = self.db.authenticate(session, self.clock.wall());
        if identity.is_none_or(|it| it.role != RoleType::SuperAdmin) {
            return Err("Permission denied.".to_owned());
        }
        let figures = |n_max: u64| {
            let n_max = usize::try_from(n_max.min(DETAILS_MAX)).unwrap_or(0);
            PollingPort(Arc::clone(&self.running)).queue(n_max)
        };
        let (data, total) = match asked["type"].as_str().unwrap_or_default() {
            "overview" => {
                let row = |(kind, counts): &(model::content::ItemType, _)| {
                    counted(json!({ "itemtype": kind.code() }), counts)
                };
                (figures(0).kinds.iter().map(row).collect(), None)
            }
            "overview by proxy" => (vec![of_all(&figures(0))], None),
            "details" => {
                let limit = number(&asked["limit"]).ok_or("Unsupported request limit.")?;
                let figures = figures(limit);
                let row = |(item, due): &(model::ItemId, model::Time)| json!({ "itemid": item.0, "nextcheck": due.clock() });
                (figures.latest.iter().map(row).collect(), Some(figures.n_late))
            }
            it => return Err(format!("Unsupported request type \"{it}\".")),
        };
        let mut answer = json!({ "response": "success", "data": Value::Array(data) });
        if let Some(total) = total {
            answer["total"] = total.into();
        }
        Ok(answer)
    }

    fn stats(&self, asked: &Value, peer: IpAddr) -> Result<Value, String> {
        if !self.stats_allowed.contains(peer.to_canonical()) {
            return Err("Permission denied.".to_owned());
        }
        match asked["type"].as_str() {
            Some("queue") => {
                let time = |name: &str, default| match asked["params"][name].as_str() {
                    None | Some("") => Ok(default),
                    Some(text) => parse_duration_s(text)
                        .map(Some)
                        .ok_or(format!("invalid '{name}' parameter")),
                };
                let from_s = time("from", Some(QUEUE_FROM_S))?.unwrap_or(QUEUE_FROM_S);
                let to_s = time("to", None)?;
                if to_s.is_some_and(|it| it < from_s) {
                    return Err("parameters represent an invalid interval".to_owned());
                }
                let seconds = std::time::Duration::from_secs;
                let n_late = self
                    .running
                    .collectors()
                    .map_or(0, |it| it.n_overdue(seconds(from_s), to_s.map(seconds)));
                // Next to `response`, where Zabbix's own template reads it.
                Ok(json!({ "response": "success", "queue": n_late }))
            }
            Some(it) if !it.is_empty() => Err(format!("unsupported request type \"{it}\"")),
            _ => Ok(json!({ "response": "success", "data": self.internals.stats() })),
        }
    }
}

fn counted(mut row: Value, counts: &[u64; QUEUE_CLASSES_S.len()]) -> Value {
    for (from_s, n) in QUEUE_CLASSES_S.iter().zip(counts) {
        row[format!("delay{from_s}")] = (*n).into();
    }
    row
}

/// Everything is the server's own: no proxy has items yet.
fn of_all(figures: &QueueFigures) -> Value {
    let mut sums = [0; QUEUE_CLASSES_S.len()];
    for (_, counts) in &figures.kinds {
        for (sum, n) in sums.iter_mut().zip(counts) {
            *sum += n;
        }
    }
    counted(json!({ "proxyid": 0 }), &sums)
}
