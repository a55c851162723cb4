//! JMX items by Zabbix's own Java gateway, which is queried about itself.

use std::sync::Arc;

use crate::support::config::{host, interface, item, snapshot};
use crate::support::{Server, error, settings, text};
use collect::transcript::LineKind;
use collect::{Available, CollectSettings};
use model::InterfaceId;
use model::content::{InterfaceType, ItemType};
use model::snapshot::Host;
use peers::{JavaGateway, free_tcp_address};
use serde_json::{Value as Json, json};

fn application(id: u64, port: u16, keys: &[&str]) -> Host {
    let mut it = host(id, &format!("app-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Jmx, "127.0.0.1", port));
    let items = (id * 100..).zip(keys);
    it.items = items.map(|(id, key)| item(id, ItemType::Jmx, key, "10m")).collect();
    it
}

fn by_gateway(gateway: &str) -> CollectSettings {
    let mut settings = settings();
    settings.collectors.jmx.gateway = Some(gateway.to_owned());
    settings
}

async fn start(settings: CollectSettings, hosts: impl IntoIterator<Item = Host>) -> Server {
    Server::start_as(snapshot(1, hosts), settings, Arc::default()).await
}

fn available(server: &Server, interface: u64) -> Available {
    collect::AvailabilitySink::interface(&*server.owner, InterfaceId(interface)).available
}

#[tokio::test(flavor = "multi_thread")]
async fn application_is_queried_by_the_gateway() {
    let Some(gateway) = JavaGateway::start() else { return };
    let keys = [
        r#"jmx["java.lang:type=Memory","HeapMemoryUsage.used"]"#,
        r#"jmx["java.lang:type=Runtime",VmName]"#,
        r#"jmx["java.lang:type=Nothing",VmName]"#,
        "jmx.discovery[beans,\"java.lang:type=Memory\"]",
        "jmx.get[attributes,\"java.lang:type=Threading\"]",
        r#"jmx["java.lang:type=ClassLoading","LoadedClassCount"]"#,
    ];
    let mut app = application(1, gateway.jmx_port, &keys);
    // An endpoint of its own, which is the same with another login.
    let other = Arc::make_mut(&mut app.items[5].content);
    other.username = "nobody".to_owned();
    other.password = "needed".to_owned();
    let free = free_tcp_address().port();
    let away = application(2, free, &[keys[0]]);
    let server = start(by_gateway(&gateway.address.to_string()), [app, away]).await;
    server.execute((100..106).chain([200]));
    let used = server.value_of(100).await;
    assert!(text(&used).parse::<u64>().is_ok_and(|it| 0 < it), "{used:?}");
    let name = server.value_of(101).await;
    assert!(text(&name).contains("VM"), "{name:?}");
    let missing = server.value_of(102).await;
    assert!(error(&missing).contains("java.lang:type=Nothing"), "{missing:?}");
    let beans = server.value_of(103).await;
    assert!(text(&beans).contains("\"{#JMXTYPE}\":\"Memory\""), "{beans:?}");
    let attributes = server.value_of(104).await;
    assert!(text(&attributes).contains("ThreadCount"), "{attributes:?}");
    assert!(text(&server.value_of(105).await).parse::<u64>().is_ok());
    assert_eq!(available(&server, 1), Available::Yes);
    // A trial shows the gateway's request and answer.
    let (tried, said) = server.try_item(1, 105).await;
    assert!(text(&tried.expect("a value")).parse::<u64>().is_ok());
    let note = format!("by the Java gateway at [127.0.0.1]:{}", gateway.address.port());
    assert_eq!(said[0], (LineKind::Note, note));
    let [(LineKind::Sent, asked), (LineKind::Received, answered)] = &said[1..] else {
        panic!("{said:?}")
    };
    let asked: Json = serde_json::from_str(asked).expect("JSON");
    assert_eq!(asked["keys"], json!([keys[5]]));
    assert_eq!((&asked["username"], &asked["password"]), (&json!("nobody"), &json!("******")));
    assert!(answered.contains("\"response\":\"success\""), "{answered}");
    let (tried, said) = server.try_item(2, 200).await;
    assert!(tried.is_err());
    let last = said.last().expect("the gateway says why");
    assert!(last.0 == LineKind::Received && last.1.contains("\"response\":\"failed\""), "{said:?}");
    // An unreachable application counts against the interface.
    server
        .until_owner("failure of the interface", |owner| {
            let state = collect::AvailabilitySink::interface(owner, InterfaceId(2));
            state.available == Available::No && state.error.contains(&free.to_string())
        })
        .await;
    assert!(server.seen().iter().all(|it| it.item.0 != 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gateway_that_is_away_is_no_fault_of_the_application() {
    let key = r#"jmx["java.lang:type=Runtime",VmName]"#;
    let gateway = format!("127.0.0.1:{}", free_tcp_address().port());
    let server = start(by_gateway(&gateway), [application(1, 12_345, &[key])]).await;
    server.execute([100]);
    let value = server.value_of(100).await;
    let expected = "Cannot connect to Java gateway [[127.0.0.1]:";
    assert!(error(&value).starts_with(expected), "{value:?}");
    assert!(error(&value).ends_with("[111] Connection refused"), "{value:?}");
    assert_ne!(available(&server, 1), Available::No);
    let (_, said) = server.try_item(1, 100).await;
    let last = &said.last().expect("a note").1;
    assert_eq!(last, "no answer of the gateway: [111] Connection refused");
    let server = start(settings(), [application(1, 12_345, &[key])]).await;
    server.execute([100]);
    let reason = "JMX items need a Java gateway: the setting collectors.jmx.gateway names none.";
    assert_eq!(error(&server.value_of(100).await), reason);
}
