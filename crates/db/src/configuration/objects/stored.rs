//! The description of an object: see [`super::ALL`] for those that there are.

use std::borrow::Cow;

use model::content::RoleType;
use model::describe::Object;
use model::document::{Body, Document};
use model::snapshot::Snapshot;

use super::kind::{DocumentKind, ObjectKind};
use crate::error::ConfigError;

/// The id of what there is one of ([`StoragePlace::Single`]).
pub const SINGLE: u64 = 1;

/// The description of an object.
#[derive(Debug)]
pub struct Stored {
    /// Its fields, and what its get method takes.
    pub object: Object,
    pub place: StoragePlace,
    /// The work of the editor in addition to storing the given fields.
    pub edited: Edited,
    /// The least kind of user that may read it.
    pub read: RoleType,
    /// The least kind of user that may make, change and delete it.
    pub write: RoleType,
    /// Fields that no two of them have in common.
    pub unique: &'static [&'static str],
    /// A value of one of these fields as it is compared: two notations may be the same.
    pub key_form: for<'a> fn(&str, &'a str) -> Cow<'a, str>,
    /// The error if they do: `{}` is the name, or the last of those fields.
    pub error_taken: &'static str,
    /// Read-only fields as they are at first.
    pub made_with: &'static [(&'static str, &'static str)],
    /// From each version of the body to the next; the first one is version 1.
    pub upgrades: &'static [fn(&mut Body)],
    /// The list that holds it in exports; `None` if it is not exported by itself.
    pub tag: Option<&'static str>,
    /// Rules beyond single fields. Gets the whole body, and may bring it into its form; paths of
    /// errors start with `/1`.
    pub check: fn(&Snapshot, &mut Body) -> Result<(), ConfigError>,
    /// Whether what is there may be changed or deleted. References by fields of other documents
    /// ([`model::describe::Refers`]) are checked elsewhere.
    pub guard: fn(&Snapshot, &Document, ChangeKind) -> Result<(), ConfigError>,
    /// Other parts of the snapshot that are made of a document: an index, or a type for those who
    /// use it. `None`: it is gone.
    pub project: fn(&mut Snapshot, u64, Option<&Body>) -> Result<(), serde_json::Error>,
    /// Subscribers that are notified of changes, in addition to those of documents.
    pub concerns: Concerns,
    /// An input of `create`, as JSON: an example for the reference, which a test makes.
    pub sample: &'static str,
}

/// Where an object is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoragePlace {
    /// Among the documents.
    Documents,
    /// Among the documents, as the one that there is: it can be read and changed, not made or
    /// deleted. Fields missing in its body are as the description says.
    Single,
    /// In hosts and templates, which it belongs to.
    Holders(ObjectKind),
}

/// The work of the editor on a document in addition to storing the given fields. Each object names
/// its own: there is no default that a new one could fall under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edited {
    /// Nothing.
    Plainly,
    /// Services are connected with each other.
    AsService,
    /// Pages and widgets have ids of their own.
    AsDashboard,
    /// Elements and links have ids of their own, and other maps forget a map that is deleted.
    AsMap,
    /// Checks have ids of their own.
    AsNetworkDiscovery,
    /// Media of users go with their type.
    AsMediaType,
}

/// The change that is about to be made to a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeKind {
    Update,
    Delete,
}

/// The parts of [`model::snapshot::Delta`] that a change sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concerns {
    Nobody,
    Access,
    Regexps,
    Globals,
}

impl Stored {
    /// A document that super admins write and all users read.
    pub const fn new(
        object: Object,
        edited: Edited,
        unique: &'static [&'static str],
        error_taken: &'static str,
        sample: &'static str,
    ) -> Self {
        Self {
            object,
            place: StoragePlace::Documents,
            edited,
            read: RoleType::User,
            write: RoleType::SuperAdmin,
            unique,
            key_form: |_, value| Cow::Borrowed(value),
            error_taken,
            made_with: &[],
            upgrades: &[],
            tag: None,
            check: |_, _| Ok(()),
            guard: |_, _, _| Ok(()),
            project: |_, _, _| Ok(()),
            concerns: Concerns::Nobody,
            sample,
        }
    }

    /// Its kind for the editor.
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        match self.place {
            StoragePlace::Documents | StoragePlace::Single => {
                ObjectKind::Document(DocumentKind(self.object.name))
            }
            StoragePlace::Holders(kind) => kind,
        }
    }

    /// Of the body that is written now.
    pub(crate) fn version(&self) -> i64 {
        1 + i64::try_from(self.upgrades.len()).unwrap_or(i64::MAX)
    }

    /// Brings a body of an older version to the newest; `None` if it is of a later one.
    pub(crate) fn upgrade(&self, version: i64, body: &mut Body) -> Option<()> {
        let n_done = usize::try_from(version.checked_sub(1)?).ok()?;
        self.upgrades.get(n_done..)?.iter().for_each(|step| step(body));
        Some(())
    }

    /// The error for a key that another one has.
    pub(crate) fn taken(&self, body: &Body) -> ConfigError {
        let name = self.unique.iter().find(|it| **it == "name").or(self.unique.last());
        let shown = name.and_then(|it| body.get(*it)?.as_str()).unwrap_or_default();
        ConfigError::parameters(self.error_taken.replacen("{}", shown, 1))
    }
}
