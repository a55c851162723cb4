//! Operational data is expanded on demand.

use api::ports::ItemLive;
use db::EventRow;
use model::value::{LogEntry, Sample};
use model::{ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::{id, problem, recovery};

struct Scene<'s> {
    server: &'s Server,
    admin: Session<'s>,
    host: String,
    item: String,
    trigger: String,
}

impl<'s> Scene<'s> {
    fn new(server: &'s Server) -> Self {
        let admin = server.login();
        let host = admin.host("h");
        let map = json!({"hostid": host, "name": "m", "mappings": [
            {"type": "0", "value": "20", "newvalue": "twenty"}]});
        let map = admin.create("valuemap.create", map);
        let item = admin.create(
            "item.create",
            json!({"hostid": host, "name": "k", "key_": "k", "type": 2, "value_type": 0,
                "units": "s", "valuemapid": map}),
        );
        let trigger = admin.create(
            "trigger.create",
            json!({"description": "t", "expression": "last(/h/k)>5", "manual_close": 1}),
        );
        Self { server, admin, host, item, trigger }
    }

    fn newest(&self, value: ItemValue) {
        let sample = Sample { time: Time::from_clock(60, 0), value };
        let live = ItemLive { last: Some(sample), ..ItemLive::default() };
        self.server.world.items.lock().unwrap().insert(ItemId(id(&self.item)), live);
    }

    fn set(&self, opdata: &str) {
        self.admin.call("trigger.update", json!({"triggerid": self.trigger, "opdata": opdata}));
    }

    fn event(&self, eventid: u64, kept: &str) -> EventRow {
        let now = self.server.now();
        EventRow { opdata: kept.to_owned(), ..problem(eventid, &self.trigger, &self.host, now) }
    }

    /// Of the problems by `problem.get`, `event.get` and the page.
    fn shown(&self, opdata: &str) -> Value {
        self.set(opdata);
        let by = |method: &str| -> Vec<Value> {
            let mut params = json!({"output": ["opdata"], "sortfield": "eventid"});
            if method == "event.get" {
                params["value"] = json!(1);
            }
            let rows = self.admin.call(method, params);
            rows.as_array().unwrap().iter().map(|it| it["opdata"].clone()).collect()
        };
        let (problems, events) = (by("problem.get"), by("event.get"));
        assert_eq!(problems, events);
        json!(problems)
    }
}

#[test]
fn last_values_are_those_of_now_and_values_those_of_the_event() {
    let server = Server::start();
    let scene = Scene::new(&server);
    let first = scene.event(1, "[[1,\"20.00456\"]]");
    let events = vec![first, scene.event(2, "[[1,\"20\"]]"), scene.event(3, "")];
    server.db.events().apply(events, 1).unwrap();
    scene.newest(ItemValue::Float(90.0));
    assert_eq!(scene.shown("{ITEM.LASTVALUE}"), json!(["1m 30s", "1m 30s", "1m 30s"]));
    scene.newest(ItemValue::Float(91.0));
    assert_eq!(scene.shown("{ITEM.LASTVALUE1}!"), json!(["1m 31s!", "1m 31s!", "1m 31s!"]));
    let unknown = "*UNKNOWN*";
    assert_eq!(scene.shown("{ITEM.VALUE}"), json!(["20s 4.56ms", "twenty (20s)", unknown]));
    let fixed = "{{ITEM.VALUE}.fmtnum(1)} {{ITEM.LASTVALUE}.fmtnum(2)}";
    let expected = json!(["20.0 91", "20 91", format!("{unknown} 91")]);
    assert_eq!(scene.shown(fixed), expected, "functions get values without units");
    assert_eq!(scene.shown("{ITEM.VALUE2}"), json!([unknown, unknown, unknown]));
    let others = "{HOST.HOST} {HOST.NAME} {HOST.IP} {$NONE} {ITEM.NAME} {TRIGGER.ID} {TIME} $1";
    let shown = "h h 127.0.0.1 {$NONE} {ITEM.NAME} {TRIGGER.ID} {TIME} $1";
    assert_eq!(scene.shown(others)[0], shown);
    assert_eq!(scene.shown("plain"), json!(["plain", "plain", "plain"]));
    assert_eq!(scene.shown(""), json!(["", "", ""]));
}

#[test]
fn texts_expanded_by_older_versions_stay() {
    let server = Server::start();
    let scene = Scene::new(&server);
    server.db.events().apply(vec![scene.event(1, "now 5 %")], 1).unwrap();
    scene.newest(ItemValue::Float(90.0));
    assert_eq!(scene.shown("now {ITEM.VALUE}"), json!(["now 5 %"]));
    assert_eq!(scene.shown("now {ITEM.LASTVALUE}"), json!(["now 1m 30s"]));
}

#[test]
fn log_macros_are_of_the_newest_entry() {
    let server = Server::start_with_clock_stopped();
    let scene = Scene::new(&server);
    scene.admin.call(
        "item.update",
        json!({"itemid": scene.item, "value_type": 2, "units": "",
        "valuemapid": 0}),
    );
    server.db.events().apply(vec![scene.event(1, "")], 1).unwrap();
    let now = server.now().clock();
    let entry = LogEntry {
        value: "x".repeat(25),
        source: "src".to_owned(),
        timestamp: now - 3_661,
        severity: 4,
        logeventid: 12,
    };
    scene.newest(ItemValue::Log(entry.into()));
    let text = "{ITEM.LOG.SOURCE} {ITEM.LOG.SEVERITY} {ITEM.LOG.NSEVERITY} {ITEM.LOG.EVENTID} \
                {ITEM.LOG.AGE} {ITEM.LASTVALUE}";
    let shown = format!("src High 4 12 1h 1m 1s {}...", "x".repeat(20));
    assert_eq!(scene.shown(text), json!([shown]));
    let written = "{ITEM.LOG.OTHER} {VALUE} {{VALUE}.btoa()}";
    assert_eq!(scene.shown(written), json!([written]));
}

#[test]
fn events_of_a_deleted_trigger_have_no_operational_data() {
    let server = Server::start();
    let scene = Scene::new(&server);
    scene.set("{HOST.HOST}");
    let first = scene.event(1, "");
    let ended = recovery(2, &first, server.now());
    server.db.events().apply(vec![first, ended], 1).unwrap();
    let params = json!({"output": ["opdata", "value"], "sortfield": "eventid",
        "objectids": [scene.trigger]});
    let reported = |expected: &str| {
        let row =
            |id: &str, value: &str| json!({"eventid": id, "value": value, "opdata": expected});
        assert_eq!(
            scene.admin.call("event.get", params.clone()),
            json!([row("1", "1"), row("2", "0")])
        );
    };
    reported("h");
    scene.admin.call("trigger.delete", json!([scene.trigger]));
    reported("");
}
