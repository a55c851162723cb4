//! The live stream: problems, counts, overviews and latest values.

use std::time::Duration;

use api::ports::ItemLive;
use db::EventRow;
use futures_util::{SinkExt, StreamExt};
use model::value::Sample;
use model::{EventId, ItemId, Time, Value as ItemValue};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::fake::{Server, Session};
use crate::live::{id, problem, recovery, scene};

pub(crate) type Socket = tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>;

async fn connect(server: &Server, headers: &[(&'static str, String)]) -> Result<Socket, Error> {
    let url = format!("ws://{}/api/v1/stream", server.address);
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
    tokio_tungstenite::client_async(request, stream).await.map(|(socket, _)| socket)
}

async fn next(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), socket.next()).await;
        let message = message.expect("a message in time").expect("an open stream").unwrap();
        if let Message::Text(text) = message {
            let value: Value = serde_json::from_str(&text).unwrap();
            if value["type"] == kind {
                return value;
            }
        }
    }
}

/// The next message of each kind: messages of one change come in any order.
async fn next_of_each<const N: usize>(socket: &mut Socket, kinds: [&str; N]) -> [Value; N] {
    let mut found = [const { Value::Null }; N];
    while found.iter().any(Value::is_null) {
        let message = next_of_all(socket).await;
        if let Some(at) = kinds.iter().position(|it| message["type"] == *it)
            && found[at].is_null()
        {
            found[at] = message;
        }
    }
    found
}

/// The next message of any kind.
async fn next_of_all(socket: &mut Socket) -> Value {
    loop {
        let message = tokio::time::timeout(Duration::from_secs(20), socket.next()).await;
        let message = message.expect("a message in time").expect("an open stream").unwrap();
        if let Message::Text(text) = message {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

async fn say(socket: &mut Socket, what: Value) {
    socket.send(Message::text(what.to_string())).await.unwrap();
}

async fn connect_as(session: &Session<'_>) -> Socket {
    let authorization = ("authorization", format!("Bearer {}", session.id));
    connect(session.server, &[authorization]).await.unwrap()
}

fn run<T>(of: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().unwrap().block_on(of)
}

/// `total/acknowledged` by severity, those that are not zero.
fn counts(message: &Value) -> Vec<String> {
    let counts = message["problems_by_severity"].as_array().unwrap().iter();
    let counts =
        counts.map(|it| format!("{} {}/{}", it["severity"], it["total"], it["acknowledged"]));
    counts.filter(|it| !it.contains(" 0/0")).collect()
}

#[test]
fn the_stream_sends_changes_and_ends_with_the_session() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    let first = problem(1, &trigger, &host, server.now());
    server.db.events().apply(vec![first.clone()], 1).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let authorization = ("authorization", format!("Bearer {}", admin.id));
        let mut socket = connect(&server, &[authorization]).await.unwrap();
        let wants = json!({"subscribe": {"problems": true, "overview": true,
            "latest": {"itemids": [item]}}});
        socket.send(Message::text(wants.to_string())).await.unwrap();
        let position = next(&mut socket, "problems").await;
        assert_eq!((&position["since"], &position["version"]), (&json!(1), &json!(1)));
        let overview = next(&mut socket, "overview").await;
        assert_eq!(overview["system"]["hosts_total"], 1);
        let reported = next(&mut socket, "latest").await;
        assert_eq!(reported["values"], json!([[item, 0, "", "", 0, "", ""]]));
        let sample = Sample { time: Time::from_clock(60, 0), value: ItemValue::Unsigned(9) };
        let live = ItemLive { last: Some(sample), ..ItemLive::default() };
        server.world.items.lock().unwrap().insert(ItemId(id(&item)), live);
        let reported = next(&mut socket, "latest").await;
        assert_eq!(reported["values"], json!([[item, 60, "9", "", 0, "", ""]]));
        let sample = Sample { time: Time::from_clock(60, 0), value: ItemValue::Unsigned(9) };
        let note = Some("A value was refused.".into());
        let live = ItemLive { last: Some(sample), error: note, ..ItemLive::default() };
        server.world.items.lock().unwrap().insert(ItemId(id(&item)), live);
        let reported = next(&mut socket, "latest").await;
        assert_eq!(reported["values"], json!([[item, 60, "9", "", 0, "A value was refused.", ""]]));
        let ended = recovery(2, &first, server.now());
        server.db.events().apply(vec![ended], 2).unwrap();
        let reported = next(&mut socket, "problems").await;
        assert_eq!(reported["version"], 2);
        assert_eq!(reported["upsert"][0]["eventid"], "1");
        assert_ne!(reported["upsert"][0]["r_clock"], 0);
        assert_eq!(reported["upsert"][0]["tags"], json!([["scope", "x"]]));
        let of_edit = server.db.clone();
        let edit = tokio::task::spawn_blocking(move || {
            of_edit.edit(db::Actor::System, |e| {
                let fields = json!({"name": "renamed"}).as_object().unwrap().clone();
                e.update(db::ObjectKind::Host, id(&host), fields)
            })
        });
        edit.await.unwrap().unwrap();
        let [hosts, reported] = next_of_each(&mut socket, ["hosts", "problems"]).await;
        assert_eq!(hosts["changed"].as_array().unwrap().len(), 1);
        // Rows show its name.
        assert_eq!(reported["upsert"][0]["host"], "renamed");
        server.shutdown.cancel();
        loop {
            match socket.next().await {
                Some(Ok(Message::Close(frame))) => {
                    assert_eq!(u16::from(frame.expect("a reason").code), 1001);
                    break;
                }
                Some(Ok(_)) => {}
                other => panic!("no farewell: {other:?}"),
            }
        }
    });
}

#[test]
fn other_sites_cannot_open_the_stream_with_the_browser_cookie() {
    let server = Server::start();
    let admin = server.login();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let cookie = ("cookie", format!("saker_session={}", admin.id));
        let own = ("origin", format!("http://{}", server.address));
        let foreign = ("origin", "http://evil.example".to_owned());
        let refused = connect(&server, &[cookie.clone(), foreign]).await;
        assert!(matches!(refused, Err(Error::Http(it)) if it.status() == 403));
        assert!(connect(&server, &[cookie, own]).await.is_ok());
    });
}

#[test]
fn counts_follow_what_happens_to_problems() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    let events = server.db.events();
    run(async {
        let mut socket = connect_as(&admin).await;
        say(&mut socket, json!({"subscribe": {"counts": true}})).await;
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
        let first = problem(1, &trigger, &host, server.now());
        let second = problem(2, &trigger, &host, server.now());
        events.apply(vec![first.clone(), second], 1).unwrap();
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 2/0"]);
        let act = |params: Value| admin.call("event.acknowledge", params);
        tokio::task::block_in_place(|| act(json!({"eventids": ["1"], "action": 2})));
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 2/1"]);
        let worse = json!({"eventids": ["1"], "action": 8, "severity": 5});
        tokio::task::block_in_place(|| act(worse));
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0", "5 1/1"]);
        // Suppressed problems are not counted, and come back by themselves.
        let until = server.now().clock() + 2;
        let suppress = json!({"eventids": ["2"], "action": 32, "suppress_until": until});
        tokio::task::block_in_place(|| act(suppress));
        assert_eq!(counts(&next(&mut socket, "counts").await), ["5 1/1"]);
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0", "5 1/1"]);
        assert!(until <= server.now().clock());
        events.apply(vec![recovery(3, &first, server.now())], 2).unwrap();
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0"]);
        // Problems of disabled objects are kept, but not shown.
        let host_status = |status: u8| {
            let params = json!({"hostid": host, "status": status});
            tokio::task::block_in_place(|| admin.call("host.update", params))
        };
        let rows = || {
            let lines = tokio::task::block_in_place(|| admin.problem_lines(""));
            lines[0]["total"].as_u64().unwrap()
        };
        assert_eq!(rows(), 2, "one of them is resolved");
        host_status(1);
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
        assert_eq!(rows(), 0);
        let found = tokio::task::block_in_place(|| admin.call("problem.get", json!({})));
        assert_eq!(found.as_array().map(Vec::len), Some(1), "the API answers them, as Zabbix's");
        let monitored = json!({"monitored": true, "countOutput": true});
        let found = tokio::task::block_in_place(|| admin.call("trigger.get", monitored));
        assert_eq!(found, "0");
        host_status(0);
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0"]);
        let trigger_status = |status: u8| {
            let params = json!({"triggerid": trigger, "status": status});
            tokio::task::block_in_place(|| admin.call("trigger.update", params))
        };
        trigger_status(1);
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
        trigger_status(0);
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0"]);
        let items = json!({"itemid": item, "status": 1});
        tokio::task::block_in_place(|| admin.call("item.update", items));
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
        let items = json!({"itemid": item, "status": 0});
        tokio::task::block_in_place(|| admin.call("item.update", items));
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0"]);
        // The trigger goes, and its problem with it.
        tokio::task::block_in_place(|| admin.call("trigger.delete", json!([trigger])));
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
    });
}

/// A user who may read the hosts of a new group: the group's id and the session.
fn reader<'a>(admin: &Session<'a>) -> (String, String, Session<'a>) {
    let group = admin.create("hostgroup.create", json!({"name": "theirs"}));
    let rights = json!([{"id": group, "permission": 2}]);
    let users =
        admin.create("usergroup.create", json!({"name": "readers", "hostgroup_rights": rights}));
    let user = json!({"username": "reader", "passwd": "long-enough-9", "roleid": "1",
        "usrgrps": [{"usrgrpid": users}]});
    admin.create("user.create", user);
    (group, users, admin.server.login_as("reader", "long-enough-9"))
}

fn trigger_of(admin: &Session<'_>, host: &str) -> String {
    let expression = format!("last(/{host}/k)>5");
    admin.create(
        "trigger.create",
        json!({"description": "k is high", "expression": expression, "priority": 2}),
    )
}

#[test]
fn users_hear_of_problems_of_their_own_groups_only() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let (group, _, reader) = reader(&admin);
    let theirs = admin.host("theirs");
    admin.call("host.update", json!({"hostid": theirs, "groups": [{"groupid": group}]}));
    admin.trapper(&theirs, "k");
    let their_trigger = trigger_of(&admin, "theirs");
    // Over both hosts: visible to users who may read both.
    let both = admin.create(
        "trigger.create",
        json!({"description": "both", "expression": "last(/theirs/k)+last(/h/k)>5"}),
    );
    let events = server.db.events();
    run(async {
        let wants = json!({"subscribe": {"problems": true, "counts": true, "overview": true}});
        let mut of_admin = connect_as(&admin).await;
        say(&mut of_admin, wants.clone()).await;
        let mut of_reader = connect_as(&reader).await;
        say(&mut of_reader, wants.clone()).await;
        for socket in [&mut of_admin, &mut of_reader] {
            assert_eq!(next(socket, "problems").await["version"], 0);
            next(socket, "counts").await;
            let overview = next(socket, "overview").await;
            assert_eq!(overview["worst_problems"], json!([]));
        }
        let now = server.now();
        let at = |eventid, trigger: &str, host: &str| EventRow {
            severity: model::content::Severity::Warning,
            ..problem(eventid, trigger, host, now)
        };
        let mine =
            vec![at(1, &trigger, &host), at(2, &their_trigger, &theirs), at(3, &both, &theirs)];
        events.apply(mine, 1).unwrap();
        let [reported, counted] = next_of_each(&mut of_admin, ["problems", "counts"]).await;
        assert_eq!(reported["upsert"].as_array().unwrap().len(), 3);
        assert_eq!(counts(&counted), ["2 3/0"]);
        let kinds = ["problems", "counts", "overview"];
        let [reported, counted, overview] = next_of_each(&mut of_reader, kinds).await;
        assert_eq!(reported["upsert"].as_array().unwrap().len(), 1, "{reported}");
        assert_eq!(reported["upsert"][0]["eventid"], "2");
        assert_eq!(reported["version"], 3);
        assert_eq!(counts(&counted), ["2 1/0"]);
        assert_eq!(counts(&overview["changed"]), ["2 1/0"]);
        assert_eq!(overview["changed"]["worst_problems"][0]["eventid"], "2");
        // A host of others becomes visible, and invisible again.
        let groups = |ids: &[&str]| {
            let groups: Vec<Value> = ids.iter().map(|it| json!({"groupid": it})).collect();
            let params = json!({"hostid": host, "groups": groups});
            tokio::task::block_in_place(|| admin.call("host.update", params))
        };
        groups(&["2", &group]);
        let [reported, counted] = next_of_each(&mut of_reader, ["problems", "counts"]).await;
        let mut shown: Vec<&Value> =
            reported["upsert"].as_array().unwrap().iter().map(|it| &it["eventid"]).collect();
        shown.sort_by_key(|it| it.as_str());
        assert_eq!(shown, [&json!("1"), &json!("3")]);
        assert_eq!(counts(&counted), ["2 3/0"]);
        groups(&["2"]);
        let reported = next(&mut of_reader, "problems").await;
        assert_eq!(reported["upsert"], json!([]));
        assert_eq!(reported["remove"].as_array().unwrap().len(), 2);
    });
}

#[test]
fn changed_permissions_make_the_client_fetch_a_snapshot() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let (group, users, reader) = reader(&admin);
    server.db.events().apply(vec![problem(1, &trigger, &host, server.now())], 1).unwrap();
    let n_shown = || reader.problem_lines("")[0]["total"].clone();
    assert_eq!(n_shown(), 0);
    run(async {
        let mut socket = connect_as(&reader).await;
        say(&mut socket, json!({"subscribe": {"problems": true, "counts": true}})).await;
        next(&mut socket, "problems").await;
        assert_eq!(counts(&next(&mut socket, "counts").await), [""; 0]);
        let rights = json!([{"id": group, "permission": 2}, {"id": "2", "permission": 2}]);
        let params = json!({"usrgrpid": users, "hostgroup_rights": rights});
        tokio::task::block_in_place(|| admin.call("usergroup.update", params));
        assert_eq!(next(&mut socket, "problems").await["since"], 1);
        assert_eq!(counts(&next(&mut socket, "counts").await), ["3 1/0"]);
        assert_eq!(next(&mut socket, "problems").await["resync"], true);
        assert_eq!(tokio::task::block_in_place(n_shown), 1);
    });
}

#[test]
fn a_client_that_missed_changes_gets_the_newest_state() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let events = server.db.events();
    let all: Vec<EventRow> =
        (1..=1_200).map(|it| problem(it, &trigger, &host, server.now())).collect();
    events.apply(all.clone(), 1).unwrap();
    run(async {
        let mut socket = connect_as(&admin).await;
        say(&mut socket, json!({"subscribe": {"problems": true}})).await;
        let position = next(&mut socket, "problems").await;
        assert_eq!((&position["since"], &position["version"]), (&json!(1_200), &json!(1_200)));
        // An older snapshot: the changes since then, in messages that follow each other.
        say(&mut socket, json!({"catch_up": {"problems": 100}})).await;
        let (mut since, mut rows) = (100, 0);
        while since < 1_200 {
            let reported = next(&mut socket, "problems").await;
            assert_eq!(reported["since"], since);
            since = reported["version"].as_u64().unwrap();
            rows += reported["upsert"].as_array().unwrap().len();
        }
        assert_eq!(rows, 1_100);
        // From a version that never was, as after a restart of the server.
        say(&mut socket, json!({"catch_up": {"problems": 99_999}})).await;
        assert_eq!(next(&mut socket, "problems").await["resync"], true);
        events.apply(vec![recovery(1_201, &all[0], server.now())], 2).unwrap();
        let reported = next(&mut socket, "problems").await;
        assert_eq!((&reported["since"], &reported["version"]), (&json!(1_200), &json!(1_201)));
        assert_eq!(reported["upsert"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_slow_client_gets_what_is_newest_and_not_all_of_it() {
    const ROUNDS: u64 = 60;
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let events = server.db.events();
    let large = |eventid| EventRow {
        name: "x".repeat(20_000),
        ..problem(eventid, &trigger, &host, server.now())
    };
    run(async {
        let wants = json!({"subscribe": {"problems": true}});
        let mut slow = connect_as(&admin).await;
        say(&mut slow, wants.clone()).await;
        next(&mut slow, "problems").await;
        let mut quick = connect_as(&admin).await;
        say(&mut quick, wants).await;
        next(&mut quick, "problems").await;
        // More than fits into the sockets, then many small changes while one client does not read.
        events.apply((1..=1_000).map(large).collect(), 1).unwrap();
        let mut n_quick = 0;
        for round in 0..ROUNDS {
            let version = 1_000 + round;
            while next(&mut quick, "problems").await["version"] != version {
                n_quick += 1;
            }
            n_quick += 1;
            // The same problem is acknowledged and not, again and again.
            let change = db::Acknowledgement {
                eventids: vec![EventId(1)],
                userid: crate::fake::ADMIN,
                action: if round % 2 == 0 { 2 } else { 16 },
                ..db::Acknowledgement::default()
            };
            tokio::task::block_in_place(|| events.acknowledge(&change, server.now())).unwrap();
        }
        let mut n_slow = 0;
        loop {
            let reported = next(&mut slow, "problems").await;
            n_slow += 1;
            if reported["version"] == 1_000 + ROUNDS {
                assert_eq!(reported["upsert"][0]["eventid"], "1");
                break;
            }
        }
        assert!(n_slow < n_quick, "{n_slow} messages instead of {n_quick}");
        assert_eq!(server.metric("saker_api_stream_lags_total"), 1);
        assert_eq!(server.metric("saker_api_stream_resyncs_total"), 0);
    });
}

#[test]
fn an_unchanged_server_sends_nothing() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    server.db.events().apply(vec![problem(1, &trigger, &host, server.now())], 1).unwrap();
    run(async {
        let mut socket = connect_as(&admin).await;
        let wants = json!({"problems": true, "counts": true, "overview": true,
            "latest": {"itemids": [item]}});
        say(&mut socket, json!({"subscribe": wants.clone()})).await;
        for kind in ["problems", "counts", "overview", "latest"] {
            assert_eq!(next_of_all(&mut socket).await["type"], kind);
        }
        // Another user's login and changes of unrelated hosts: many periods pass.
        for round in 0..40 {
            tokio::task::block_in_place(|| {
                admin.call("host.update", json!({"hostid": host, "description": round.to_string()}))
            });
            assert_eq!(next_of_all(&mut socket).await["type"], "hosts");
        }
        // The same wants once more: nothing of it is new.
        say(&mut socket, json!({"subscribe": wants})).await;
        say(&mut socket, json!({"nonsense": 1})).await;
        assert_eq!(next_of_all(&mut socket).await["type"], "error");
    });
}

#[test]
fn operational_data_of_shown_problems_is_sent_when_it_changes() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    let opdata = json!({"triggerid": trigger, "opdata": "now {ITEM.LASTVALUE}"});
    admin.call("trigger.update", opdata);
    let set = |value: u64| {
        let sample = Sample { time: Time::from_clock(60, 0), value: ItemValue::Unsigned(value) };
        let live = ItemLive { last: Some(sample), ..ItemLive::default() };
        server.world.items.lock().unwrap().insert(ItemId(id(&item)), live);
    };
    set(9);
    server.db.events().apply(vec![problem(1, &trigger, &host, server.now())], 1).unwrap();
    run(async {
        let mut socket = connect_as(&admin).await;
        let wants = json!({"subscribe": {"opdata": {"eventids": ["1", "77"]}}});
        say(&mut socket, wants).await;
        let reported = next_of_all(&mut socket).await;
        assert_eq!(reported, json!({"type": "opdata", "values": [["1", "now 9"]]}));
        set(10);
        let reported = next_of_all(&mut socket).await;
        assert_eq!(reported["values"], json!([["1", "now 10"]]));
        // Operational data of problems that are no longer shown is not sent.
        say(&mut socket, json!({"subscribe": {}})).await;
        set(11);
        say(&mut socket, json!({"nonsense": 1})).await;
        assert_eq!(next_of_all(&mut socket).await["type"], "error");
    });
}

#[test]
fn an_overview_is_sent_whole_and_then_by_differences() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    run(async {
        let mut socket = connect_as(&admin).await;
        say(&mut socket, json!({"subscribe": {"overview": true}})).await;
        let whole = next_of_all(&mut socket).await;
        assert_eq!(whole["nvps"], json!({"t": [1000, 1001], "v": [1.0, 2.5]}));
        let events = server.db.events();
        events.apply(vec![problem(1, &trigger, &host, server.now())], 1).unwrap();
        let reported = next_of_all(&mut socket).await;
        let changed: Vec<&String> = reported["changed"].as_object().unwrap().keys().collect();
        assert_eq!(changed, ["problems_by_severity", "worst_problems"], "{reported}");
        assert_eq!(reported["changed"]["worst_problems"][0]["host"], "h");
        *server.world.state.lock().unwrap() = Some(api::ports::ServerState::Stopping);
        server.world.nvps.lock().unwrap().push((1_002, 7.0));
        let reported = next_of_all(&mut socket).await;
        assert_eq!(reported["changed"]["system"]["state"], "stopping");
        assert_eq!(reported["changed"]["system"].as_object().unwrap().len(), 1);
        assert_eq!(reported["changed"]["nvps"], json!({"from": 1000, "t": [1_002], "v": [7.0]}));
    });
}

#[test]
fn pages_with_hosts_are_notified_of_availability_changes() {
    let server = Server::start();
    let admin = server.login();
    let (host, ..) = scene(&admin);
    run(async {
        let mut socket = connect_as(&admin).await;
        say(&mut socket, json!({"subscribe": {"availability": true, "counts": true}})).await;
        next(&mut socket, "counts").await;
        let availability = server.db.availability();
        availability.set_active_agent(model::HostId(id(&host)), 1);
        next(&mut socket, "availability").await;
        let down =
            db::InterfaceAvailability { available: 2, ..db::InterfaceAvailability::default() };
        availability.set(model::InterfaceId(77), down);
        next(&mut socket, "availability").await;
    });
}

/// The subscription of a page with this number of items. They need not exist.
fn items(n: u64) -> Value {
    json!({"subscribe": {"counts": true, "latest": {"itemids": (1..=n).collect::<Vec<_>>()}}})
}

#[test]
fn memory_of_streams_is_bounded_and_small_ones_have_room() {
    // An eighth for streams: room for four of the largest.
    let server = Server::start_set(api::ServeSettings::default(), |it| {
        it.memory_bytes_max = 8 * 4 * 1_200_000;
    });
    let admin = server.login();
    let taken = || server.registry.value("saker_api_memory_bytes", Some("streams")).unwrap_or(0.0);
    run(async {
        let mut open = Vec::new();
        for _ in 0..4 {
            let mut socket = connect_as(&admin).await;
            say(&mut socket, items(10_000)).await;
            next(&mut socket, "counts").await;
            open.push(socket);
        }
        assert!(4_700_000.0 < taken(), "{}", taken());
        // One more finds no room: a page connects again later.
        let mut large = connect_as(&admin).await;
        say(&mut large, items(10_000)).await;
        assert_eq!(closed(&mut large).await, "other users need the memory");
        assert!(taken() <= 4_800_000.0, "{}", taken());
        // A page of usual size makes one of the large ones end.
        let mut small = connect_as(&admin).await;
        say(&mut small, items(50)).await;
        next(&mut small, "counts").await;
        let mut ends = Vec::new();
        for socket in &mut open {
            ends.push(Box::pin(closed(socket)));
        }
        let (reason, _, rest) = futures_util::future::select_all(ends).await;
        assert_eq!((&*reason, rest.len()), ("other users need the memory", 3));
        drop(rest);
        drop((open, small));
        // All is given back.
        while 0.5 < taken() {
            tokio::task::yield_now().await;
        }
    });
}

/// The reason with which a stream ends.
async fn closed(socket: &mut Socket) -> String {
    loop {
        if let Message::Close(frame) = socket.next().await.expect("a farewell").unwrap() {
            return frame.expect("a reason").reason.to_string();
        }
    }
}
