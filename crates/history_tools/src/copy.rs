//! `saker history copy --from STORE --to STORE`: so that the store of a stopped server can be changed.
//!
//! The source is read in a fixed order, series by series, and its values are written to the target
//! as records that a server delivers ([`history::Store::apply`]), with positions of their own: the
//! number of rows before them. The target stores rows and position together, as always, so an
//! interrupted copy continues at its position and no row is there twice. The identity of the
//! journal of these positions is a mark made of the source's state ([`scan::mark`]): a server does
//! not feed a target with such a mark, another source is not taken for this one, and a source that
//! has changed is noticed.
//!
//! At the end rows are counted by type, period and day. Only then does the target get its position
//! in the real journal, from which the server has to feed it. The server's own store, as a target,
//! is filled in a folder next to the one in use ([`own`]).

mod error;
mod own;
mod remote_store;
mod scan;
mod target;

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use data_dir::DataDir;
use journal::Lsn;
use model::Time;
use model::record::RecordView;
use rt::clock::Clock;
use stores::{DayCount, Table};
use tools::say;

pub use self::error::CopyError;
use self::own::OwnTarget;
pub use self::remote_store::StoreName;
use self::remote_store::{RemoteStore, Source};
use self::scan::{Piece, Scan};
use self::target::Target;
use crate::stopped::{self, Installation, Stopped, StoppedError};

/// Between two lines of progress.
const PROGRESS_NS: u64 = 2_000_000_000;
const DAY_S: i64 = 86_400;

/// Rows by type, period and day.
type Counts = BTreeMap<(Table, u32, i64), u64>;

/// Copies, with progress on standard error. The server's own store, as a target, stores `rows_max` rows together.
///
/// # Errors
/// [`CopyError`], in words for the operator. Copied rows stay, and the next run continues.
pub fn run(
    installation: &Installation<'_>,
    (from, to): (StoreName, StoreName),
    rows_max: u64,
) -> Result<(), CopyError> {
    if from == to {
        return Err(CopyError::Same);
    }
    let clock = Clock::real();
    // Locked until the end.
    let (_data_dir, journal, source, target) = match (from, to) {
        (StoreName::Embedded, _) => {
            let target = Target::Elsewhere(RemoteStore::open(installation.stores, to)?);
            let Stopped { data_dir, journal, store } = stopped::open(installation.data)?;
            (data_dir, journal, Source::Embedded(store), target)
        }
        _ => {
            let source = Source::Elsewhere(RemoteStore::open(installation.stores, from)?);
            let data_dir = DataDir::open_existing(installation.data).map_err(StoppedError::from)?;
            let journal = stopped::open_journal(data_dir.path())?;
            let target = match to {
                StoreName::Embedded => {
                    let target = OwnTarget::open(data_dir.path(), rows_max, clock.wall())?;
                    Target::Embedded(Box::new(target))
                }
                _ => Target::Elsewhere(RemoteStore::open(installation.stores, to)?),
            };
            (data_dir, journal, source, target)
        }
    };
    let db = stopped::open_configuration(&installation.tables)?;
    source.store().expect_journal(&journal);
    let (mark, place) = (source.mark()?, source.place(&journal)?);
    if target.begin(mark, journal.identity())? {
        let note = target.complete((mark, journal.identity()), place)?;
        let text = "all rows were copied and counted before; the server goes on behind them\n";
        return say(&format!("{text}{}", note.unwrap_or_default())).map_err(CopyError::Say);
    }
    let snapshot = db.snapshot();
    let mut copy = Copy {
        target: &target,
        reached: target.reached(),
        position: 0,
        expected: Counts::new(),
        n_left_out: 0,
        kept: KeptDays::of(clock.wall()),
        progress: Progress { clock: clock.clone(), reported_ns: 0 },
    };
    let mut scan = Scan::new(&source, &snapshot).map_err(CopyError::Source)?;
    while let Some(piece) = scan.next().map_err(CopyError::Source)? {
        copy.take(piece)?;
    }
    if copy.position < copy.reached {
        return Err(CopyError::NoBorder);
    }
    target.flush().map_err(CopyError::Target)?;
    check(&target.counts().map_err(CopyError::Target)?, &copy.expected, clock.wall())?;
    let n: u64 = copy.expected.values().sum();
    let n_left_out = copy.n_left_out;
    let note = target.complete((mark, journal.identity()), place)?;
    let mut text = format!("{n} rows are copied and counted; the server goes on behind them\n");
    if n_left_out > 0 {
        text.push_str(&format!(
            "{n_left_out} rows were left out: past the period of their item, or of a time that the target \
             cannot hold\n"
        ));
    }
    text.push_str(&note.unwrap_or_default());
    say(&text).map_err(CopyError::Say)
}

struct Copy<'a> {
    target: &'a Target,
    /// How many rows the target had stored when this run began.
    reached: u64,
    /// Rows gone through so far.
    position: u64,
    expected: Counts,
    n_left_out: u64,
    kept: KeptDays,
    progress: Progress,
}

impl Copy<'_> {
    fn take(&mut self, mut piece: Piece) -> Result<(), CopyError> {
        let before = self.position;
        self.position += piece.n_rows();
        let (kept, holds) = (&self.kept, self.target.holds());
        let n =
            piece.retain(|days, time| kept.is_kept(days, time) && holds.contains(&time.clock()));
        self.n_left_out += n;
        let (table, days) = (piece.table(), piece.days());
        piece.each_day(|day| *self.expected.entry((table, days, day)).or_default() += 1);
        self.progress.report(self.position);
        if self.position <= self.reached {
            // Stored by an earlier run.
            return Ok(());
        }
        if before < self.reached {
            return Err(CopyError::NoBorder);
        }
        let bytes = piece.record();
        let record = RecordView::parse(&bytes).map_err(CopyError::Record)?;
        self.target.apply(&record, Lsn(self.position)).map_err(CopyError::Target)
    }
}

/// The first day of rows that are kept: rows that the target would drop at once are not copied.
struct KeptDays {
    today: i64,
}

impl KeptDays {
    fn of(now: Time) -> Self {
        Self { today: now.clock().div_euclid(DAY_S) }
    }

    fn is_kept(&self, days: u32, time: Time) -> bool {
        self.is_kept_day(days, time.clock().div_euclid(DAY_S))
    }

    fn is_kept_day(&self, days: u32, day: i64) -> bool {
        days == 0 || self.today - i64::from(days) <= day
    }
}

/// Compares the copied rows with the rows of the target, except for days that have been dropped
/// since.
fn check(found: &[DayCount], expected: &Counts, now: Time) -> Result<(), CopyError> {
    let kept = KeptDays::of(now);
    let found: Counts = found.iter().map(|it| ((it.table, it.days, it.day), it.n_rows)).collect();
    let all = expected.keys().chain(found.keys());
    for key in all.filter(|it| kept.is_kept_day(it.1, it.2)) {
        let count = |counts: &Counts| counts.get(key).copied().unwrap_or(0);
        let (expected, found) = (count(expected), count(&found));
        if expected != found {
            let (table, days, day) = *key;
            return Err(CopyError::Counts { table, days, day, expected, found });
        }
    }
    Ok(())
}

/// Writes its progress to standard error.
struct Progress {
    clock: Clock,
    reported_ns: u64,
}

impl Progress {
    fn report(&mut self, n_rows: u64) {
        let now_ns = self.clock.mono_ns();
        if PROGRESS_NS <= now_ns.saturating_sub(self.reported_ns) {
            self.reported_ns = now_ns;
            // Standard error may be closed: the copy continues.
            drop(writeln!(io::stderr(), "{n_rows} rows"));
        }
    }
}

#[cfg(test)]
mod tests {
    use model::ValueType;

    use super::*;

    const TODAY: i64 = 20_000;

    #[test]
    fn counts_are_compared_but_for_days_that_are_over() {
        let table = Table::Values(ValueType::Float);
        let now = Time::from_clock(TODAY * DAY_S + 5, 0);
        let counts = |rows: &[(u32, i64, u64)]| -> Counts {
            rows.iter().map(|(days, day, n)| ((table, *days, *day), *n)).collect()
        };
        let found = |rows: &[(u32, i64, u64)]| -> Vec<DayCount> {
            let count = |(days, day, n_rows)| DayCount { table, days, day, n_rows };
            rows.iter().copied().map(count).collect()
        };
        let expected = counts(&[(7, TODAY - 8, 5), (7, TODAY - 7, 6), (0, 3, 1)]);
        for (rows, is_right) in [
            (&[(7, TODAY - 7, 6), (0, 3, 1)][..], true),
            (&[(7, TODAY - 8, 5), (7, TODAY - 7, 6), (0, 3, 1)], true),
            (&[(7, TODAY - 7, 5), (0, 3, 1)], false),
            (&[(7, TODAY - 7, 6)], false),
            (&[(7, TODAY - 7, 6), (0, 3, 1), (0, 4, 1)], false),
        ] {
            assert_eq!(check(&found(rows), &expected, now).is_ok(), is_right, "{rows:?}");
        }
    }
}
