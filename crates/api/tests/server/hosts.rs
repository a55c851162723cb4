//! The list of hosts as pages get it: windows of the hosts that a filter admits.

use db::InterfaceAvailability;
use model::{HostId, InterfaceId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::id;

fn get(session: &Session<'_>, path: &str) -> Value {
    let bearer = format!("Bearer {}", session.id);
    session.server.get(&format!("/api/v1/{path}"), &[("Authorization", &bearer)]).json()
}

fn make(admin: &Session<'_>, name: &str, more: Value) -> String {
    let mut params = json!({"host": name, "groups": {"groupid": "2"}});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    admin.create("host.create", params)
}

/// Names in order, and how many there are in all.
fn names(session: &Session<'_>, query: &str) -> (Vec<String>, u64) {
    let found = get(session, &format!("hosts?{query}"));
    let hosts = found["hosts"].as_array().unwrap_or_else(|| panic!("{query}: {found}"));
    let names = hosts.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect();
    (names, found["total"].as_u64().unwrap())
}

fn agent(ip: &str) -> Value {
    json!({"type": 1, "main": 1, "useip": 1, "ip": ip, "dns": "", "port": "10050"})
}

/// Three hosts: `web2` (agent, tag, template), `web10` (disabled, inventory), `db` (in a group of its own).
fn scene(admin: &Session<'_>) -> [String; 3] {
    let template = admin.template("Shop by agent");
    admin.trapper(&template, "k");
    let group = admin.create("hostgroup.create", json!({"name": "Data/Bases"}));
    let web2 = make(
        admin,
        "web2",
        json!({"interfaces": [agent("10.0.0.2")], "templates": [{"templateid": template}],
            "tags": [{"tag": "site", "value": "Fra"}]}),
    );
    let web10 = make(
        admin,
        "web10",
        json!({"status": 1, "interfaces": [agent("10.0.0.10")],
            "inventory_mode": 0, "inventory": {"serialno_a": "SN 4711"}}),
    );
    let db = make(
        admin,
        "db-host",
        json!({"name": "Datenbank Ä", "groups": [{"groupid": group}],
            "interfaces": [agent("10.0.0.9")]}),
    );
    [web2, web10, db]
}

#[test]
fn hosts_are_searched_and_filtered() {
    let server = Server::start();
    let admin = server.login();
    let [web2, _, db] = scene(&admin);
    let interface = |host: &str| {
        let found =
            admin.call("hostinterface.get", json!({"hostids": host, "output": ["interfaceid"]}));
        InterfaceId(id(found[0]["interfaceid"].as_str().unwrap()))
    };
    let state = |available| InterfaceAvailability { available, ..InterfaceAvailability::default() };
    server.db.availability().set(interface(&web2), state(2));
    server.db.availability().set(interface(&db), state(1));
    let template = admin.call(
        "template.get",
        json!({"output": ["templateid"], "filter": {"host": "Shop by agent"}}),
    );
    let template = template[0]["templateid"].as_str().unwrap().to_owned();
    let groups = admin
        .call("hostgroup.get", json!({"output": ["groupid"], "filter": {"name": "Data/Bases"}}));
    let below = groups[0]["groupid"].as_str().unwrap().to_owned();
    let above = admin.create("hostgroup.create", json!({"name": "Data"}));
    for (query, expected) in [
        (String::new(), vec!["Datenbank Ä", "web2", "web10"]),
        // Technical and visible names, whatever the case.
        ("q=DB-HOST".to_owned(), vec!["Datenbank Ä"]),
        ("q=datenbank%20%C3%A4".to_owned(), vec!["Datenbank Ä"]),
        ("q=10.0.0.1".to_owned(), vec!["web10"]),
        // Each word somewhere: a name and a group, a template, a tag.
        ("q=Bases%20db".to_owned(), vec!["Datenbank Ä"]),
        ("q=web%20agent".to_owned(), vec!["web2"]),
        ("q=site:fra".to_owned(), vec!["web2"]),
        ("q=sn%204711".to_owned(), vec!["web10"]),
        ("q=web%20nothing".to_owned(), vec![]),
        (format!("groupids={below}"), vec!["Datenbank Ä"]),
        // A group includes those below it.
        (format!("groupids={above}"), vec!["Datenbank Ä"]),
        (format!("groupids=2,{above}"), vec!["Datenbank Ä", "web2", "web10"]),
        (format!("templateids={template}"), vec!["web2"]),
        ("status=1".to_owned(), vec!["web10"]),
        ("status=0".to_owned(), vec!["Datenbank Ä", "web2"]),
        ("availability=2".to_owned(), vec!["web2"]),
        ("availability=1".to_owned(), vec!["Datenbank Ä"]),
        ("availability=0".to_owned(), vec!["web10"]),
        (
            "tags=%5B%7B%22tag%22:%22site%22,%22value%22:%22Fra%22,%22operator%22:%221%22%7D%5D"
                .to_owned(),
            vec!["web2"],
        ),
    ] {
        let n = u64::try_from(expected.len()).unwrap();
        let expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(names(&admin, &query), (expected, n), "{query}");
    }
    // An active agent that is away counts as an interface does.
    server.db.availability().set_active_agent(HostId(id(&db)), 2);
    assert_eq!(names(&admin, "availability=2").1, 2);
    for query in ["sort=price", "status=2", "availability=x", "groupids=x", "tags=x", "offset=x"] {
        assert!(get(&admin, &format!("hosts?{query}"))["error"].is_object(), "{query}");
    }
    assert_eq!(server.get("/api/v1/hosts", &[]).status, 401);
}

#[test]
fn windows_of_hosts_follow_any_order() {
    let server = Server::start();
    let admin = server.login();
    let [_, web10, _] = scene(&admin);
    admin.trapper(&web10, "a");
    admin.trapper(&web10, "b");
    for (query, expected) in [
        ("sort=name", ["Datenbank Ä", "web2", "web10"]),
        ("sort=-name", ["web10", "web2", "Datenbank Ä"]),
        ("sort=host", ["Datenbank Ä", "web2", "web10"]),
        ("sort=address", ["web2", "Datenbank Ä", "web10"]),
        ("sort=-items", ["web10", "web2", "Datenbank Ä"]),
        ("sort=-groups", ["web2", "web10", "Datenbank Ä"]),
        ("sort=-status", ["web10", "Datenbank Ä", "web2"]),
        ("sort=availability", ["Datenbank Ä", "web2", "web10"]),
    ] {
        assert_eq!(names(&admin, query).0, expected, "{query}");
        let page = names(&admin, &format!("{query}&offset=1&limit=1"));
        assert_eq!(page, (vec![expected[1].to_owned()], 3), "{query}");
    }
    assert_eq!(names(&admin, "offset=3"), (vec![], 3));
    assert_eq!(names(&admin, "limit=0"), (vec![], 3));
    let all = get(&admin, "hosts/ids?status=1");
    assert_eq!(all, json!({"hostids": [web10]}));
    let row = get(&admin, "hosts?q=web2")["hosts"][0].clone();
    assert_eq!(row["hostgroups"][0]["groupid"], "2");
    assert_eq!(row["parentTemplates"][0]["name"], "Shop by agent");
    assert_eq!(row["tags"], json!([{"tag": "site", "value": "Fra"}]));
    assert_eq!(row["interfaces"][0]["ip"], "10.0.0.2");
    assert_eq!(
        (&row["items"], &row["triggers"], &row["status"]),
        (&json!(1), &json!(0), &json!("0"))
    );
}

#[test]
fn a_list_follows_what_is_edited() {
    let server = Server::start();
    let admin = server.login();
    let [web2, web10, db] = scene(&admin);
    assert_eq!(names(&admin, "q=web").0, ["web2", "web10"]);
    admin.call("host.update", json!({"hostid": web2, "name": "xweb"}));
    admin.call(
        "host.update",
        json!({"hostid": db, "inventory_mode": 0, "inventory": {"os": "webos"}}),
    );
    assert_eq!(names(&admin, "q=web").0, ["Datenbank Ä", "web10", "xweb"]);
    admin.call("host.delete", json!([web10]));
    admin.call("hostgroup.update", json!({"groupid": "2", "name": "Webs"}));
    make(&admin, "new", json!({}));
    assert_eq!(names(&admin, "q=webs").0, ["new", "xweb"]);
    assert_eq!(names(&admin, "").1, 3);
}

#[test]
fn hosts_are_found_by_name_the_best_first() {
    let server = Server::start();
    let admin = server.login();
    let ids: Vec<String> =
        ["my web", "web 2", "web", "db"].iter().map(|it| make(&admin, it, json!({}))).collect();
    let found = |query: &str| {
        let found = get(&admin, &format!("hosts/names?{query}"));
        let hosts = found["hosts"].as_array().unwrap().clone();
        hosts.iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("q=WEB"), ["web", "web 2", "my web"]);
    assert_eq!(found("q=2%20web"), ["web 2"]);
    assert_eq!(found("q=web&limit=1"), ["web"]);
    assert_eq!(found(""), ["db", "my web", "web", "web 2"]);
    assert_eq!(found(&format!("hostids={},{},999", ids[3], ids[0])), ["db", "my web"]);
}

#[test]
fn users_see_no_hosts_beyond_their_permissions() {
    let server = Server::start();
    let admin = server.login();
    let [_, _, db] = scene(&admin);
    let group = admin.create(
        "usergroup.create",
        json!({"name": "Readers", "hostgroup_rights": [{"id": "2", "permission": 2}]}),
    );
    let user = json!({"username": "reader", "passwd": "a long one 4 all", "roleid": "1",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let reader = server.login_as("reader", "a long one 4 all");
    assert_eq!(names(&reader, ""), (vec!["web2".to_owned(), "web10".to_owned()], 2));
    // Names of hosts that the user may not see find nothing.
    assert_eq!(names(&reader, "q=shop").1, 0);
    assert_eq!(names(&reader, "q=bases").1, 0);
    assert_eq!(names(&admin, "q=shop").1, 1);
    let row = get(&reader, "hosts?q=web2")["hosts"][0].clone();
    assert_eq!(row["parentTemplates"], json!([]));
    assert_eq!(get(&reader, "hosts/ids")["hostids"].as_array().unwrap().len(), 2);
    assert_eq!(get(&reader, "hosts/names?q=daten")["hosts"], json!([]));
    assert_eq!(get(&reader, &format!("hosts/names?hostids={db}"))["hosts"], json!([]));
    // A group that the user sees, without the other one of the host.
    let other = admin.create("hostgroup.create", json!({"name": "Secret"}));
    admin.call(
        "host.massadd",
        json!({"hosts": [{"hostid": get(&admin, "hosts?q=web2")["hosts"][0]["hostid"]}],
            "groups": [{"groupid": other}]}),
    );
    assert_eq!(names(&reader, "q=secret").1, 0);
    assert_eq!(names(&admin, "q=secret").1, 1);
}

#[test]
fn a_host_whose_active_agent_is_away_is_not_available() {
    let server = Server::start();
    let admin = server.login();
    let [away, there, _] = ["away", "there", "unknown"].map(|it| admin.host(it));
    let availability = server.db.availability();
    availability.set_active_agent(HostId(id(&away)), 2);
    availability.set_active_agent(HostId(id(&there)), 1);
    let system = get(&admin, "overview")["system"].clone();
    assert_eq!((&system["hosts_available"], &system["hosts_unavailable"]), (&json!(1), &json!(1)));
    assert_eq!(get(&admin, "hosts?availability=2")["total"], 1);
}

#[test]
fn an_ipmi_login_is_stored_and_its_password_not_returned() {
    let server = Server::start();
    let admin = server.login();
    let host = make(
        &admin,
        "metal",
        json!({"ipmi_authtype": 6, "ipmi_privilege": 4, "ipmi_username": "root", "ipmi_password": "calvin"}),
    );
    let fields = ["ipmi_authtype", "ipmi_privilege", "ipmi_username", "ipmi_password"];
    let ipmi = |id: &str| {
        let found = admin.call("host.get", json!({"hostids": [id], "output": fields}));
        fields.map(|it| found[0][it].as_str().unwrap().to_owned())
    };
    assert_eq!(ipmi(&host), ["6", "4", "root", ""]);
    let kept = |id: &str| {
        let snapshot = server.db.snapshot();
        snapshot.hosts[&HostId(crate::live::id(id))].ipmi.as_deref().cloned()
    };
    let login = kept(&host).expect("it was given one");
    assert_eq!((login.username.as_str(), login.password.as_str()), ("root", "calvin"));
    // Omitted fields keep their values.
    admin.call("host.update", json!({"hostid": host, "ipmi_privilege": 2}));
    assert_eq!(ipmi(&host), ["6", "2", "root", ""]);
    assert_eq!(kept(&host).expect("it is there").password, "calvin");
    let all = json!({
        "hostid": host, "ipmi_authtype": -1, "ipmi_username": "", "ipmi_password": "",
    });
    admin.call("host.update", all);
    assert_eq!(kept(&host), None, "as by default");
    let plain = admin.host("plain");
    assert_eq!(ipmi(&plain), ["-1", "2", "", ""]);
}
