//! Media types: the rules that their description does not have. Users who may not change them see little of
//! them: addresses, passwords and scripts are the super admin's.

use std::sync::Arc;

use db::objects::Stored;
use db::objects::mediatype::{LIMITED, MEDIATYPE, default_of, unused};
use model::content::User;
use model::document::Document;
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::{Object, Select};
use crate::error::ApiError;
use crate::json::{Fields, id_of, str_of, text};
use crate::objects::common::document::{self, DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;
use crate::validate::Mode;

const KIND: &str = "mediatype";

pub(crate) const SPECIAL: Special = Special {
    check,
    candidates,
    select,
    shown,
    relate: Some(|ctx, rows, output| {
        let Related::Documents(rows) = rows else { return json!([]) };
        let object = shown(ctx, &MEDIATYPE.object);
        let written = rows.iter().map(|it| document::related(ctx, object, it, output));
        written.map(Value::Object).collect()
    }),
    ..Special::NOTHING
};

fn shown(ctx: &Ctx, whole: &'static Object) -> &'static Object {
    if ctx.is_super_admin() { whole } else { &LIMITED }
}

/// With another type, fields of the old type get their defaults unless they are given.
fn check(ctx: &Ctx, fields: &mut Fields, mode: Mode, _: &FieldPath) -> Result<(), ApiError> {
    if mode == Mode::Create {
        return Ok(());
    }
    let id = id_of(fields, "mediatypeid").unwrap_or_default();
    let Some(old) = ctx.snapshot.documents.get(KIND, id) else { return Ok(()) };
    let mut whole = old.body.clone();
    whole.extend(fields.clone());
    for name in unused(&whole) {
        fields.entry(name).or_insert_with(|| text(default_of(name)));
    }
    if fields.contains_key("type") && str_of(fields, "type") != old.text("type") {
        fields.entry("parameters").or_insert_with(|| json!([]));
    }
    Ok(())
}

/// Users whose medias the caller may see.
fn users(ctx: &Ctx) -> impl Iterator<Item = &Arc<User>> {
    let is_visible = |it: &&Arc<User>| ctx.is_super_admin() || it.userid == ctx.rights.userid;
    ctx.snapshot.access.users.values().filter(is_visible)
}

/// `mediaids` and `userids` select media types by users' medias.
fn candidates(ctx: &Ctx, get: &Get<'_>, _: &Stored) -> Result<DocumentList, ApiError> {
    let (medias, of_users) = (get.id_set("mediaids")?, get.id_set("userids")?);
    let all = ctx.snapshot.documents.of(KIND);
    if medias.is_none() && of_users.is_none() {
        return Ok(all.cloned().collect());
    }
    let is_used = |id: u64| {
        users(ctx).any(|user| {
            of_users.as_ref().is_none_or(|ids| ids.contains(&user.userid.0))
                && user.medias.iter().any(|it| {
                    it.mediatypeid == id
                        && medias.as_ref().is_none_or(|ids| ids.contains(&it.mediaid))
                })
        })
    };
    Ok(all.filter(|it| is_used(it.id)).cloned().collect())
}

fn select(ctx: &Ctx, row: &Document, select: &Select, output: &Output) -> Option<Value> {
    match select.param {
        "selectUsers" => {
            let found = users(ctx)
                .filter(|it| it.medias.iter().any(|media| media.mediatypeid == row.id))
                .collect();
            Some(ctx.related(select, Related::Users(found), output))
        }
        "selectActions" if ctx.is_super_admin() => {
            let id = row.id.to_string();
            let actions = ctx.snapshot.documents.of("action");
            let found = actions.filter(|it| it.body.values().any(|part| names(part, &id)));
            Some(ctx.related(select, Related::Documents(found.collect()), output))
        }
        _ => None,
    }
}

/// Whether an operation somewhere in it sends by this media type.
fn names(part: &Value, id: &str) -> bool {
    match part {
        Value::Object(it) => {
            it.get("mediatypeid").and_then(Value::as_str) == Some(id)
                || it.values().any(|it| names(it, id))
        }
        Value::Array(it) => it.iter().any(|it| names(it, id)),
        _ => false,
    }
}
