//! The past status of a service.

use lang::service::Status;

/// The status of a service over some time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StatusTimeline {
    /// Before the first change.
    pub start: Status,
    /// When the status changed (seconds since 1970), ascending, and to which.
    pub changes: Vec<(i64, Status)>,
}

impl StatusTimeline {
    /// The part from one second to another, which is not included; it has to be within this one.
    #[must_use]
    pub fn part(&self, from: i64, to: i64) -> Self {
        let first = self.changes.partition_point(|(at, _)| *at < from);
        let end = self.changes.partition_point(|(at, _)| *at < to).max(first);
        let before = first.checked_sub(1).and_then(|it| self.changes.get(it));
        Self {
            start: before.map_or(self.start, |(_, status)| *status),
            changes: self.changes.get(first..end).unwrap_or_default().to_vec(),
        }
    }
}
