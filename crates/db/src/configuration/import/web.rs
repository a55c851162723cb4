//! Web scenarios of templates.

use std::collections::BTreeSet;

use model::HostId;
use model::content::{ItemType, WebFigure, WebScenario, WebStep};
use model::snapshot::ItemRow;
use serde_json::{Value as Json, json};

use super::Importer;
use super::documents::{pairs, read_content};
use super::fields::{object, tags};
use super::reader::{Node, unsupported};
use crate::configuration::editor::WebChange;
use crate::configuration::objects::httptest::{
    IN_FILES, POSTS, RETRIES, STEP_IN_FILES, STEPS, of_item, scenario_of, step_of,
};
use crate::error::ConfigError;

/// Attempts of a scenario.
const RETRIES_MAX: i64 = 10;

fn read(node: &mut Node) -> Result<WebChange, ConfigError> {
    let attempts = node.path_of("attempts");
    let mut fields = object(json!({ "name": node.needed_text("name")?, "uuid": node.uuid()? }));
    let mut steps = Vec::new();
    for step in node.list(STEPS.name)? {
        steps.push(read_step(step)?);
    }
    read_content(&mut fields, node, IN_FILES, false, &|it| *it)?;
    let retries = fields.get(RETRIES.field.name).and_then(Json::as_str);
    let retries: Option<i64> = retries.and_then(|it| it.parse().ok());
    if !retries.is_some_and(|it| (1..=RETRIES_MAX).contains(&it)) {
        return Err(unsupported(&attempts, "1 to 10 are expected"));
    }
    fields.insert("tags".to_owned(), tags(node)?);
    let scenario = scenario_of(&WebScenario::default(), &fields)?;
    let scenario = WebScenario { steps, ..scenario };
    Ok(WebChange { scenario, former: Vec::new(), fields: of_item(&fields) })
}

fn read_step(mut node: Node) -> Result<WebStep, ConfigError> {
    let posts = if node.is_list(POSTS.name) {
        pairs(&mut node, POSTS.name)?
    } else {
        node.text(POSTS.name)?.unwrap_or_default().into()
    };
    let (name, url) = (node.needed_text("name")?, node.needed_text("url")?);
    let mut fields = object(json!({ "name": name, "url": url, "posts": posts }));
    read_content(&mut fields, &mut node, STEP_IN_FILES, false, &|it| *it)?;
    node.finish()?;
    step_of(&WebStep::default(), &fields)
}

impl Importer<'_> {
    /// Web scenarios of a template, found again by uuid, else by name.
    pub(super) fn web_scenarios(
        &mut self,
        template: HostId,
        nodes: Vec<Node>,
    ) -> Result<(), ConfigError> {
        let rule = self.rules.web_scenarios;
        let mut kept = BTreeSet::new();
        for mut node in nodes {
            let mut wanted = read(&mut node)?;
            node.finish()?;
            let known = self.known_scenario(template, &wanted)?;
            match known {
                Some((id, old)) => {
                    kept.insert(id);
                    if rule.update {
                        let same =
                            |it: &WebStep| old.steps.iter().position(|old| old.name == it.name);
                        wanted.former = wanted.scenario.steps.iter().map(same).collect();
                        self.e.update_web_scenario(id, &wanted)?;
                    }
                }
                None if rule.create => {
                    kept.insert(self.e.create_web_scenario(template, &wanted)?);
                }
                None => {}
            }
        }
        if rule.delete_missing {
            let holder = self.holder(template)?;
            let own = holder.items.iter().filter(|it| it.source.is_none() && is_scenario(it));
            let gone: Vec<u64> = own.map(|it| it.id.0).filter(|it| !kept.contains(it)).collect();
            self.e.delete_web_scenarios(&gone)?;
        }
        Ok(())
    }

    fn known_scenario(
        &self,
        template: HostId,
        wanted: &WebChange,
    ) -> Result<Option<(u64, WebScenario)>, ConfigError> {
        let holder = self.holder(template)?;
        let uuid = wanted.fields.get("uuid").and_then(Json::as_str).unwrap_or_default();
        let is_own = |it: &ItemRow| it.source.is_none() && is_scenario(it);
        // A name stands in the key.
        let key = wanted.scenario.key(WebFigure::Failed, None);
        let known = holder
            .item_by_uuid_where(uuid, is_own)
            .or_else(|| holder.item_by_key_where(&key?, is_own));
        let scenario = |it: &ItemRow| WebScenario::parse(&it.content.params).ok();
        Ok(known.and_then(|it| Some((it.id.0, scenario(it)?))))
    }
}

fn is_scenario(row: &ItemRow) -> bool {
    row.content.kind == ItemType::WebItem && WebScenario::is_of(&row.content.key_)
}
