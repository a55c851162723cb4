//! Open problems of a trigger, and which of them a recovery closes.
//!
//! A recovery closes all of them, or with correlation by tag those that have the same value of that
//! tag. Of each open problem hashes of its tags are kept, so that the tag by which a trigger
//! correlates may change while problems are open.

use model::content::Tag;
use model::{EventId, Time};

use super::Shard;
use super::names::What;
use super::state::pack;
use crate::effects::EventRef;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OpenProblem {
    /// See [`pack`].
    pub(super) event: u64,
    /// Of its tags, see [`hash`]; `None`: from a checkpoint that has none, any recovery closes it.
    pub(super) tags: Option<Box<[u64]>>,
}

impl OpenProblem {
    pub(super) fn new<'a>(event: EventRef, tags: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        Self { event: pack(event), tags: Some(tags.map(|it| hash(it.0, it.1)).collect()) }
    }

    pub(super) fn is(&self, event: EventId) -> bool {
        self.event == pack(EventRef::Id(event))
    }
}

/// What a recovery closes.
#[derive(Debug)]
pub(super) enum Closes {
    All,
    /// Problems with one of these tags.
    Tagged(Vec<u64>),
}

impl Closes {
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

impl Shard {
    /// What a recovery with these tags closes of a trigger's problems.
    pub(super) fn closes(&self, host: u32, position: u32, time: Time, tags: &[Tag]) -> Closes {
        let Some(name) = self.correlation_tag(host, position, time) else { return Closes::All };
        let same = tags.iter().filter(|it| it.tag == name);
        Closes::Tagged(same.map(|it| hash(&it.tag, &it.value)).collect())
    }

    /// The problems that are open when all events that wait for their names are made.
    pub(super) fn decided_open(&self, host: u32, position: u32) -> Vec<OpenProblem> {
        let state = self.hosts.trigger(host, position);
        let mut open = state.map_or_else(Vec::new, |it| it.open.clone());
        for held in self.unnamed.of(host, position) {
            let (decision, tags) = (held.decision(), held.tags());
            match decision.what {
                What::Problem => {
                    open.push(OpenProblem::new(EventRef::Pending(u32::MAX), pairs(tags)));
                }
                What::Recovery => {
                    let closes = self.closes(host, position, decision.time, tags);
                    open.retain(|it| !closes.has(it));
                }
                What::Closing(event, _) => open.retain(|it| !it.is(event)),
            }
        }
        open
    }
}
