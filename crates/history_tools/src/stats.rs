//! `saker history stats`: the contents of the files of history.

use std::io;
use std::path::Path;

use data_dir::{DataDir, DataDirError};
use disk::OsDisk;
use history::{ClassStats, StoredKind};
use jiff::Timestamp;
use model::Time;
use thiserror::Error;
use tools::say;

/// Why there are no statistics.
#[derive(Debug, Error)]
pub enum HistoryStatsError {
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    #[error(transparent)]
    History(#[from] history::Error),
    #[error("the statistics cannot be printed: {0}")]
    Say(#[from] io::Error),
}

/// Prints the stored values, a line for each class of retention and one for all.
///
/// # Errors
/// [`HistoryStatsError`], in words for the operator.
pub fn print_stats(data: &Path) -> Result<(), HistoryStatsError> {
    DataDir::check(data)?;
    let classes = history::stats(&OsDisk, data)?;
    let mut text = format!(
        "{:<7} {:<9} {:>7} {:>16} {:>16} {:>12}  {:<20}  {:<20}\n",
        "of", "kept", "files", "bytes", "values", "bytes/value", "from", "to"
    );
    for class in &classes {
        let kept = match class.retention.days() {
            Some(1) => "1 day".to_owned(),
            Some(days) => format!("{days} days"),
            None => "for ever".to_owned(),
        };
        let stored = match class.stored {
            StoredKind::Values => "values",
            StoredKind::Trends => "trends",
        };
        text.push_str(&line((stored, &kept), class));
    }
    if let Some(all) = classes.into_iter().reduce(sum) {
        text.push_str(&line(("all", ""), &all));
    }
    Ok(say(&text)?)
}

fn sum(a: ClassStats, b: ClassStats) -> ClassStats {
    ClassStats {
        stored: b.stored,
        retention: b.retention,
        n_files: a.n_files + b.n_files,
        n_bytes: a.n_bytes + b.n_bytes,
        n_values: a.n_values + b.n_values,
        oldest: a.oldest.min(b.oldest),
        newest: a.newest.max(b.newest),
    }
}

#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
fn line((stored, kept): (&str, &str), stats: &ClassStats) -> String {
    let ClassStats { n_files, n_bytes, n_values, .. } = *stats;
    let each = n_bytes as f64 / n_values.max(1) as f64;
    let (from, to) = (second(stats.oldest), second(stats.newest));
    format!(
        "{stored:<7} {kept:<9} {n_files:>7} {n_bytes:>16} {n_values:>16} {each:>12.2}  {from:<20}  {to:<20}\n"
    )
}

fn second(time: Time) -> Timestamp {
    Timestamp::from_second(time.clock()).unwrap_or(Timestamp::UNIX_EPOCH)
}
