//! Web scenarios: a scenario is its item `web.test.fail[…]`, and it has the items with the results
//! of its steps.

use std::collections::BTreeSet;

use model::content::{ItemType, WebFigure, WebScenario};
use model::field_path::FieldPath;
use model::snapshot::{Host, ItemRow};
use model::{HostId, ItemId};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::Editor;
use super::audited::is_scenario;
use crate::configuration::objects::ObjectKind;
use crate::error::{ConfigError, edited};

/// How long values of scenarios are kept, as in Zabbix.
const HISTORY: &str = "30d";
const TRENDS: &str = "90d";
/// Fields that items of one scenario have in common.
const COMMON: &[&str] = &["delay", "status", "tags"];

/// A scenario as it shall be.
#[derive(Clone, Debug, Default)]
pub struct WebChange {
    pub scenario: WebScenario,
    /// Which step of the present scenario each step was, by its place there.
    pub former: Vec<Option<usize>>,
    /// Fields of the item that are given: `delay`, `status`, `tags`, `authtype`, `username`, `password`, `http_proxy`,
    /// `verify_peer`, `verify_host`, `ssl_…`, `uuid`.
    pub fields: JsonMap<String, Json>,
}

/// An item that a scenario brings.
struct WebItem {
    key: String,
    fields: JsonMap<String, Json>,
    figure: WebFigure,
    /// Place of its step.
    step: Option<usize>,
}

fn items(scenario: &WebScenario) -> Result<Vec<WebItem>, ConfigError> {
    let mut places =
        vec![(WebFigure::Failed, None), (WebFigure::Error, None), (WebFigure::Speed, None)];
    for step in 0..scenario.steps.len() {
        let figures = [WebFigure::Speed, WebFigure::Time, WebFigure::Code];
        places.extend(figures.map(|it| (it, Some(step))));
    }
    places.into_iter().map(|(figure, step)| item(scenario, figure, step)).collect()
}

fn item(
    scenario: &WebScenario,
    figure: WebFigure,
    step: Option<usize>,
) -> Result<WebItem, ConfigError> {
    let key = scenario.key(figure, step);
    let key = key.ok_or_else(|| {
        ConfigError::invalid(
            edited("name"),
            "cannot end with a backslash where it has to be quoted",
        )
    })?;
    let whole = &scenario.name;
    let of = match step.and_then(|it| scenario.steps.get(it)) {
        Some(step) => format!("step \"{}\" of scenario \"{whole}\"", step.name),
        None => format!("scenario \"{whole}\""),
    };
    let (what, value_type, units, trends) = match figure {
        WebFigure::Speed => ("Download speed for", 0, "Bps", TRENDS),
        WebFigure::Failed => ("Failed step of", 3, "", TRENDS),
        WebFigure::Error => ("Last error message of", 1, "", "0"),
        WebFigure::Time => ("Response time for", 0, "s", TRENDS),
        WebFigure::Code => ("Response code for", 3, "", TRENDS),
    };
    let mut fields = json!({
        "name": format!("{what} {of}."), "key_": key, "type": ItemType::WebItem.code().to_string(),
        "value_type": value_type.to_string(), "units": units, "history": HISTORY, "trends": trends,
    });
    if figure == WebFigure::Failed {
        fields["params"] = scenario.params().into();
    }
    let Json::Object(fields) = fields else { return Err(ConfigError::no_permissions()) };
    Ok(WebItem { key, fields, figure, step })
}

fn read(row: &ItemRow) -> Result<WebScenario, ConfigError> {
    WebScenario::parse(&row.content.params)
        .map_err(|it| ConfigError::invalid(FieldPath::object(0), it))
}

/// The item of a scenario on its holder.
fn found(holder: &Host, key: Option<String>) -> Option<ItemId> {
    holder.item_by_key(&key?).map(|it| it.id)
}

impl Editor {
    /// Makes a scenario with its items on a host or template; gives its id.
    ///
    /// # Errors
    /// If there is an item with one of its keys.
    pub fn create_web_scenario(
        &mut self,
        holder: HostId,
        wanted: &WebChange,
    ) -> Result<u64, ConfigError> {
        if found(self.holder(holder)?, wanted.scenario.key(WebFigure::Failed, None)).is_some() {
            let name = &wanted.scenario.name;
            return Err(ConfigError::parameters(format_args!(
                "Web scenario \"{name}\" already exists."
            )));
        }
        let mut scenario = 0;
        for item in items(&wanted.scenario)? {
            let id = self.create_web_item(holder, wanted, item)?;
            scenario = if scenario == 0 { id } else { scenario };
        }
        Ok(scenario)
    }

    fn create_web_item(
        &mut self,
        holder: HostId,
        wanted: &WebChange,
        item: WebItem,
    ) -> Result<u64, ConfigError> {
        let mut fields = given(wanted, &item);
        fields.insert("hostid".to_owned(), holder.to_string().into());
        self.create(ObjectKind::Item, fields)
    }

    /// Brings a scenario and its items to what is wanted; items keep ids and history where their step stays.
    ///
    /// # Errors
    /// If it is inherited and name or steps differ, or an item has one of its keys.
    pub fn update_web_scenario(&mut self, id: u64, wanted: &WebChange) -> Result<(), ConfigError> {
        let (holder, row) = self.item(ItemId(id))?;
        if !is_scenario(row) {
            return Err(ConfigError::no_permissions());
        }
        // A held reference would make the change a copy.
        let (holder_id, is_inherited, old) = (holder.id, row.source.is_some(), read(row)?);
        if is_inherited {
            return self.update_inherited_scenario(holder_id, &old, wanted);
        }
        let mut left: BTreeSet<ItemId> =
            items(&old)?.into_iter().filter_map(|it| found(holder, Some(it.key))).collect();
        let mut changes = Vec::new();
        for item in items(&wanted.scenario)? {
            let former = match item.step {
                None => Some(old.key(item.figure, None)),
                Some(step) => {
                    let former = wanted.former.get(step).copied().flatten();
                    former.map(|it| old.key(item.figure, Some(it)))
                }
            };
            let known = former.and_then(|key| found(holder, key));
            if let Some(known) = known {
                left.remove(&known);
            }
            changes.push((known, item));
        }
        // Those whose steps are gone first: another step may have their name now.
        if !left.is_empty() {
            self.remove_items(left.into_iter().collect());
        }
        for (known, item) in changes {
            match known {
                Some(known) => {
                    let fields = given(wanted, &item);
                    self.update(ObjectKind::Item, known.0, fields)?;
                }
                None => {
                    self.create_web_item(holder_id, wanted, item)?;
                }
            }
        }
        Ok(())
    }

    /// A host may have its own interval, status, tags, credentials, agent, attempts, headers and variables.
    fn update_inherited_scenario(
        &mut self,
        holder: HostId,
        old: &WebScenario,
        wanted: &WebChange,
    ) -> Result<(), ConfigError> {
        let new = &wanted.scenario;
        if new.name != old.name {
            return Err(ConfigError::parameters(format_args!(
                "Cannot update a templated web scenario \"{}\": unexpected parameter \"name\".",
                new.name
            )));
        }
        for (name, is_same) in [("steps", new.steps == old.steps)] {
            if !is_same {
                let what =
                    format!("cannot update readonly parameter \"{name}\" of inherited object");
                return Err(ConfigError::invalid(FieldPath::object(0), what));
            }
        }
        for item in items(old)? {
            let known = found(self.holder(holder)?, Some(item.key.clone()));
            let Some(known) = known else { continue };
            let mut fields = of_item(wanted, item.figure);
            if item.figure == WebFigure::Failed {
                fields.insert("params".to_owned(), new.params().into());
            }
            self.update(ObjectKind::Item, known.0, fields)?;
        }
        Ok(())
    }

    /// Deletes scenarios with their items.
    ///
    /// # Errors
    /// If one is not there, or is inherited.
    pub fn delete_web_scenarios(&mut self, ids: &[u64]) -> Result<(), ConfigError> {
        let mut gone = Vec::new();
        for id in ids {
            let (holder, row) = self.item(ItemId(*id))?;
            if !is_scenario(row) {
                return Err(ConfigError::no_permissions());
            }
            if row.source.is_some() {
                return Err(ConfigError::parameters(format_args!(
                    "Cannot delete templated web scenario \"{}\".",
                    read(row)?.name
                )));
            }
            let items = items(&read(row)?)?.into_iter();
            gone.extend(items.filter_map(|it| found(holder, Some(it.key))).map(|it| it.0));
        }
        if gone.is_empty() { Ok(()) } else { self.delete(ObjectKind::Item, &gone) }
    }
}

/// The given fields for an item of this kind: all of them for the scenario itself.
fn of_item(wanted: &WebChange, figure: WebFigure) -> JsonMap<String, Json> {
    let is_for = |name: &str| figure == WebFigure::Failed || COMMON.contains(&name);
    let given = wanted.fields.iter().filter(|(name, _)| is_for(name));
    given.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn given(wanted: &WebChange, item: &WebItem) -> JsonMap<String, Json> {
    let mut fields = of_item(wanted, item.figure);
    fields.extend(item.fields.clone());
    fields
}
