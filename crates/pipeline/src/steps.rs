//! Preprocessing of one item: its compiled steps, and what they remember.

use lang::preprocess::{self, Context, Data, Outcome, Step, StepState};
use model::batch::RawRef;
use model::content::PreprocStep;
use model::{Time, ValueType};

/// One state a step.
pub(crate) type Memory = Box<[StepState]>;

/// The steps of an item, shared by all hosts for which they compile to the same.
#[derive(Debug)]
pub(crate) struct ItemProgram {
    steps: Box<[Step]>,
    has_state: bool,
}

impl ItemProgram {
    /// `resolved`: parameters and error parameters of each step in turn, macros replaced.
    pub(crate) fn compile(steps: &[PreprocStep], resolved: &[String]) -> Self {
        let steps: Box<[Step]> = steps
            .iter()
            .zip(resolved.chunks(2))
            .map(|(step, texts)| {
                Step::compile(&PreprocStep {
                    params: texts.first().cloned().unwrap_or_default(),
                    error_handler_params: texts.get(1).cloned().unwrap_or_default(),
                    ..step.clone()
                })
            })
            .collect();
        let has_state = steps.iter().any(Step::has_state);
        Self { steps, has_state }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn has_state(&self) -> bool {
        self.has_state
    }

    /// The factor, if multiplying is all there is to do.
    pub(crate) fn multiplier(&self) -> Option<f64> {
        match &*self.steps {
            [only] => only.multiplier(),
            _ => None,
        }
    }

    /// Takes a raw value through the steps. `changed` is told of each step whose memory changed.
    pub(crate) fn run<'a>(
        &self,
        raw: RawRef<'a>,
        value_type: ValueType,
        time: Time,
        memory: &mut [StepState],
        changed: &mut dyn FnMut(u16, &StepState),
    ) -> Outcome<'a> {
        let Some(input) = input(raw) else { return Outcome::Discarded };
        // One bit a step; later steps of absurdly long lists are told of each time.
        let mut had = 0_u64;
        for (idx, state) in memory.iter().take(64).enumerate() {
            had |= u64::from(state.last().is_some()) << idx;
        }
        let outcome = preprocess::run(&self.steps, memory, input, Context { time, value_type });
        for (idx, state) in memory.iter().enumerate() {
            let had_state = 64 <= idx || had & (1 << idx) != 0;
            let is_changed = match state.last() {
                Some((_, known)) => *known == time,
                None => had_state,
            };
            if is_changed && let Ok(idx) = u16::try_from(idx) {
                changed(idx, state);
            }
        }
        outcome
    }
}

/// A raw value as preprocessing takes it; `None` if there is nothing.
pub(crate) fn input(raw: RawRef<'_>) -> Option<Result<Data<'_>, String>> {
    match raw {
        RawRef::Text(it) => Some(Ok(Data::text(it))),
        RawRef::Unsigned(it) => Some(Ok(Data::Unsigned(it))),
        RawRef::Float(it) => Some(Ok(Data::Float(it))),
        RawRef::Error(it) => Some(Err(it.to_owned())),
        RawRef::Nothing => None,
    }
}

/// The other way round.
pub(crate) fn raw_of<'a>(data: &'a Data<'_>) -> RawRef<'a> {
    match data {
        Data::Text(it) => RawRef::Text(it),
        Data::Unsigned(it) => RawRef::Unsigned(*it),
        Data::Float(it) => RawRef::Float(*it),
    }
}
