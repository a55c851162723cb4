//! The identity of this server for senders of informs by SNMPv3: an engine with a lasting id, and a
//! clock.
//!
//! The id is made once, of randomness, in net-snmp's form; the number of starts is counted in the
//! data directory: an engine whose count restarts would accept old messages again.

use std::path::Path;
use std::{fmt::Write as _, fs, io};

use rt::clock::Clock;

/// Allowed error of the time in a signed message, in seconds (RFC 3414). Others are refused as
/// repetitions.
const WINDOW_S: i32 = 150;
/// Largest number of starts; an engine that has reached it accepts nothing.
const BOOTS_MAX: i32 = i32::MAX;
/// Number of the net-snmp project with the high bit, and "random" in its own forms.
const ID_START: [u8; 5] = [0x80, 0x00, 0x1f, 0x88, 0x80];
const FILE: &str = "snmp_engine";

#[derive(Debug)]
pub(super) struct LocalEngine {
    pub(super) id: Vec<u8>,
    boots: i32,
    started_ns: u64,
    clock: Clock,
}

impl LocalEngine {
    /// Reads the identity from a folder and counts this start there.
    ///
    /// # Errors
    /// If that cannot be saved, so that this start and the next one would have the same number.
    pub(super) fn load(folder: &Path, clock: &Clock) -> io::Result<Self> {
        let path = folder.join(FILE);
        let (id, boots) = match fs::read_to_string(&path) {
            Ok(text) => parse(&text).ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{} is damaged", path.display()))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => (new_id()?, 0),
            Err(error) => return Err(error),
        };
        let boots = boots.saturating_add(1);
        let temporary = path.with_extension("new");
        fs::write(&temporary, format!("{} {boots}\n", hex(&id)))?;
        fs::File::open(&temporary)?.sync_all()?;
        fs::rename(&temporary, &path)?;
        Ok(Self { id, boots, started_ns: clock.mono_ns(), clock: clock.clone() })
    }

    /// Boots and time.
    pub(super) fn now(&self) -> (i32, i32) {
        let s = self.clock.mono_ns().saturating_sub(self.started_ns) / 1_000_000_000;
        (self.boots, i32::try_from(s).unwrap_or(i32::MAX))
    }

    /// Whether a message signed with these was made just now.
    pub(super) fn is_in_time(&self, boots: i32, time: i32) -> bool {
        let (own_boots, own_time) = self.now();
        boots == own_boots
            && boots < BOOTS_MAX
            && own_time.abs_diff(time) <= WINDOW_S.unsigned_abs()
    }

    pub(super) fn shown_id(&self) -> String {
        format!("0x{}", hex(&self.id))
    }
}

/// The clock of an engine that sends traps, as its newest signed message had it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RemoteClock {
    boots: i32,
    time: i32,
    learned_ns: u64,
}

impl RemoteClock {
    pub(super) fn new(boots: i32, time: i32, learned_ns: u64) -> Self {
        Self { boots, time, learned_ns }
    }

    /// Takes over the clock of a signed message; `false`: it is a repetition of an old one.
    pub(super) fn accept(&mut self, boots: i32, time: i32, now_ns: u64) -> bool {
        let newest = (self.boots, self.time);
        if newest < (boots, time) {
            *self = Self::new(boots, time, now_ns);
        }
        let passed = now_ns.saturating_sub(self.learned_ns) / 1_000_000_000;
        let passed = i32::try_from(passed).unwrap_or(i32::MAX);
        let is_old = time < self.time.saturating_add(passed).saturating_sub(WINDOW_S);
        boots == self.boots && boots < BOOTS_MAX && !is_old
    }
}

fn new_id() -> io::Result<Vec<u8>> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok([ID_START.as_slice(), &random].concat())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    bytes.iter().for_each(|it| write!(text, "{it:02x}").expect("to memory"));
    text
}

fn parse(text: &str) -> Option<(Vec<u8>, i32)> {
    let (id, boots) = text.trim().split_once(' ')?;
    let byte = |it: &[u8]| u8::from_str_radix(str::from_utf8(it).ok()?, 16).ok();
    let id: Option<Vec<u8>> = id.as_bytes().chunks(2).map(byte).collect();
    let id = id.filter(|it| (5..=32).contains(&it.len()))?;
    Some((id, boots.parse().ok().filter(|it| 0 <= *it)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Time;

    #[test]
    fn engine_keeps_its_id_and_counts_its_starts() {
        let folder = tempfile::tempdir().expect("a folder is made");
        let clock = Clock::manual(Time(1));
        let first = LocalEngine::load(folder.path(), &clock).expect("it is made");
        let second = LocalEngine::load(folder.path(), &clock).expect("it is read");
        assert_eq!(first.id, second.id);
        assert_eq!((first.now(), second.now()), ((1, 0), (2, 0)));
        clock.advance(std::time::Duration::from_secs(200));
        assert_eq!(second.now(), (2, 200));
        for (boots, time, is) in
            [(2, 200, true), (2, 50, true), (2, 350, true), (2, 49, false), (1, 200, false)]
        {
            assert_eq!(second.is_in_time(boots, time), is, "{boots} {time}");
        }
        fs::write(folder.path().join(FILE), "80001f88 x").expect("written");
        assert!(LocalEngine::load(folder.path(), &clock).is_err(), "a damaged one is not replaced");
    }

    #[test]
    fn old_message_is_not_accepted_again() {
        const S: u64 = 1_000_000_000;
        let mut it = RemoteClock::new(3, 1_000, 0);
        assert!(it.accept(3, 1_000, 0));
        assert!(it.accept(3, 1_100, 100 * S));
        assert!(it.accept(3, 960, 100 * S), "a little late");
        assert!(!it.accept(3, 949, 100 * S));
        assert!(!it.accept(3, 1_100, 251 * S), "time went on here");
        assert!(it.accept(4, 0, 300 * S), "restarted");
        assert!(!it.accept(3, 5_000, 300 * S));
    }
}
