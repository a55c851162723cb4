//! Objects that are complete with their descriptions, and the additions that few of them have.

use std::sync::OnceLock;

use db::objects::{self as descriptions, StoragePlace, Stored};
use serde_json::Value;

use crate::answer::Answer;
use crate::error::ApiError;
use crate::method::{Method, ObjectEntry, Pool, Run, Verb};
use crate::objects::administration::connector;
use crate::objects::alerting::{action, correlation, mediatype, oncall, script};
use crate::objects::common::document::{self, Special};
use crate::objects::common::single;
use crate::objects::dashboards::{dashboard, templatedashboard};
use crate::objects::hosts::{maintenance, valuemap};
use crate::objects::maps::{images, map};
use crate::objects::networkdiscovery::drule;
use crate::objects::services::{getsli, service, sla};
use crate::objects::users::role;
use crate::shared::Ctx;

/// An object's additions to its description.
struct DocumentEntry {
    stored: &'static Stored,
    special: &'static Special,
    /// Methods in addition to the four.
    more: &'static [Method],
}

impl DocumentEntry {
    /// The description says everything.
    const fn plain(stored: &'static Stored) -> Self {
        Self::of(stored, &Special::NOTHING)
    }

    const fn of(stored: &'static Stored, special: &'static Special) -> Self {
        Self { stored, special, more: &[] }
    }

    const fn with(mut self, more: &'static [Method]) -> Self {
        self.more = more;
        self
    }
}

/// All of [`descriptions::ALL`]: rules or rows of their own are a decision, made here.
static TABLE: &[DocumentEntry] = &[
    DocumentEntry::of(&descriptions::action::ACTION, &action::SPECIAL),
    DocumentEntry::plain(&descriptions::authentication::AUTHENTICATION),
    DocumentEntry::plain(&descriptions::autoregistration::AUTOREGISTRATION),
    DocumentEntry::of(&descriptions::connector::CONNECTOR, &connector::SPECIAL),
    DocumentEntry::of(&descriptions::correlation::CORRELATION, &correlation::SPECIAL),
    DocumentEntry::of(&descriptions::dashboard::DASHBOARD, &dashboard::SPECIAL),
    DocumentEntry::of(&descriptions::dashboard::TEMPLATE_DASHBOARD, &templatedashboard::SPECIAL),
    DocumentEntry::of(&descriptions::drule::DRULE, &drule::SPECIAL),
    DocumentEntry::plain(&descriptions::housekeeping::HOUSEKEEPING),
    DocumentEntry::of(&descriptions::iconmap::ICONMAP, &images::ICON_MAP),
    DocumentEntry::of(&descriptions::image::IMAGE, &images::IMAGE),
    DocumentEntry::of(&descriptions::maintenance::MAINTENANCE, &maintenance::SPECIAL),
    DocumentEntry::of(&descriptions::map::MAP, &map::SPECIAL),
    DocumentEntry::of(&descriptions::mediatype::MEDIATYPE, &mediatype::SPECIAL),
    DocumentEntry::of(&descriptions::oncall::ONCALL, &oncall::SPECIAL).with(oncall::METHODS),
    DocumentEntry::plain(&descriptions::regexp::REGEXP),
    DocumentEntry::of(&descriptions::role::ROLE, &role::SPECIAL),
    DocumentEntry::of(&descriptions::script::SCRIPT, &script::SPECIAL).with(script::METHODS),
    DocumentEntry::of(&descriptions::service::SERVICE, &service::SPECIAL),
    DocumentEntry::plain(&descriptions::settings::SETTINGS),
    DocumentEntry::of(&descriptions::sla::SLA, &sla::SPECIAL).with(getsli::METHODS),
    DocumentEntry::of(&descriptions::valuemap::VALUEMAP, &valuemap::SPECIAL),
];

/// The objects with their methods.
pub(crate) fn entries() -> &'static [ObjectEntry] {
    static ENTRIES: OnceLock<Vec<ObjectEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| TABLE.iter().map(entry).collect())
}

fn entry(of: &'static DocumentEntry) -> ObjectEntry {
    let stored = of.stored;
    let method = |name: &str, role, pool, verb| {
        // Once in the life of the process.
        let name: &'static str = format!("{}.{name}", stored.object.name).leak();
        Method::new(name, role, pool, Run::Stored(stored, verb, run))
    };
    let get = method("get", stored.read, Pool::Read, Verb::Get);
    let update = method("update", stored.write, Pool::Edit, Verb::Update);
    let methods = match stored.place {
        StoragePlace::Single => vec![get, update],
        StoragePlace::Documents | StoragePlace::Holders(_) => vec![
            get,
            method("create", stored.write, Pool::Edit, Verb::Create),
            update,
            method("delete", stored.write, Pool::Edit, Verb::Delete),
        ],
    };
    let entry = ObjectEntry::new(&stored.object, methods.leak()).with(of.more);
    of.special.relate.map_or(entry, |it| entry.related(it))
}

fn run(stored: &'static Stored, verb: Verb, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    if stored.place == StoragePlace::Single {
        return single::run(stored, verb, ctx, params).map(Answer::Tree);
    }
    document::run((stored, special(stored)), verb, ctx, params)
}

fn special(stored: &Stored) -> &'static Special {
    let found = TABLE.iter().find(|it| std::ptr::eq(it.stored, stored));
    found.expect("it is run by its entry").special
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_description_has_one_entry() {
        let described: Vec<&str> = descriptions::ALL.iter().map(|it| it.object.name).collect();
        let entries: Vec<&str> = TABLE.iter().map(|it| it.stored.object.name).collect();
        assert_eq!(entries, described);
    }
}
