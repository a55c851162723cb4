//! Open problems of a trigger, and which of them a recovery closes.
//!
//! A recovery closes all of them, or with correlation by tag those that have the same value of that
//! tag. Of each open problem hashes of its tags are kept, so that the tag by which a trigger
//! correlates may change while problems are open.

use model::EventId;
use model::content::Tag;

use crate::effects::{Effects, StepEventRef};

/// Problems that one trigger may have open at a time, some 60 MB of them. It protects the shard's
/// memory: far more than that is taken by the problems themselves, which the server keeps until
/// they end. Traps and log entries whose problems are closed by hand come to tens of thousands in
/// months, and each of them must stay within reach of a recovery and of a user. When it is reached
/// the oldest are let go, and counted.
pub(super) const OPEN_MAX: usize = 1_000_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OpenProblem {
    /// See [`pack`].
    pub(super) event: u64,
    /// Of its tags, see [`hash`]; `None`: from a checkpoint that has none, any recovery closes it.
    pub(super) tags: Option<Box<[u64]>>,
}

impl OpenProblem {
    pub(super) fn new<'a>(
        event: StepEventRef,
        tags: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        Self { event: pack(event), tags: Some(tags.map(|it| hash(it.0, it.1)).collect()) }
    }

    pub(super) fn is(&self, event: EventId) -> bool {
        self.event == pack(StepEventRef::Id(event))
    }
}

/// The problems that a recovery closes.
#[derive(Debug)]
pub(super) enum Closes {
    All,
    /// Problems with one of these tags.
    Tagged(Vec<u64>),
}

impl Closes {
    /// `tag`: the tag by which the trigger correlates, if it does.
    pub(super) fn of(tag: Option<&str>, tags: &[Tag]) -> Self {
        let Some(name) = tag else { return Self::All };
        let same = tags.iter().filter(|it| it.tag == name);
        Self::Tagged(same.map(|it| hash(&it.tag, &it.value)).collect())
    }

    pub(super) fn has(&self, problem: &OpenProblem) -> bool {
        match (self, &problem.tags) {
            (Self::All, _) | (_, None) => true,
            (Self::Tagged(wanted), Some(tags)) => tags.iter().any(|it| wanted.contains(it)),
        }
    }
}

/// A hash that stays the same from version to version, because checkpoints have it (FNV-1a).
fn hash(tag: &str, value: &str) -> u64 {
    // No byte of UTF-8.
    let bytes = tag.bytes().chain([0xff]).chain(value.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, it| {
        (hash ^ u64::from(it)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub(super) fn pairs(tags: &[Tag]) -> impl Iterator<Item = (&str, &str)> {
    tags.iter().map(|it| (it.tag.as_str(), it.value.as_str()))
}

/// Marks numbers of events that have no id yet.
const PENDING: u64 = 1 << 63;

/// An event reference in one word.
pub(super) fn pack(event: StepEventRef) -> u64 {
    match event {
        StepEventRef::Id(id) => id.0,
        StepEventRef::Pending(k) => PENDING | u64::from(k),
    }
}

pub(super) fn unpack(packed: u64) -> StepEventRef {
    if packed & PENDING == 0 {
        StepEventRef::Id(EventId(packed))
    } else {
        StepEventRef::Pending(u32::try_from(packed & !PENDING).unwrap_or(u32::MAX))
    }
}

/// The event that is made next.
pub(super) fn pending(effects: &Effects) -> StepEventRef {
    StepEventRef::Pending(u32::try_from(effects.events.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(tag: &str, value: &str) -> Tag {
        Tag { tag: tag.to_owned(), value: value.to_owned() }
    }

    #[test]
    fn a_recovery_closes_the_problems_with_the_same_value_of_the_tag() {
        let of = |tags: &[Tag]| OpenProblem::new(StepEventRef::Id(EventId(1)), pairs(tags));
        let eth0 = of(&[tag("if", "eth0"), tag("x", "y")]);
        let eth1 = of(&[tag("if", "eth1"), tag("x", "y")]);
        let recovered = [tag("if", "eth0"), tag("x", "y")];
        let closes = Closes::of(Some("if"), &recovered);
        assert!(closes.has(&eth0) && !closes.has(&eth1));
        assert!(Closes::of(None, &recovered).has(&eth1));
        // A problem with unknown tags is closed by any recovery.
        assert!(closes.has(&OpenProblem { event: 1, tags: None }));
    }

    #[test]
    fn events_with_and_without_id_are_distinguished() {
        for event in [StepEventRef::Id(EventId(7)), StepEventRef::Pending(7)] {
            assert_eq!(unpack(pack(event)), event);
        }
    }
}
