//! Internal items about processes, caches and other servers.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Server, wait_up_to};

const WAIT_MAX: Duration = Duration::from_secs(60);

fn item(server: &Server, host: &str, key: &str, value_type: u8) -> String {
    let fields = json!({
        "hostid": host, "name": key, "key_": key, "type": 5, "value_type": value_type, "delay": "1s",
    });
    server.create("item.create", &fields).remove(0)
}

#[test]
fn process_and_cache_items_have_values_or_a_reason() {
    let mut server = Server::start();
    let host = server.host("h");
    let at = server.trapper();
    let reading = |key: &str| item(&server, &host, key, 0);
    let numbers: Vec<(String, String)> = [
        "zabbix[process,agent poller,avg,busy]",
        "zabbix[process,http poller,count]",
        "zabbix[process,history syncer,max,idle]",
        "zabbix[process,preprocessing worker,avg,busy]",
        "zabbix[process,escalator]",
        "zabbix[process,trapper,avg,busy]",
        "zabbix[wcache,history,pused]",
        "zabbix[vcache,cache,hits]",
        "zabbix[vcache,cache,mode]",
        "zabbix[vps,written]",
        "zabbix[lld_queue]",
        "zabbix[connector_queue]",
    ]
    .map(|key| (key.to_owned(), reading(key)))
    .into();
    let refused: Vec<(String, &str)> = [
        ("zabbix[process,proxy poller,avg,busy]", "Saker has no proxies yet."),
        ("zabbix[process,lld worker,avg,busy]", "see zabbix[lld_queue]"),
        ("zabbix[process,report writer,avg,busy]", "no scheduled reports"),
        ("zabbix[tcache,cache,pmisses]", "trends are read from the store each time"),
        ("zabbix[process,nonsense]", "Invalid second parameter."),
        ("zabbix[process,poller,best]", "Invalid third parameter."),
        ("zabbix[rcache,buffer,pused]", "no buffer of a fixed size"),
        ("zabbix[wcache,trend,pused]", "no cache of a fixed size"),
        ("zabbix[java,,ping]", "names no Java gateway"),
        ("zabbix[stats,127.0.0.1,1]", "Cannot obtain internal statistics from [[127.0.0.1]:1]"),
    ]
    .map(|(key, why)| (reading(key), why))
    .into();
    let address = format!("zabbix[stats,{},{}]", at.ip(), at.port());
    let stats = item(&server, &host, &address, 4);
    let queue = item(&server, &host, &address.replace(']', ",queue,10m]"), 4);
    for (key, id) in &numbers {
        let found = wait_up_to(WAIT_MAX, || server.last(id).is_some());
        assert!(found, "{key}: {}", server.item(id));
        let value: f64 = server.last(id).unwrap().parse().unwrap();
        assert!(0.0 <= value, "{key}: {value}");
    }
    for (id, why) in &refused {
        let mut error = String::new();
        let found = wait_up_to(WAIT_MAX, || {
            server.item(id)["error"].as_str().unwrap_or("").clone_into(&mut error);
            error.contains(why)
        });
        assert!(found, "{why}: {error}");
    }
    // The same server plays the other one.
    let mut figures = Value::Null;
    let found = wait_up_to(WAIT_MAX, || {
        let text = server.last(&stats).unwrap_or_default();
        figures = serde_json::from_str(&text).unwrap_or_default();
        figures["data"]["process"]["agent poller"]["busy"]["avg"].is_number()
    });
    assert!(found, "{figures} {}", server.item(&stats));
    assert_eq!(figures["data"]["hosts"], 1);
    let found = wait_up_to(WAIT_MAX, || server.last(&queue).is_some());
    assert!(found, "{}", server.item(&queue));
    let answer: Value = serde_json::from_str(&server.last(&queue).unwrap()).unwrap();
    assert_eq!(answer, json!({ "response": "success", "queue": 0 }));
    server.stop();
}
