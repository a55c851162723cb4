//! Discovery rules and discovered objects as the API shows them.

use std::cell::Cell;

use model::ItemId;
use serde_json::{Value, json};

use crate::fake::{Server, Session};

struct Scene<'s> {
    server: &'s Server,
    admin: Session<'s>,
    host: String,
    rule: String,
    n_applied: Cell<i64>,
}

/// A host with a rule that makes an item of each row.
fn scene<'s>(server: &'s Server, more: &Value) -> Scene<'s> {
    let admin = server.login();
    let host = admin.host("h");
    admin.trapper(&host, "k");
    let mut rule = json!({"hostid": host, "name": "r", "key_": "r", "type": 2});
    rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let rule = admin.create("discoveryrule.create", rule);
    let prototype = json!({"hostid": host, "ruleid": rule, "name": "i {#N}", "key_": "i[{#N}]",
        "type": 2, "value_type": 3});
    admin.create("itemprototype.create", prototype);
    Scene { server, admin, host, rule, n_applied: Cell::new(0) }
}

impl Scene<'_> {
    fn trigger(&self, name: &str, masters: &[&str]) -> String {
        let masters: Vec<Value> = masters.iter().map(|it| json!({"triggerid": it})).collect();
        let params = json!({"description": name, "expression": "last(/h/i[{#N}])>0",
            "dependencies": masters});
        self.admin.create("triggerprototype.create", params)
    }

    /// Applies a value, each a minute after the one before.
    fn apply(&self, value: &str) {
        let rule = ItemId(self.rule.parse().unwrap());
        self.n_applied.set(self.n_applied.get() + 1);
        let now = self.server.now().plus_secs(60 * self.n_applied.get());
        self.server.db.apply_lld(rule, value, now).unwrap();
    }

    fn state(&self) -> (String, String) {
        let params = json!({"itemids": self.rule, "output": ["state", "error"]});
        let found = self.admin.call("discoveryrule.get", params);
        let field = |name: &str| found[0][name].as_str().unwrap().to_owned();
        (field("state"), field("error"))
    }

    /// Discovered triggers with the names of the triggers that they depend on.
    fn dependencies(&self) -> Vec<(String, Vec<String>)> {
        let params = json!({"hostids": self.host, "filter": {"flags": 4}, "sortfield": "description",
            "output": ["description"], "selectDependencies": ["description"]});
        let found = self.admin.call("trigger.get", params);
        let name = |it: &Value| it["description"].as_str().unwrap().to_owned();
        let masters =
            |it: &Value| it["dependencies"].as_array().unwrap().iter().map(name).collect();
        found.as_array().unwrap().iter().map(|it| (name(it), masters(it))).collect()
    }
}

fn of(name: &str, masters: &[&str]) -> (String, Vec<String>) {
    (name.to_owned(), masters.iter().map(|it| (*it).to_owned()).collect())
}

#[test]
fn a_rule_is_not_supported_until_its_next_usable_value() {
    let server = Server::start();
    let scene = scene(&server, &json!({}));
    let by_state = |state: u8| {
        let params =
            json!({"hostids": scene.host, "filter": {"state": state}, "countOutput": true});
        scene.admin.call("discoveryrule.get", params)
    };
    scene.apply("[{\"{#N}\": \"a\"}]");
    assert_eq!(scene.state(), ("0".to_owned(), String::new()));
    assert_eq!((by_state(0), by_state(1)), (json!("1"), json!("0")));
    for value in ["abc", "", "{}", "{\"data\": 5}"] {
        scene.apply(value);
        let (state, error) = scene.state();
        assert_eq!(state, "1", "{value}: {error}");
        assert!(!error.is_empty(), "{value}");
        assert_eq!((by_state(0), by_state(1)), (json!("0"), json!("1")));
    }
    // Objects that could not be created are only reported.
    scene.apply("[{\"{#N}\": \"a\"}, {\"{#N}\": \"a\", \"{#M}\": \"b\"}]");
    let reported = "Cannot create item \"i[a]\": item with the same key already exists.\n";
    assert_eq!(scene.state(), ("0".to_owned(), reported.to_owned()));
    scene.apply("[{\"{#N}\": \"a\"}]");
    assert_eq!(scene.state(), ("0".to_owned(), String::new()));
}

#[test]
fn dependencies_follow_what_discovery_made() {
    let server = Server::start();
    // Rows of the kind "bare" make no T1.
    let rule = json!({"overrides": [{"name": "bare", "step": 1,
        "filter": {"evaltype": 0, "conditions": [{"macro": "{#KIND}", "value": "bare"}]},
        "operations": [{"operationobject": 1, "operator": 2, "value": "T1",
            "opdiscover": {"discover": 1}}]}]});
    let scene = scene(&server, &rule);
    let plain = scene
        .admin
        .create("trigger.create", json!({"description": "plain", "expression": "last(/h/k)>0"}));
    let first = scene.trigger("T1 {#N}", &[&plain]);
    scene.trigger("T2 {#N}", &[&first, &plain]);
    let rows = |kinds: [&str; 2]| {
        let row = |n: &str, kind: &str| json!({"{#N}": n, "{#KIND}": kind});
        json!([row("a", kinds[0]), row("b", kinds[1])]).to_string()
    };
    scene.apply(&rows(["full", "bare"]));
    let expected = [of("T1 a", &["plain"]), of("T2 a", &["T1 a", "plain"]), of("T2 b", &["plain"])];
    assert_eq!(scene.dependencies(), expected);
    let reported = |name: &str| format!("Cannot create dependency on trigger \"{name}\".\n");
    assert_eq!(scene.state(), ("0".to_owned(), reported("T2 b")));
    // The master comes, and the other one goes: it is still there, but nothing depends on it.
    scene.apply(&rows(["bare", "full"]));
    let expected = [
        of("T1 a", &["plain"]),
        of("T1 b", &["plain"]),
        of("T2 a", &["plain"]),
        of("T2 b", &["T1 b", "plain"]),
    ];
    assert_eq!(scene.dependencies(), expected);
    assert_eq!(scene.state(), ("0".to_owned(), reported("T2 a")));
    // Objects that are lost together keep their data.
    scene.apply("[]");
    assert_eq!(scene.dependencies(), expected);
    assert_eq!(scene.state(), ("0".to_owned(), String::new()));
}

#[test]
fn triggers_are_found_by_whether_they_depend_on_anything() {
    let server = Server::start();
    let rule = json!({"overrides": [{"name": "no T1 of b", "step": 1,
        "operations": [{"operationobject": 1, "operator": 0, "value": "T1 b",
            "opdiscover": {"discover": 1}}]}]});
    let scene = scene(&server, &rule);
    let first = scene.trigger("T1 {#N}", &[]);
    scene.trigger("T2 {#N}", &[&first]);
    scene.apply("[{\"{#N}\": \"a\"}, {\"{#N}\": \"b\"}]");
    let found = |dependent: bool| -> Vec<String> {
        let params = json!({"hostids": scene.host, "dependent": dependent, "output": ["description"],
            "sortfield": "description"});
        let found = scene.admin.call("trigger.get", params);
        let names = found.as_array().unwrap().iter();
        names.map(|it| it["description"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(found(true), ["T2 a"]);
    assert_eq!(found(false), ["T1 a", "T2 b"]);
}
