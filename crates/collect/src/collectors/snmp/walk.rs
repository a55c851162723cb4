//! Subtrees: as text in the form of net-snmp's `snmpwalk -Oe -Ot -On`, and as rows for discovery.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use model::map::{LookupMap, Set};
use rt::reading::{NO_ROOM, Reading};
use serde_json::{Map as Object, Value as Json};
use tokio::time::timeout;
use wire::snmp::{ErrorStatus, Oid, OidRef, Value, to_text};

use super::session::{Failure, Session, status_text};
use super::transcript::write_line;

/// Objects of one walk: tables of the largest switches have some 100,000.
const OBJECTS_MAX: usize = 500_000;
/// Text of one walk; items hold no more.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// Bytes that a field of a discovered row takes in addition to its text.
const FIELD_BYTES: usize = 64;
/// A walk that takes longer is given up: the next one is due.
const TIME_MAX: Duration = Duration::from_secs(300);

/// A walk, given up when it takes too long.
pub(super) async fn in_time<T>(
    walk: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    timeout(TIME_MAX, walk).await.unwrap_or_else(|_elapsed| {
        let reason = format!("The walk takes more than {} s.", TIME_MAX.as_secs());
        Err(Failure::NotSupported(reason))
    })
}

/// Everything below `oids`, one line each.
pub(super) async fn walk_text(
    session: &Session<'_>,
    oids: &[Oid],
    reading: &mut Reading,
) -> Result<String, Failure> {
    let mut text = String::new();
    let mut has_room = true;
    for root in oids {
        let before = text.len();
        walk(session, root, OnLoop::End, &mut |oid, value| {
            if !text.is_empty() {
                text.push('\n');
            }
            write_line(oid, value, &mut text);
            has_room = reading.try_cover(text.len() as u64).is_ok();
            has_room && text.len() <= TEXT_BYTES_MAX
        })
        .await
        .map_err(|it| if has_room { it } else { Failure::NotSupported(NO_ROOM.to_owned()) })?;
        if text.len() == before {
            // Nothing below: the name may be an object itself, as snmpwalk sees it.
            let answer = match session.get(std::iter::once(root.as_ref())).await {
                // It has just answered.
                Err(Failure::Network(_)) => session.get(std::iter::once(root.as_ref())).await?,
                answered => answered?,
            };
            let pdu = answer.pdu()?;
            if pdu.error_status() != ErrorStatus::NO_ERROR {
                return Err(Failure::NotSupported(status_text(pdu.error_status())));
            }
            for varbind in pdu.varbinds.flatten() {
                to_text(&varbind.value).map_err(|it| Failure::NotSupported(it.to_string()))?;
                if !text.is_empty() {
                    text.push('\n');
                }
                write_line(varbind.oid, &varbind.value, &mut text);
            }
        }
    }
    Ok(text)
}

/// The rows of a table: one for each index that any column has, in the order of the device.
pub(super) async fn discover(
    session: &Session<'_>,
    columns: &[(String, Oid)],
    reading: &mut Reading,
) -> Result<String, Failure> {
    let (mut bytes, mut has_room) = (0, true);
    let mut rows: Vec<Object<String, Json>> = Vec::new();
    let mut by_index: LookupMap<String, usize> = LookupMap::default();
    for (name, root) in columns {
        walk(session, root, OnLoop::Fail, &mut |oid, value| {
            let (Some(suffix), Ok(text)) = (oid.suffix(root.as_ref()), to_text(value)) else {
                return true;
            };
            let index = suffix.map(|it| it.to_string()).collect::<Vec<_>>().join(".");
            let row = *by_index.entry(index).or_insert_with_key(|index| {
                let mut row = Object::new();
                row.insert("{#SNMPINDEX}".to_owned(), index.as_str().into());
                rows.push(row);
                rows.len() - 1
            });
            bytes += (FIELD_BYTES + name.len() + text.len()) as u64;
            rows[row].insert(name.clone(), text.into());
            has_room = reading.try_cover(bytes).is_ok();
            has_room
        })
        .await
        .map_err(|it| if has_room { it } else { Failure::NotSupported(NO_ROOM.to_owned()) })?;
    }
    Ok(Json::Array(rows.into_iter().map(Json::Object).collect()).to_string())
}

/// The end of a walk whose device returns an object a second time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnLoop {
    /// The result has the objects before it.
    End,
    /// It fails.
    Fail,
}

/// Passes everything below `root` to `each`, until it returns false.
///
/// Devices do not always keep to the order of names; objects are taken in any order, each once, so
/// that a walk ends whatever the device answers. A device that has answered may miss requests: the
/// walk asks again, at last for one object, before it gives up.
pub(super) async fn walk(
    session: &Session<'_>,
    root: &Oid,
    on_loop: OnLoop,
    each: &mut (dyn FnMut(OidRef<'_>, &Value<'_>) -> bool + Send),
) -> Result<(), Failure> {
    let not_supported = |reason: &str| Err(Failure::NotSupported(reason.to_owned()));
    let mut last = root.clone();
    let mut pace = Pace::new(session.max_repetitions);
    // Names by their hashes: 64 bits identify the objects of any walk.
    let (hashes, mut seen) = (RandomState::new(), Set::<u64>::default());
    loop {
        let answer = match session.next(&last, pace.repetitions).await {
            Err(Failure::Network(_)) if pace.is_slower_after_silence() => continue,
            answered => answered?,
        };
        let pdu = answer.pdu()?;
        match pdu.error_status() {
            ErrorStatus::NO_ERROR => {}
            // v1 has no other way to mark the end of the tree.
            ErrorStatus::NO_SUCH_NAME => return Ok(()),
            // It may be too much at once.
            _ if pace.is_slower_after_refusal() => continue,
            status => return Err(Failure::NotSupported(status_text(status))),
        }
        let mut is_empty = true;
        for varbind in pdu.varbinds {
            let varbind =
                varbind.map_err(|it| Failure::NotSupported(format!("Invalid answer: {it}.")))?;
            if varbind.value == Value::EndOfMibView || !varbind.oid.starts_with(root.as_ref()) {
                return Ok(());
            }
            let is_same = varbind.oid == last.as_ref();
            if is_same || !seen.insert(hashes.hash_one(varbind.oid)) {
                return match on_loop {
                    OnLoop::End => Ok(()),
                    OnLoop::Fail if is_same => not_supported("OID not changing."),
                    OnLoop::Fail => not_supported("OID loop detected or too many OIDs."),
                };
            }
            if OBJECTS_MAX < seen.len() || !each(varbind.oid, &varbind.value) {
                return not_supported("The walk gives more than an item can hold.");
            }
            last = varbind.oid.to_owned();
            is_empty = false;
        }
        if is_empty {
            if pace.is_slower_after_refusal() {
                continue;
            }
            return Ok(());
        }
        pace.is_answered();
    }
}

/// How many objects a walk asks for at once.
#[derive(Debug)]
struct Pace {
    repetitions: i32,
    /// The largest number that was answered.
    answered: i32,
    /// Requests without an answer, since the last one with an answer.
    n_silent: u32,
}

impl Pace {
    /// Requests of a walk that may go without an answer before it is given up, each sent twice.
    const SILENT_MAX: u32 = 3;

    fn new(repetitions: i32) -> Self {
        Self { repetitions, answered: 0, n_silent: 0 }
    }

    fn is_answered(&mut self) {
        self.answered = self.answered.max(self.repetitions);
        self.repetitions = self.answered;
        self.n_silent = 0;
    }

    /// Whether to ask again after a refusal.
    fn is_slower_after_refusal(&mut self) -> bool {
        let is_slower = 1 < self.repetitions;
        self.repetitions = (self.repetitions / 2).max(1);
        self.answered = self.answered.min(self.repetitions);
        is_slower
    }

    /// Whether to ask again after silence: at first as before, if as many objects were answered
    /// once, because packets get lost; otherwise for one object, because devices drop requests that
    /// are too large.
    fn is_slower_after_silence(&mut self) -> bool {
        self.n_silent += 1;
        let was_lost = self.n_silent == 1 && self.repetitions <= self.answered;
        // A device that has not answered at all is asked twice.
        let is_alive = 0 < self.answered;
        let is_again = self.n_silent < Self::SILENT_MAX && (is_alive || 1 < self.repetitions);
        if !was_lost {
            self.repetitions = 1;
        }
        is_again
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_asks_again_after_silence_and_for_less_after_refusals() {
        let mut dead = Pace::new(10);
        assert!(dead.is_slower_after_silence());
        assert_eq!(dead.repetitions, 1);
        assert!(!dead.is_slower_after_silence(), "nobody is there");
        assert!(!Pace::new(1).is_slower_after_silence(), "nobody is there");
        let mut lossy = Pace::new(10);
        for _ in 0..3 {
            lossy.is_answered();
            assert!(lossy.is_slower_after_silence());
            assert_eq!(lossy.repetitions, 10);
            assert!(lossy.is_slower_after_silence());
            assert_eq!(lossy.repetitions, 1);
        }
        assert!(!lossy.is_slower_after_silence(), "it has gone");
        let mut small = Pace::new(10);
        small.is_answered();
        for rest in [5, 2, 1] {
            assert!(small.is_slower_after_refusal());
            assert_eq!(small.repetitions, rest);
        }
        assert!(!small.is_slower_after_refusal());
        small.is_answered();
        assert_eq!(small.repetitions, 1);
    }
}
