//! Objects whose place in a table is found by a text: `OID["index","base OID","text"]`.
//!
//! The base is a column of the table; the object has the index of the row with this text. A walk
//! finds all indexes of a column, and they are remembered by device. As devices renumber their
//! tables, a remembered index is never trusted: the text is requested along with the object, and a
//! different text means another walk.
//!
//! The memory is bounded: of a long column only the rows that items ask for are kept, and a column
//! unused for a day is forgotten.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::InterfaceId;
use model::map::{LookupMap, Map};
use rt::clock::{Clock, nanos};
use rt::reading::{NO_ROOM, Reading};
use wire::snmp::{Oid, OidRef, Value, to_text};

use super::get::{Got, get_all, text_of};
use super::key::{Indexed, Object};
use super::session::{Failure, Session};
use super::walk::{OnLoop, in_time, walk};

/// Bytes of one column: some 5,000 rows with names of interfaces. Of a longer one only used rows
/// are kept.
const COLUMN_BYTES_MAX: usize = 512 << 10;
/// Bytes of all columns together. With more, the least recently used ones are forgotten.
const BYTES_MAX: usize = 64 << 20;
/// Bytes that a row takes in addition to its text and index.
const ROW_BYTES: usize = 64;
/// Memory that a walk takes for an object that it has seen.
const SEEN_BYTES: usize = 16;
/// A column that is unused for this long is forgotten.
const UNUSED_MAX: Duration = Duration::from_secs(24 * 3_600);
/// Pause between searches for unused columns.
const SWEEP_EACH: Duration = Duration::from_secs(3_600);

/// The remembered indexes of all devices.
#[derive(Debug)]
pub(super) struct Indexes {
    clock: Clock,
    state: Mutex<IndexState>,
}

#[derive(Debug, Default)]
struct IndexState {
    by_device: Map<InterfaceId, Map<Oid, Column>>,
    bytes: usize,
    swept_ns: u64,
}

/// The indexes of a column by its texts; of equal texts the last row counts, as in Zabbix.
#[derive(Debug, Default)]
struct Column {
    by_text: LookupMap<Box<str>, Index>,
    bytes: usize,
    used_ns: u64,
}

type Index = Arc<[u32]>;

impl Indexes {
    pub(super) fn new(clock: Clock) -> Self {
        Self { clock, state: Mutex::default() }
    }

    /// The values of objects that are named as they are, and of objects that are found by index,
    /// each in the given order; adjusts `size` to the device.
    pub(super) async fn get_all(
        &self,
        session: &Session<'_>,
        interface: InterfaceId,
        (plain, indexed): (&[Object], &[Box<Indexed>]),
        (size, reading): (&mut usize, &mut Reading),
    ) -> (Vec<Got>, Vec<Got>) {
        if indexed.is_empty() {
            return (get_all(session, plain, size).await, Vec::new());
        }
        let pairs: Vec<_> = indexed.iter().map(|it| self.known(interface, it)).collect();
        // Text and object next to each other: most requests show both at the same moment.
        let of_pairs = pairs.iter().flatten().flatten();
        let objects: Vec<Object> = plain.iter().chain(of_pairs).cloned().collect();
        let mut got = get_all(session, &objects, size).await;
        let mut of_pairs = got.split_off(plain.len()).into_iter();
        let mut values = Vec::with_capacity(indexed.len());
        let mut missed = Vec::new();
        for (at, (it, pair)) in indexed.iter().zip(&pairs).enumerate() {
            let texts = if pair.is_some() { of_pairs.next().zip(of_pairs.next()) } else { None };
            values.push(match texts {
                Some((Ok(text), value)) if text_of(&text) == it.text => value,
                Some((Err(failure @ (Failure::Network(_) | Failure::NotMade)), _)) => Err(failure),
                _ => {
                    missed.push(at);
                    Err(Failure::NotMade)
                }
            });
        }
        let of_network = |it: &Got| match it {
            Err(failure @ Failure::Network(_)) => Some(failure.clone()),
            _ => None,
        };
        let found = match got.iter().chain(&values).find_map(of_network) {
            // The device is silent: another request would be useless.
            Some(silence) => vec![Err(silence); missed.len()],
            None => {
                let missed: Vec<_> = missed.iter().map(|at| &*indexed[*at]).collect();
                self.find_all(session, interface, &missed, (size, reading)).await
            }
        };
        for (at, value) in missed.into_iter().zip(found) {
            values[at] = value;
        }
        (got, values)
    }

    /// Walks the columns again, each once, and asks for the objects.
    async fn find_all(
        &self,
        session: &Session<'_>,
        interface: InterfaceId,
        missed: &[&Indexed],
        (size, reading): (&mut usize, &mut Reading),
    ) -> Vec<Got> {
        let mut bases: Vec<&Oid> = Vec::new();
        for it in missed {
            if !bases.contains(&&it.base) {
                bases.push(&it.base);
            }
        }
        let mut found: Vec<Result<Oid, Failure>> = vec![Err(Failure::NotMade); missed.len()];
        for base in bases {
            let texts: Vec<&str> =
                missed.iter().filter(|it| it.base == *base).map(|it| it.text.as_str()).collect();
            // On the heap: it is rare and large.
            match Box::pin(Column::walk(session, base, &texts, reading)).await {
                Ok(column) => {
                    let of_base = missed.iter().zip(&mut found).filter(|it| it.0.base == *base);
                    of_base.for_each(|(it, found)| *found = column.object(it));
                    self.remember(interface, base, column, &texts);
                }
                Err(failure @ Failure::Network(_)) => {
                    return vec![Err(failure); missed.len()];
                }
                Err(failure) => {
                    let of_base = missed.iter().zip(&mut found).filter(|it| it.0.base == *base);
                    of_base.for_each(|(_, found)| *found = Err(failure.clone()));
                }
            }
        }
        let objects: Vec<Object> = found.iter().flatten().cloned().map(Object::plain).collect();
        let mut got = get_all(session, &objects, size).await.into_iter();
        let value =
            |it: Result<Oid, Failure>| it.and_then(|_| got.next().unwrap_or(Err(Failure::NotMade)));
        found.into_iter().map(value).collect()
    }

    /// The last known place of the text, and the object there.
    fn known(&self, interface: InterfaceId, it: &Indexed) -> Option<[Object; 2]> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let column = state.by_device.get_mut(&interface)?.get_mut(&it.base)?;
        column.used_ns = self.clock.mono_ns();
        let index = Arc::clone(column.by_text.get(it.text.as_str())?);
        let below = |oid: &Oid| oid.child(index.iter().copied()).ok().map(Object::plain);
        Some([below(&it.base)?, below(&it.oid)?])
    }

    /// Replaces the known rows of a column; of one beyond the bound only the rows with these texts
    /// are kept.
    fn remember(&self, interface: InterfaceId, base: &Oid, mut column: Column, texts: &[&str]) {
        let now_ns = self.clock.mono_ns();
        column.used_ns = now_ns;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = &mut *state;
        if nanos(SWEEP_EACH) <= now_ns.saturating_sub(state.swept_ns) {
            state.swept_ns = now_ns;
            state.forget(|it| nanos(UNUSED_MAX) < now_ns.saturating_sub(it.used_ns));
        }
        if BYTES_MAX < state.bytes + column.bytes {
            column = column.only(texts);
        }
        state.bytes += column.bytes;
        let columns = state.by_device.entry(interface).or_default();
        if let Some(former) = columns.insert(base.clone(), column) {
            state.bytes -= former.bytes;
        }
    }
}

impl IndexState {
    fn forget(&mut self, is_stale: impl Fn(&Column) -> bool) {
        for columns in self.by_device.values_mut() {
            columns.retain(|_, it| !is_stale(it));
        }
        self.by_device.retain(|_, columns| !columns.is_empty());
        let columns = self.by_device.values().flat_map(Map::values);
        self.bytes = columns.map(|it| it.bytes).sum();
    }
}

impl Column {
    /// Reads a column; of one too long for the memory only the rows with these texts.
    async fn walk(
        session: &Session<'_>,
        base: &Oid,
        texts: &[&str],
        reading: &mut Reading,
    ) -> Result<Self, Failure> {
        let mut column = Self::default();
        let (mut n_rows, mut has_room) = (0, true);
        let mut keep = |oid: OidRef<'_>, value: &Value<'_>| {
            if let (Some(index), Ok(text)) = (oid.suffix(base.as_ref()), to_text(value))
                && (column.bytes < COLUMN_BYTES_MAX || texts.contains(&text.as_str()))
            {
                column.insert(&text, index.collect());
            }
            n_rows += 1;
            has_room = reading.try_cover((column.bytes + n_rows * SEEN_BYTES) as u64).is_ok();
            has_room
        };
        let walked = in_time(walk(session, base, OnLoop::Fail, &mut keep)).await;
        walked
            .map_err(|it| if has_room { it } else { Failure::NotSupported(NO_ROOM.to_owned()) })?;
        Ok(column)
    }

    fn insert(&mut self, text: &str, index: Index) {
        let index_bytes = size_of_val::<[u32]>(&index);
        if self.by_text.insert(text.into(), index).is_none() {
            self.bytes += ROW_BYTES + text.len() + index_bytes;
        }
    }

    fn only(&self, texts: &[&str]) -> Self {
        let mut only = Self { used_ns: self.used_ns, ..Self::default() };
        for text in texts {
            if let Some(index) = self.by_text.get(*text) {
                only.insert(text, Arc::clone(index));
            }
        }
        only
    }

    fn object(&self, it: &Indexed) -> Result<Oid, Failure> {
        let Some(index) = self.by_text.get(it.text.as_str()) else {
            let reason = format!("Cannot find index of \"{}\" in \"{}\".", it.text, it.base);
            return Err(Failure::NotSupported(reason));
        };
        it.oid.child(index.iter().copied()).map_err(|_too_long| {
            let reason = format!("The index of \"{}\" is too long for \"{}\".", it.text, it.oid);
            Failure::NotSupported(reason)
        })
    }
}
