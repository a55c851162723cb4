//! Which hosts share what is compiled: those whose discovered objects have equal keys, whatever else
//! their rows hold.

use std::sync::Arc;

use crate::kit::{Config, World, item, step};
use model::content::{FunctionRef, ItemFlags, ItemType, Step, TriggerContent};
use model::snapshot::{
    Discovered, HolderKind, Host, ItemExtra, ItemRow, LldRow, Lost, TriggerExtra, TriggerRow,
    comparisons,
};
use model::{HostId, ItemId, TriggerId, Value, ValueType};

/// Of one LLD row: `{#N}`, `{#ALIAS}`, `{#LIMIT}`.
type Macros<'a> = [&'a str; 3];

/// Hosts of a template with a rule and prototypes of a document, a part of it and a trigger.
struct Fleet {
    config: Config,
    template: HostId,
}

impl Fleet {
    fn new() -> Self {
        Self::with("$")
    }

    /// With a parameter of the trigger's function `last`.
    fn with(parameter: &str) -> Self {
        let mut config = Config::new();
        let template = config.host("template");
        let rule = config.item_row(template, item("rule", ValueType::Text), ItemFlags::Rule);
        let mut raw = item("raw[{#N}]", ValueType::Text);
        raw.ruleid = rule;
        let raw = config.item_row(template, raw, ItemFlags::Prototype);
        let mut size = item("size[{#N}]", ValueType::Float);
        size.ruleid = rule;
        size.kind = ItemType::Dependent;
        size.master_itemid = raw;
        size.preprocessing = vec![step(Step::JsonPath, "$.{#N}")];
        let size = config.item_row(template, size, ItemFlags::Prototype);
        let content = TriggerContent {
            description: "{#N} ({#ALIAS}) is over {#LIMIT}".to_owned(),
            expression: "{0}>{#LIMIT}".to_owned(),
            functions: vec![FunctionRef {
                item: size,
                function: "last".to_owned(),
                parameter: parameter.to_owned(),
            }],
            ruleid: rule,
            ..TriggerContent::default()
        };
        let id = TriggerId(config.id());
        let trigger = TriggerRow {
            id,
            source: TriggerId::NONE,
            content: Arc::new(content),
            extra: None,
            flags: ItemFlags::Prototype,
        };
        config.edit(template, |it| it.triggers.push(trigger));
        config.snapshot.trigger_runs.insert(id, (id, template));
        let mut host = Host::clone(&config.snapshot.hosts[&template]);
        host.kind = HolderKind::Template;
        config.snapshot.hosts.remove(&template);
        config.snapshot.host_by_name.remove("template");
        config.snapshot.templates.insert(template, Arc::new(host));
        Self { config, template }
    }

    /// A host with what each prototype makes of its own list of rows.
    fn host(&mut self, name: &str, of_raw: &[Macros<'_>], of_size: &[Macros<'_>]) -> HostId {
        let config = &mut self.config;
        let host = config.host(name);
        let template = Arc::clone(&config.snapshot.templates[&self.template]);
        let inherit = |it: &ItemRow, id| ItemRow { id, source: it.id, ..it.clone() };
        let inherited: Vec<ItemRow> =
            template.items.iter().map(|it| inherit(it, ItemId(config.id()))).collect();
        let prototype = TriggerRow {
            id: TriggerId(config.id()),
            source: template.triggers[0].id,
            ..template.triggers[0].clone()
        };
        let rule = inherited[0].id;
        let mut items = inherited.clone();
        let mut triggers = vec![prototype.clone()];
        for (from, rows) in [(&inherited[1], of_raw), (&inherited[2], of_size)] {
            for [n, alias, limit] in rows {
                let row = LldRow::new([("{#ALIAS}", alias), ("{#LIMIT}", limit), ("{#N}", n)]);
                let row = Arc::new(row);
                let discovered = |prototype| Discovered::new(prototype, rule, Arc::clone(&row));
                let extra = ItemExtra { overrides: None, discovered: Some(discovered(from.id.0)) };
                items.push(ItemRow {
                    id: ItemId(config.id()),
                    source: ItemId::NONE,
                    content: Arc::clone(&from.content),
                    extra: Some(Box::new(extra)),
                    flags: ItemFlags::Discovered,
                });
                if from.content.kind != ItemType::Dependent {
                    continue;
                }
                let extra =
                    TriggerExtra { overrides: None, discovered: Some(discovered(prototype.id.0)) };
                triggers.push(TriggerRow {
                    id: TriggerId(config.id()),
                    source: TriggerId::NONE,
                    content: Arc::clone(&prototype.content),
                    extra: Some(Box::new(extra)),
                    flags: ItemFlags::Discovered,
                });
            }
        }
        items.sort_unstable_by_key(|it| it.id);
        triggers.sort_unstable_by_key(|it| it.id);
        for it in &items {
            config.snapshot.item_runs.insert(it.id, (it.id, host));
        }
        for it in &triggers {
            config.snapshot.trigger_runs.insert(it.id, (it.id, host));
        }
        config.edit(host, |it| (it.items, it.triggers) = (items, triggers));
        host
    }

    /// A host both of whose prototypes make the same rows.
    fn like(&mut self, name: &str, rows: &[Macros<'_>]) -> HostId {
        self.host(name, rows, rows)
    }
}

#[test]
fn hosts_with_equal_discovered_keys_share_what_is_compiled() {
    let mut fleet = Fleet::new();
    fleet.like("one", &[["a", "uplink", "10"], ["b", "user", "20"]]);
    fleet.like("two", &[["a", "printer", "10"], ["b", "camera", "20"]]);
    let mut world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 1);
    world.text("one", "raw[a]", 1, "{\"a\":11,\"b\":21}");
    world.text("two", "raw[b]", 2, "{\"a\":12,\"b\":22}");
    assert_eq!(world.last_value("one", "size[a]"), Some(Value::Float(11.0)));
    assert_eq!(world.last_value("two", "size[b]"), Some(Value::Float(22.0)));
    assert_eq!(world.last_value("one", "size[b]"), None);
    let names: Vec<&str> = world.events.iter().map(|it| it.1.name.as_str()).collect();
    assert_eq!(names, ["a (uplink) is over 10", "b (camera) is over 20"]);
    world.check_replay();
}

#[test]
fn errors_name_the_host_that_they_are_of() {
    let mut fleet = Fleet::with("$,#few");
    let hosts = ["one", "two"].map(|name| (name, fleet.like(name, &[["a", "", "10"]])));
    let mut world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 1);
    for (name, host) in hosts {
        world.text(name, "raw[a]", 1, "{\"a\":11}");
        let triggers = &fleet.config.snapshot.hosts[&host].triggers;
        let made = triggers.iter().find(|it| it.flags == ItemFlags::Discovered).expect("a trigger");
        let error = world.trigger(made.id).error.expect("an error");
        assert!(error.contains(&format!("last(/{name}/size[a],#few)")), "{error}");
    }
}

#[test]
fn hosts_with_other_keys_have_their_own() {
    let mut fleet = Fleet::new();
    fleet.like("one", &[["a", "", "10"]]);
    fleet.like("two", &[["b", "", "10"]]);
    fleet.like("three", &[["a", "", "10"], ["b", "", "10"]]);
    let mut world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 3);
    assert!(world.directory.lookup("one", "raw[b]").is_none());
    world.text("two", "raw[b]", 1, "{\"a\":1,\"b\":2}");
    assert_eq!(world.last_value("two", "size[b]"), Some(Value::Float(2.0)));
}

#[test]
fn values_that_compiled_texts_name_count() {
    let mut fleet = Fleet::new();
    fleet.like("one", &[["a", "", "10"]]);
    fleet.like("two", &[["a", "", "20"]]);
    fleet.like("three", &[["a", "", "{$LIMIT}"]]);
    let four = fleet.like("four", &[["a", "", "{$LIMIT}"]]);
    let template = fleet.template;
    fleet.config.user_macro_of_template(template, "{$LIMIT}", "14");
    for name in ["three", "four"] {
        let host = fleet.config.snapshot.host_by_name[name];
        fleet.config.edit(host, |it| it.templates = vec![template]);
    }
    fleet.config.user_macro(four, "{$LIMIT}", "16");
    let mut world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 4);
    for name in ["one", "two", "three", "four"] {
        world.text(name, "raw[a]", 1, "{\"a\":15}");
    }
    let directory = &world.directory;
    let name_of = |it: &HostId| directory.by_host(*it).expect("a host").host().host.to_string();
    let over: Vec<String> = world.events.iter().map(|it| name_of(&it.1.host)).collect();
    assert_eq!(over, ["one", "three"]);
}

#[test]
fn objects_of_one_row_belong_together_on_each_host() {
    let mut fleet = Fleet::new();
    fleet.like("whole", &[["a", "x", "10"]]);
    // The part is of another row than the document: it has no master.
    fleet.host("torn", &[["a", "x", "10"]], &[["a", "y", "10"]]);
    let mut world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 2);
    world.text("whole", "raw[a]", 1, "{\"a\":11}");
    world.text("torn", "raw[a]", 2, "{\"a\":11}");
    assert_eq!(world.last_value("whole", "size[a]"), Some(Value::Float(11.0)));
    assert_eq!(world.last_value("torn", "size[a]"), None);
}

#[test]
fn hosts_whose_objects_were_lost_at_other_times_share_as_well() {
    let mut fleet = Fleet::new();
    let rows = &[["a", "", "10"], ["b", "", "20"]];
    for (name, since) in [("one", [0, 100]), ("two", [0, 200]), ("three", [100, 100])] {
        let host = fleet.like(name, rows);
        fleet.config.edit(host, |it| {
            let made =
                it.triggers.iter_mut().filter_map(|it| it.extra.as_mut()?.discovered.as_mut());
            for (discovered, since) in made.zip(since) {
                discovered.set_lost(Lost { since, ..Lost::default() });
            }
        });
    }
    let world = World::new(&fleet.config);
    assert_eq!(world.directory.n_layouts(), 2);
}

/// Rows are compared some times for each object, however many rows the rule has: with 50,000 rows a comparison with each
/// took minutes at each edit.
#[test]
fn discovered_objects_resolve_without_reading_all_rows() {
    let compared = |n_rows: usize| {
        let numbers: Vec<String> = (0..n_rows).map(|it| it.to_string()).collect();
        let rows: Vec<Macros<'_>> = numbers.iter().map(|it| [it.as_str(), "", "10"]).collect();
        let mut fleet = Fleet::new();
        // Each prototype has rows of its own, as those have that a server reads from its database.
        fleet.like("one", &rows);
        let (mut world, compared) = comparisons::of(|| World::new(&fleet.config));
        world.text("one", "raw[7]", 1, "{\"7\":11}");
        assert_eq!(world.last_value("one", "size[7]"), Some(Value::Float(11.0)));
        assert_eq!(world.events.len(), 1);
        compared
    };
    let (few, many) = (compared(100), compared(400));
    // Four times the rows, and a quarter more for the logarithm of sorted sets; all with all would be 16 times.
    assert!(many <= few * 6, "{few} comparisons, with four times the rows {many}");
}
