//! Items, discovery rules and their prototypes.

use model::content::{ItemContent, ItemFlags, ItemType};
use model::describe::{Field, Rule};
use model::map::Set;
use model::snapshot::ItemRow;
use model::{HostId, ItemId, ValueType};
use serde_json::{Value as Json, json};

use super::fields::{Fields, object, tags};
use super::of_type::{self, OnError};
use super::reader::{Node, unsupported};
use super::rule_order::{self, InOrder};
use super::{Importer, Pending, documents, overrides, pending};
use crate::configuration::editor::content::{merge, to_object};
use crate::configuration::objects::ObjectKind;
use crate::configuration::objects::item::files;
use crate::configuration::objects::item::of_type::ItemShape;
use crate::configuration::objects::item::{
    ALLOW_TRAPS, AUTHTYPE, ENABLED_LIFETIME, ENABLED_LIFETIME_TYPE, INTERFACEID, JMX_ENDPOINT, KEY,
    LIFETIME_TYPE, TRENDS,
};
use crate::configuration::objects::names::{
    ITEM_TYPES, JMX_ENDPOINT as OWN_JMX_ENDPOINT, ON_FAIL, STEPS, VALUE_TYPES,
};
use crate::error::ConfigError;

/// An item that is read, its references still by name.
struct Read {
    fields: Fields,
    key: String,
    uuid: String,
    path: String,
    master: Option<String>,
    valuemap: Option<String>,
    /// The interface's name in the file.
    interface: Option<String>,
    /// Below prototypes too: triggers of one item.
    triggers: Vec<Node>,
}

fn read(node: &mut Node, kind: ObjectKind) -> Result<Read, ConfigError> {
    let is_prototype =
        matches!(kind, ObjectKind::ItemPrototype | ObjectKind::DiscoveryRulePrototype);
    let is_rule = matches!(kind, ObjectKind::DiscoveryRule | ObjectKind::DiscoveryRulePrototype);
    let item_type = node.code("type", ITEM_TYPES, 0)?;
    let value_type = node.code("value_type", VALUE_TYPES, 3)?;
    let check = ItemType::from_code(item_type.parse().unwrap_or_default());
    let check = check.unwrap_or(ItemType::ZabbixAgent);
    let values = ValueType::from_code(value_type.parse().unwrap_or_default());
    let values = values.unwrap_or(ValueType::Unsigned);
    let mut fields = object(json!({ "type": item_type, "value_type": value_type }));
    // Rules of old files have fields that only items need.
    let in_file = |field: &Field| match files::of_kind(field, check, values.is_numeric()) {
        it if it.name == JMX_ENDPOINT.field.name && check == ItemType::Jmx => {
            Field { rule: Rule::Default(OWN_JMX_ENDPOINT), ..it }
        }
        it => it,
    };
    documents::read_content(&mut fields, node, files::ITEM, is_prototype, &in_file)?;
    if is_rule {
        documents::read_content(&mut fields, node, files::RULE, is_prototype, &in_file)?;
    }
    fields.insert("uuid".to_owned(), node.uuid()?.into());
    fields.insert("inventory_link".to_owned(), inventory_link(node)?.into());
    fields.insert("tags".to_owned(), tags(node)?);
    fields.insert("preprocessing".to_owned(), preprocessing(node)?);
    let text = |name: &str| fields.get(name).and_then(Json::as_str).unwrap_or_default();
    let key = text(KEY.field.name).to_owned();
    let shape = ItemShape {
        kind: check,
        value_type: values,
        key: &key,
        authtype: text(AUTHTYPE.field.name).parse().unwrap_or_default(),
        takes_traps: text(ALLOW_TRAPS.field.name) == "1",
    };
    let has_interface = shape.has(INTERFACEID.name);
    fields.retain(|name, _| shape.has(name));
    // Only numbers have trends.
    if !values.is_numeric() {
        fields.insert(TRENDS.field.name.to_owned(), "0".into());
    }
    if is_rule {
        rule_fields(node, &mut fields)?;
    }
    let named = |child: Option<Node>, name: &str| -> Result<Option<String>, ConfigError> {
        let Some(mut child) = child else { return Ok(None) };
        let text = child.needed_text(name)?;
        child.finish()?;
        Ok(Some(text))
    };
    let triggers = match kind {
        ObjectKind::DiscoveryRule | ObjectKind::DiscoveryRulePrototype => Vec::new(),
        ObjectKind::ItemPrototype => node.list("trigger_prototypes")?,
        _ => node.list("triggers")?,
    };
    Ok(Read {
        uuid: fields.get("uuid").and_then(Json::as_str).unwrap_or_default().to_owned(),
        fields,
        key,
        path: node.path().to_owned(),
        master: named(node.child("master_item")?, "key")?.filter(|_| check == ItemType::Dependent),
        valuemap: named(node.child("valuemap")?, "name")?,
        interface: node.text("interface_ref")?.filter(|it| !it.is_empty() && has_interface),
        triggers,
    })
}

fn inventory_link(node: &mut Node) -> Result<String, ConfigError> {
    let path = node.path_of("inventory_link");
    let Some(name) = node.text("inventory_link")?.filter(|it| it != "NONE") else {
        return Ok("0".to_owned());
    };
    // Files write names of fields in capitals.
    let known = name.bytes().all(|it| !it.is_ascii_lowercase());
    let number = model::content::inventory_link(&name.to_ascii_lowercase()).filter(|_| known);
    let number =
        number.ok_or_else(|| unsupported(&path, format_args!("unknown field \"{name}\"")))?;
    Ok(number.to_string())
}

fn preprocessing(node: &mut Node) -> Result<Json, ConfigError> {
    let mut steps = Vec::new();
    for mut step in node.list("preprocessing")? {
        let kind = step.code("type", STEPS, 0)?;
        if kind == "0" {
            return Err(step.missing("type"));
        }
        let params = step.texts("parameters")?.join("\n").replace("\r\n", "\n");
        let handler = step.code_if_any("error_handler", ON_FAIL)?;
        let handler = match of_type::on_error(&kind) {
            OnError::Any => handler.unwrap_or_else(|| "0".to_owned()),
            OnError::Replaced => handler.unwrap_or_else(|| "1".to_owned()),
            OnError::Nothing => "0".to_owned(),
        };
        let handler_params = step.text("error_handler_params")?;
        let handler_params = handler_params.filter(|_| matches!(handler.as_str(), "2" | "3"));
        steps.push(json!({
            "params": if of_type::has_parameters(&kind) { params } else { String::new() },
            "type": kind,
            "error_handler": handler,
            "error_handler_params": handler_params.unwrap_or_default(),
        }));
        step.finish()?;
    }
    Ok(Json::Array(steps))
}

/// The lists that rules alone have.
fn rule_fields(node: &mut Node, fields: &mut Fields) -> Result<(), ConfigError> {
    // Whether how long it stays enabled counts is said by the types.
    let is = |name: &str, code: &str| fields.get(name).and_then(Json::as_str) == Some(code);
    let counts = is(ENABLED_LIFETIME_TYPE.field.name, "0") && !is(LIFETIME_TYPE.field.name, "2");
    if !counts {
        fields.insert(ENABLED_LIFETIME.field.name.to_owned(), "0".into());
    }
    let mut request = json!({});
    let mut paths = Vec::new();
    for mut path in node.list("lld_macro_paths")? {
        paths.push(json!({
            "lld_macro": path.needed_text("lld_macro")?, "path": path.needed_text("path")?
        }));
        path.finish()?;
    }
    request["lld_macro_paths"] = Json::Array(paths);
    if let Some(filter) = node.child("filter")? {
        request["filter"] = overrides::filter(filter)?;
    }
    request["overrides"] = overrides::overrides(node)?;
    fields.extend(object(request));
    Ok(())
}

impl Importer<'_> {
    /// Items, rules and prototypes of a template. Gives its triggers and graphs, to be read when
    /// all templates have their items.
    pub(super) fn objects(
        &mut self,
        template: &mut Pending,
    ) -> Result<(Vec<pending::Pending>, Vec<pending::Pending>), ConfigError> {
        let id = template.id;
        let (mut triggers, mut graphs) = (Vec::new(), Vec::new());
        let items = template.node.list("items")?;
        let of_items = self.items(id, items, ObjectKind::Item, None)?;
        triggers.extend(pending::of_list(of_items, ObjectKind::Trigger));
        for rule in rule_order::in_order(template.node.list("discovery_rules")?)? {
            self.rule(id, rule, &mut triggers, &mut graphs)?;
        }
        let scenarios = template.node.list("httptests")?;
        self.web_scenarios(id, scenarios)?;
        Ok((triggers, graphs))
    }

    /// A rule or rule prototype with its prototypes.
    fn rule(
        &mut self,
        id: HostId,
        rule: InOrder,
        triggers: &mut Vec<pending::Pending>,
        graphs: &mut Vec<pending::Pending>,
    ) -> Result<(), ConfigError> {
        let InOrder { mut node, parent } = rule;
        let prototypes = node.list("item_prototypes")?;
        let of_rule = node.list("trigger_prototypes")?;
        let graphs_of_rule = node.list("graph_prototypes")?;
        let host_prototypes = node.list("host_prototypes")?;
        let kind = match parent {
            Some(_) => ObjectKind::DiscoveryRulePrototype,
            None => ObjectKind::DiscoveryRule,
        };
        let mut rule_read = read(&mut node, kind)?;
        if let Some(overrides) = rule_read.fields.get_mut("overrides") {
            overrides::name_templates(overrides, |it| self.template_named(it))?;
        }
        node.finish()?;
        let parent = match parent {
            Some(key) => {
                let holder = self.holder(id)?;
                let found = holder.item_by_key_where(&key, |it| it.flags.has_prototypes());
                let found = found.map(|it| it.id).ok_or_else(|| {
                    let what = format_args!("discovery rule \"{key}\" does not exist");
                    unsupported(&rule_read.path, what)
                })?;
                // The prototypes of a rule that was left alone are left alone.
                if !self.rules_done.contains(&found) && !self.rules.discovery_rules.update {
                    return Ok(());
                }
                Some(found)
            }
            None => None,
        };
        let Some(rule) = self.save(id, rule_read, kind, parent)? else { return Ok(()) };
        self.rules_done.insert(rule);
        let of_items = self.items(id, prototypes, ObjectKind::ItemPrototype, Some(rule))?;
        let all = of_items.into_iter().chain(of_rule).collect();
        triggers.extend(pending::of_list(all, ObjectKind::TriggerPrototype));
        graphs.extend(pending::of_list(graphs_of_rule, ObjectKind::GraphPrototype));
        self.host_prototypes.extend(host_prototypes.into_iter().map(|it| (id, rule, it)));
        Ok(())
    }

    /// Masters first, whatever the order in the file. Gives the triggers below.
    fn items(
        &mut self,
        template: HostId,
        nodes: Vec<Node>,
        kind: ObjectKind,
        rule: Option<ItemId>,
    ) -> Result<Vec<Node>, ConfigError> {
        let mut waiting = Vec::with_capacity(nodes.len());
        let mut triggers = Vec::new();
        for mut node in nodes {
            let mut item = read(&mut node, kind)?;
            node.finish()?;
            triggers.append(&mut item.triggers);
            waiting.push(item);
        }
        while !waiting.is_empty() {
            let names: Set<String> = waiting.iter().map(|it| it.key.clone()).collect();
            let is_ready = |it: &Read| it.master.as_ref().is_none_or(|it| !names.contains(it));
            let (ready, rest): (Vec<Read>, Vec<Read>) = waiting.into_iter().partition(is_ready);
            if ready.is_empty() {
                let path = rest.first().map_or("", |it| it.path.as_str());
                return Err(unsupported(path, "circular item dependency is not allowed"));
            }
            for item in ready {
                self.save(template, item, kind, rule)?;
            }
            waiting = rest;
        }
        Ok(triggers)
    }

    /// Makes or updates one item; `None` if it may not.
    fn save(
        &mut self,
        template: HostId,
        mut item: Read,
        kind: ObjectKind,
        rule: Option<ItemId>,
    ) -> Result<Option<ItemId>, ConfigError> {
        let may = self.rules.of(kind);
        let holder = self.holder(template)?;
        let flags = match kind {
            ObjectKind::DiscoveryRule => ItemFlags::Rule,
            ObjectKind::DiscoveryRulePrototype => ItemFlags::RulePrototype,
            ObjectKind::ItemPrototype => ItemFlags::Prototype,
            _ => ItemFlags::Plain,
        };
        let is_own = |it: &ItemRow| it.flags == flags;
        let by_uuid = holder.item_by_uuid_where(&item.uuid, is_own);
        let known = by_uuid.or_else(|| holder.item_by_key_where(&item.key, is_own)).map(|it| it.id);
        if !(if known.is_some() { may.update } else { may.create }) {
            self.kept_items.extend(known);
            return Ok(None);
        }
        if let Some(name) = &item.valuemap {
            let map = holder.valuemaps.iter().find(|it| it.name == *name);
            let map = map.ok_or_else(|| {
                unsupported(&item.path, format_args!("value map \"{name}\" does not exist"))
            })?;
            item.fields.insert("valuemapid".to_owned(), map.valuemapid.to_string().into());
        }
        if let Some(key) = &item.master {
            let master = holder.item_by_key(key).ok_or_else(|| {
                unsupported(&item.path, format_args!("master item \"{key}\" does not exist"))
            })?;
            item.fields.insert("master_itemid".to_owned(), master.id.to_string().into());
        }
        if let Some(name) = &item.interface {
            let interface = self.interfaces.get(&(template, name.clone()));
            let interface = interface.ok_or_else(|| {
                unsupported(&item.path, format_args!("interface \"{name}\" does not exist"))
            })?;
            item.fields.insert("interfaceid".to_owned(), interface.to_string().into());
        }
        if let Some(rule) = rule {
            item.fields.insert("ruleid".to_owned(), rule.to_string().into());
        }
        let at_path = |error: ConfigError| error.at(&item.path);
        let id = match known {
            Some(id) => {
                // Fields that the file does not name have their default.
                let whole: ItemContent = merge(&ItemContent::default(), &item.fields)?;
                let mut fields = to_object(&whole);
                files::NOT_IN_FILES.iter().for_each(|it| drop(fields.remove(it.field.name)));
                if flags.has_prototypes() {
                    fields.remove("value_type");
                }
                if item.uuid.is_empty() {
                    fields.remove("uuid");
                }
                self.e.update(kind, id.0, fields).map_err(at_path)?;
                id
            }
            None => {
                item.fields.insert("hostid".to_owned(), template.to_string().into());
                ItemId(self.e.create(kind, item.fields).map_err(at_path)?)
            }
        };
        self.kept_items.insert(id);
        Ok(Some(id))
    }
}
