//! The configuration of a run: hosts that read each other's items.

use std::sync::Arc;

use model::content::{
    FunctionRef, ItemContent, ItemFlags, ItemType, OnFail, PreprocStep, RecoveryMode, Step,
    TriggerContent,
};
use model::snapshot::{Delta, HolderKind, Host, ItemRow, Snapshot, TriggerRow};
use model::{HostId, ItemId, TriggerId, ValueType};

/// The purpose of a trigger, so that the oracle can judge it by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    /// `last(item) > limit`
    Threshold { item: ItemId, limit: f64 },
    /// `max(item, 10s) > limit`
    Window { item: ItemId, limit: u64 },
    /// The same; an event for each value at which it is true.
    WindowEach { item: ItemId, limit: u64 },
    /// True for every value of another host's item; multiple generation.
    EachForeign { item: ItemId },
    /// The sum of the last values of items of all hosts exceeds the limit.
    Sum { items: Vec<ItemId>, limit: f64 },
}

/// Contents of an item in addition to plain values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its dependants have a script each.
    Master,
    /// A script, then the change against the value before.
    Delta,
    /// A document whose rows go to other hosts.
    Rows,
}

/// The items of one host with work for other threads.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) host: String,
    pub(crate) master: ItemId,
    pub(crate) scripts: [ItemId; 2],
    pub(crate) delta: ItemId,
    pub(crate) rows: ItemId,
    /// Takes rows.
    pub(crate) taker: ItemId,
    /// The sum of the last floats of all hosts.
    pub(crate) total: ItemId,
}

impl Work {
    pub(crate) fn target(&self, role: Role) -> (ItemId, &'static str) {
        match role {
            Role::Master => (self.master, "master"),
            Role::Delta => (self.delta, "delta"),
            Role::Rows => (self.rows, "rows"),
        }
    }

    /// Items whose values are made of others'.
    pub(crate) fn made(&self) -> [(ItemId, ValueType); 5] {
        [
            (self.scripts[0], ValueType::Text),
            (self.scripts[1], ValueType::Text),
            (self.delta, ValueType::Unsigned),
            (self.taker, ValueType::Unsigned),
            (self.total, ValueType::Float),
        ]
    }
}

impl Rule {
    /// Whether its problems are closed by hand now and then.
    pub(crate) fn is_closable(&self) -> bool {
        // The sum of all at rest does not show whether it is in PROBLEM.
        !matches!(self, Self::Sum { .. })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) snapshot: Snapshot,
    pub(crate) rules: Vec<(TriggerId, Rule)>,
    /// Host name, key, id, value type.
    pub(crate) items: Vec<(String, String, ItemId, ValueType)>,
    /// By host; empty: plain items only.
    pub(crate) work: Vec<Work>,
    /// Hosts with an agent: name, id, the item that gets its values.
    pub(crate) agents: Vec<(String, HostId, ItemId)>,
    /// Rules of discovery: host and item.
    pub(crate) rules_of_discovery: Vec<(String, ItemId)>,
}

fn host(id: u64) -> Host {
    Host::new(
        HostId(id),
        HolderKind::Host,
        format!("host {id}").into(),
        format!("host {id}").into(),
    )
}

fn item(id: u64, key: &str, value_type: ValueType) -> ItemRow {
    // The value is the sent one, and steps have run.
    let steps =
        if value_type.is_numeric() { vec![step(Step::Multiplier, "1")] } else { Vec::new() };
    row(id, trapper(key, value_type, steps))
}

fn step(kind: Step, params: &str) -> PreprocStep {
    PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    }
}

fn trapper(key: &str, value_type: ValueType, preprocessing: Vec<PreprocStep>) -> ItemContent {
    ItemContent {
        key_: key.to_owned(),
        kind: ItemType::Trapper,
        value_type,
        preprocessing,
        ..ItemContent::default()
    }
}

fn row(id: u64, content: ItemContent) -> ItemRow {
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
    pub(crate) fn all_to_all(n_hosts: u64, has_work: bool) -> Self {
        let mut config = Self {
            snapshot: Snapshot { epoch: 1, ..Snapshot::default() },
            rules: Vec::new(),
            items: Vec::new(),
            work: Vec::new(),
            agents: Vec::new(),
            rules_of_discovery: Vec::new(),
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
            host.items.push(row(id + 21, trapper("log", ValueType::Text, Vec::new())));
            config.agents.push((host.host.to_string(), host.id, ItemId(id + 21)));
            let rule = row(id + 22, trapper("rule", ValueType::Text, Vec::new()));
            host.items.push(ItemRow { flags: ItemFlags::Rule, ..rule });
            config.rules_of_discovery.push((host.host.to_string(), ItemId(id + 22)));
            let others: Vec<ItemId> = floats.iter().copied().filter(|it| it.0 != id + 1).collect();
            if has_work {
                config.add_work(&mut host);
            }
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

    /// Scripts, documents whose rows go to other hosts, a function over all hosts.
    fn add_work(&mut self, host: &mut Host) {
        let id = host.id.0;
        let script = || step(Step::JavaScript, "return value");
        let dependent = |key: &str| ItemContent {
            kind: ItemType::Dependent,
            master_itemid: ItemId(id + 11),
            ..trapper(key, ValueType::Text, vec![script()])
        };
        let total = ItemContent {
            kind: ItemType::Calculated,
            delay: "10s".to_owned(),
            params: "sum(last_foreach(/*/float))".to_owned(),
            ..trapper("total", ValueType::Float, Vec::new())
        };
        let change = vec![script(), step(Step::SimpleChange, "")];
        let rows = vec![step(Step::DispatchToHosts, "name\n$.host\n$.data\nin")];
        let taken = vec![step(Step::JsonPath, "$.v")];
        host.items.extend([
            row(id + 11, trapper("master", ValueType::Text, Vec::new())),
            row(id + 12, dependent("a")),
            row(id + 13, dependent("b")),
            row(id + 14, trapper("delta", ValueType::Unsigned, change)),
            row(id + 15, trapper("rows", ValueType::Text, rows)),
            row(id + 16, trapper("in", ValueType::Unsigned, taken)),
            row(id + 17, total),
        ]);
        self.work.push(Work {
            host: host.host.to_string(),
            master: ItemId(id + 11),
            scripts: [ItemId(id + 12), ItemId(id + 13)],
            delta: ItemId(id + 14),
            rows: ItemId(id + 15),
            taker: ItemId(id + 16),
            total: ItemId(id + 17),
        });
    }

    /// An edit: an item of a host is added or removed. Returns the change for the engine.
    pub(crate) fn edit(&mut self, at: usize) -> (Arc<Snapshot>, Delta) {
        let snapshot = &mut self.snapshot;
        snapshot.epoch += 1;
        let host = snapshot.hosts.iter().nth(at).map(|it| *it.0).expect("a host");
        let of_host = snapshot.hosts.get_mut(&host).expect("a host");
        let of_host = Arc::make_mut(of_host);
        let n_items = of_host.items.len();
        of_host.items.retain(|it| *it.content.key_ != *"extra");
        if n_items == of_host.items.len() {
            let id = host.0 + 31;
            of_host.items.push(row(id, trapper("extra", ValueType::Text, Vec::new())));
        }
        let delta = Delta { epoch: snapshot.epoch, hosts_changed: vec![host], ..Delta::default() };
        (Arc::new(snapshot.clone()), delta)
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
        let max = || vec![call(own, "max", "$,10s")];
        self.add(host, "{0}>60", max(), Rule::Window { item: own, limit: 60 });
        self.add(host, "{0}>30", max(), Rule::WindowEach { item: own, limit: 30 });
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
        let is_each = matches!(rule, Rule::EachForeign { .. });
        let multiple = is_each || matches!(rule, Rule::WindowEach { .. });
        // Their events wait for a window and for a trend.
        let names_wait = is_each && !self.work.is_empty();
        let event_name = if names_wait {
            format!("{{?sum(/{}/unsigned,5m)}} {{?trendavg(//float,1h:now/h)}}", host.host)
        } else {
            String::new()
        };
        let content = TriggerContent {
            description: format!("trigger {id}"),
            expression: expression.to_owned(),
            functions,
            event_name,
            multiple,
            recovery_mode: if is_each { RecoveryMode::None } else { RecoveryMode::Expression },
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
