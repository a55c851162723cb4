//! Objects that their descriptions say everything of: their methods are made of them.
//!
//! Further rules (a select that returns other objects, rows that only some users see) are a [`Special`], for
//! few objects: the registry knows which.

use std::sync::Arc;

use db::objects::Stored;
use model::document::Document;
use model::field_path::FieldPath;
use model::version::Version;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{FieldType, Gives, Object, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, number, text};
use crate::method::{Relate, Verb};
use crate::objects::common::crud::Crud;
use crate::objects::common::scope::Get;
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::{self, Mode};

/// Rows of a get method.
pub(crate) type DocumentList = Vec<Arc<Document>>;

/// Rules that a description does not have.
pub(crate) struct Special {
    /// Whether the caller sees it at all.
    pub(crate) may_read: fn(&Ctx, &Document) -> bool,
    /// Whether the caller may change or delete the object of this id. Elsewhere each caller of the method
    /// may, and the editor knows whether the object exists.
    pub(crate) may_change: fn(&Ctx, u64) -> bool,
    /// Parameters of create and update by the names of now, if they have older ones.
    pub(crate) by_new_names: fn(&Value, Version) -> Option<Value>,
    /// Parameters that are checked as a whole before the description reads them, as older methods do; returns
    /// those to read then.
    pub(crate) judge: fn(&Ctx, Verb, &Value) -> Result<Option<Value>, ApiError>,
    /// An update looks for its objects before it judges their fields; the error where one is absent.
    pub(crate) finds_first: Option<fn() -> ApiError>,
    /// Delete answers ids as they were sent.
    pub(crate) ids_as_sent: bool,
    /// Permissions on objects that new fields refer to.
    pub(crate) check: fn(&Ctx, &mut Fields, Mode, &FieldPath) -> Result<(), ApiError>,
    /// Rows, where they are no documents.
    pub(crate) candidates: fn(&Ctx, &Get<'_>, &Stored) -> Result<DocumentList, ApiError>,
    /// Whether those of these ids may be deleted, in addition to `may_change`.
    pub(crate) may_delete: fn(&Ctx, &[u64]) -> Result<(), ApiError>,
    /// Fields that are not in the body.
    pub(crate) field: fn(&Ctx, &Document, &str) -> Option<Value>,
    /// Selects of other objects, and those that are made.
    pub(crate) select: fn(&Ctx, &Document, &Select, &Output) -> Option<Value>,
    /// The object as the caller may see it: with fewer fields, perhaps.
    pub(crate) shown: fn(&Ctx, &'static Object) -> &'static Object,
    /// The rows in selects of other objects, where these are no documents or some users see only a part.
    pub(crate) relate: Option<Relate>,
}

impl Special {
    pub(crate) const NOTHING: Self = Self {
        may_read: |_, _| true,
        may_change: |_, _| true,
        by_new_names: |_, _| None,
        judge: |_, _, _| Ok(None),
        finds_first: None,
        ids_as_sent: false,
        check: |_, _, _, _| Ok(()),
        candidates: |ctx, _, stored| {
            Ok(ctx.snapshot.documents.of(stored.object.name).cloned().collect())
        },
        may_delete: |_, _| Ok(()),
        field: |_, _, _| None,
        select: |_, _, _, _| None,
        shown: |_, it| it,
        relate: None,
    };
}

/// Runs a method.
pub(crate) fn run(
    (stored, special): (&'static Stored, &Special),
    verb: Verb,
    ctx: &Ctx,
    params: &Value,
) -> Result<Answer, ApiError> {
    let crud = Crud {
        object: &stored.object,
        kind: stored.kind(),
        may_change: special.may_change,
        check: special.check,
    };
    let is_writing = matches!(verb, Verb::Create | Verb::Update);
    let renamed = is_writing.then(|| (special.by_new_names)(params, ctx.version)).flatten();
    let params = renamed.as_ref().unwrap_or(params);
    let judged = (special.judge)(ctx, verb, params)?;
    let params = judged.as_ref().unwrap_or(params);
    match verb {
        Verb::Get => get((stored, special), ctx, params),
        Verb::Create => crud.create(ctx, params).map(Answer::Tree),
        Verb::Update => {
            if let Some(absent) = special.finds_first {
                find(ctx, (&stored.object, special.may_change), params, absent)?;
            }
            crud.update(ctx, params).map(Answer::Tree)
        }
        Verb::Delete => {
            if let Ok(ids) = validate::ids(params) {
                (special.may_delete)(ctx, &ids)?;
            }
            let answer = crud.delete(ctx, params)?;
            let as_sent = special.ids_as_sent && params.is_array();
            Ok(Answer::Tree(if as_sent { json!({ stored.object.ids: params }) } else { answer }))
        }
    }
}

/// Looks for the objects of an update, whatever else is given.
fn find(
    ctx: &Ctx,
    (object, may_change): (&Object, fn(&Ctx, u64) -> bool),
    params: &Value,
    absent: fn() -> ApiError,
) -> Result<(), ApiError> {
    let id = object.field(object.id).map(std::slice::from_ref).unwrap_or_default();
    let named = match validate::without_unknown(id, Some(object.id), params, Mode::Update) {
        // The error names the missing id.
        Value::Object(it) if it.is_empty() && *params != json!({}) => json!([{}]),
        it => it,
    };
    let list = validate::changes(id, object.id, &named, Mode::Update, &|_| None)?;
    validate::unique(&list, &[object.id])?;
    let is_there = |it: &Fields| id_of(it, object.id).is_some_and(|id| may_change(ctx, id));
    if list.iter().all(is_there) { Ok(()) } else { Err(absent()) }
}

fn get(
    (stored, special): (&'static Stored, &Special),
    ctx: &Ctx,
    params: &Value,
) -> Result<Answer, ApiError> {
    let object = (special.shown)(ctx, &stored.object);
    let get = Get::new(ctx, object, params)?;
    let ids = get.id_set(object.ids)?;
    let may_write = stored.write <= ctx.caller.identity.role;
    let rows = (special.candidates)(ctx, &get, stored)?.into_iter().filter(|it| {
        ids.as_ref().is_none_or(|ids| ids.contains(&it.id))
            && (special.may_read)(ctx, it)
            && (!get.options.editable || may_write && it.text("readonly") != "1")
    });
    query::answer(object, &DocumentRows { ctx, object, special }, rows, &get.options)
}

/// As a select of another object answers it.
pub(crate) fn related(
    ctx: &Ctx,
    object: &'static Object,
    row: &Arc<Document>,
    output: &Output,
) -> Fields {
    related_with(ctx, (object, &Special::NOTHING), row, output)
}

/// As [`related`], of an object that has more.
pub(crate) fn related_with(
    ctx: &Ctx,
    (object, special): (&'static Object, &Special),
    row: &Arc<Document>,
    output: &Output,
) -> Fields {
    query::fields(object, &DocumentRows { ctx, object, special }, row, output)
}

struct DocumentRows<'a> {
    ctx: &'a Ctx,
    object: &'static Object,
    special: &'a Special,
}

impl Rows for DocumentRows<'_> {
    type Row = Arc<Document>;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        if name == self.object.id {
            return number(row.id);
        }
        if let Some(it) = (self.special.field)(self.ctx, row, name) {
            return it;
        }
        row.body.get(name).cloned().unwrap_or_else(|| {
            match self.object.field(name).map(|it| it.kind) {
                Some(FieldType::List(_)) => json!([]),
                _ => text(""),
            }
        })
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        if let Some(it) = (self.special.select)(self.ctx, row, select, output) {
            return Ok(it);
        }
        Ok(match select.gives {
            Gives::Field => self.field(row, select.property),
            Gives::Parts(_) => parts(self.object, row, select.property, output),
            _ => json!([]),
        })
    }
}

/// A list in the body, with the wanted fields of each of its parts.
pub(crate) fn parts(object: &Object, row: &Document, name: &str, output: &Output) -> Value {
    let Some(FieldType::List(fields)) = object.field(name).map(|it| it.kind) else {
        return json!([]);
    };
    json::parts(fields, json::list_of(&row.body, name), output, |it, field| {
        it.get(field).cloned().unwrap_or_else(|| text(""))
    })
}
