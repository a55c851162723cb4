//! Checks of rules of network discovery by themselves: `dcheck.get`.

use std::sync::Arc;

use db::objects::drule::{DCHECK, checks};
use model::document::{Body, Document};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, Select, joined,
};
use crate::error::ApiError;
use crate::json::{number, str_of, text};
use crate::method::{Method, ObjectEntry};
use crate::objects::common::scope::Get;
use crate::objects::networkdiscovery::drule::may_see;
use crate::query::{self, Output, Rows};
use crate::relation::Related;
use crate::shared::Ctx;

const OWN: [Field; 1] = [Field::new("druleid", FieldType::Id, Rule::ReadOnly, "The rule")];
const FIELDS: [Field; DCHECK.len() + OWN.len()] = joined(&DCHECK, &OWN);

const OBJECT: Object = Object {
    name: "dcheck",
    type_name: "DiscoveryCheck",
    nouns: Nouns { one: "a discovery check", several: "checks of network discovery rules" },
    resource: None,
    role: RoleRule::READ_ONLY,
    writes: None,
    id: "dcheckid",
    ids: "dcheckids",
    fields: &FIELDS,
    selects: &[Select::new("selectDRules", "drules", Gives::Objects("drule")).limited("name")],
    params: Params::of(&["dcheckids", "druleids", "dserviceids", "limitSelects"]),
    sort: &["dcheckid", "druleid"],
    doc: "A check of a network discovery rule; created and changed with the rule",
};

pub(crate) const ENTRY: ObjectEntry = ObjectEntry::new(&OBJECT, &[Method::get("dcheck.get", get)]);

struct CheckRows<'a> {
    ctx: &'a Ctx,
}

impl<'a> Rows for CheckRows<'a> {
    type Row = (&'a Arc<Document>, &'a Body);

    fn field(&self, (rule, check): &Self::Row, name: &str) -> Value {
        match name {
            "druleid" => number(rule.id),
            _ => check.get(name).cloned().unwrap_or_else(|| text("")),
        }
    }

    fn select(&self, row: &Self::Row, select: &Select, output: &Output) -> Result<Value, ApiError> {
        Ok(match output {
            // As in Zabbix, which counts no rules here.
            Output::Count => json!([]),
            _ => self.ctx.related(select, Related::Documents(vec![row.0]), output),
        })
    }
}

fn get(ctx: &Ctx, params: &Value) -> Result<Answer, ApiError> {
    let get = Get::new(ctx, &OBJECT, params)?;
    let (ids, rules) = (get.id_set("dcheckids")?, get.id_set("druleids")?);
    let services = get.ids("dserviceids")?;
    let of_services = match services {
        None => None,
        Some(ids) => {
            let found = ctx.db().events().discovered_of(&[], &ids)?;
            Some(found.hosts.iter().map(|it| it.rule).collect::<Vec<_>>())
        }
    };
    let is_rule = |it: &&Arc<Document>| {
        may_see(ctx)
            && rules.as_ref().is_none_or(|ids| ids.contains(&it.id))
            && of_services.as_ref().is_none_or(|ids| ids.contains(&it.id))
    };
    let of_rules = ctx.snapshot.documents.of("drule").filter(is_rule);
    let mut rows: Vec<(&Arc<Document>, &Body)> =
        of_rules.flat_map(|rule| checks(&rule.body).map(move |it| (rule, it))).collect();
    let id_of = |it: &Body| str_of(it, "dcheckid").parse::<u64>().unwrap_or_default();
    rows.retain(|(_, it)| ids.as_ref().is_none_or(|ids| ids.contains(&id_of(it))));
    rows.sort_by_key(|(_, it)| id_of(it));
    query::answer(&OBJECT, &CheckRows { ctx }, rows.into_iter(), &get.options)
}
