//! How many items of Zabbix's official templates can get values: counted, and the others are named in the guide.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use model::content::ItemType;
use peers::{left_out, wait_up_to};
use serde_json::{Value, json};

use crate::support::Server;

const WAIT_MAX: Duration = Duration::from_secs(180);
const GUIDE: &str = include_str!("../../../../docs/user/official-templates.md");

/// Internal keys that the guide names.
fn named() -> BTreeSet<String> {
    let keys = GUIDE.split('`').skip(1).step_by(2).filter(|it| it.starts_with("zabbix["));
    keys.map(str::to_owned).collect()
}

/// An item, prototype or rule.
struct Row {
    kind: ItemType,
    key: String,
    master: String,
}

fn import(server: &Server) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/templates/v7.0");
    let Ok(files) = fs::read_dir(folder) else {
        left_out("there are no official templates next to the checkout");
        return false;
    };
    let rule = json!({ "createMissing": true, "updateExisting": true });
    let names = [
        "template_groups",
        "templates",
        "items",
        "discoveryRules",
        "valueMaps",
        "triggers",
        "graphs",
        "templateDashboards",
        "mediaTypes",
        "host_groups",
    ];
    let rules: Value = names.iter().map(|it| ((*it).to_owned(), rule.clone())).collect();
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "yaml") {
            let source = fs::read_to_string(&path).unwrap();
            let params = json!({ "format": "yaml", "source": source, "rules": rules });
            server.call("configuration.import", &params);
        }
    }
    true
}

fn rows(server: &Server) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    for method in ["item.get", "itemprototype.get", "discoveryrule.get"] {
        let output = ["itemid", "type", "key_", "master_itemid"];
        let asked = json!({ "templated": true, "output": output });
        for row in server.call(method, &asked).as_array().unwrap() {
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            let code = text("type").parse().unwrap();
            let kind = ItemType::from_code(code).unwrap();
            let (key, master) = (text("key_"), text("master_itemid"));
            rows.insert(text("itemid"), Row { kind, key, master });
        }
    }
    rows
}

fn can_have_values(rows: &BTreeMap<String, Row>, row: &Row, without: &BTreeSet<String>) -> bool {
    match row.kind {
        ItemType::Dependent => {
            rows.get(&row.master).is_some_and(|it| can_have_values(rows, it, without))
        }
        ItemType::Internal => !without.contains(&row.key),
        kind => kind.is_collected(&row.key),
    }
}

#[test]
fn nearly_all_items_of_official_templates_can_get_values() {
    let mut server = Server::start();
    if !import(&server) {
        return;
    }
    let rows = rows(&server);
    let without = named();
    // Values of internal items are tested: those that the guide names have none, all others do.
    // Addresses of `zabbix[stats]` are macros, with tests of their own.
    let internal = rows.values().filter(|it| it.kind == ItemType::Internal);
    let keys: BTreeSet<&str> =
        internal.map(|it| &*it.key).filter(|it| !it.contains("{$")).collect();
    let host = server.host("server");
    let items: Vec<Value> = keys
        .iter()
        .map(|key| {
            json!({ "hostid": host, "name": key, "key_": key, "type": 5, "value_type": 4,
                "delay": "5s" })
        })
        .collect();
    let ids = server.create("item.create", &json!(items));
    let (mut silent, mut failed) = (Vec::new(), BTreeSet::new());
    let are_all_known = wait_up_to(WAIT_MAX, || {
        (silent, failed) = (Vec::new(), BTreeSet::new());
        for (id, key) in ids.iter().zip(&keys) {
            match server.last(id) {
                Some(_) => {}
                None if server.item(id)["error"] == "" => silent.push(*key),
                None => {
                    failed.insert((*key).to_owned());
                }
            }
        }
        silent.is_empty() && failed.is_subset(&without)
    });
    assert!(
        are_all_known,
        "no values, and not named: {failed:?}; neither values nor errors: {silent:?}"
    );
    let expected: BTreeSet<String> =
        without.iter().filter(|it| keys.contains(&***it)).cloned().collect();
    assert_eq!(failed, expected, "what the guide names has no values");
    assert_eq!(expected, without, "the guide names what is in no template");

    let mut others = BTreeMap::new();
    for row in rows.values().filter(|it| !can_have_values(&rows, it, &without)) {
        *others.entry((row.kind.code(), &*row.key)).or_insert(0) += 1;
    }
    let (n, n_others) = (rows.len(), others.values().sum::<usize>());
    eprintln!("{n} items, prototypes and rules; {n_others} can get no values: {others:?}");
    assert!(n_others * 100 <= n * 5, "{n_others} of {n} can get no values: {others:?}");
    server.stop();
}
