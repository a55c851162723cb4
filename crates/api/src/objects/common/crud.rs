//! Create, update and delete, alike for all objects: validate against the description, check the user's
//! permissions, and pass all to the editor in one edit.

use std::borrow::Cow;
use std::sync::Arc;

use db::ObjectKind;
use lang::macros::UserMacro;
use model::field_path::FieldPath;
use model::snapshot::Host;
use model::{HostMacroId, TokenId};
use serde_json::{Value, json};

use crate::describe::{Object, RulesSee, Unknown};
use crate::error::ApiError;
use crate::json::{Fields, id_of};
use crate::shared::Ctx;
use crate::validate::{self, Mode};

/// The writing methods of one object.
#[derive(Clone, Copy)]
pub(crate) struct Crud {
    pub(crate) object: &'static Object,
    pub(crate) kind: ObjectKind,
    /// Whether the user may change or delete the object. Also false if it does not exist.
    pub(crate) may_change: fn(&Ctx, u64) -> bool,
    /// Rules that the description cannot have: permissions on referred objects, fields that depend on each
    /// other. May change the fields. Gets the path of the object for errors.
    pub(crate) check: fn(&Ctx, &mut Fields, Mode, &FieldPath) -> Result<(), ApiError>,
}

impl Crud {
    pub(crate) fn create(&self, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
        let list = self.checked(ctx, params, Mode::Create)?;
        let ids = ctx.edit(|e| {
            let each = list.into_iter().enumerate();
            each.map(|(at, it)| e.create(self.kind, it).map_err(|error| error.in_object(at + 1)))
                .collect::<Result<Vec<u64>, _>>()
        })?;
        Ok(self.answer(&ids))
    }

    pub(crate) fn update(&self, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
        let list = self.checked(ctx, params, Mode::Update)?;
        let ids = ctx.edit(|e| {
            let mut ids = Vec::with_capacity(list.len());
            for (at, mut fields) in list.into_iter().enumerate() {
                let id = id_of(&fields, self.object.id).unwrap_or_default();
                fields.remove(self.object.id);
                e.update(self.kind, id, fields).map_err(|error| error.in_object(at + 1))?;
                ids.push(id);
            }
            Ok(ids)
        })?;
        Ok(self.answer(&ids))
    }

    pub(crate) fn delete(&self, ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
        let ids = validate::ids(params)?;
        if !ids.iter().all(|it| (self.may_change)(ctx, *it)) {
            return Err(ApiError::no_permissions());
        }
        ctx.edit(|e| e.delete(self.kind, &ids))?;
        Ok(self.answer(&ids))
    }

    fn checked(&self, ctx: &Ctx, params: &Value, mode: Mode) -> Result<Vec<Fields>, ApiError> {
        let Object { fields, id, writes, .. } = *self.object.at(ctx.version);
        let writes = writes.expect("what is created or changed says how");
        let before = |id| ctx.snapshot.documents.get(self.object.name, id).cloned();
        let mut list = if writes.unknown == Unknown::PassedOver {
            let known = validate::without_unknown(fields, Some(id), params, mode);
            let is_emptied = known == json!({}) && *params != json!({});
            // All members were unknown: the error names the first that is missing.
            let known = if is_emptied { json!([{}]) } else { known };
            validate::changes(fields, id, &known, mode, &before)?
        } else {
            validate::changes(fields, id, params, mode, &before)?
        };
        if mode == Mode::Update {
            validate::unique(&list, &[self.object.id])?;
        }
        for fields in writes.unique {
            validate::unique_in_form(&list, fields, form)?;
        }
        let may_change =
            |it: &Fields| id_of(it, self.object.id).is_some_and(|it| (self.may_change)(ctx, it));
        if mode == Mode::Update && !list.iter().all(may_change) {
            return Err(ApiError::no_permissions());
        }
        for (at, fields) in list.iter_mut().enumerate() {
            if writes.rules_see == RulesSee::Filled {
                self.fill(fields, mode);
            }
            (self.check)(ctx, fields, mode, &FieldPath::object(at))?;
            self.fill(fields, mode);
        }
        // Omitted fields have been filled in.
        for fields in writes.unique {
            validate::unique_in_form(&self.known(ctx, &list, fields), fields, form)?;
        }
        if let Some(stored) = db::objects::named(self.object.name) {
            let known = self.known(ctx, &list, stored.unique);
            validate::unique_in_form(&known, stored.unique, stored.key_form)?;
        }
        Ok(list)
    }

    /// These fields of each object that is given one of them. What is not given of an object that
    /// exists is as it was.
    fn known(&self, ctx: &Ctx, list: &[Fields], names: &[&str]) -> Vec<Fields> {
        let of = |it: &Fields| -> Fields {
            let given = names.iter().filter_map(|name| it.get_key_value(*name));
            let mut known: Fields =
                given.map(|(name, value)| (name.clone(), value.clone())).collect();
            let id = id_of(it, self.object.id).filter(|_| !known.is_empty());
            let left_out = names.iter().filter(|name| !it.contains_key(**name));
            for name in left_out {
                if let Some(value) = id.and_then(|id| self.as_it_was(ctx, id, name)) {
                    known.insert((*name).to_owned(), Value::String(value));
                }
            }
            known
        };
        list.iter().map(of).collect()
    }

    fn as_it_was(&self, ctx: &Ctx, id: u64, name: &str) -> Option<String> {
        match (self.kind, name) {
            (ObjectKind::Token, "userid") => {
                ctx.snapshot.access.tokens.get(&TokenId(id)).map(|it| it.userid.to_string())
            }
            (ObjectKind::HostMacro, "hostid") => {
                let holders = ctx.snapshot.hosts.values().chain(ctx.snapshot.templates.values());
                let has =
                    |it: &&Arc<Host>| it.macros.iter().any(|it| it.hostmacroid == HostMacroId(id));
                holders.into_iter().find(has).map(|it| it.id.to_string())
            }
            _ => {
                let old = ctx.snapshot.documents.get(self.object.name, id)?;
                Some(old.text(name).to_owned())
            }
        }
    }

    fn fill(&self, fields: &mut Fields, mode: Mode) {
        if mode == Mode::Create {
            validate::fill(self.object.fields, fields);
        }
    }

    fn answer(&self, ids: &[u64]) -> Value {
        answer(self.object.ids, ids)
    }
}

/// The form in which a value is compared: macros with a context in quotes or without are the same.
fn form<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    match UserMacro::parse_definition(value).filter(|_| name == "macro") {
        Some(it) => Cow::Owned(it.key()),
        None => Cow::Borrowed(value),
    }
}

/// `{"hostids": ["1", "2"]}`
pub(crate) fn answer(name: &str, ids: &[u64]) -> Value {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    json!({ name: ids })
}
