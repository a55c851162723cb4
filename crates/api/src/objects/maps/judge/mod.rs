//! Parameters of create, update and delete as Zabbix checks them for maps, whose methods are of its older
//! kind: one rule after the other, mostly without paths. Parameters that pass are read by the description.

mod fields;
mod parts;
mod wanted;

use db::objects::map::{MAP, SUBMAP, list, targets};
use model::map::{Map, Set};
use serde_json::{Value, json};

use self::wanted::{WRONG_ARGUMENTS, Wanted, is_blank, no_permissions};
use super::rights;
use crate::error::ApiError;
use crate::json::Fields;
use crate::method::Verb;
use crate::query::given::text;
use crate::shared::Ctx;
use crate::validate::{as_columns, elements};

const KIND: &str = "map";
const ID: &str = "sysmapid";
const NOTHING: &str = "Empty input parameter.";

/// An error, or the parameters as the description reads them.
pub(super) fn judge(ctx: &Ctx, verb: Verb, params: &Value) -> Result<Option<Value>, ApiError> {
    match verb {
        Verb::Get => Ok(None),
        Verb::Create => created(ctx, params).map(Some),
        Verb::Update => updated(ctx, params).map(Some),
        Verb::Delete => deleted(ctx, params).map(Some),
    }
}

fn deleted(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let all = elements(params, true).unwrap_or_else(|| vec![params]);
    if all.is_empty() {
        return Err(ApiError::params(NOTHING));
    }
    let mut seen = Set::default();
    let mut ids = Vec::new();
    for it in all {
        let id: Option<u64> = text(it).parse().ok();
        let id = id.filter(|it| is_writable(ctx, *it)).ok_or_else(no_permissions)?;
        if seen.insert(id) {
            ids.push(it.clone());
        }
    }
    Ok(Value::Array(ids))
}

fn is_writable(ctx: &Ctx, id: u64) -> bool {
    let found = ctx.snapshot.documents.get(KIND, id);
    found.is_some_and(|it| rights::permission(ctx, it) >= rights::WRITE)
}

fn created(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let given = elements(params, false).unwrap_or_else(|| vec![params]);
    if given.is_empty() {
        return Err(ApiError::params(NOTHING));
    }
    let mut all = Vec::with_capacity(given.len());
    for it in given {
        let has = |it: &Fields, name: &str| it.get(name).is_some_and(|it| !it.is_null());
        match it {
            Value::Object(it) if ["name", "width", "height"].iter().all(|name| has(it, name)) => {
                all.push(Wanted { given: it.clone(), old: None });
            }
            _ => return Err(ApiError::params("Incorrect fields for sysmap.")),
        }
    }
    names(ctx, &all)?;
    for (at, it) in all.iter().enumerate() {
        fields::size(it)?;
        fields::owner(ctx, it)?;
        fields::judge(ctx, it)?;
        parts::of_new_map(ctx, it, at)?;
    }
    let mut made = Vec::with_capacity(all.len());
    for it in &all {
        made.push(as_columns(MAP.object.fields, &it.given)?);
    }
    for (at, it) in all.iter().enumerate() {
        parts::shapes(it, at)?;
    }
    for (it, made) in all.iter().zip(&mut made) {
        parts::finish(ctx, it, made)?;
    }
    Ok(made.into_iter().map(Value::Object).collect())
}

fn updated(ctx: &Ctx, params: &Value) -> Result<Value, ApiError> {
    let given = elements(params, false).unwrap_or_else(|| vec![params]);
    if given.is_empty() {
        return Err(ApiError::params(NOTHING));
    }
    for it in &given {
        match it.get(ID) {
            None | Some(Value::Null) => {
                return Err(ApiError::params("No \"sysmapid\" given for map."));
            }
            Some(Value::String(it)) if it.is_empty() => {
                return Err(ApiError::params("Empty map ID."));
            }
            Some(it) if text(it).parse::<u64>().is_err() => {
                return Err(ApiError::params("Incorrect map ID."));
            }
            Some(_) => {}
        }
    }
    let mut all = Vec::with_capacity(given.len());
    for it in given {
        let Value::Object(given) = it else { return Err(ApiError::params(WRONG_ARGUMENTS)) };
        let id = given.get(ID).and_then(|it| text(it).parse().ok()).unwrap_or_default();
        let old = ctx.snapshot.documents.get(KIND, id).cloned();
        if !is_writable(ctx, id) {
            return Err(ApiError::no_permissions());
        }
        match given.get("name") {
            Some(Value::Array(_) | Value::Object(_)) => {
                return Err(ApiError::params(WRONG_ARGUMENTS));
            }
            Some(it) if is_blank(it) || *it == json!(false) => {
                return Err(ApiError::params("Map name cannot be empty."));
            }
            _ => {}
        }
        all.push(Wanted { given: given.clone(), old });
    }
    names(ctx, &all)?;
    for (at, it) in all.iter().enumerate() {
        fields::owner(ctx, it)?;
        fields::size(it)?;
        fields::judge(ctx, it)?;
        parts::of_known_map(it, at)?;
    }
    circles(ctx, &all)?;
    for (at, it) in all.iter().enumerate() {
        parts::shapes(it, at)?;
    }
    let mut made = Vec::with_capacity(all.len());
    for it in &all {
        made.push(as_columns(MAP.object.fields, &it.given)?);
    }
    for (it, made) in all.iter().zip(&mut made) {
        parts::finish(ctx, it, made)?;
    }
    Ok(made.into_iter().map(Value::Object).collect())
}

/// Names are unique in a request, and among all maps.
fn names(ctx: &Ctx, all: &[Wanted]) -> Result<(), ApiError> {
    let is_new = |it: &&Wanted| match (it.given.get("name"), &it.old) {
        (None, _) => false,
        (Some(name), Some(old)) => text(name) != old.text("name"),
        (Some(_), None) => true,
    };
    let mut seen = Set::default();
    for it in all.iter().filter(is_new) {
        if !seen.insert(it.name()) {
            let what = format!("Duplicate \"name\" value \"{}\" for map.", it.name());
            return Err(ApiError::params(what));
        }
    }
    let known = || ctx.snapshot.documents.of(KIND);
    for it in all.iter().filter(is_new) {
        let (name, own) = (it.name(), it.old.as_ref().map(|it| it.id));
        if known().any(|other| other.text("name") == name && Some(other.id) != own) {
            return Err(ApiError::params(format!("Map \"{name}\" already exists.")));
        }
    }
    Ok(())
}

/// No map shows itself, through others or at once.
fn circles(ctx: &Ctx, all: &[Wanted]) -> Result<(), ApiError> {
    let mut below: Map<u64, Vec<Option<u64>>> = Map::default();
    for it in all {
        let Some(old) = &it.old else { continue };
        let mut ids = Vec::new();
        for element in it.objects("selements")? {
            if element.get("elementtype").is_some_and(|it| text(it) == SUBMAP.to_string()) {
                let first = element.get("elements").and_then(|it| elements(it, false));
                let first = first.and_then(|it| it.first()?.get(ID).cloned());
                ids.extend(first.map(|it| text(&it).parse().ok()));
            }
        }
        below.insert(old.id, ids);
    }
    for it in all {
        let Some(old) = &it.old else { continue };
        let mut seen = Set::default();
        let mut pending: Vec<Option<u64>> = below[&old.id].iter().rev().copied().collect();
        while let Some(next) = pending.pop() {
            let id = next.ok_or_else(no_permissions)?;
            if id == old.id {
                return Err(ApiError::params(format!(
                    "Cannot add map element of the map \"{}\" due to circular reference.",
                    it.name()
                )));
            }
            if !seen.insert(id) {
                continue;
            }
            if let Some(ids) = below.get(&id) {
                pending.extend(ids.iter().rev());
            } else {
                let map = ctx.snapshot.documents.get(KIND, id).ok_or_else(no_permissions)?;
                let maps = list(&map.body, "selements").map(targets);
                let maps = maps.filter(|(kind, _)| *kind == SUBMAP).flat_map(|(_, ids)| ids);
                pending.extend(maps.map(Some));
            }
        }
    }
    Ok(())
}
