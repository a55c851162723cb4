//! How an edit gets into SQL and then into memory, also when the answer to its commit is lost.
//!
//! Memory changes only after the commit. If it is unknown whether it was done (the connection ended
//! before the answer came), the database is asked: each edit leaves a mark of its own there. Until
//! it answers, no other edit begins: its starting point would not be known.

use std::collections::BTreeSet;
use std::sync::{Arc, RwLock};

use arc_swap::ArcSwap;
use model::snapshot::{Delta, Snapshot};
use rt::health::Level;
use tracing::{info, warn};

use crate::actor::Actor;
use crate::auth::AuthState;
use crate::configuration::audit::{Audit, Origin};
use crate::configuration::editor::{EditBase, Outcome};
use crate::configuration::objects;
use crate::configuration::store::{self, persist};
use crate::error::DbError;
use crate::locks;
use crate::sql::{Rows, Workers};

/// Its name at `/health`.
const PART: &str = "db-edits";

/// Called in order of publication, on the thread that made the change, while it still holds the
/// editor: it must be quick and must not edit.
pub type Subscriber = Box<dyn Fn(&Arc<Snapshot>, &Delta) + Send + Sync>;

/// The state that passes from edit to edit.
pub(crate) struct Editing {
    pub(crate) base: EditBase,
    /// The edit of which it is unknown whether it was saved. CommitOutcome before the next one.
    in_doubt: Option<Box<InDoubt>>,
}

impl Editing {
    pub(crate) fn new(base: EditBase) -> Self {
        Self { base, in_doubt: None }
    }
}

/// An edit that was sent to the database, which may have saved it.
struct InDoubt {
    outcome: Outcome,
    epoch_before: u64,
    mark: i64,
}

/// The outcome of its commit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CommitOutcome {
    Saved,
    NotSaved,
    /// Another server has changed the configuration since, which was read again.
    Foreign,
}

/// The state of memory after saved edits, and its subscribers.
pub(crate) struct CommittedState {
    current: ArcSwap<Snapshot>,
    subscribers: RwLock<Vec<Subscriber>>,
    pub(crate) auth: AuthState,
    pub(crate) audit: Audit,
    workers: Arc<Workers>,
}

impl CommittedState {
    pub(crate) fn new(
        snapshot: Snapshot,
        auth: AuthState,
        audit: Audit,
        workers: Arc<Workers>,
    ) -> Self {
        let (current, subscribers) = (ArcSwap::from_pointee(snapshot), RwLock::default());
        Self { current, subscribers, auth, audit, workers }
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    pub(crate) fn subscribe(&self, subscriber: Subscriber) {
        locks::write(&self.subscribers).push(subscriber);
    }

    /// The records of an edit.
    fn noted(&self, (actor, base): (Actor, &Snapshot), outcome: &mut Outcome) -> Rows {
        let mut noted = std::mem::take(&mut outcome.audit);
        if !base.globals.settings.is_audited {
            noted.retain(|it| it.is_of_switch);
        }
        let username = actor.username(base);
        let from = Origin { user: actor.user(), username: &username, ip: &outcome.ip };
        self.audit.rows(&from, outcome.now, noted)
    }

    /// Keeps the records of an edit that changes nothing: that a secret was given again is one.
    pub(crate) fn note(&self, of: (Actor, &Snapshot), mut outcome: Outcome) {
        if !outcome.audit.is_empty() {
            self.audit.note(self.noted(of, &mut outcome));
        }
    }

    /// Writes what an edit changed and publishes it.
    pub(crate) fn commit(
        &self,
        editing: &mut Editing,
        (actor, base): (Actor, &Arc<Snapshot>),
        mut outcome: Outcome,
    ) -> Result<(), DbError> {
        let random = getrandom::u64().map_err(|error| DbError::Randomness(error.to_string()))?;
        // Never negative: that is what an unknown mark is read as.
        let mark = (random >> 1).cast_signed();
        let mut writes = persist::writes(base, &mut outcome, &mut editing.base.contents, mark);
        writes.add(self.noted((actor, base), &mut outcome));
        match self.workers.write("edit", move |sql| writes.run(sql)) {
            Ok(()) => {
                self.adopt(editing, outcome);
                Ok(())
            }
            Err(error) if error.is_unknown() => {
                let in_doubt = InDoubt { outcome, epoch_before: base.epoch, mark };
                editing.in_doubt = Some(Box::new(in_doubt));
                match self.resolve(editing)? {
                    Some(CommitOutcome::Saved) => Ok(()),
                    _ => Err(error.not_done()),
                }
            }
            Err(error @ DbError::ForeignWrite { .. }) => {
                editing.base.contents.roll_back();
                self.reload(editing)?;
                Err(error)
            }
            Err(error) => {
                editing.base.contents.roll_back();
                Err(error)
            }
        }
    }

    /// Finds out about the last edit, if that is still to be done.
    ///
    /// # Errors
    /// If the database does not answer: no edit may begin.
    pub(crate) fn resolve_commit(&self, editing: &mut Editing) -> Result<(), DbError> {
        self.resolve(editing).map(drop)
    }

    fn resolve(&self, editing: &mut Editing) -> Result<Option<CommitOutcome>, DbError> {
        let Some(in_doubt) = &editing.in_doubt else { return Ok(None) };
        let (mark, before) = (in_doubt.mark, in_doubt.epoch_before);
        let health = &self.workers.watch.health;
        let asked = self.workers.write("ask for the last edit", persist::last_edit);
        let (epoch, last) = asked.map_err(|error| {
            let message = format!(
                "it is not known yet whether the last change of the configuration was saved; other \
                 changes wait until the database answers: {error}"
            );
            health.set(PART, Level::Degraded, message);
            error.left_open()
        })?;
        health.clear(PART);
        let Some(in_doubt) = editing.in_doubt.take() else { return Ok(None) };
        let outcome = if last == mark {
            self.adopt(editing, in_doubt.outcome);
            CommitOutcome::Saved
        } else if u64::try_from(epoch) == Ok(before) {
            editing.base.contents.roll_back();
            CommitOutcome::NotSaved
        } else {
            editing.base.contents.roll_back();
            self.reload(editing)?;
            CommitOutcome::Foreign
        };
        info!(?outcome, "resolved a commit that had no answer");
        Ok(Some(outcome))
    }

    /// Takes over what was saved.
    fn adopt(&self, editing: &mut Editing, outcome: Outcome) {
        editing.base.contents.commit();
        editing.base.ids = outcome.ids;
        editing.base.cross = outcome.cross;
        self.auth.apply(outcome.secrets);
        self.publish(Arc::new(outcome.snapshot), &outcome.delta);
    }

    /// Reads everything again, because another server has written it.
    fn reload(&self, editing: &mut Editing) -> Result<(), DbError> {
        warn!("another server has changed the database; the configuration is read again");
        self.workers.watch.metrics.reloads_total.inc();
        self.auth.flush_deferred();
        let loaded = self.workers.load("load again", |sql| {
            let loaded = store::load(sql)?;
            sql.shrink()?;
            Ok(loaded)
        })?;
        self.audit.reload()?;
        editing.base.ids = loaded.ids;
        editing.base.contents = loaded.contents;
        editing.base.cross = loaded.cross;
        self.auth.reload(loaded.secrets);
        let before = self.snapshot();
        let snapshot = Arc::new(loaded.snapshot);
        let delta = whole_delta(&before, &snapshot);
        self.publish(snapshot, &delta);
        Ok(())
    }

    fn publish(&self, snapshot: Arc<Snapshot>, delta: &Delta) {
        self.current.store(Arc::clone(&snapshot));
        for subscriber in locks::read(&self.subscribers).iter() {
            subscriber(&snapshot, delta);
        }
    }
}

fn all_documents(before: &Snapshot, after: &Snapshot) -> Vec<(&'static str, u64)> {
    let mut all = BTreeSet::new();
    for stored in objects::ALL {
        let kind = stored.object.name;
        let of_both = before.documents.of(kind).chain(after.documents.of(kind));
        all.extend(of_both.map(|it| (kind, it.id)));
    }
    all.into_iter().collect()
}

/// Everything may have changed.
fn whole_delta(before: &Snapshot, after: &Snapshot) -> Delta {
    let gone = |it: &&model::HostId| after.holder(**it).is_none();
    Delta {
        epoch: after.epoch,
        hosts_changed: after.hosts.keys().copied().collect(),
        hosts_removed: before.hosts.keys().filter(gone).copied().collect(),
        templates_changed: after.templates.keys().copied().collect(),
        templates_removed: before.templates.keys().filter(gone).copied().collect(),
        globals_changed: true,
        regexps_changed: true,
        access_changed: true,
        groups_changed: true,
        documents_changed: all_documents(before, after),
        inventories_changed: after.inventories.keys().copied().collect(),
    }
}
