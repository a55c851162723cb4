//! Steps that take too long for a shard: jobs that leave, and results that come back.
//!
//! The owner of the shard thread hands each [`HeavyJob`] of the effects to a thread that may take
//! its time, runs it there, and gives the [`HeavyDone`] back as input. Each job is answered exactly
//! once while the process lives; jobs not answered when it ends are issued again by the next one.

use std::sync::Arc;

use directory::steps::{data_of, raw_of};
use model::ItemId;
use model::batch::OwnedRaw;
use preprocess::{Context, Data, Dispatch, Dispatched, ParsedForms, Step, StepError};
use script::Scripts;

/// The result of a step; `None`: the value is discarded.
pub type StepResult = Result<Option<Data<'static>>, StepError>;

/// The known duration of an item's jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobClass {
    /// Nothing: it has had none yet.
    New,
    /// Its last ones took less than a second each.
    Quick,
    /// One of its last ones took longer.
    Slow,
}

impl JobClass {
    pub const N: usize = 3;
    pub const ALL: [Self; Self::N] = [Self::New, Self::Quick, Self::Slow];
}

/// One value, and the steps to be run on it: one of an item, or the first ones of several dependants
/// of a master, which share the parsed form of its value.
#[derive(Clone, Debug)]
pub struct HeavyJob {
    /// Names the job until the process ends.
    pub ticket: u64,
    /// The item whose step is run; of several, their master.
    pub item: ItemId,
    pub class: JobClass,
    pub value: Arc<OwnedRaw>,
    pub tasks: Vec<HeavyTask>,
}

/// One step of a job.
#[derive(Clone, Debug)]
pub struct HeavyTask {
    pub steps: Arc<[Step]>,
    /// Which of the steps is to be run.
    pub step: usize,
    pub context: Context,
}

/// The answer to a job: a result for each of its tasks, in order.
#[derive(Clone, PartialEq, Debug)]
pub struct HeavyDone {
    pub ticket: u64,
    pub results: Vec<StepResult>,
    /// Of tasks that hand rows on: which one, and its rows.
    pub rows: Vec<(usize, Dispatched)>,
    /// How long it took in nanoseconds, as the thread that ran it measured.
    pub spent_ns: u64,
}

impl HeavyJob {
    /// Does the job. Takes as long as it takes.
    #[must_use]
    pub fn run(&self, scripts: &mut dyn Scripts) -> HeavyDone {
        let mut shared = match self.value.as_ref() {
            OwnedRaw::Text(text) => Some(ParsedForms::new(text)),
            _ => None,
        };
        let mut rows = Vec::new();
        let task = |(at, it): (usize, &HeavyTask)| match it.dispatch() {
            Some(step) => self.split(step).map(|(value, found)| {
                rows.push((at, found));
                value
            }),
            None => self.task(it, scripts, shared.as_mut()),
        };
        let results = self.tasks.iter().enumerate().map(task).collect();
        HeavyDone { ticket: self.ticket, results, rows, spent_ns: 0 }
    }

    fn task(
        &self,
        task: &HeavyTask,
        scripts: &mut dyn Scripts,
        shared: Option<&mut ParsedForms<'_>>,
    ) -> StepResult {
        let Some(data) = data_of(self.value.as_ref().as_ref()) else { return Ok(None) };
        match task.steps.get(task.step) {
            Some(step) => step.apply_heavy(data, task.context, scripts, shared),
            None => Err(StepError::Value("no such step".to_owned())),
        }
    }

    /// A step that hands rows on lets the value itself pass.
    fn split(&self, step: &Dispatch) -> Result<(Option<Data<'static>>, Dispatched), StepError> {
        let Some(data) = data_of(self.value.as_ref().as_ref()) else {
            return Ok(Default::default());
        };
        let found = step.split(&data.as_text())?;
        Ok((Some(data.into_owned()), found))
    }

    /// The answer if the job can't be done: each task fails.
    #[must_use]
    pub fn failed(&self, why: &str) -> HeavyDone {
        let failed = || Err(StepError::Value(why.to_owned()));
        let results = self.tasks.iter().map(|_| failed()).collect();
        HeavyDone { ticket: self.ticket, results, rows: Vec::new(), spent_ns: 0 }
    }
}

impl HeavyTask {
    /// Whether it reads the value's parsed form, as others do.
    pub(crate) fn shares_form(&self) -> bool {
        self.steps.get(self.step).is_some_and(Step::shares_form)
    }

    fn dispatch(&self) -> Option<&Dispatch> {
        self.steps.get(self.step)?.dispatch()
    }
}

impl HeavyDone {
    /// The rows that a task hands on.
    pub(crate) fn rows(&self, task: usize) -> Option<&Dispatched> {
        self.rows.iter().find(|it| it.0 == task).map(|it| &it.1)
    }

    /// The result of a task, borrowed.
    pub(crate) fn result(&self, task: usize) -> Result<Option<Data<'_>>, StepError> {
        match self.results.get(task) {
            Some(Ok(data)) => Ok(data.as_ref().and_then(|it| data_of(raw_of(it)))),
            Some(Err(error)) => Err(error.clone()),
            None => Err(StepError::Value("no result".to_owned())),
        }
    }
}
