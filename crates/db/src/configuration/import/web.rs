//! Web scenarios of templates.

use std::collections::BTreeSet;

use model::HostId;
use model::content::{ItemType, WebFigure, WebPosts, WebScenario, WebStep};
use model::snapshot::ItemRow;
use serde_json::{Value as Json, json};

use super::Importer;
use super::documents::pairs;
use super::fields::{object, tags};
use super::reader::{Node, unsupported};
use crate::configuration::editor::WebChange;
use crate::configuration::objects::names::{AUTH_TYPES, ENABLED, NO_YES, RETRIEVE_MODES};
use crate::error::ConfigError;

fn read(node: &mut Node) -> Result<WebChange, ConfigError> {
    let name = node.needed_text("name")?;
    let mut steps = Vec::new();
    for step in node.list("steps")? {
        steps.push(read_step(step)?);
    }
    let attempts = node.text("attempts")?.unwrap_or_else(|| "1".to_owned());
    let retries = attempts.parse().ok().filter(|it| (1..=10).contains(it));
    let retries =
        retries.ok_or_else(|| unsupported(&node.path_of("attempts"), "1 to 10 are expected"))?;
    let scenario = WebScenario {
        name,
        agent: node.text("agent")?.unwrap_or_else(|| "Zabbix".to_owned()),
        retries,
        headers: parsed(pairs(node, "headers")?)?,
        variables: parsed(pairs(node, "variables")?)?,
        steps,
    };
    let mut fields = json!({
        "delay": node.text("delay")?.unwrap_or_else(|| "1m".to_owned()),
        "status": node.code("status", ENABLED, 0)?,
        "authtype": node.code("authentication", AUTH_TYPES, 0)?,
        "username": node.text("http_user")?.unwrap_or_default(),
        "password": node.text("http_password")?.unwrap_or_default(),
        "verify_peer": node.code("verify_peer", NO_YES, 0)?,
        "verify_host": node.code("verify_host", NO_YES, 0)?,
        "tags": tags(node)?,
    });
    fields["uuid"] = node.uuid()?.into();
    for name in ["http_proxy", "ssl_cert_file", "ssl_key_file", "ssl_key_password"] {
        fields[name] = node.text(name)?.unwrap_or_default().into();
    }
    Ok(WebChange { scenario, former: Vec::new(), fields: object(fields) })
}

fn read_step(mut node: Node) -> Result<WebStep, ConfigError> {
    let posts = if node.is_list("posts") {
        WebPosts::Fields(parsed(pairs(&mut node, "posts")?)?)
    } else {
        WebPosts::Raw(node.text("posts")?.unwrap_or_default())
    };
    let retrieve_mode = node.code("retrieve_mode", RETRIEVE_MODES, 0)?;
    let step = WebStep {
        name: node.needed_text("name")?,
        url: node.needed_text("url")?,
        query_fields: parsed(pairs(&mut node, "query_fields")?)?,
        posts,
        headers: parsed(pairs(&mut node, "headers")?)?,
        variables: parsed(pairs(&mut node, "variables")?)?,
        timeout: node.text("timeout")?.unwrap_or_else(|| "15s".to_owned()),
        required: node.text("required")?.unwrap_or_default(),
        status_codes: node.text("status_codes")?.unwrap_or_default(),
        follow_redirects: node.code("follow_redirects", NO_YES, 1)? == "1",
        retrieve_mode: retrieve_mode.parse().unwrap_or_default(),
    };
    node.finish()?;
    Ok(step)
}

fn parsed<T: serde::de::DeserializeOwned>(value: Json) -> Result<T, ConfigError> {
    serde_json::from_value(value).map_err(|it| ConfigError::application(it.to_string()))
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
