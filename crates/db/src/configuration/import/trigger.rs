//! Triggers and trigger prototypes, at their item, their rule or the top level.

use std::collections::BTreeSet;

use model::TriggerId;
use model::content::TriggerContent;
use model::snapshot::TriggerRow;
use serde_json::json;

use super::Importer;
use super::documents::{read_content, whole, whole_request};
use super::fields::{Fields, object, tags};
use super::pending::Pending;
use super::reader::{Node, unsupported};
use super::triggers_by_name::{Name, rendered, squeezed};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::trigger::IN_FILES;
use crate::error::ConfigError;

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
    let mut fields = object(json!({
        "description": name.0,
        "expression": name.1,
        "recovery_expression": name.2,
        "uuid": uuid,
    }));
    let is_prototype = kind == ObjectKind::TriggerPrototype;
    read_content(&mut fields, &mut node, IN_FILES, is_prototype, &|it| *it)?;
    fields.insert("tags".to_owned(), tags(&mut node)?);
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
        // Children have inherited what is new.
        self.triggers_by_name.take();
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
                let whole: TriggerContent = whole(&read.fields)?;
                let others = ["functions", "dependencies", "ruleid"];
                let request = whole_request(&whole, &read.fields, &others);
                self.e.update(kind, id.0, request).map_err(at_path)?;
                id
            }
            None => TriggerId(self.e.create(kind, read.fields.clone()).map_err(at_path)?),
        };
        self.kept_triggers.insert(id);
        self.triggers_by_name.borrow_mut().note(self.e, id);
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
        let (e, mut by_name) = (&*self.e, self.triggers_by_name.borrow_mut());
        let snapshot = e.snapshot();
        let wanted = (name.clone(), squeezed(expression), squeezed(recovery));
        hosts_in(expression).iter().find_map(|it| {
            let holder = snapshot.template_named(it).or_else(|| snapshot.host_named(it))?;
            let known = by_name.of(e, holder).get(&wanted)?.iter();
            let rows = known.filter_map(|id| holder.trigger(*id));
            let is_it = |it: &&TriggerRow| {
                may_be(it) && rendered(e, holder, it).is_some_and(|it| it == wanted)
            };
            rows.filter(is_it).map(|it| it.id).min()
        })
    }
}

/// The hosts and templates that an expression names, each once.
fn hosts_in(expression: &str) -> BTreeSet<String> {
    let Ok(ast) = lang::expression::parse(expression) else { return BTreeSet::new() };
    let queries = ast.history_calls().iter().filter_map(|it| ast.query(it));
    queries.map(|it| it.host.to_owned()).collect()
}
