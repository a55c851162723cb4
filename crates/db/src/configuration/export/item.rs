//! Items and item prototypes, and what they have in common with discovery rules.

use std::collections::BTreeMap;
use std::sync::Arc;

use formats::document::Value;
use model::content::{
    INVENTORY_FIELDS, ItemContent, ItemFlags, ItemType, OnFail, PreprocStep, Step,
};
use model::snapshot::{HolderKind, Host, ItemRow};
use model::{ItemId, ValueType};

use super::entry::{Entry, one, pairs, tags};
use super::{Exporter, uuid};
use crate::configuration::objects::names::{
    AUTH_TYPES, DISCOVER, ENABLED, ITEM_TYPES, ON_FAIL, OUTPUT_FORMATS, POST_TYPES,
    REQUEST_METHODS, RETRIEVE_MODES, SSH_AUTH_TYPES, STEPS, VALUE_TYPES,
};

/// Triggers that use one item alone, by that item.
pub(super) type OfItems = BTreeMap<ItemId, Vec<Value>>;

impl Exporter<'_> {
    /// The own items of a holder (`rule` is 0) or the prototypes of a rule, by key.
    pub(super) fn items(
        &self,
        holder: &Arc<Host>,
        rule: ItemId,
        triggers: &mut OfItems,
    ) -> Vec<Value> {
        let flags = if rule.is_some() { ItemFlags::Prototype } else { ItemFlags::Plain };
        let own = holder.items.iter().filter(|it| {
            it.source.is_none()
                && it.flags == flags
                && it.content.ruleid == rule
                && it.content.kind != ItemType::WebItem
        });
        let mut own: Vec<&ItemRow> = own.collect();
        own.sort_by(|one, two| one.content.key_.cmp(&two.content.key_));
        own.into_iter().map(|it| self.item(holder, it, triggers)).collect()
    }

    fn item(&self, holder: &Arc<Host>, row: &ItemRow, triggers: &mut OfItems) -> Value {
        let it = &*row.content;
        let is_prototype = row.flags == ItemFlags::Prototype;
        let is_numeric = matches!(it.value_type, ValueType::Float | ValueType::Unsigned);
        let mut entry = Entry::default();
        self.start(holder, row, &mut entry);
        entry.text_unless("history", &it.history, "31d");
        entry.text_unless("trends", &it.trends, if is_numeric { "365d" } else { "0" });
        entry.code_unless("status", it.status.code().into(), ENABLED, 0);
        entry.code_unless("value_type", it.value_type.code().into(), VALUE_TYPES, 3);
        if is_prototype {
            entry.code_unless("discover", (!it.discover).into(), DISCOVER, 0);
        }
        entry.filled("allowed_hosts", &it.trapper_hosts);
        entry.filled("units", &it.units);
        self.of_type(holder, it, &mut entry);
        entry.filled("description", &it.description);
        if let Some(field) =
            usize::try_from(it.inventory_link - 1).ok().and_then(|at| INVENTORY_FIELDS.get(at))
        {
            entry.text("inventory_link", field.name.to_ascii_uppercase());
        }
        if let Some(map) = self.snapshot.value_map(holder, row) {
            entry.child("valuemap", one("name", &map.name));
        }
        entry.filled("logtimefmt", &it.logtimefmt);
        entry.list("preprocessing", steps(&it.preprocessing));
        self.source(holder, it, &mut entry);
        entry.list("tags", tags(&it.tags));
        let below = triggers.remove(&row.id).unwrap_or_default();
        entry.list(if is_prototype { "trigger_prototypes" } else { "triggers" }, below);
        entry.into()
    }

    /// What items, prototypes and rules begin with.
    pub(super) fn start(&self, holder: &Arc<Host>, row: &ItemRow, entry: &mut Entry) {
        let it = &*row.content;
        if holder.kind == HolderKind::Template {
            entry.text("uuid", uuid::or_made(&it.uuid, &["item", &holder.host, &it.key_]));
        }
        entry.text("name", it.name.as_str());
        entry.code_unless("type", it.kind.code().into(), ITEM_TYPES, 0);
        entry.filled("snmp_oid", &it.snmp_oid);
        entry.text("key", it.key_.as_str());
        let has_delay = it.kind.is_polled() || it.kind == ItemType::ZabbixAgentActive;
        entry.text_unless("delay", &it.delay, if has_delay { "1m" } else { "0" });
    }

    /// Where items, prototypes and rules have their values from, as far as it stands behind their
    /// preprocessing.
    pub(super) fn source(&self, holder: &Arc<Host>, it: &ItemContent, entry: &mut Entry) {
        let interface =
            holder.interfaces.iter().position(|interface| interface.interfaceid == it.interfaceid);
        if let Some(at) = interface.filter(|_| it.interfaceid.is_some()) {
            entry.text("interface_ref", format!("if{}", at + 1));
        }
        entry.filled("jmx_endpoint", &it.jmx_endpoint);
        if let Some(master) = it.master_itemid.some()
            && let Some((_, master)) = self.snapshot.item_by_ref(holder, master)
        {
            entry.child("master_item", one("key", &master.content.key_));
        }
        entry.filled("timeout", &it.timeout);
        entry.filled("url", &it.url);
        entry.list("query_fields", pairs(&it.query_fields));
        entry.list("parameters", pairs(&it.parameters));
        entry.filled("posts", &it.posts);
        entry.text_unless("status_codes", &it.status_codes, "200");
        entry.flag("follow_redirects", it.follow_redirects, true);
        entry.code_unless("post_type", it.post_type, POST_TYPES, 0);
        entry.filled("http_proxy", &it.http_proxy);
        entry.list("headers", pairs(&it.headers));
        entry.code_unless("retrieve_mode", it.retrieve_mode, RETRIEVE_MODES, 0);
        entry.code_unless("request_method", it.request_method, REQUEST_METHODS, 0);
        entry.code_unless("output_format", it.output_format, OUTPUT_FORMATS, 0);
        entry.flag("allow_traps", it.allow_traps, false);
        entry.filled("ssl_cert_file", &it.ssl_cert_file);
        entry.filled("ssl_key_file", &it.ssl_key_file);
        entry.filled("ssl_key_password", self.credential(holder, &it.ssl_key_password));
        entry.flag("verify_peer", it.verify_peer, false);
        entry.flag("verify_host", it.verify_host, false);
    }

    /// What is asked for and as whom.
    pub(super) fn of_type(&self, holder: &Host, it: &ItemContent, entry: &mut Entry) {
        entry.filled("params", &it.params);
        entry.filled("ipmi_sensor", &it.ipmi_sensor);
        let names = if it.kind == ItemType::Ssh { SSH_AUTH_TYPES } else { AUTH_TYPES };
        entry.code_unless("authtype", it.authtype, names, 0);
        entry.filled("username", &it.username);
        entry.filled("password", self.credential(holder, &it.password));
        entry.filled("publickey", &it.publickey);
        entry.filled("privatekey", self.credential(holder, &it.privatekey));
    }
}

pub(super) fn steps(steps: &[PreprocStep]) -> Vec<Value> {
    let entry = |it: &PreprocStep| {
        let mut entry = Entry::default();
        entry.code("type", it.kind.code().into(), STEPS);
        // A script is one parameter, whatever lines it has.
        let parameters: Vec<Value> = if it.kind == Step::JavaScript {
            vec![it.params.as_str().into()]
        } else {
            it.params.split('\n').map(Value::from).collect()
        };
        if !it.params.is_empty() {
            entry.list("parameters", parameters);
        }
        // A check for errors discards the value unless it says something else; leaving the error as it
        // is would be no check.
        let is_default = match it.kind {
            Step::CheckNotSupported => {
                matches!(it.error_handler, OnFail::Default | OnFail::Discard)
            }
            _ => it.error_handler == OnFail::Default,
        };
        if !is_default {
            entry.code("error_handler", it.error_handler.code().into(), ON_FAIL);
        }
        entry.filled("error_handler_params", &it.error_handler_params);
        entry.into()
    };
    steps.iter().map(entry).collect()
}
