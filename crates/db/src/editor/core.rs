//! The working copy: access to holders, ids, reverse look-ups, and what comes out at the end.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use imbl::OrdSet;
use model::snapshot::{Access, Delta, Globals, Host, Snapshot};
use model::{HostId, TriggerId};

use crate::auth::SecretChange;
use crate::handle::Editing;
use crate::ids::Ids;
use crate::{Actor, ConfigError};

/// A change in the making. See [`crate::Db::edit`].
pub struct Editor {
    pub(super) actor: Actor,
    pub(super) base: Arc<Snapshot>,
    pub(super) next: Snapshot,
    pub(super) ids: Ids,
    pub(super) cross: OrdSet<TriggerId>,
    pub(super) secrets: Vec<SecretChange>,
    touched: BTreeSet<HostId>,
    globals_changed: bool,
    access_changed: bool,
    pub(super) groups_changed: bool,
}

/// What a closure left behind.
pub(crate) struct Outcome {
    pub(crate) snapshot: Snapshot,
    pub(crate) delta: Delta,
    pub(crate) ids: Ids,
    pub(crate) cross: OrdSet<TriggerId>,
    pub(crate) secrets: Vec<SecretChange>,
    /// Hosts and templates to compare with what they were. The delta names more: also those that
    /// only inherit from something that changed.
    pub(crate) touched: BTreeSet<HostId>,
}

impl Outcome {
    pub(crate) fn is_empty(&self) -> bool {
        let Delta { globals_changed, access_changed, groups_changed, .. } = self.delta;
        self.touched.is_empty()
            && self.secrets.is_empty()
            && !(globals_changed || access_changed || groups_changed)
    }
}

impl fmt::Debug for Editor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Editor")
            .field("actor", &self.actor)
            .field("touched", &self.touched.len())
            .finish_non_exhaustive()
    }
}

impl Editor {
    pub(crate) fn new(actor: Actor, base: Arc<Snapshot>, editing: &Editing) -> Self {
        Self {
            actor,
            next: Snapshot::clone(&base),
            base,
            ids: editing.ids.clone(),
            cross: editing.cross.clone(),
            secrets: Vec::new(),
            touched: BTreeSet::new(),
            globals_changed: false,
            access_changed: false,
            groups_changed: false,
        }
    }

    /// The configuration with the changes made so far.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.next
    }

    /// On whose behalf the change is made.
    #[must_use]
    pub fn actor(&self) -> Actor {
        self.actor
    }

    /// A host or template, to read.
    pub(super) fn holder(&self, id: HostId) -> Result<&Arc<Host>, ConfigError> {
        self.next.holder(id).ok_or_else(ConfigError::no_permissions)
    }

    /// A host or template, to change. It must exist.
    pub(super) fn holder_mut(&mut self, id: HostId) -> &mut Host {
        self.touched.insert(id);
        let holder = match self.next.hosts.get_mut(&id) {
            Some(it) => it,
            None => self.next.templates.get_mut(&id).expect("the holder was looked up before"),
        };
        Arc::make_mut(holder)
    }

    /// Notes that a holder was made, changed or removed.
    pub(super) fn touch(&mut self, id: HostId) {
        self.touched.insert(id);
    }

    pub(super) fn globals_mut(&mut self) -> &mut Globals {
        self.globals_changed = true;
        Arc::make_mut(&mut self.next.globals)
    }

    pub(super) fn access_mut(&mut self) -> &mut Access {
        self.access_changed = true;
        Arc::make_mut(&mut self.next.access)
    }

    /// Which hosts and templates link a template directly.
    pub(super) fn children(&self, template: HostId) -> Arc<[HostId]> {
        self.next.linked_to.get(&template).cloned().unwrap_or_default()
    }

    /// All that inherit from a template, however indirectly; itself not.
    fn descendants(&self, template: HostId, found: &mut BTreeSet<HostId>) {
        for child in self.children(template).iter() {
            if found.insert(*child) && self.next.templates.contains_key(child) {
                self.descendants(*child, found);
            }
        }
    }

    pub(crate) fn finish(mut self) -> Outcome {
        let mut changed = self.touched.clone();
        for id in &self.touched {
            if self.next.templates.contains_key(id) {
                self.descendants(*id, &mut changed);
            }
        }
        let mut delta = Delta {
            epoch: self.base.epoch + 1,
            globals_changed: self.globals_changed,
            access_changed: self.access_changed,
            groups_changed: self.groups_changed,
            ..Delta::default()
        };
        for id in changed {
            if self.next.hosts.contains_key(&id) {
                delta.hosts_changed.push(id);
            } else if self.next.templates.contains_key(&id) {
                delta.templates_changed.push(id);
            } else if self.base.hosts.contains_key(&id) {
                delta.hosts_removed.push(id);
            } else if self.base.templates.contains_key(&id) {
                delta.templates_removed.push(id);
            }
        }
        self.next.epoch = delta.epoch;
        Outcome {
            snapshot: self.next,
            delta,
            ids: self.ids,
            cross: self.cross,
            secrets: self.secrets,
            touched: self.touched,
        }
    }
}
