//! The configuration of a run: hosts that read each other's items.

use std::sync::Arc;

use model::content::{
    FunctionRef, HostStatus, ItemContent, ItemFlags, ItemType, OnFail, PreprocStep, RecoveryMode,
    Step, TriggerContent,
};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{HostId, ItemId, TriggerId, ValueType};

/// What a trigger is for, so that the oracle can judge it by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    /// `last(item) > limit`
    Threshold { item: ItemId, limit: f64 },
    /// `count(item, 1m) > limit`
    Window { item: ItemId, limit: usize },
    /// True for every value of another host's item; multiple generation.
    EachForeign { item: ItemId },
    /// The sum of the last values of items of all hosts is over the limit.
    Sum { items: Vec<ItemId>, limit: f64 },
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) snapshot: Snapshot,
    pub(crate) rules: Vec<(TriggerId, Rule)>,
    /// Host name, key, id, value type.
    pub(crate) items: Vec<(String, String, ItemId, ValueType)>,
}

fn host(id: u64) -> Host {
    Host {
        id: HostId(id),
        kind: HolderKind::Host,
        host: format!("host {id}").into(),
        name: format!("host {id}").into(),
        status: HostStatus::Monitored,
        description: String::new(),
        uuid: String::new(),
        groups: Vec::new(),
        template_groups: Vec::new(),
        templates: Vec::new(),
        interfaces: Vec::new(),
        macros: Vec::new(),
        tags: Vec::new(),
        valuemaps: Vec::new(),
        inventory_mode: -1,
        items: Vec::new(),
        triggers: Vec::new(),
    }
}

fn item(id: u64, key: &str, value_type: ValueType) -> ItemRow {
    // Halved and doubled: the value is what was sent, and steps have run.
    let half = |params: &str| PreprocStep {
        kind: Step::Multiplier,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    let content = ItemContent {
        key_: key.to_owned(),
        kind: ItemType::Trapper,
        value_type,
        preprocessing: if value_type.is_numeric() { vec![half("1")] } else { Vec::new() },
        ..ItemContent::default()
    };
    ItemRow {
        id: ItemId(id),
        source: ItemId::NONE,
        content: Arc::new(content),
        extra: None,
        flags: ItemFlags::Plain,
    }
}

fn call(item: ItemId, function: &str, parameter: &str) -> FunctionRef {
    FunctionRef { item, function: function.to_owned(), parameter: parameter.to_owned() }
}

impl Config {
    /// Hosts with a float, an unsigned and a text item each. Every host reads the float item of all
    /// others.
    pub(crate) fn all_to_all(n_hosts: u64) -> Self {
        let mut config = Self {
            snapshot: Snapshot { epoch: 1, ..Snapshot::default() },
            rules: Vec::new(),
            items: Vec::new(),
        };
        let ids: Vec<u64> = (1..=n_hosts).map(|it| it * 1_000).collect();
        let floats: Vec<ItemId> = ids.iter().map(|it| ItemId(it + 1)).collect();
        for id in ids {
            let mut host = host(id);
            host.items = vec![
                item(id + 1, "float", ValueType::Float),
                item(id + 2, "unsigned", ValueType::Unsigned),
                item(id + 3, "text", ValueType::Text),
            ];
            for it in &host.items {
                let content = &it.content;
                let name = (host.host.to_string(), content.key_.clone());
                config.items.push((name.0, name.1, it.id, content.value_type));
            }
            let others: Vec<ItemId> = floats.iter().copied().filter(|it| it.0 != id + 1).collect();
            config.triggers(&mut host, &floats, &others);
            let (first, last) = (ItemId(id), ItemId(id + 999));
            config.snapshot.item_runs.insert(first, (last, host.id));
            let (first, last) = (TriggerId(id), TriggerId(id + 999));
            config.snapshot.trigger_runs.insert(first, (last, host.id));
            config.snapshot.host_by_name.insert(Arc::clone(&host.host), host.id);
            config.snapshot.hosts.insert(host.id, Arc::new(host));
        }
        config
    }

    fn triggers(&mut self, host: &mut Host, all: &[ItemId], others: &[ItemId]) {
        let id = host.id.0;
        let own = ItemId(id + 2);
        self.add(
            host,
            "{0}>50",
            vec![call(own, "last", "$")],
            Rule::Threshold { item: own, limit: 50.0 },
        );
        let rule = Rule::Window { item: own, limit: 6 };
        self.add(host, "{0}>6", vec![call(own, "count", "$,1m")], rule);
        for other in others {
            let rule = Rule::EachForeign { item: *other };
            self.add(host, "{0}>=0", vec![call(*other, "last", "$")], rule);
        }
        let text: Vec<String> = (0..all.len()).map(|it| format!("{{{it}}}")).collect();
        let limit = 50.0 * f64::from(u32::try_from(all.len()).expect("few hosts"));
        let functions = all.iter().map(|it| call(*it, "last", "$")).collect();
        let rule = Rule::Sum { items: all.to_vec(), limit };
        self.add(host, &format!("{}>{limit}", text.join("+")), functions, rule);
    }

    fn add(&mut self, host: &mut Host, expression: &str, functions: Vec<FunctionRef>, rule: Rule) {
        let id = TriggerId(host.id.0 + 1 + host.triggers.len() as u64);
        let multiple = matches!(rule, Rule::EachForeign { .. });
        let content = TriggerContent {
            description: format!("trigger {id}"),
            expression: expression.to_owned(),
            functions,
            multiple,
            recovery_mode: if multiple { RecoveryMode::None } else { RecoveryMode::Expression },
            ..TriggerContent::default()
        };
        host.triggers.push(TriggerRow {
            id,
            source: TriggerId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: ItemFlags::Plain,
        });
        self.rules.push((id, rule));
    }
}
