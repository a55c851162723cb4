//! Values pushed by senders and active agents.

use std::sync::Arc;

use ingress::{Claim, IngressRequest, Last};
use model::batch::{Extra, RawRef};
use model::content::ItemType;
use model::snapshot::{Host, Snapshot};
use model::value::LogEntry;
use model::{HostId, ItemId, Time};
use tracing::debug;
use wire::active::parse_command_results;
use wire::request_kind::RequestKind;
use wire::sender::{self, Info, Parser, Row, Rows, encode_failed, encode_success};

use super::log_time::time_of;
use super::push::Taken;
use super::{ConnectionEnd, Trapper, warn_not_its_host};
use crate::encryption::{Peer, may_send_for};
use crate::{Directory, PreviousHost, ResolvedItem};

const NS_PER_S: u32 = 1_000_000_000;
/// Rows that are searched for DNS names when a name is not known. Names of later rows wait for the
/// next time.
const NAMES_AHEAD: usize = 10_000;

/// Goes through the rows of one request, with everything needed to judge them.
struct RequestBuilder<'a> {
    trapper: &'a Trapper,
    directory: Arc<dyn Directory>,
    snapshot: Arc<Snapshot>,
    kind: RequestKind,
    peer: &'a Peer,
    /// Whether the peer may send for the host of the last check.
    speaks_for: Option<(HostId, bool)>,
    now: Time,
    rows: Rows<'a>,
    /// A row that waits for names.
    waiting_row: Option<(Row<'a>, Time, ResolvedItem)>,
    /// Host of the rows by `itemid`.
    agent: Option<HostId>,
    previous: PreviousHost,
    /// The session of the rows.
    claim: Option<Arc<Claim>>,
    repeated: u32,
    /// Rows so far without a nanosecond.
    n_numbered: u32,
    /// Names that were looked up for this request.
    looked_up: Vec<String>,
}

/// Why a builder has stopped.
enum Stop {
    End,
    /// The request is full; the rest goes into another one.
    Full,
    /// Names in lists of allowed hosts, whose addresses are not known yet.
    Names(Vec<String>),
}

impl Trapper {
    /// Takes the values of a `sender data` or `agent data` request and answers when they are
    /// written. May be dropped at any time: rows that are handed over by then are written with the
    /// session's mark, the others are not.
    pub(super) async fn values(
        &self,
        kind: RequestKind,
        parser: &mut Parser,
        payload: &[u8],
        (peer, started_ns): (&Peer, u64),
    ) -> Result<Vec<u8>, ConnectionEnd> {
        let parsed = match parser.parse(payload) {
            Ok(it) if it.has_data() || it.commands().is_some() => it,
            Ok(_) => return Ok(encode_failed("missing \"data\"")),
            Err(error) => return Ok(encode_failed(&error.to_string())),
        };
        let snapshot = self.configuration.snapshot();
        let agent = parsed.host().and_then(|it| snapshot.host_named(it));
        // A peer that may not send for the host gets neither its session nor its commands.
        let agent = agent.filter(|it| self.may_send_for(it, peer)).map(|it| it.id);
        if let (Some(host), Some(results)) = (agent, parsed.commands()) {
            // Values count without them.
            match parse_command_results(results) {
                Ok(it) => self.agents.command_results(host, it),
                Err(error) => debug!(%error, "results of commands of an agent cannot be read"),
            }
        }
        let of_session = host_of_session(&parsed, agent, &snapshot)
            .filter(|(it, _)| snapshot.hosts.get(it).is_some_and(|it| self.may_send_for(it, peer)));
        let claim = match of_session {
            Some((host, token)) => self.sessions.claim(host, token, self.clock.wall()).await,
            None => None,
        };
        let mut builder = RequestBuilder {
            trapper: self,
            directory: self.configuration.directory(),
            snapshot,
            kind,
            peer,
            speaks_for: None,
            now: self.clock.wall(),
            rows: parsed.rows(),
            waiting_row: None,
            agent,
            previous: PreviousHost::default(),
            claim: claim.map(Arc::new),
            repeated: 0,
            n_numbered: 0,
            looked_up: Vec::new(),
        };
        let mut submission = self.ingress.submission();
        let mut request = self.ingress.request(builder.directory.epoch());
        request.expect_rows(parsed.len());
        let closed = |_closed| ConnectionEnd::Rejected("shutdown");
        loop {
            match builder.fill(&mut request) {
                Stop::End => break,
                Stop::Names(names) => {
                    self.names.learn(&names).await;
                    builder.looked_up.extend(names);
                }
                Stop::Full => {
                    let next = self.ingress.request(builder.directory.epoch());
                    let full = std::mem::replace(&mut request, next);
                    submission.add(full, Last::No).await.map_err(closed)?;
                }
            }
        }
        let repeated = builder.repeated;
        submission.add(request, Last::Yes).await.map_err(closed)?;
        let outcome = submission.wait().await.map_err(closed)?;
        self.metrics.repeated_total.add(u64::from(repeated));
        Ok(encode_success(&Info {
            // A repetition was processed the first time.
            processed: u64::from(outcome.processed) + u64::from(repeated),
            failed: u64::from(outcome.failed),
            total: parsed.len() as u64,
            unsupported: u64::from(outcome.unsupported),
            cut: u64::from(outcome.cut),
            spent_us: self.clock.mono_ns().saturating_sub(started_ns) / 1_000,
        }))
    }
}

impl Trapper {
    fn may_send_for(&self, host: &Host, peer: &Peer) -> bool {
        let may = may_send_for(host, &peer.security);
        if let Err(reason) = &may {
            warn_not_its_host(peer.ip, reason, self.clock.mono_ns());
        }
        may.is_ok()
    }
}

/// The session of the values, and its token. A session belongs to one host.
fn host_of_session<'a>(
    parsed: &sender::SenderRequest<'a>,
    agent: Option<HostId>,
    snapshot: &Snapshot,
) -> Option<(HostId, &'a str)> {
    let token = parsed.session()?;
    let host = parsed.rows().filter(|it| it.id.is_some()).find_map(|it| match it.host {
        Some(name) => snapshot.host_named(name).map(|it| it.id),
        None => agent,
    });
    Some((host?, token))
}

impl<'a> RequestBuilder<'a> {
    /// Looks rows up and appends the accepted ones.
    fn fill(&mut self, request: &mut IngressRequest) -> Stop {
        if let Some((row, time, found)) = self.waiting_row.take() {
            match self.is_taken(&found) {
                Taken::Unknown(names) => return self.wait_for(names, (row, time, found)),
                Taken::Yes => self.push(request, &row, time, &found),
                Taken::No => request.refuse(),
            }
        }
        while let Some(row) = self.rows.next() {
            let time = self.time(&row);
            let Some(found) = self.find(&row) else {
                request.refuse();
                continue;
            };
            match self.is_taken(&found) {
                Taken::Yes => self.push(request, &row, time, &found),
                Taken::No => request.refuse(),
                Taken::Unknown(names) => return self.wait_for(names, (row, time, found)),
            }
            if request.is_full() {
                return Stop::Full;
            }
        }
        Stop::End
    }

    /// Holds a row, and collects the other names that the following rows need, so that all are
    /// looked up at once.
    fn wait_for(
        &mut self,
        mut names: Vec<String>,
        waiting_row: (Row<'a>, Time, ResolvedItem),
    ) -> Stop {
        self.waiting_row = Some(waiting_row);
        for row in self.rows.clone().take(NAMES_AHEAD) {
            let Some(found) = self.find(&row).filter(|it| it.restricted) else { continue };
            if let Taken::Unknown(more) = self.is_taken(&found) {
                names.extend(more);
            }
        }
        names.sort_unstable();
        names.dedup();
        Stop::Names(names)
    }

    fn push(
        &mut self,
        request: &mut IngressRequest,
        row: &Row<'_>,
        time: Time,
        found: &ResolvedItem,
    ) {
        if row.malformed {
            request.refuse();
            return;
        }
        // Rows of other hosts are not part of the session.
        let of_session = self.claim.as_ref().filter(|it| it.host() == found.host).zip(row.id);
        if of_session.is_some_and(|(claim, id)| id <= claim.before()) {
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
        if let Some((claim, id)) = of_session {
            request.mark(found.target, claim, id);
        }
        if let Some(log) = &row.log {
            let mut extra = extra(log);
            if let Some(time) = self.time_of_line(row, found) {
                extra.log.get_or_insert_default().timestamp = time;
            }
            request.extra(found.target, extra);
        }
    }

    /// The time in a line of a log, if the item can read it.
    fn time_of_line(&self, row: &Row<'_>, found: &ResolvedItem) -> Option<i64> {
        let item = self.snapshot.hosts.get(&found.host)?.item(found.item)?;
        let format = &item.content.logtimefmt;
        if format.is_empty() || row.unsupported {
            return None;
        }
        time_of(row.value?, format, self.trapper.resolver.zone())
    }

    fn find(&mut self, row: &Row<'_>) -> Option<ResolvedItem> {
        match (row.itemid, row.host, row.key) {
            (Some(id), None, _) => {
                let found = self.directory.item(ItemId(id))?;
                (Some(found.host) == self.agent).then_some(found)
            }
            (_, Some(host), Some(key)) => self.directory.find(host, key, &mut self.previous),
            _ => None,
        }
    }

    fn is_taken(&mut self, found: &ResolvedItem) -> Taken {
        let kind = match self.kind {
            RequestKind::AgentData => found.kind == ItemType::ZabbixAgentActive,
            _ => found.kind == ItemType::Trapper || found.allow_traps,
        };
        let is_judged = found.restricted || self.peer.security.is_encrypted();
        match (kind && found.enabled, is_judged) {
            (false, _) => Taken::No,
            (true, false) => Taken::Yes,
            (true, true) => self.is_allowed(found),
        }
    }

    /// Whether the peer may send for the host, and is in the item's list of hosts, if it has one.
    /// User macros in it are resolved.
    #[cold]
    fn is_allowed(&mut self, found: &ResolvedItem) -> Taken {
        let speaks_for = match self.speaks_for {
            Some((host, it)) if host == found.host => it,
            _ => {
                let host = self.snapshot.hosts.get(&found.host);
                let it = host.is_some_and(|it| self.trapper.may_send_for(it, self.peer));
                self.speaks_for = Some((found.host, it));
                it
            }
        };
        match (speaks_for, found.restricted) {
            (false, _) => Taken::No,
            (true, false) => Taken::Yes,
            (true, true) => {
                let (snapshot, ip) = (&self.snapshot, self.peer.ip);
                self.trapper.is_allowed(snapshot, found, ip, &self.looked_up)
            }
        }
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
