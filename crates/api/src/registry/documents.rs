//! Objects that their descriptions say everything of, with what few of them have beside.

use std::sync::OnceLock;

use db::objects::{self as descriptions, StoragePlace, Stored};
use serde_json::Value;

use crate::answer::Answer;
use crate::error::ApiError;
use crate::method::{Method, ObjectEntry, Pool, Run, Verb};
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

fn special(stored: &Stored) -> &'static Special {
    match stored.object.name {
        "action" => &action::SPECIAL,
        "correlation" => &correlation::SPECIAL,
        "drule" => &drule::SPECIAL,
        "dashboard" => &dashboard::SPECIAL,
        "iconmap" => &images::ICON_MAP,
        "image" => &images::IMAGE,
        "maintenance" => &maintenance::SPECIAL,
        "map" => &map::SPECIAL,
        "mediatype" => &mediatype::SPECIAL,
        "oncall" => &oncall::SPECIAL,
        "role" => &role::SPECIAL,
        "script" => &script::SPECIAL,
        "service" => &service::SPECIAL,
        "sla" => &sla::SPECIAL,
        "templatedashboard" => &templatedashboard::SPECIAL,
        "valuemap" => &valuemap::SPECIAL,
        _ => &Special::NOTHING,
    }
}

/// Methods beside the four.
fn more(stored: &Stored) -> &'static [Method] {
    match stored.object.name {
        "oncall" => oncall::METHODS,
        "script" => script::METHODS,
        "sla" => getsli::METHODS,
        _ => &[],
    }
}

/// The objects with their methods.
pub(crate) fn entries() -> &'static [ObjectEntry] {
    static ENTRIES: OnceLock<Vec<ObjectEntry>> = OnceLock::new();
    ENTRIES.get_or_init(|| descriptions::ALL.iter().map(|it| entry(it)).collect())
}

fn entry(stored: &'static Stored) -> ObjectEntry {
    let method = |name: &str, role, pool, verb| {
        // Once in the life of the process.
        let name: &'static str = format!("{}.{name}", stored.object.name).leak();
        Method { name, role, pool, run: Run::Stored(stored, verb, run) }
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
    let entry = ObjectEntry::new(&stored.object, methods.leak()).with(more(stored));
    special(stored).relate.map_or(entry, |it| entry.related(it))
}

fn run(stored: &'static Stored, verb: Verb, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    if stored.place == StoragePlace::Single {
        return single::run(stored, verb, ctx, params).map(Answer::Tree);
    }
    document::run((stored, special(stored)), verb, ctx, params)
}
