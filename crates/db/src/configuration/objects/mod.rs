//! Objects that one description serves: how they are stored, checked, found, returned and exported.
//!
//! A simple object is a [document](model::document): an id and the API's fields. Its [`Stored`] is all
//! that there is of it: the editor, the tables, the audit log, imports, the API and its reference read
//! it. To add one: its file and a line in [`ALL`] (docs/adding.md, "An object").

pub mod action;
pub mod authentication;
pub mod autoregistration;
mod body;
pub mod connector;
pub mod correlation;
pub mod dashboard;
#[cfg(test)]
mod description_checks;
pub mod drule;
pub mod graph;
pub mod host;
pub mod hostprototype;
pub mod housekeeping;
pub mod httptest;
pub mod iconmap;
pub mod image;
pub(crate) mod in_file;
pub mod interface;
pub mod item;
mod kind;
mod link;
pub mod maintenance;
pub mod map;
pub mod mediatype;
pub(crate) mod names;
pub mod oncall;
pub mod parts;
pub mod regexp;
pub mod role;
pub mod script;
pub mod service;
pub mod settings;
pub mod sla;
mod stored;
pub mod template;
mod text_formats;
pub mod trigger;
pub mod valuemap;

use model::content::RoleType;
use model::describe::Nouns;
use model::document::{Body, Document};
use model::snapshot::Snapshot;

pub use self::kind::{DocumentKind, ObjectKind};
pub use self::stored::{ChangeKind, Concerns, Edited, SINGLE, StoragePlace, Stored};

/// All objects that have a description.
pub const ALL: &[&Stored] = &[
    &action::ACTION,
    &authentication::AUTHENTICATION,
    &autoregistration::AUTOREGISTRATION,
    &connector::CONNECTOR,
    &correlation::CORRELATION,
    &dashboard::DASHBOARD,
    &dashboard::TEMPLATE_DASHBOARD,
    &drule::DRULE,
    &housekeeping::HOUSEKEEPING,
    &iconmap::ICONMAP,
    &image::IMAGE,
    &maintenance::MAINTENANCE,
    &map::MAP,
    &mediatype::MEDIATYPE,
    &oncall::ONCALL,
    &regexp::REGEXP,
    &role::ROLE,
    &script::SCRIPT,
    &service::SERVICE,
    &settings::SETTINGS,
    &sla::SLA,
    &valuemap::VALUEMAP,
];

/// Objects of Zabbix that do not exist yet: there are none of them, and their get methods say so.
pub const ABSENT: &[Absent] = &[
    Absent {
        name: "mfa",
        nouns: Nouns {
            one: "a method of multi-factor authentication",
            several: "methods of multi-factor authentication",
        },
        read: RoleType::SuperAdmin,
    },
    Absent {
        name: "module",
        nouns: Nouns { one: "a module", several: "modules" },
        read: RoleType::SuperAdmin,
    },
    Absent {
        name: "proxy",
        nouns: Nouns { one: "a proxy", several: "proxies" },
        read: RoleType::User,
    },
    Absent {
        name: "proxygroup",
        nouns: Nouns { one: "a proxy group", several: "proxy groups" },
        read: RoleType::User,
    },
    Absent {
        name: "report",
        nouns: Nouns { one: "a scheduled report", several: "scheduled reports" },
        read: RoleType::User,
    },
    Absent {
        name: "userdirectory",
        nouns: Nouns { one: "a user directory", several: "user directories" },
        read: RoleType::SuperAdmin,
    },
];

/// An object that there is none of.
#[derive(Debug)]
pub struct Absent {
    pub name: &'static str,
    pub nouns: Nouns,
    /// The least kind of user to whom Zabbix returns it.
    pub read: RoleType,
}

/// The description of an object, by its name in methods.
#[must_use]
pub fn named(object: &str) -> Option<&'static Stored> {
    ALL.iter().copied().find(|it| it.object.name == object)
}

/// Objects of which there is one.
pub(crate) fn singles() -> impl Iterator<Item = &'static Stored> {
    ALL.iter().copied().filter(|it| it.place == StoragePlace::Single)
}

/// Makes what there is one of, as far as it was not loaded.
pub(crate) fn complete_singles(snapshot: &mut Snapshot) {
    for stored in singles() {
        let name = stored.object.name;
        let mut body = stored.made_of(&Body::new()).expect("all its fields have defaults");
        if let Some(loaded) = snapshot.documents.get(name, SINGLE) {
            body.extend(loaded.body.clone());
        }
        (stored.project)(snapshot, SINGLE, Some(&body)).expect("it is read leniently");
        let key = stored.key_of(&body);
        snapshot.documents.put(name, Document { id: SINGLE, key, body });
    }
}

/// The description of the documents of a kind.
pub(crate) fn of_kind(kind: DocumentKind) -> &'static Stored {
    named(kind.name()).expect("kinds are made of descriptions")
}

#[cfg(test)]
mod tests {
    use model::map::Set;

    use super::*;

    #[test]
    fn each_object_has_one_description_and_is_not_absent_as_well() {
        let mut names = Set::default();
        for it in ALL {
            assert!(names.insert(it.object.name), "{} is there twice", it.object.name);
        }
        for it in ABSENT.iter().map(|it| it.name) {
            assert!(names.insert(it), "{it} is not absent any more: take it out of ABSENT");
        }
    }
}
