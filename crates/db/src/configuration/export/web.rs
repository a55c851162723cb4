//! Web scenarios.

use std::sync::Arc;

use formats::document::Value;
use model::content::{ItemType, WebPosts, WebScenario, WebStep};
use model::snapshot::{HolderKind, Host, ItemRow};

use super::entry::{Entry, one, pairs, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::names::{AUTH_TYPES, ENABLED, RETRIEVE_MODES};

impl Exporter<'_> {
    /// The own web scenarios of a holder, by name.
    pub(super) fn web_scenarios(&self, holder: &Arc<Host>) -> Vec<Value> {
        let own = holder.items.iter().filter(|it| {
            it.source.is_none()
                && it.content.kind == ItemType::WebItem
                && WebScenario::is_of(&it.content.key_)
        });
        let own = own.filter_map(|it| Some((it, WebScenario::parse(&it.content.params).ok()?)));
        let mut own: Vec<(&ItemRow, WebScenario)> = own.collect();
        own.sort_by(|one, two| one.1.name.cmp(&two.1.name));
        own.iter().map(|(row, it)| self.web_scenario(holder, row, it)).collect()
    }

    fn web_scenario(&self, holder: &Host, row: &ItemRow, it: &WebScenario) -> Value {
        let item = &*row.content;
        let mut entry = Entry::default();
        if holder.kind == HolderKind::Template {
            entry.text("uuid", uuid::or_made(&item.uuid, &["httptest", &holder.host, &it.name]));
        }
        entry.text("name", it.name.as_str());
        entry.text_unless("delay", &item.delay, "1m");
        entry.number("attempts", &it.retries, &1);
        entry.text_unless("agent", &it.agent, "Zabbix");
        entry.filled("http_proxy", &item.http_proxy);
        entry.list("variables", pairs(&it.variables));
        entry.list("headers", pairs(&it.headers));
        entry.code_unless("status", item.status.code().into(), ENABLED, 0);
        entry.code_unless("authentication", item.authtype, AUTH_TYPES, 0);
        entry.filled("http_user", &item.username);
        entry.filled("http_password", self.credential(holder, &item.password));
        entry.flag("verify_peer", item.verify_peer, false);
        entry.flag("verify_host", item.verify_host, false);
        entry.filled("ssl_cert_file", &item.ssl_cert_file);
        entry.filled("ssl_key_file", &item.ssl_key_file);
        entry.filled("ssl_key_password", self.credential(holder, &item.ssl_key_password));
        entry.list("steps", it.steps.iter().map(step).collect());
        entry.list("tags", tags(&item.tags));
        entry.into()
    }
}

fn step(it: &WebStep) -> Value {
    let mut entry = one("name", &it.name);
    entry.text("url", it.url.as_str());
    entry.list("query_fields", pairs(&it.query_fields));
    match &it.posts {
        WebPosts::Raw(text) => entry.filled("posts", text),
        WebPosts::Fields(fields) => entry.list("posts", pairs(fields)),
    }
    entry.list("variables", pairs(&it.variables));
    entry.list("headers", pairs(&it.headers));
    entry.flag("follow_redirects", it.follow_redirects, true);
    entry.code_unless("retrieve_mode", it.retrieve_mode, RETRIEVE_MODES, 0);
    entry.text_unless("timeout", &it.timeout, "15s");
    entry.filled("required", &it.required);
    entry.filled("status_codes", &it.status_codes);
    entry.into()
}
