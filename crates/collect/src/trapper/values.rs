//! Values pushed by senders and active agents.

use std::net::IpAddr;
use std::sync::Arc;

use model::batch::{Extra, RawRef};
use model::content::ItemType;
use model::value::LogEntry;
use model::{HostId, ItemId, Time};
use wire::front::Kind;
use wire::sender::{self, Info, Parser, Row, encode_failed, encode_success};

use super::{End, Trapper};
use crate::allowed::peer_is_allowed;
use crate::{Directory, Found, PreviousHost, Request, Watermark};

const NS_PER_S: u32 = 1_000_000_000;

/// Fills one request; what it needs to judge a row.
struct Filler<'a> {
    trapper: &'a Trapper,
    directory: Arc<dyn Directory>,
    kind: Kind,
    peer: IpAddr,
    now: Time,
    /// Host of the rows by `itemid`.
    agent: Option<HostId>,
    previous: PreviousHost,
    /// The session of the first row's host, with the last id taken before this request.
    session: Option<(HostId, Arc<str>, u64)>,
    token: &'a str,
    last_id: u64,
    repeated: u32,
    /// Rows so far whose nanosecond is not known.
    n_numbered: u32,
    /// Names that items allow and whose addresses are not known yet.
    unknown: Vec<String>,
}

/// A filled request.
struct Filled {
    request: Request,
    repeated: u32,
    /// The session's host, token and last id, here and before.
    session: Option<(HostId, Arc<str>, u64, u64)>,
    unknown: Vec<String>,
}

impl Trapper {
    /// Takes the values of a `sender data` or `agent data` request and answers when they are
    /// written.
    pub(super) async fn values(
        &self,
        kind: Kind,
        parser: &mut Parser,
        payload: &[u8],
        peer: IpAddr,
        started_ns: u64,
    ) -> Result<Vec<u8>, End> {
        let parsed = match parser.parse(payload) {
            Ok(it) if it.has_data() || it.commands().is_some() => it,
            Ok(_) => return Ok(encode_failed("missing \"data\"")),
            Err(error) => return Ok(encode_failed(&error.to_string())),
        };
        let total = parsed.len() as u64;
        let mut filled = self.fill(kind, &parsed, peer);
        if !filled.unknown.is_empty() {
            self.names.learn(&filled.unknown).await;
            filled = self.fill(kind, &parsed, peer);
        }
        let (seen, repeated) = (self.advance(&mut filled), filled.repeated);
        let request = filled.request;
        let outcome = if request.is_empty() && total == 0 {
            crate::Outcome::default()
        } else {
            self.ingress.submit(request).await.map_err(|_closed| End::Rejected("shutdown"))?
        };
        if let Some(host) = seen {
            self.agents.seen(host);
        }
        self.metrics.repeated_total.add(u64::from(repeated));
        Ok(encode_success(&Info {
            // A repetition was processed: the first time.
            processed: u64::from(outcome.processed) + u64::from(repeated),
            failed: u64::from(outcome.failed),
            total,
            unsupported: u64::from(outcome.unsupported),
            cut: u64::from(outcome.cut),
            spent_us: self.clock.mono_ns().saturating_sub(started_ns) / 1_000,
        }))
    }

    /// Looks all rows up. Changes nothing.
    fn fill(&self, kind: Kind, parsed: &sender::Request<'_>, peer: IpAddr) -> Filled {
        let directory = self.configuration.directory();
        let snapshot = self.configuration.snapshot();
        let agent = parsed.host().and_then(|it| snapshot.host_named(it)).map(|it| it.id);
        let mut request = self.ingress.request(directory.epoch());
        let mut filler = Filler {
            trapper: self,
            directory,
            kind,
            peer,
            now: self.clock.wall(),
            agent,
            previous: PreviousHost::default(),
            session: None,
            token: parsed.session().unwrap_or_default(),
            last_id: 0,
            repeated: 0,
            n_numbered: 0,
            unknown: Vec::new(),
        };
        for row in parsed.rows() {
            filler.row(&mut request, &row);
        }
        let last_id = filler.last_id;
        let session =
            filler.session.map(|(host, session, before)| (host, session, last_id, before));
        Filled { request, repeated: filler.repeated, session, unknown: filler.unknown }
    }

    /// Moves the session on by what the request holds; gives its host.
    fn advance(&self, filled: &mut Filled) -> Option<HostId> {
        let (host, session, last_id, before) = filled.session.take()?;
        if before < last_id {
            let mark = Watermark { host, session, last_id };
            self.sessions.advance(&mark);
            filled.request.mark(mark);
        }
        Some(host)
    }
}

impl Filler<'_> {
    fn row(&mut self, request: &mut Request, row: &Row<'_>) {
        let time = self.time(row);
        let Some(found) = self.find(row).filter(|it| self.is_taken(it)) else {
            request.refuse();
            return;
        };
        if row.malformed {
            request.refuse();
            return;
        }
        if self.is_repeated(found.host, row) {
            self.repeated += 1;
            return;
        }
        let value = match row.value {
            Some(text) if row.unsupported => RawRef::Error(text),
            Some(text) => RawRef::Text(text),
            None => RawRef::Nothing,
        };
        if request.push(found.target, time, value).is_err() {
            request.refuse();
            return;
        }
        if let Some(log) = &row.log {
            request.extra(found.target, extra(log));
        }
    }

    fn find(&mut self, row: &Row<'_>) -> Option<Found> {
        match (row.itemid, row.host, row.key) {
            (Some(id), None, _) => {
                let found = self.directory.item(ItemId(id))?;
                (Some(found.host) == self.agent).then_some(found)
            }
            (_, Some(host), Some(key)) => self.directory.find(host, key, &mut self.previous),
            _ => None,
        }
    }

    fn is_taken(&mut self, found: &Found) -> bool {
        let kind = match self.kind {
            Kind::AgentData => found.kind == ItemType::ZabbixAgentActive,
            _ => found.kind == ItemType::Trapper || found.allow_traps,
        };
        kind && found.enabled && (!found.restricted || self.is_allowed(found))
    }

    /// Whether the item's list of hosts names the peer. User macros in it are resolved.
    #[cold]
    fn is_allowed(&mut self, found: &Found) -> bool {
        let snapshot = self.trapper.configuration.snapshot();
        let Some((host, row)) = snapshot.item(found.item) else { return false };
        let context = self.trapper.resolver.context(&snapshot, host, host.interface_of(row));
        let list = context.item_text(row, &row.content.trapper_hosts);
        let names = &self.trapper.names;
        let (peer, unknown) = (self.peer, &mut self.unknown);
        peer_is_allowed(&list, peer, &mut |name| {
            let is_of = names.is_of(name, peer);
            if is_of.is_none() && !unknown.iter().any(|it| it == name) {
                unknown.push(name.to_owned());
            }
            is_of == Some(true)
        })
    }

    fn is_repeated(&mut self, host: HostId, row: &Row<'_>) -> bool {
        let Some(id) = row.id else { return false };
        if self.session.is_none() {
            let found = self.trapper.sessions.find(host, self.token);
            self.session = found.map(|(name, last_id)| (host, name, last_id));
        }
        let Some((_, _, before)) = self.session.as_ref().filter(|(of, _, _)| *of == host) else {
            return false;
        };
        if id <= *before {
            return true;
        }
        self.last_id = self.last_id.max(id);
        false
    }

    /// A row without time gets the time of its arrival. Those without nanoseconds are numbered: 0, 1, 2
    /// … through the request, whatever their items and seconds are, so that values of one second keep
    /// their order and none of them repeats another.
    fn time(&mut self, row: &Row<'_>) -> Time {
        if let (Some(clock), Some(ns)) = (row.clock, row.ns) {
            return Time::from_clock(clock, ns);
        }
        let number = self.n_numbered;
        self.n_numbered = (number + 1) % NS_PER_S;
        match row.clock {
            Some(clock) => Time::from_clock(clock, number),
            None => Time(self.now.0.saturating_add(i64::from(number))),
        }
    }
}

fn extra(log: &sender::Log<'_>) -> Extra {
    let has_entry = log.timestamp.is_some()
        || log.source.is_some()
        || log.severity.is_some()
        || log.eventid.is_some();
    let whole = |it: Option<u64>| it.and_then(|it| i64::try_from(it).ok()).unwrap_or(0);
    Extra {
        row: 0,
        lastlogsize: log.lastlogsize,
        mtime: log.mtime.and_then(|it| i64::try_from(it).ok()),
        log: has_entry.then(|| LogEntry {
            value: String::new(),
            source: log.source.unwrap_or_default().to_owned(),
            timestamp: whole(log.timestamp),
            severity: log.severity.and_then(|it| i32::try_from(it).ok()).unwrap_or(0),
            logeventid: whole(log.eventid),
        }),
    }
}
