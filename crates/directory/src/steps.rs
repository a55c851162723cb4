//! Preprocessing of one item: its compiled steps, and what they remember.

use std::sync::Arc;

use model::batch::{OwnedRaw, RawRef};
use model::content::{PreprocStep, Step as Code};
use preprocess::{
    self, Context, Data, Dispatch, HostBy, Outcome, ParsedForms, Progress, Secret, Step, StepError,
    StepState, Trail,
};

use super::hidden::Hidden;

/// One state a step.
pub type StepMemory = Box<[StepState]>;

/// The steps of an item, shared by all hosts for which they compile to the same.
#[derive(Debug)]
pub struct ItemProgram {
    steps: Arc<[Step]>,
    has_state: bool,
    may_wait: bool,
    dispatches: Option<HostBy>,
    hidden: Hidden,
    fingerprint: u64,
}

/// Texts of one step, macros replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResolvedStep {
    pub params: String,
    /// Secrets of the vault in the parameters: they are in nobody's configuration, and come when a
    /// script is run.
    pub secrets: Vec<Secret>,
    pub on_fail: String,
    /// Values of secret macros in both, which no error shows.
    pub hidden: Vec<String>,
}

impl ResolvedStep {
    fn compile(&self, step: &PreprocStep) -> Step {
        let step = PreprocStep {
            params: self.params.clone(),
            error_handler_params: self.on_fail.clone(),
            ..step.clone()
        };
        match self.secrets.first() {
            None => Step::compile(&step),
            Some(_) if step.kind == Code::JavaScript => {
                Step::compile_script(&step, self.secrets.clone())
            }
            Some(it) => {
                let written = self.params.get(it.place.clone()).unwrap_or_default();
                let why = format!(
                    "macro \"{written}\" is a secret of a vault: of preprocessing steps only scripts have such"
                );
                Step::refused(&step, why)
            }
        }
    }
}

impl ItemProgram {
    /// `resolved`: the texts of each step.
    pub fn compile(steps: &[PreprocStep], resolved: &[ResolvedStep]) -> Self {
        let fingerprint = fingerprint(steps, resolved);
        let hidden = resolved.iter().flat_map(|it| &it.hidden).cloned().collect();
        let steps: Arc<[Step]> =
            steps.iter().zip(resolved).map(|(step, texts)| texts.compile(step)).collect();
        let has_state = steps.iter().any(Step::has_state);
        let may_wait = steps.iter().any(|it| it.is_heavy(usize::MAX));
        let dispatches = steps.iter().find_map(Step::dispatch).map(Dispatch::by);
        Self { steps, has_state, may_wait, dispatches, hidden, fingerprint }
    }

    pub fn steps(&self) -> &Arc<[Step]> {
        &self.steps
    }

    /// The same for the same steps with the same parameters, in every process.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Why a value has failed, as people may see it: without values of secret macros in parameters.
    pub fn shown(&self, why: String) -> String {
        self.hidden.shown(why)
    }

    /// How rows of the value name the hosts that get them, if a step hands rows on.
    pub fn dispatches(&self) -> Option<HostBy> {
        self.dispatches
    }

    /// Some step may be too heavy for the shard.
    pub fn may_wait(&self) -> bool {
        self.may_wait
    }

    /// Whether the first step is too heavy on a value of so many bytes.
    pub fn begins_heavy(&self, n_bytes: usize) -> bool {
        self.steps.first().is_some_and(|it| it.is_heavy(n_bytes))
    }

    /// Whether the first step reads a form of the value that others may have parsed.
    pub fn begins_sharing(&self) -> bool {
        self.steps.first().is_some_and(Step::shares_form)
    }

    pub fn n_steps(&self) -> usize {
        self.steps.len()
    }

    pub fn has_state(&self) -> bool {
        self.has_state
    }

    /// The factor, if multiplying is all there is to do.
    pub fn multiplier(&self) -> Option<f64> {
        match &*self.steps {
            [only] => only.multiplier(),
            _ => None,
        }
    }

    /// Takes a value through the steps. `changed` is called with each step whose memory changed.
    pub fn run<'a>(
        &self,
        entry: StepInput<'a, '_>,
        context: Context,
        memory: &mut [StepState],
        changed: &mut dyn FnMut(u16, &StepState),
    ) -> Progress<'a> {
        // One bit a step; later steps of absurdly long lists are passed each time.
        let mut had = 0_u64;
        for (idx, state) in memory.iter().take(64).enumerate() {
            had |= u64::from(state.last().is_some()) << idx;
        }
        let progress = match entry {
            StepInput::Raw(raw, shared) => match input(raw) {
                Some(input) => {
                    preprocess::run_light(&self.steps, memory, (0, input), context, shared)
                }
                None => return Progress::Done(Outcome::Discarded),
            },
            StepInput::Resumed { step, trail, result } => {
                preprocess::resume(&self.steps, memory, (step, trail), result, context)
            }
        };
        for (idx, state) in memory.iter().enumerate() {
            let had_state = 64 <= idx || had & (1 << idx) != 0;
            let is_changed = match state.last() {
                Some((_, known)) => *known == context.time,
                None => had_state,
            };
            if is_changed && let Ok(idx) = u16::try_from(idx) {
                changed(idx, state);
            }
        }
        progress
    }
}

/// Where a value begins its way, or goes on.
#[derive(Debug)]
pub enum StepInput<'a, 'v> {
    /// A raw value, with its parsed forms if other items get the same one.
    Raw(RawRef<'a>, Option<&'v mut ParsedForms<'a>>),
    /// Behind a heavy step.
    Resumed { step: usize, trail: Trail<'a>, result: Result<Option<Data<'a>>, StepError> },
}

/// A raw value as preprocessing takes it; `None` if there is nothing.
pub fn input(raw: RawRef<'_>) -> Option<Result<Data<'_>, String>> {
    match raw {
        RawRef::Text(it) => Some(Ok(Data::text(it))),
        RawRef::Unsigned(it) => Some(Ok(Data::Unsigned(it))),
        RawRef::Float(it) => Some(Ok(Data::Float(it))),
        RawRef::Error(it) => Some(Err(it.to_owned())),
        RawRef::Nothing => None,
    }
}

/// The other way round.
pub fn raw_of<'a>(data: &'a Data<'_>) -> RawRef<'a> {
    match data {
        Data::Text(it) => RawRef::Text(it),
        Data::Unsigned(it) => RawRef::Unsigned(*it),
        Data::Float(it) => RawRef::Float(*it),
    }
}

/// A raw value as data; `None` for errors and nothing.
pub fn data_of(raw: RawRef<'_>) -> Option<Data<'_>> {
    input(raw).and_then(Result::ok)
}

/// A copy of a raw value.
pub fn owned(raw: RawRef<'_>) -> OwnedRaw {
    match raw {
        RawRef::Text(it) => OwnedRaw::Text(it.to_owned()),
        RawRef::Unsigned(it) => OwnedRaw::Unsigned(it),
        RawRef::Float(it) => OwnedRaw::Float(it),
        RawRef::Error(it) => OwnedRaw::Error(it.to_owned()),
        RawRef::Nothing => OwnedRaw::Nothing,
    }
}

/// FNV-1a over kinds, handlers and parameters. It goes to disk: it must not change.
fn fingerprint(steps: &[PreprocStep], resolved: &[ResolvedStep]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Between two texts, so that they can't run into each other.
        hash = (hash ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    };
    for step in steps {
        add(&step.kind.code().to_le_bytes());
        add(&step.error_handler.code().to_le_bytes());
    }
    for it in resolved {
        add(it.params.as_bytes());
        add(it.on_fail.as_bytes());
    }
    hash
}
