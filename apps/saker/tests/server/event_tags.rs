//! Which tags events have: of the trigger, its items, their hosts and the templates that the items come from.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::support::{FLOAT, Server, now, wait_until};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

fn tags(pairs: &[(&str, &str)]) -> Value {
    pairs.iter().map(|(tag, value)| json!({"tag": tag, "value": value})).collect()
}

struct Scene {
    server: Server,
    group: String,
}

impl Scene {
    fn template(&self, name: &str, pairs: &[(&str, &str)], linked: &[&str]) -> String {
        let linked: Value = linked.iter().map(|it| json!({"templateid": it})).collect();
        let template = json!({"host": name, "groups": [{"groupid": self.group}],
            "tags": tags(pairs), "templates": linked,
            "macros": [{"macro": "{$ROOM}", "value": format!("room of {name}")}]});
        self.server.create("template.create", &template).remove(0)
    }

    fn item(&self, holder: &str, key: &str, pairs: &[(&str, &str)]) -> String {
        let item = json!({"hostid": holder, "name": key, "key_": key, "type": 2,
            "value_type": FLOAT, "tags": tags(pairs)});
        self.server.create("item.create", &item).remove(0)
    }

    fn host(&self, name: &str, pairs: &[(&str, &str)], linked: &[&str]) -> String {
        let host = self.server.host(name);
        let linked: Value = linked.iter().map(|it| json!({"templateid": it})).collect();
        let update = json!({"hostid": host, "templates": linked, "tags": tags(pairs)});
        self.server.call("host.update", &update);
        host
    }

    /// Tags of the newest problem of a name, once there is one after the value.
    fn problem(&self, (host, key, value): (&str, &str, &str), name: &str) -> BTreeSet<String> {
        let params = json!({"output": ["name"], "selectTags": "extend", "recent": false,
            "sortfield": "eventid", "sortorder": "DESC", "search": {"name": name}});
        let before = self.server.call("problem.get", &params).as_array().unwrap().len();
        self.server.send(host, key, value, now());
        let mut found = Value::Null;
        wait_until("the problem", LIMIT, || {
            found = self.server.call("problem.get", &params);
            before < found.as_array().unwrap().len()
        });
        let tags = found[0]["tags"].as_array().unwrap().iter();
        let text = |it: &Value| it.as_str().unwrap().to_owned();
        tags.map(|it| format!("{}:{}", text(&it["tag"]), text(&it["value"]))).collect()
    }
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}

#[test]
fn events_have_tags_of_all_templates_of_their_items() {
    let server = Server::start();
    let group = json!({"name": "Templates of tags"});
    let group = server.create("templategroup.create", &group).remove(0);
    let scene = Scene { server, group };
    let server = &scene.server;
    let base = scene.template("base", &[("class", "os"), ("room", "{$ROOM} {HOST.HOST}")], &[]);
    scene.item(&base, "low", &[("part", "cpu")]);
    let found = json!({"hostid": base, "name": "Rows", "key_": "rows", "type": 2});
    let rule = server.create("discoveryrule.create", &found).remove(0);
    let prototype = json!({"hostid": base, "ruleid": rule, "name": "{#N}", "key_": "row[{#N}]",
        "type": 2, "value_type": FLOAT});
    server.create("itemprototype.create", &prototype);
    let of_row = json!({"description": "row {#N}", "expression": "last(/base/row[{#N}])>0"});
    server.create("triggerprototype.create", &of_row);
    server.trigger("low", "last(/base/low)>0");
    let upper = scene.template("upper", &[("target", "linux")], &[&base]);
    scene.item(&upper, "high", &[]);
    server.trigger("high", "last(/upper/high)>0");
    // It gives the host no item.
    let side = scene.template("side", &[("side", "only")], &[]);
    scene.host("h", &[("site", "riga")], &[&upper, &side]);

    let low = scene.problem(("h", "low", "1"), "low");
    let expected = ["part:cpu", "site:riga", "class:os", "room:room of upper h", "target:linux"];
    assert_eq!(low, set(&expected));
    assert_eq!(scene.problem(("h", "high", "1"), "high"), set(&["site:riga", "target:linux"]));
    server.send("h", "rows", r##"[{"{#N}": "one"}]"##, now());
    wait_until("the discovered item takes values", LIMIT, || {
        server.send("h", "row[one]", "0", now()).0 == 1
    });
    let row = scene.problem(("h", "row[one]", "1"), "row one");
    assert_eq!(row, set(&["site:riga", "class:os", "room:room of upper h", "target:linux"]));

    // Of several hosts: those of each.
    let other = scene.host("other", &[("site", "oslo")], &[&base]);
    scene.item(&other, "own", &[("part", "disk")]);
    server.trigger("both", "last(/h/high)>0 and last(/other/own)>0 and last(/other/low)>=0");
    server.send("other", "low", "0", now());
    let both = scene.problem(("other", "own", "1"), "both");
    let expected = [
        "site:riga",
        "target:linux",
        "site:oslo",
        "part:disk",
        "part:cpu",
        "class:os",
        "room:room of base other",
    ];
    assert_eq!(both, set(&expected));

    // A changed template counts from the next event on.
    server.call("template.update", &json!({"templateid": base, "tags": tags(&[("class", "new")])}));
    server.send("h", "low", "0", now());
    wait_until("the problem ends", LIMIT, || {
        let open = json!({"output": ["name"], "filter": {"name": "low"}});
        server.call("problem.get", &open).as_array().unwrap().is_empty()
    });
    let low = scene.problem(("h", "low", "2"), "low");
    assert_eq!(low, set(&["part:cpu", "site:riga", "class:new", "target:linux"]));

    // Filters find them.
    let filter =
        json!({"countOutput": true, "tags": [{"tag": "target", "value": "linux", "operator": 1}]});
    assert_eq!(server.call("problem.get", &filter), "4");
}
