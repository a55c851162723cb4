//! Known series, their hosts, and their items.

use std::collections::BTreeSet;
use std::sync::Arc;

use model::content::{ItemFlags, ItemType};
use model::map::{LookupMap, Map};
use model::snapshot::{Host, ItemRow, Snapshot};
use model::{HostId, ItemId};

/// Key of the discovery rules that take series; it may have parameters.
pub const RULE_KEY: &str = "push.series";

/// The macro with the text of a series.
pub(super) const SERIES: &str = "{#SERIES}";

/// Identifies a series of the register. When its place has another series, it identifies nothing:
/// data of a request from before the deletion of its host goes to no other series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Handle {
    at: u32,
    /// Counts the earlier series in this place.
    generation: u32,
}

/// A place of the register.
#[derive(Debug, Default)]
struct Place {
    generation: u32,
    series: Option<Series>,
}

/// A series.
#[derive(Debug)]
struct Series {
    host: HostId,
    /// Canonical; see [`wire::series::Labels::text`].
    text: Arc<str>,
    /// Its row of discovery, a JSON object.
    row: Box<str>,
    /// Time of its last value, in seconds since 1970.
    seen: i64,
    /// `None`: not known yet. Empty: it is filtered out.
    items: Option<Box<[ItemId]>>,
    /// The labels that it was sent with, as bytes.
    identities: Vec<Arc<[u8]>>,
}

/// The series of a host.
#[derive(Debug, Default)]
pub(super) struct OfHost {
    by_text: LookupMap<Arc<str>, Handle>,
    /// The rows have to be applied: some are new, or some have gone.
    is_due: bool,
    /// Not before this, by the monotonic clock.
    not_before_ns: u64,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Register {
    by_identity: LookupMap<Arc<[u8]>, Handle>,
    series: Vec<Place>,
    free: Vec<u32>,
    hosts: Map<HostId, OfHost>,
    /// The minute for which new series are counted, and their number.
    new_in_minute: (i64, u32),
    /// The same for hosts.
    hosts_in_minute: (i64, u32),
}

/// Rows to be applied to the rules of a host.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) host: HostId,
    /// A list of JSON.
    pub(super) rows: String,
    /// The series that wait for items.
    pub(super) waiting: Vec<Handle>,
}

/// Whether one more is allowed in this minute.
fn admit(counted: &mut (i64, u32), minute: i64, max: u32) -> bool {
    if counted.0 != minute {
        *counted = (minute, 0);
    }
    let fits = counted.1 < max;
    counted.1 += u32::from(fits);
    fits
}

impl Register {
    fn at(&self, handle: Handle) -> Option<&Series> {
        let place = self.series.get(usize::try_from(handle.at).ok()?)?;
        place.series.as_ref().filter(|_| place.generation == handle.generation)
    }

    fn at_mut(&mut self, handle: Handle) -> Option<&mut Series> {
        series_at(&mut self.series, handle)
    }

    pub(super) fn is_known(&self, handle: Handle) -> bool {
        self.at(handle).is_some()
    }

    /// Canonical.
    pub(super) fn text(&self, handle: Handle) -> Option<&str> {
        self.at(handle).map(|it| &*it.text)
    }

    pub(super) fn n_series(&self) -> usize {
        self.series.len() - self.free.len()
    }

    pub(super) fn n_series_of(&self, host: HostId) -> usize {
        self.hosts.get(&host).map_or(0, |it| it.by_text.len())
    }

    /// A series by its labels as they were sent, with its host.
    pub(super) fn find(&self, identity: &[u8]) -> Option<(Handle, HostId)> {
        let at = *self.by_identity.get(identity)?;
        Some((at, self.at(at)?.host))
    }

    pub(super) fn find_text(&self, host: HostId, text: &str) -> Option<Handle> {
        self.hosts.get(&host)?.by_text.get(text).copied()
    }

    pub(super) fn see(&mut self, at: Handle, now: i64) {
        if let Some(series) = self.at_mut(at) {
            series.seen = series.seen.max(now);
        }
    }

    /// A series arrived with other labels: those of its host may be written in several ways.
    pub(super) fn also(&mut self, at: Handle, identity: &[u8]) {
        let identity: Arc<[u8]> = identity.into();
        if let Some(series) = self.at_mut(at) {
            series.identities.push(Arc::clone(&identity));
            self.by_identity.insert(identity, at);
        }
    }

    pub(super) fn admits_series(&mut self, minute: i64, max: u32) -> bool {
        admit(&mut self.new_in_minute, minute, max)
    }

    pub(super) fn admits_host(&mut self, minute: i64, max: u32) -> bool {
        admit(&mut self.hosts_in_minute, minute, max)
    }

    /// A new series; it waits for its items unless they are given.
    pub(super) fn add(
        &mut self,
        (host, text): (HostId, &str),
        row: String,
        now: i64,
        items: Option<Box<[ItemId]>>,
    ) -> Handle {
        let text: Arc<str> = text.into();
        let is_new = items.is_none();
        let series = Series {
            host,
            text: Arc::clone(&text),
            row: row.into(),
            seen: now,
            items,
            identities: Vec::new(),
        };
        let at = match self.free.pop() {
            Some(at) => at,
            None => {
                self.series.push(Place::default());
                u32::try_from(self.series.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let mut handle = Handle { at, generation: 0 };
        if let Some(place) = usize::try_from(at).ok().and_then(|it| self.series.get_mut(it)) {
            handle.generation = place.generation;
            place.series = Some(series);
        }
        let of_host = self.hosts.entry(host).or_default();
        of_host.by_text.insert(text, handle);
        of_host.is_due |= is_new;
        handle
    }

    pub(super) fn is_waiting(&self, at: Handle) -> bool {
        self.at(at).is_some_and(|it| it.items.is_none())
    }

    pub(super) fn items(&self, at: Handle) -> &[ItemId] {
        self.at(at).and_then(|it| it.items.as_deref()).unwrap_or_default()
    }

    /// An item of the series is gone: the series is looked up again.
    pub(super) fn look_up_again(&mut self, at: Handle) {
        let Some(host) = self.at(at).map(|it| it.host) else { return };
        if let Some(of_host) = self.hosts.get_mut(&host) {
            of_host.is_due = true;
        }
    }

    pub(super) fn knows(&self, host: HostId) -> bool {
        self.hosts.contains_key(&host)
    }

    /// Takes over the series that a host's rules made before the start.
    pub(super) fn load(&mut self, host: &Host, now: i64) {
        if self.knows(host.id) {
            return;
        }
        self.hosts.insert(host.id, OfHost::default());
        for (text, items) in items_by_series(host) {
            let found = items.first().and_then(|it| host.item(*it));
            let Some(discovered) = found.and_then(ItemRow::discovered) else { continue };
            if discovered.is_lost() {
                continue;
            }
            let row = discovered.row.iter();
            let row = row.map(|(name, value)| (name.to_owned(), value.into()));
            let row = serde_json::Value::Object(row.collect()).to_string();
            self.add((host.id, text), row, now, Some(items.into()));
        }
    }

    /// Whether rows of some host have to be applied now; otherwise when.
    pub(super) fn next_due(&self) -> Option<u64> {
        self.hosts.values().filter(|it| it.is_due).map(|it| it.not_before_ns).min()
    }

    /// The rows to be applied now.
    pub(super) fn take_due(&mut self, now_ns: u64) -> Vec<Due> {
        let is_due = |it: &&mut OfHost| it.is_due && it.not_before_ns <= now_ns;
        let mut all = Vec::new();
        for (host, of_host) in &mut self.hosts {
            if !is_due(&of_host) {
                continue;
            }
            of_host.is_due = false;
            let mut due = Due { host: *host, rows: "[".to_owned(), waiting: Vec::new() };
            // In an order that does not depend on the hash.
            let mut handles: Vec<Handle> = of_host.by_text.values().copied().collect();
            handles.sort_unstable();
            for at in &handles {
                let Some(series) = series_at(&mut self.series, *at) else { continue };
                if due.rows.len() > 1 {
                    due.rows.push(',');
                }
                due.rows.push_str(&series.row);
                if series.items.is_none() {
                    due.waiting.push(*at);
                }
            }
            due.rows.push(']');
            all.push(due);
        }
        all
    }

    /// The rows of a host are applied: stores the items that its series have now.
    pub(super) fn applied(&mut self, due: &Due, snapshot: &Snapshot, not_before_ns: u64) {
        let Some(host) = snapshot.hosts.get(&due.host) else {
            self.forget_host(due.host);
            return;
        };
        let mut found = items_by_series(host);
        let Some(of_host) = self.hosts.get_mut(&due.host) else { return };
        of_host.not_before_ns = not_before_ns;
        let waiting: BTreeSet<Handle> = due.waiting.iter().copied().collect();
        for (text, at) in &of_host.by_text {
            let Some(series) = series_at(&mut self.series, *at) else { continue };
            // Rows that arrived meanwhile are for the next time.
            if series.items.is_some() || waiting.contains(at) {
                series.items = Some(found.remove(&**text).unwrap_or_default().into());
            }
        }
    }

    /// The rows of a host could not be applied: they are tried again.
    pub(super) fn not_applied(&mut self, host: HostId, not_before_ns: u64) {
        if let Some(of_host) = self.hosts.get_mut(&host) {
            of_host.is_due = true;
            of_host.not_before_ns = not_before_ns;
        }
    }

    fn forget_host(&mut self, host: HostId) {
        let Some(of_host) = self.hosts.remove(&host) else { return };
        for at in of_host.by_text.into_values() {
            self.forget(at);
        }
    }

    fn forget(&mut self, handle: Handle) {
        if self.at(handle).is_none() {
            return;
        }
        let place = usize::try_from(handle.at).ok().and_then(|it| self.series.get_mut(it));
        let Some(place) = place else { return };
        let Some(series) = place.series.take() else { return };
        place.generation = place.generation.wrapping_add(1);
        for identity in &series.identities {
            self.by_identity.remove(identity);
        }
        if let Some(of_host) = self.hosts.get_mut(&series.host) {
            of_host.by_text.remove(&series.text);
            of_host.is_due = true;
        }
        self.free.push(handle.at);
    }

    /// Applies all rows once more: rules may have changed.
    pub(super) fn refresh(&mut self) {
        self.hosts.values_mut().for_each(|it| it.is_due = true);
    }

    /// Forgets series without values since then; returns how many.
    pub(super) fn expire(&mut self, before: i64) -> usize {
        let old: Vec<Handle> = (0_u32..)
            .zip(&self.series)
            .filter(|(_, it)| it.series.as_ref().is_some_and(|it| it.seen < before))
            .map(|(at, it)| Handle { at, generation: it.generation })
            .collect();
        old.iter().for_each(|it| self.forget(*it));
        old.len()
    }
}

fn series_at(places: &mut [Place], handle: Handle) -> Option<&mut Series> {
    let place = places.get_mut(usize::try_from(handle.at).ok()?)?;
    place.series.as_mut().filter(|_| place.generation == handle.generation)
}

/// Whether a row of a host is a rule that takes series.
pub(super) fn is_rule(row: &ItemRow) -> bool {
    row.flags == ItemFlags::Rule
        && row.content.kind == ItemType::Trapper
        && row.is_live()
        && row
            .content
            .key_
            .strip_prefix(RULE_KEY)
            .is_some_and(|it| it.is_empty() || it.starts_with('['))
}

/// The rules of a host that take series.
pub(super) fn rules(host: &Host) -> impl Iterator<Item = ItemId> + '_ {
    host.items.iter().filter(|it| is_rule(it)).map(|it| it.id)
}

/// The trapper items that rules made of each series.
fn items_by_series(host: &Host) -> LookupMap<&str, Vec<ItemId>> {
    let rules: Vec<ItemId> = rules(host).collect();
    let mut found: LookupMap<&str, Vec<ItemId>> = LookupMap::default();
    for row in host.items.iter().filter(|it| it.content.kind == ItemType::Trapper) {
        let Some(discovered) = row.discovered().filter(|it| rules.contains(&it.rule)) else {
            continue;
        };
        if let Some(text) = discovered.row.get(SERIES) {
            found.entry(text).or_default().push(row.id);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(register: &mut Register, host: u64, text: &str, item: u64) -> Handle {
        let items: Box<[ItemId]> = vec![ItemId(item)].into();
        register.add((HostId(host), text), "{}".to_owned(), 0, Some(items))
    }

    #[test]
    fn reused_place_inherits_nothing_of_the_series_before() {
        let mut register = Register::default();
        let first = add(&mut register, 1, "up{}", 10);
        register.also(first, b"up");
        // A request has read this; then its host is deleted, and a series of another host takes the
        // place.
        register.forget_host(HostId(1));
        let second = add(&mut register, 2, "up{}", 20);
        register.also(second, b"other up");
        assert_eq!(first.at, second.at, "the place is used again");
        assert!(!register.is_known(first) && register.is_known(second));
        assert_eq!(register.items(first), []);
        assert_eq!(register.items(second), [ItemId(20)]);
        assert_eq!((register.text(first), register.text(second)), (None, Some("up{}")));
        register.see(first, 1_000);
        register.also(first, b"up");
        assert_eq!(register.find(b"up"), None, "nobody's");
        assert_eq!(register.find(b"other up"), Some((second, HostId(2))));
        // Using the old handle changes nothing of the new series.
        register.look_up_again(first);
        register.forget(first);
        assert_eq!(register.items(second), [ItemId(20)]);
        assert_eq!(register.expire(500), 1, "the second was never seen");
        assert_eq!(register.n_series(), 0);
    }
}
