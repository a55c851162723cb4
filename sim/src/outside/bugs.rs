//! Steps that panic, as bugs would have it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use engine::fault_injection::InjectFaults;
use pipeline::{Effects, HeavyDone, Input, StepResult};
use preprocess::Data;

use super::lock;
use crate::random::Random;

/// One step in so many panics.
const PANIC_EACH: usize = 60;
/// Panics of one shard in one process: more of them quarantine items, which is not checked here.
const PANICS_MAX: usize = 12;

/// Bugs that may happen, and those that have happened.
#[derive(Debug)]
pub(crate) struct Bugs {
    random: Random,
    pub(crate) is_on: bool,
    /// By shard of this process.
    of_shards: BTreeMap<u16, OfShard>,
    /// Numbers of which scripts make values.
    pub(crate) masters: BTreeSet<u64>,
    /// Those whose scripts nobody ran to their end.
    pub(crate) excused: BTreeSet<u64>,
    pub(crate) n_panics: usize,
}

#[derive(Debug, Default)]
struct OfShard {
    n_panics: usize,
    /// Steps that follow a panic: the same input once more.
    n_spared: usize,
    /// Kinds of answers over which a step has panicked: a second one would be blamed on the item.
    answers: BTreeSet<&'static str>,
}

impl Bugs {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            is_on: false,
            of_shards: BTreeMap::new(),
            masters: BTreeSet::new(),
            excused: BTreeSet::new(),
            n_panics: 0,
        }
    }

    pub(crate) fn new_process(&mut self) {
        self.of_shards.clear();
    }

    /// Whether the step panics.
    fn strikes(&mut self, shard: u16, input: &Input<'_>) -> bool {
        let of_shard = self.of_shards.entry(shard).or_default();
        if of_shard.n_spared != 0 {
            of_shard.n_spared -= 1;
            return false;
        }
        if !self.is_on || PANICS_MAX <= of_shard.n_panics {
            return false;
        }
        // Answers come rarely.
        let (n_again, answer) = match input {
            Input::Batch(batch) => (batch.len(), None),
            Input::Forwarded(batch) => (batch.rows.len() + 1, None),
            Input::Timer | Input::Close(_) => (1, None),
            // The question is answered all the same.
            Input::EndHours(_) | Input::WithoutData(_) => return false,
            Input::Fetched(_) => (0, Some("fetched")),
            Input::CrossItemAnswers(_) => (0, Some("cross-item answer")),
            Input::HeavyDone(_) => (0, Some("done")),
            Input::ForwardedRow(..) => return false,
        };
        let each = if answer.is_some() { PANIC_EACH / 6 } else { PANIC_EACH };
        if !self.random.once_in(each) {
            return false;
        }
        if let Some(kind) = answer
            && of_shard.answers.contains(kind)
        {
            return false;
        }
        if let Input::HeavyDone(done) = input {
            let numbers: BTreeSet<u64> = done.iter().flat_map(numbers).collect();
            // The result of other panics is unknown.
            if numbers.is_empty() || !numbers.is_subset(&self.masters) {
                return false;
            }
            self.excused.extend(numbers);
        }
        of_shard.answers.extend(answer);
        of_shard.n_spared = n_again;
        of_shard.n_panics += 1;
        self.n_panics += 1;
        true
    }
}

/// The numbers that results hold; an unused one for results without any.
fn numbers(done: &HeavyDone) -> Vec<u64> {
    let number = |it: &StepResult| match it {
        Ok(Some(Data::Text(text))) => text.parse().unwrap_or(u64::MAX),
        _ => u64::MAX,
    };
    done.results.iter().map(number).collect()
}

/// The bugs of a process.
#[derive(Clone, Debug)]
pub(crate) struct Injector(pub(crate) Arc<Mutex<Bugs>>);

impl InjectFaults for Injector {
    fn after_step(&self, shard: u16, input: &Input<'_>, _effects: &Effects) {
        let strikes = lock(&self.0).strikes(shard, input);
        assert!(!strikes, "a bug of a step, on purpose");
    }
}
