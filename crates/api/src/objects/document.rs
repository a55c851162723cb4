//! Objects that their descriptions say everything of: their methods are made of them.
//!
//! What is more than that (a select that gives other objects, rows that not everybody sees) is in
//! [`special`], for few.

use std::sync::{Arc, OnceLock};

use db::objects::{self as descriptions, Stored};
use model::document::Document;
use serde_json::{Value, json};

use super::{Entry, Method, Pool, Run};
use crate::answer::Answer;
use crate::describe::{Gives, Kind, Object, Select};
use crate::error::ApiError;
use crate::json::{self, Fields, number, text};
use crate::objects::common::crud::Crud;
use crate::objects::common::scope::Get;
use crate::objects::hosts::valuemap;
use crate::objects::users::role;
use crate::query::{self, Output, Rows};
use crate::shared::Ctx;
use crate::validate::Mode;

/// What a method does with an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verb {
    Get,
    Create,
    Update,
    Delete,
}

/// Rows of a get method.
pub(crate) type Found = Vec<Arc<Document>>;

/// What a description does not say.
pub(crate) struct Special {
    /// Whether the caller sees it at all.
    pub(crate) may_read: fn(&Ctx, &Document) -> bool,
    /// Whether the caller may change or delete the one of this id. Who may call the method may,
    /// elsewhere, and the editor knows whether it is there.
    pub(crate) may_change: fn(&Ctx, u64) -> bool,
    /// Rights on what new fields refer to.
    pub(crate) check: fn(&Ctx, &mut Fields, Mode, &str) -> Result<(), ApiError>,
    /// Rows, where they are no documents.
    pub(crate) candidates: fn(&Ctx, &Get<'_>, &Stored) -> Result<Found, ApiError>,
    /// Selects of other objects, and those that are made.
    pub(crate) select: fn(&Ctx, &Document, &Select, &Output) -> Option<Value>,
}

impl Special {
    const NOTHING: Self = Self {
        may_read: |_, _| true,
        may_change: |_, _| true,
        check: |_, _, _, _| Ok(()),
        candidates: |ctx, _, stored| {
            Ok(ctx.snapshot.documents.of(stored.object.name).cloned().collect())
        },
        select: |_, _, _, _| None,
    };
}

fn special(stored: &Stored) -> Special {
    match stored.object.name {
        "role" => Special { may_read: role::may_read, select: role::select, ..Special::NOTHING },
        "valuemap" => Special {
            may_change: valuemap::may_change,
            check: valuemap::check,
            candidates: valuemap::candidates,
            ..Special::NOTHING
        },
        _ => Special::NOTHING,
    }
}

/// The objects with their methods.
pub(crate) fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| descriptions::ALL.iter().map(|it| entry(it)).collect())
}

fn entry(stored: &'static Stored) -> Entry {
    let method = |name: &str, role, pool, verb| {
        // Once in the life of the process.
        let name: &'static str = format!("{}.{name}", stored.object.name).leak();
        Method { name, role, pool, run: Run::Stored(stored, verb) }
    };
    let methods = vec![
        method("get", stored.read, Pool::Read, Verb::Get),
        method("create", stored.write, Pool::Edit, Verb::Create),
        method("update", stored.write, Pool::Edit, Verb::Update),
        method("delete", stored.write, Pool::Edit, Verb::Delete),
    ];
    Entry { object: &stored.object, methods: methods.leak() }
}

/// Runs a method.
pub(crate) fn run(
    stored: &'static Stored,
    verb: Verb,
    ctx: &Ctx,
    params: &Value,
) -> Result<Answer, ApiError> {
    let special = special(stored);
    let crud = Crud {
        object: &stored.object,
        kind: stored.kind(),
        may_change: special.may_change,
        check: special.check,
    };
    match verb {
        Verb::Get => get(stored, ctx, params),
        Verb::Create => crud.create(ctx, params).map(Answer::Tree),
        Verb::Update => crud.update(ctx, params).map(Answer::Tree),
        Verb::Delete => crud.delete(ctx, params).map(Answer::Tree),
    }
}

fn get(stored: &'static Stored, ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let object = &stored.object;
    let special = special(stored);
    let get = Get::new(ctx, object, params)?;
    let ids = get.id_set(object.ids)?;
    let may_write = stored.write <= ctx.caller.identity.role;
    let rows = (special.candidates)(ctx, &get, stored)?.into_iter().filter(|it| {
        ids.as_ref().is_none_or(|ids| ids.contains(&it.id))
            && (special.may_read)(ctx, it)
            && (!get.options.editable || may_write && it.text("readonly") != "1")
    });
    query::answer(object, &DocumentRows { ctx, stored }, rows, &get.options)
}

/// The one of this id, as a select of another object answers it; `[]` if there is none.
pub(crate) fn one(ctx: &Ctx, stored: &'static Stored, id: u64, output: &Output) -> Value {
    match ctx.snapshot.documents.get(stored.object.name, id) {
        Some(it) => Value::Object(related(ctx, stored, it, output)),
        None => json!([]),
    }
}

/// As a select of another object answers it.
pub(crate) fn related(
    ctx: &Ctx,
    stored: &'static Stored,
    row: &Arc<Document>,
    output: &Output,
) -> Fields {
    query::fields(&stored.object, &DocumentRows { ctx, stored }, row, output)
}

struct DocumentRows<'a> {
    ctx: &'a Ctx,
    stored: &'static Stored,
}

impl Rows for DocumentRows<'_> {
    type Row = Arc<Document>;

    fn field(&self, row: &Self::Row, name: &str) -> Value {
        if name == self.stored.object.id {
            return number(row.id);
        }
        row.body.get(name).cloned().unwrap_or_else(|| text(""))
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        if let Some(it) = (special(self.stored).select)(self.ctx, row, select, output) {
            return Ok(it);
        }
        Ok(match select.gives {
            Gives::Field => self.field(row, select.property),
            Gives::Parts(_) => parts(&self.stored.object, row, select.property, output),
            _ => json!([]),
        })
    }
}

/// A list in the body, with the wanted fields of each of its parts.
pub(crate) fn parts(object: &Object, row: &Document, name: &str, output: &Output) -> Value {
    let Some(Kind::List(fields)) = object.field(name).map(|it| it.kind) else { return json!([]) };
    json::parts(fields, json::list_of(&row.body, name), output, |it, field| {
        it.get(field).cloned().unwrap_or_else(|| text(""))
    })
}
