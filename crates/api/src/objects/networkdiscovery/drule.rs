//! Rules of network discovery: the rules that their description does not have. As in Zabbix they are shown to
//! admins only.

use db::DiscoveredHost;
use db::objects::Stored;
use db::objects::drule::{DCHECK, checks};
use model::content::RoleType;
use model::document::Document;
use model::map::Set;
use serde_json::Value;

use crate::describe::Select;
use crate::error::ApiError;
use crate::json::{Fields, number, text};
use crate::objects::common::document::{DocumentList, Special};
use crate::objects::common::scope::Get;
use crate::query::Output;
use crate::relation::Related;
use crate::shared::Ctx;

pub(crate) const SPECIAL: Special = Special { candidates, field, select, ..Special::NOTHING };

/// Whether the caller may see rules and their devices.
pub(crate) fn may_see(ctx: &Ctx) -> bool {
    RoleType::Admin <= ctx.caller.identity.role
}

fn candidates(ctx: &Ctx, get: &Get<'_>, stored: &Stored) -> Result<DocumentList, ApiError> {
    if !may_see(ctx) {
        return Ok(DocumentList::new());
    }
    let rules = ctx.snapshot.documents.of(stored.object.name);
    let mut wanted: Option<Set<u64>> = None;
    for (param, is_host) in [("dhostids", true), ("dserviceids", false)] {
        let Some(ids) = get.ids(param)? else { continue };
        let (hosts, services) = if is_host { (&*ids, &[][..]) } else { (&[][..], &*ids) };
        let found = ctx.db().events().discovered_of(hosts, services)?;
        let of: Set<u64> = found.hosts.iter().map(|it| it.rule).collect();
        wanted = Some(match wanted {
            Some(before) => before.into_iter().filter(|it| of.contains(it)).collect(),
            None => of,
        });
    }
    let is_wanted = |it: &Document| wanted.as_ref().is_none_or(|ids| ids.contains(&it.id));
    Ok(rules.filter(|it| is_wanted(it)).cloned().collect())
}

/// Why the last round of a rule was not made.
fn field(ctx: &Ctx, rule: &Document, name: &str) -> Option<Value> {
    (name == "error").then(|| text(ctx.db().discovery_errors().of(rule.id)))
}

fn select(ctx: &Ctx, rule: &Document, select: &Select, output: &Output) -> Option<Value> {
    Some(match (select.param, output) {
        ("selectDChecks", Output::Count) => number(checks(&rule.body).count()),
        ("selectDChecks", _) => {
            let part = |check: &Fields| {
                let wanted = DCHECK.iter().filter(|it| output.wants(it.name));
                let fields =
                    wanted.filter_map(|it| Some((it.name.to_owned(), check.get(it.name)?.clone())));
                let mut fields: Fields = fields.collect();
                if output.wants("druleid") {
                    fields.insert("druleid".to_owned(), number(rule.id));
                }
                Value::Object(fields)
            };
            checks(&rule.body).map(part).collect()
        }
        _ => {
            let found = ctx.db().events().discovered().ok()?;
            let hosts: Vec<&DiscoveredHost> =
                found.hosts.iter().filter(|it| it.rule == rule.id).collect();
            match output {
                Output::Count => number(hosts.len()),
                _ => ctx.related(select, Related::DiscoveredHosts(hosts), output),
            }
        }
    })
}
