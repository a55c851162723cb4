//! Items of traps: the choice of the items for a trap, and their values.

use std::sync::Arc;
use std::time::Duration;

use lang::text::truncate_value;
use model::ItemId;
use model::batch::RawRef;
use model::content::{Interface, ItemType};
use model::snapshot::{Delta, Host, ItemRow, Snapshot};
use rt::log::Limit;
use rt::metrics::Registry;
use tokio::sync::Notify;
use tracing::info;

use super::hosts::{TrapHosts, is_trap_item};
use super::matching::{Matcher, TrapText, Wanted};
use super::parts::{TrapMetrics, TrapParts};
use super::settings::TrapSources;
use crate::resolve::Resolver;
use ingress::{Closed, IngressRequest};

/// Logged characters of a trap without an item; the rest is cut off.
const LOGGED_CHARS_MAX: usize = 2_000;
/// Lines about traps without an item, and the time in which as many are logged. Further ones are
/// counted.
const UNMATCHED_LOGGED: (u64, Duration) = (20, Duration::from_secs(10));

/// The items of traps.
pub(crate) struct SnmpTraps {
    matcher: Matcher,
    pub(super) hosts: TrapHosts,
    pub(super) metrics: TrapMetrics,
    /// Whether there is a port or a file at all.
    pub(super) is_on: bool,
    unmatched: Limit,
    pub(super) refused: Limit,
    /// Hosts have changed.
    pub(super) changed: Notify,
}

impl SnmpTraps {
    pub(crate) fn new(sources: &TrapSources, resolver: Arc<Resolver>, registry: &Registry) -> Self {
        Self {
            matcher: Matcher::default(),
            hosts: TrapHosts::new(resolver),
            metrics: TrapMetrics::register(registry),
            is_on: sources.socket.is_some() || sources.settings.file.is_some(),
            unmatched: Limit::new(UNMATCHED_LOGGED.0, UNMATCHED_LOGGED.1),
            refused: Limit::default(),
            changed: Notify::new(),
        }
    }

    /// Applies a change, or the first configuration (`None`).
    pub(crate) fn configure(&self, snapshot: &Snapshot, delta: Option<&Delta>) {
        if !self.is_on {
            return;
        }
        self.hosts.configure(snapshot, delta);
        self.changed.notify_one();
        if delta.is_none_or(|it| it.regexps_changed) {
            self.matcher.forget();
        }
    }

    /// Why an item gets no traps as it is configured.
    pub(crate) fn refusal(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        row: &ItemRow,
    ) -> Option<String> {
        if row.content.kind != ItemType::SnmpTrap {
            return None;
        }
        if !self.is_on {
            return Some(
                "SNMP traps are not received: neither snmp_traps.listen nor snmp_traps.file is set."
                    .to_owned(),
            );
        }
        let context = self.hosts.context(snapshot, host, row);
        self.matcher.wanted(&context, snapshot, row).err().map(|it| context.shown(it))
    }
}

impl SnmpTraps {
    /// Passes traps to the items that take them, and waits until they are written.
    pub(super) async fn post(&self, said: &[TrapText], parts: &TrapParts) -> Result<(), Closed> {
        let snapshot = parts.configuration.snapshot();
        let mut left = said.iter();
        loop {
            let request = self.request(&snapshot, &mut left, parts);
            if request.is_empty() {
                return Ok(());
            }
            parts.ingress.submit(request).await?;
        }
    }

    /// The values of as many traps as go in one request.
    fn request(
        &self,
        snapshot: &Snapshot,
        left: &mut std::slice::Iter<'_, TrapText>,
        parts: &TrapParts,
    ) -> IngressRequest {
        let directory = parts.configuration.directory();
        let mut request = parts.ingress.request(directory.epoch());
        while !request.is_full()
            && let Some(trap) = left.next()
        {
            for item in self.takers(snapshot, trap, parts) {
                let found = directory.item(item).filter(|it| it.enabled);
                let value = RawRef::Text(&trap.text);
                let pushed = found.map(|it| request.push(it.target, trap.time, value));
                match pushed {
                    Some(Ok(())) => self.metrics.values_total.inc(),
                    _ => request.refuse(),
                }
            }
        }
        request
    }

    /// The items that take a trap.
    fn takers(&self, snapshot: &Snapshot, trap: &TrapText, parts: &TrapParts) -> Vec<ItemId> {
        self.metrics.received_total.inc();
        let (mut takers, mut is_known) = (Vec::new(), false);
        for id in self.hosts.at(&trap.from) {
            let Some(host) = snapshot.hosts.get(&id) else { continue };
            for interface in self.hosts.interfaces(snapshot, host, &trap.from) {
                is_known = true;
                let _turn = formats::regexp::MatchTurn::begin();
                takers.extend(self.takers_at(snapshot, host, interface, &trap.text));
            }
        }
        if !is_known {
            self.metrics.unknown_total.inc();
        } else if takers.is_empty() {
            self.metrics.unmatched_total.inc();
        }
        if takers.is_empty() && snapshot.globals.settings.logs_unmatched_traps {
            self.log_unmatched(trap, parts);
        }
        takers
    }

    fn log_unmatched(&self, trap: &TrapText, parts: &TrapParts) {
        let Some(n_left_out) = self.unmatched.admit(parts.clock.mono_ns()) else { return };
        // Readers of the log need not know communities, which files of other receivers contain.
        let is_open = |it: &&str| !it.trim_start().starts_with("community");
        let text: Vec<&str> = trap.text.lines().filter(is_open).collect();
        let text = text.join("\n");
        let text = truncate_value(&text, LOGGED_CHARS_MAX);
        info!(n_left_out, "unmatched trap received from \"{}\": {text}", trap.from);
    }

    fn takers_at(
        &self,
        snapshot: &Snapshot,
        host: &Arc<Host>,
        interface: &Interface,
        text: &str,
    ) -> Vec<ItemId> {
        let (mut takers, mut rest) = (Vec::new(), Vec::new());
        for row in host.items.iter().filter(|it| is_trap_item(it)) {
            if host.interface_of(row).map(|it| it.interfaceid) != Some(interface.interfaceid) {
                continue;
            }
            let context = self.hosts.context(snapshot, host, row);
            match self.matcher.wanted(&context, snapshot, row) {
                Ok(Wanted::Matching(None)) => takers.push(row.id),
                // A pattern that takes too long does not match.
                Ok(Wanted::Matching(Some(it))) if it.is_match(text).unwrap_or(false) => {
                    takers.push(row.id);
                }
                Ok(Wanted::Rest) => rest.push(row.id),
                // A broken pattern takes no trap and is reported as the error of its item.
                Ok(Wanted::Matching(Some(_))) | Err(_) => {}
            }
        }
        if takers.is_empty() { rest } else { takers }
    }
}
