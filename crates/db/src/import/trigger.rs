//! Triggers and trigger prototypes, at their item, their rule or the top level.

use std::collections::BTreeSet;

use model::TriggerId;
use model::content::TriggerContent;
use model::snapshot::TriggerRow;
use serde_json::{Value as Json, json};

use super::Importer;
use super::fields::{Fields, object, tags};
use super::names::{
    CORRELATION_MODES, DISCOVER, ENABLED, NO_YES, RECOVERY_MODES, SEVERITIES, TRIGGER_TYPES,
};
use super::pending::Pending;
use super::reader::{Node, unsupported};
use crate::editor::content::{merge, to_object};
use crate::{ConfigError, ObjectKind};

/// A trigger by name and expressions.
type Name = (String, String, String);

struct Read {
    fields: Fields,
    name: Name,
    uuid: String,
    path: String,
    dependencies: Vec<Name>,
}

fn read_name(node: &mut Node) -> Result<Name, ConfigError> {
    Ok((
        node.needed_text("name")?,
        node.needed_text("expression")?,
        node.text("recovery_expression")?.unwrap_or_default(),
    ))
}

fn read(Pending { mut node, kind }: Pending) -> Result<Read, ConfigError> {
    let name = read_name(&mut node)?;
    let uuid = node.uuid()?;
    let request = json!({
        "description": name.0,
        "expression": name.1,
        "recovery_expression": name.2,
        "uuid": uuid,
        "recovery_mode": node.code("recovery_mode", RECOVERY_MODES, 0)?,
        "priority": node.code("priority", SEVERITIES, 0)?,
        "status": node.code("status", ENABLED, 0)?,
        "type": node.code("type", TRIGGER_TYPES, 0)?,
        "manual_close": node.code("manual_close", NO_YES, 0)?,
        "correlation_mode": node.code("correlation_mode", CORRELATION_MODES, 0)?,
        "correlation_tag": node.text("correlation_tag")?.unwrap_or_default(),
        "event_name": node.text("event_name")?.unwrap_or_default(),
        "opdata": node.text("opdata")?.unwrap_or_default(),
        "comments": node.text("description")?.unwrap_or_default(),
        "url": node.text("url")?.unwrap_or_default(),
        "url_name": node.text("url_name")?.unwrap_or_default(),
        "tags": tags(&mut node)?,
    });
    let mut fields = object(request);
    if kind == ObjectKind::TriggerPrototype {
        let discover = node.code("discover", DISCOVER, 0)?;
        fields.insert("discover".to_owned(), discover.into());
    }
    let mut dependencies = Vec::new();
    for mut dependency in node.list("dependencies")? {
        dependencies.push(read_name(&mut dependency)?);
        dependency.finish()?;
    }
    let path = node.path().to_owned();
    node.finish()?;
    Ok(Read { fields, name, uuid, path, dependencies })
}

impl Importer<'_> {
    /// All triggers, then what they depend on.
    pub(super) fn triggers(&mut self, pending: Vec<Pending>) -> Result<(), ConfigError> {
        let mut saved = Vec::with_capacity(pending.len());
        for pending in pending {
            let kind = pending.kind;
            let trigger = read(pending)?;
            if let Some(id) = self.save_trigger(kind, &trigger)? {
                saved.push((kind, id, trigger));
            }
        }
        for (kind, id, trigger) in saved {
            let mut ids = Vec::new();
            for name in &trigger.dependencies {
                let found = self.find_trigger(name).ok_or_else(|| {
                    let what = format!("trigger \"{}\" does not exist", name.0);
                    unsupported(&format!("{}/dependencies", trigger.path), what)
                })?;
                ids.push(json!({"triggerid": found.to_string()}));
            }
            self.e.update(kind, id.0, object(json!({"dependencies": ids})))?;
        }
        Ok(())
    }

    /// Makes or updates one trigger; `None` if the rules leave it alone.
    fn save_trigger(
        &mut self,
        kind: ObjectKind,
        read: &Read,
    ) -> Result<Option<TriggerId>, ConfigError> {
        let by_uuid = self.triggers_by_uuid.get(&read.uuid).copied();
        let known = by_uuid.or_else(|| self.find_own_trigger(&read.name));
        let may = self.rules.of(kind);
        if !(if known.is_some() { may.update } else { may.create }) {
            self.kept_triggers.extend(known);
            return Ok(None);
        }
        let at_path = |error: ConfigError| error.at(&read.path);
        let id = match known {
            Some(id) => {
                // What the file does not name is at its default. The content's own field for
                // "discover" is not written as the API's.
                let whole: TriggerContent = {
                    let mut fields = read.fields.clone();
                    fields.remove("discover");
                    merge(&TriggerContent::default(), &fields)?
                };
                let mut fields = to_object(&whole);
                for name in ["functions", "dependencies", "ruleid"] {
                    fields.remove(name);
                }
                if read.uuid.is_empty() {
                    fields.remove("uuid");
                }
                let discover = read.fields.get("discover").cloned();
                fields.insert("discover".to_owned(), discover.unwrap_or_else(|| Json::from("0")));
                self.e.update(kind, id.0, fields).map_err(at_path)?;
                id
            }
            None => TriggerId(self.e.create(kind, read.fields.clone()).map_err(at_path)?),
        };
        self.kept_triggers.insert(id);
        if !read.uuid.is_empty() {
            self.triggers_by_uuid.insert(read.uuid.clone(), id);
        }
        Ok(Some(id))
    }

    /// A trigger of this name and these expressions, as users write them, inherited ones too. Its
    /// expression names what holds it.
    pub(super) fn find_trigger(&self, name: &Name) -> Option<TriggerId> {
        self.find_own_trigger(name).or_else(|| self.trigger_where(name, &|it| it.source.is_some()))
    }

    fn find_own_trigger(&self, name: &Name) -> Option<TriggerId> {
        self.trigger_where(name, &|it| it.source.is_none())
    }

    fn trigger_where(
        &self,
        (name, expression, recovery): &Name,
        may_be: &dyn Fn(&TriggerRow) -> bool,
    ) -> Option<TriggerId> {
        let snapshot = self.e.snapshot();
        let holders = hosts_in(expression);
        let holders = holders
            .iter()
            .filter_map(|it| snapshot.template_named(it).or_else(|| snapshot.host_named(it)));
        let mut rows =
            holders.flat_map(|holder| holder.triggers.iter().map(move |it| (holder, it)));
        let found = rows.find(|(holder, it)| {
            let content = &it.content;
            let is_same = |stored: &str, written: &str| {
                let rendered = self.e.render_of(holder, stored, content);
                rendered.is_ok_and(|it| it == written || squeezed(&it) == squeezed(written))
            };
            content.description == *name
                && may_be(it)
                && is_same(&content.expression, expression)
                && is_same(&content.recovery_expression, recovery)
        });
        found.map(|(_, it)| it.id)
    }
}

/// The hosts and templates that an expression names, each once.
fn hosts_in(expression: &str) -> BTreeSet<String> {
    let Ok(ast) = lang::expression::parse(expression) else { return BTreeSet::new() };
    let queries = ast.history_calls().iter().filter_map(|it| ast.query(it));
    queries.map(|it| it.host.to_owned()).collect()
}
/// Without the white space that means nothing: all outside of quotes.
fn squeezed(expression: &str) -> String {
    let (mut in_quotes, mut is_escaped) = (false, false);
    let mut out = String::with_capacity(expression.len());
    for char in expression.chars() {
        if char == '"' && !is_escaped {
            in_quotes = !in_quotes;
        }
        is_escaped = in_quotes && char == '\\' && !is_escaped;
        if in_quotes || !char.is_ascii_whitespace() {
            out.push(char);
        }
    }
    out
}
