//! Permissions of roles and user groups: over the API, with tokens, and as pages.

use api::ports::{ItemLive, TriggerLive};
use db::EscalationTurn;
use db::alerts::Alert;
use model::content::{RoleAction, RoleElement, RoleType, Tag, UiElement};
use model::{EventId, ItemId, TriggerId};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::{id, problem, recovery, scene};

const SECRET: &str = "long-enough-9";
const JSON: (&str, &str) = ("Content-Type", "application/json");
const OWN: (&str, &str) = ("X-Requested-With", "saker");

/// A user with a role of these rules, in a user group that reads all host groups of the scene.
pub(crate) fn restricted<'a>(
    server: &'a Server,
    admin: &Session<'_>,
    kind: u8,
    rules: Value,
) -> Session<'a> {
    let role = json!({"name": "restricted", "type": kind, "rules": rules});
    let role = admin.create("role.create", role);
    let groups = admin.call("hostgroup.get", json!({"output": ["groupid"]}));
    let rights = groups.as_array().unwrap().iter();
    let rights: Vec<Value> =
        rights.map(|it| json!({"id": it["groupid"], "permission": 3})).collect();
    let group = json!({"name": "restricted", "hostgroup_rights": rights});
    let group = admin.create("usergroup.create", group);
    let user = json!({"username": "bob", "passwd": SECRET, "roleid": role,
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    server.login_as("bob", SECRET)
}

/// The answer to a call that a page makes.
fn as_page(session: &Session<'_>, method: &str, params: Value) -> Value {
    let cookie = format!("saker_session={}", session.id);
    let call = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
    let headers = [JSON, OWN, ("Cookie", cookie.as_str())];
    session.server.post("/api_jsonrpc.php", &headers, call.to_string().as_bytes()).json()
}

fn status(session: &Session<'_>, path: &str) -> u16 {
    let cookie = format!("saker_session={}", session.id);
    session.server.get(path, &[("Cookie", &cookie)]).status
}

fn denied(method: &str) -> String {
    format!("No permissions to call \"{method}\".")
}

#[test]
fn methods_are_denied_by_a_list_and_allowed_by_a_list() {
    let server = Server::start();
    let admin = server.login();
    let rules = json!({"api.mode": 0, "api": ["host.*", "*.delete", "item.get"]});
    let bob = restricted(&server, &admin, 2, rules);
    for method in ["host.get", "host.create", "trigger.delete", "item.get"] {
        assert_eq!(bob.error(method, json!({})), denied(method));
    }
    assert_eq!(bob.call("trigger.get", json!({"countOutput": true})), "0");
    let roles = json!({"filter": {"name": "restricted"}, "output": ["roleid"]});
    let role = admin.call("role.get", roles)[0]["roleid"].as_str().unwrap().to_owned();
    let update = json!({"roleid": role, "rules": {"api.mode": 1}});
    admin.call("role.update", update);
    assert_eq!(bob.call("host.get", json!({"countOutput": true})), "0");
    assert_eq!(bob.error("trigger.get", json!({})), denied("trigger.get"));
    // The pages ask whatever they show; tokens are programs like any other.
    let by_page = as_page(&bob, "trigger.get", json!({"countOutput": true}));
    assert_eq!(by_page["result"], "0");
    admin.call("role.update", json!({"roleid": role, "rules": {"api": ["token.*", "host.get"]}}));
    let token = bob.create("token.create", json!({"name": "t"}));
    let token = bob.call("token.generate", json!([token]))[0]["token"].clone();
    let token = token.as_str();
    assert_eq!(server.call_as(token, "host.get", json!({"countOutput": true}))["result"], "0");
    let refused = server.call_as(token, "item.get", json!({}));
    let expected =
        json!({"code": -32500, "message": "Application error.", "data": denied("item.get")});
    assert_eq!(refused["error"], expected);
    let authorization = format!("Bearer {}", token.unwrap());
    let native = [("Authorization", authorization.as_str())];
    assert_eq!(server.get("/api/v1/hosts", &native).status, 200);
    admin.call("role.update", json!({"roleid": role, "rules": {"api.access": 0}}));
    assert_eq!(bob.error("host.get", json!({})), denied("host.get"));
    assert_eq!(server.get("/api/v1/hosts", &native).status, 403, "a program that may not call");
    assert_eq!(as_page(&bob, "host.get", json!({"countOutput": true}))["result"], "0");
}

/// All elements that users of a kind may have, and whether a role has them.
fn elements<E: RoleElement>(kind: RoleType, allowed: &[&str]) -> Value {
    let of_kind = E::ALL.iter().filter(|it| it.least() <= kind).map(|it| it.name());
    of_kind.map(|it| json!({"name": it, "status": u8::from(allowed.contains(&it))})).collect()
}

#[test]
fn actions_of_a_role_say_what_may_be_done() {
    let server = Server::start();
    let admin = server.login();
    let (host, item, trigger) = scene(&admin);
    server.db.events().apply(vec![problem(1, &trigger, &host, server.now())], 1).unwrap();
    let rules = json!({"actions": elements::<RoleAction>(RoleType::Admin, &[])});
    let bob = restricted(&server, &admin, 2, rules);
    let act = |action: u32| {
        let params = json!({"eventids": ["1"], "action": action, "message": "m", "severity": 5,
            "suppress_until": 0, "cause_eventid": "1"});
        let mut params = params.as_object().unwrap().clone();
        if action != 256 {
            params.remove("cause_eventid");
        }
        Value::Object(params)
    };
    for (action, what) in [
        (1, "close problems"),
        (2, "acknowledge problems"),
        (4, "add problem comments"),
        (8, "change problem severity"),
        (16, "unacknowledge problems"),
        (32, "suppress problems"),
        (64, "unsuppress problems"),
        (128, "convert symptom problems to cause problems"),
        (256, "convert cause problems to symptom problems"),
        (2 + 4, "add problem comments"),
    ] {
        let expected = format!("Incorrect value for field \"action\": no permissions to {what}.");
        assert_eq!(bob.error("event.acknowledge", act(action)), expected);
        assert_eq!(as_page(&bob, "event.acknowledge", act(action))["error"]["data"], expected);
    }
    for method in [
        "dashboard.create",
        "maintenance.create",
        "maintenance.delete",
        "sla.update",
        "token.get",
        "token.create",
        "token.generate",
        "script.execute",
    ] {
        assert_eq!(bob.error(method, json!({})), denied(method));
        assert_eq!(as_page(&bob, method, json!({}))["error"]["data"], denied(method));
    }
    assert_eq!(bob.call("maintenance.get", json!({})), json!([]));
    // Now: on hosts that are one's own to write the role has no say.
    let now = json!({"type": 6, "request": {"itemid": item}});
    let refused = bob.error("task.create", now.clone());
    assert!(refused.starts_with("Cannot send request"), "{refused}: not of the role");
    let groups = admin.call(
        "usergroup.get",
        json!({"filter": {"name": "restricted"},
        "selectHostGroupRights": "extend"}),
    );
    let rights = groups[0]["hostgroup_rights"].as_array().unwrap().iter();
    let reads: Vec<Value> = rights.map(|it| json!({"id": it["id"], "permission": 2})).collect();
    let update = json!({"usrgrpid": groups[0]["usrgrpid"], "hostgroup_rights": reads});
    admin.call("usergroup.update", update);
    let refused = bob.error("task.create", now);
    assert_eq!(refused, "No permissions to referred object or it does not exist!");
    let roles = json!({"filter": {"name": "restricted"}, "output": ["roleid"]});
    let role = admin.call("role.get", roles)[0]["roleid"].clone();
    let allow = json!([{"name": "acknowledge_problems", "status": 1}]);
    admin.call("role.update", json!({"roleid": role, "rules": {"actions": allow}}));
    bob.call("event.acknowledge", act(2));
    assert!(bob.error("event.acknowledge", act(4)).contains("add problem comments"));
}

#[test]
fn medias_are_written_by_whom_the_role_lets() {
    let server = Server::start();
    let admin = server.login();
    let actions = |own: u8, of_users: u8| {
        json!({"actions": [{"name": "edit_own_media", "status": own},
            {"name": "edit_user_media", "status": of_users}]})
    };
    let bob = restricted(&server, &admin, 3, actions(0, 0));
    let find =
        |name: &str| admin.call("user.get", json!({"filter": {"username": name}}))[0].clone();
    let (own, other) = (find("bob")["userid"].clone(), find("guest")["userid"].clone());
    let kind = json!({"name": "a script", "type": 1, "exec_path": "notify"});
    let kind = admin.create("mediatype.create", kind);
    let medias = json!([{"mediatypeid": kind, "sendto": "a@example.com"}]);
    let write = |user: &Value| json!({"userid": user, "medias": medias});
    let refused = |at: &str, whose: &str| {
        format!("Invalid parameter \"{at}/medias\": no permissions to edit {whose} media.")
    };
    assert_eq!(bob.error("user.update", write(&own)), refused("/1", "own"));
    assert_eq!(bob.error("user.update", write(&other)), refused("/1", "users'"));
    let none = json!({"userid": other, "medias": []});
    assert_eq!(bob.error("user.update", none), refused("/1", "users'"));
    let mut new = json!({"username": "new", "passwd": SECRET, "roleid": "1", "usrgrps": [],
        "medias": medias});
    assert_eq!(bob.error("user.create", new.clone()), refused("/1", "users'"));
    // Other fields than medias are not concerned.
    new["medias"] = json!([]);
    bob.create("user.create", new);
    bob.call("user.update", json!({"userid": own, "name": "Bob"}));
    let role = find("bob")["roleid"].clone();
    admin.call("role.update", json!({"roleid": role, "rules": actions(1, 0)}));
    bob.call("user.update", write(&own));
    assert_eq!(bob.error("user.update", write(&other)), refused("/1", "users'"));
    admin.call("role.update", json!({"roleid": role, "rules": actions(0, 1)}));
    bob.call("user.update", write(&other));
    assert_eq!(bob.error("user.update", write(&own)), refused("/1", "own"));
}

#[test]
fn super_admins_see_when_users_were_last_active() {
    let server = Server::start();
    let admin = server.login();
    let bob = restricted(&server, &admin, 2, json!({}));
    let cookie = format!("saker_session={}", admin.id);
    let seen = || server.get("/api/v1/users/seen", &[("Cookie", &cookie)]).json();
    let users = admin.call("user.get", json!({"output": ["userid"], "sortfield": "userid"}));
    let found = seen();
    let ids: Vec<&Value> =
        found["users"].as_array().unwrap().iter().map(|it| &it["userid"]).collect();
    let bob_id =
        admin.call("user.get", json!({"filter": {"username": "bob"}}))[0]["userid"].clone();
    assert_eq!(ids, [&users[0]["userid"], &bob_id]);
    assert_eq!(found["users"][0]["lastaccess"], found["clock"]);
    let bob_seen = found["users"][1].clone();
    assert_eq!(bob_seen["session"], true);
    assert_eq!(status(&bob, "/api/v1/users/seen"), 403);
    bob.call("user.logout", json!([]));
    let gone = seen()["users"][1].clone();
    assert_eq!(gone["userid"], bob_id);
    assert_eq!(gone["session"], false);
    assert!(gone["lastaccess"].as_i64() >= bob_seen["lastaccess"].as_i64());
}

/// Pages offer nothing that would be refused: a session names the refused methods, and methods that it does
/// not name are allowed.
#[test]
fn a_session_names_the_methods_that_pages_may_not_call() {
    let server = Server::start();
    let admin = server.login();
    let of = |session: &str| {
        let cookie = format!("saker_session={session}");
        let answer = server.get("/api/v1/session", &[("Cookie", &cookie)]).json();
        let names = answer["user"]["denied"].as_array().expect("methods").clone();
        names.iter().map(|it| it.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(of(&admin.id), none, "a super admin may call all");
    let rules = json!({"actions": [{"name": "edit_maps", "status": 0}],
        "ui": [{"name": "configuration.templates", "status": 0}]});
    let bob = restricted(&server, &admin, 2, rules);
    let named = of(&bob.id);
    for method in ["host.update", "item.create", "maintenance.create", "dashboard.create"] {
        assert!(!named.iter().any(|it| it == method), "{method} of an admin");
        let refused = as_page(&bob, method, json!({}))["error"]["data"].clone();
        assert_ne!(refused, denied(method));
    }
    for method in ["map.update", "template.create", "user.create", "settings.update"] {
        assert!(named.iter().any(|it| it == method), "{method} of an admin");
        assert_eq!(as_page(&bob, method, json!({}))["error"]["data"], denied(method));
    }
    // Services are written by rules of their own: a role that names none changes none.
    let role = admin.call("role.get", json!({"filter": {"name": "restricted"}}))[0].clone();
    for (mode, is_named) in [(0, true), (1, false)] {
        let rules = json!({"services.write.mode": mode});
        admin.call("role.update", json!({"roleid": role["roleid"], "rules": rules}));
        assert_eq!(of(&bob.id).iter().any(|it| it == "service.create"), is_named, "{mode}");
    }
    // Without a group that may be written there is no place for a host.
    let group = admin.call("usergroup.get", json!({"filter": {"name": "restricted"}}))[0].clone();
    let groups = admin.call("hostgroup.get", json!({"output": ["groupid"]}));
    let rights: Vec<Value> = groups
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!({"id": it["groupid"], "permission": 2}))
        .collect();
    let read = json!({"usrgrpid": group["usrgrpid"], "hostgroup_rights": rights});
    admin.call("usergroup.update", read);
    let named = of(&bob.id);
    for (method, is_named) in
        [("host.create", true), ("maintenance.create", true), ("host.update", false)]
    {
        assert_eq!(named.iter().any(|it| it == method), is_named, "{method}");
    }
}

#[test]
fn a_page_without_an_element_is_refused_by_the_server_too() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, _) = scene(&admin);
    let shown = ["monitoring.problems", "configuration.host_groups"];
    let rules = json!({"ui": elements::<UiElement>(RoleType::Admin, &shown)});
    let bob = restricted(&server, &admin, 2, rules);
    let shown = server.get("/api/v1/session", &[("Cookie", &format!("saker_session={}", bob.id))]);
    let user = &shown.json()["user"];
    assert_eq!(user["ui"], json!(["monitoring.problems", "configuration.host_groups"]));
    assert!(user["actions"].as_array().unwrap().contains(&json!("edit_maintenance")));
    for (path, expected) in [
        ("/api/v1/problems", 200),
        ("/api/v1/session", 200),
        ("/api/v1/overview", 403),
        ("/api/v1/latest", 403),
        ("/api/v1/queue", 403),
        ("/api/v1/storage", 403),
        ("/api/v1/maintenance/calendar", 403),
    ] {
        assert_eq!(status(&bob, path), expected, "{path}");
    }
    let update = json!({"hostid": host, "description": "by a page"});
    assert_eq!(
        as_page(&bob, "host.update", update.clone())["error"]["data"],
        denied("host.update")
    );
    // The API is another way, which other rules close.
    bob.call("host.update", update);
    let named = as_page(&bob, "hostgroup.get", json!({"output": ["name"]}));
    assert!(!named["result"].as_array().unwrap().is_empty());
    assert_eq!(
        as_page(&bob, "template.create", json!({"host": "t"}))["error"]["data"],
        denied("template.create")
    );
    // A change counts at once.
    let role =
        admin.call("role.get", json!({"filter": {"name": "restricted"}}))[0]["roleid"].clone();
    let ui = json!([{"name": "monitoring.dashboard", "status": 1}]);
    admin.call("role.update", json!({"roleid": role, "rules": {"ui": ui}}));
    assert_eq!(status(&bob, "/api/v1/overview"), 200);
}

#[test]
fn role_rules_are_stored_returned_and_checked_as_in_zabbix() {
    let server = Server::start();
    let admin = server.login();
    let role = |kind: u8, rules: Value| json!({"name": "r", "type": kind, "rules": rules});
    for (kind, rules, expected) in [
        (
            1,
            json!({"ui": [{"name": "x"}]}),
            "UI element \"x\" is not available for user role \"r\".",
        ),
        (
            1,
            json!({"ui": [{"name": "configuration.hosts", "status": 1}]}),
            "UI element \"configuration.hosts\" is not available for user role \"r\".",
        ),
        (
            1,
            json!({"actions": [{"name": "edit_maintenance"}]}),
            "Action \"edit_maintenance\" is not available for user role \"r\".",
        ),
        (
            1,
            json!({"ui": [], "ui.default_access": 0}),
            "At least one UI element must be enabled for user role \"r\".",
        ),
        (1, json!({"api": ["host"]}), "Invalid API method \"host\" for user role \"r\"."),
        (
            1,
            json!({"modules": [{"moduleid": 7}]}),
            "Module with ID \"7\" is not available for user role \"r\".",
        ),
        (
            1,
            json!({"api.mode": 2}),
            "Invalid parameter \"/1/rules/api.mode\": value must be one of 0, 1.",
        ),
    ] {
        assert_eq!(admin.error("role.create", role(kind, rules)), expected);
    }
    let rules = json!({"ui": [{"name": "reports.audit", "status": 0}], "ui.default_access": 1,
        "actions": [{"name": "close_problems", "status": 0}], "api.mode": 1, "api": ["*.get"]});
    let id = admin.create("role.create", role(3, rules));
    let rules = || {
        let rows = admin.call("role.get", json!({"roleids": [id], "selectRules": "extend"}));
        rows[0]["rules"].clone()
    };
    let of = |rules: &Value, list: &str, name: &str| {
        let found = rules[list].as_array().unwrap().iter().find(|it| it["name"] == name).cloned();
        found.map(|it| it["status"].clone())
    };
    let first = rules();
    assert_eq!(of(&first, "ui", "reports.audit"), Some(json!("0")));
    assert_eq!(of(&first, "ui", "administration.queue"), Some(json!("1")));
    assert_eq!(of(&first, "actions", "close_problems"), Some(json!("0")));
    assert_eq!((&first["api.mode"], &first["api"]), (&json!("1"), &json!(["*.get"])));
    // The answer of get may be sent back, and omitted members keep their values.
    admin.call("role.update", json!({"roleid": id, "rules": first}));
    assert_eq!(rules(), first);
    admin.call("role.update", json!({"roleid": id, "rules": {"services.read.mode": 0}}));
    let mut expected = first;
    expected["services.read.mode"] = json!("0");
    assert_eq!(rules(), expected);
    // Elements that an update does not name stay.
    let queue = json!([{"name": "administration.queue", "status": 0}]);
    admin.call("role.update", json!({"roleid": id, "rules": {"ui": queue}}));
    let now = rules();
    assert_eq!(of(&now, "ui", "reports.audit"), Some(json!("0")));
    assert_eq!(of(&now, "ui", "administration.queue"), Some(json!("0")));
    assert_eq!(of(&now, "actions", "close_problems"), Some(json!("0")));
    // Another type has fewer of them.
    admin.call("role.update", json!({"roleid": id, "type": 1}));
    assert_eq!(of(&rules(), "ui", "administration.queue"), None);
    let some = admin.call("role.get", json!({"roleids": [id], "selectRules": ["api.access"]}));
    assert_eq!(some[0]["rules"], json!({"api.access": "1"}));
    // A list of nothing restricts nothing; without access there is none.
    admin.call("role.update", json!({"roleid": id, "rules": {"api": [], "api.mode": 1}}));
    assert_eq!(rules()["api.mode"], "1");
    let off = json!({"api.access": 0, "api.mode": 1, "api": ["*.get"]});
    admin.call("role.update", json!({"roleid": id, "rules": off}));
    assert_eq!((&rules()["api.mode"], &rules()["api"]), (&json!("0"), &json!([])));
}

#[test]
fn users_cannot_lock_themselves_out() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("usergroup.create", json!({"name": "g"}));
    let closed = admin.create("usergroup.create", json!({"name": "closed", "users_status": 1}));
    let own = "User cannot add oneself to a disabled group or a group with disabled GUI access.";
    let join = |group: &str| json!({"userid": "1", "usrgrps": [{"usrgrpid": group}]});
    assert_eq!(admin.error("user.update", join(&closed)), own);
    admin.call("user.update", join(&group));
    for change in [json!({"users_status": 1}), json!({"gui_access": 3})] {
        let mut change = change;
        change["usrgrpid"] = json!(group);
        assert_eq!(admin.error("usergroup.update", change), own);
    }
    let members = json!({"usrgrpid": closed, "users": [{"userid": "1"}]});
    assert_eq!(admin.error("usergroup.update", members), own);
    // Groups of a directory that does not exist allow no login.
    let ldap = admin.create("usergroup.create", json!({"name": "LDAP", "gui_access": 2}));
    let user = json!({"username": "ann", "passwd": SECRET, "roleid": "1",
        "usrgrps": [{"usrgrpid": ldap}]});
    admin.create("user.create", user);
    let params = json!({"username": "ann", "password": SECRET});
    let refused = server.call_as(None, "user.login", params);
    assert_eq!(refused["error"]["data"], "LDAP authentication is disabled.");
    let role = admin.error("role.update", json!({"roleid": "3", "type": 1}));
    assert!(!role.is_empty());
}

fn tagged(
    eventid: u64,
    (trigger, host): (&str, &str),
    server: &Server,
    tag: (&str, &str),
) -> db::EventRow {
    let tags = vec![Tag { tag: tag.0.to_owned(), value: tag.1.to_owned() }];
    db::EventRow { tags, ..problem(eventid, trigger, host, server.now()) }
}

#[test]
fn the_overview_counts_unsupported_items_of_visible_hosts() {
    let server = Server::start();
    let admin = server.login();
    let seen = admin.host("seen");
    let bob = restricted(&server, &admin, 1, json!({}));
    let group = admin.create("hostgroup.create", json!({"name": "Hidden"}));
    let host = json!({"host": "hidden", "groups": [{"groupid": group}]});
    let hidden = admin.create("host.create", host);
    let [broken, disabled, fine] =
        ["broken", "disabled", "fine"].map(|it| admin.trapper(&seen, it));
    admin.call("item.update", json!({"itemid": disabled, "status": 1}));
    let elsewhere = admin.trapper(&hidden, "broken");
    let unsupported = ItemLive { is_unsupported: true, ..ItemLive::default() };
    let mut items = server.world.items.lock().unwrap();
    for it in [&broken, &disabled, &elsewhere] {
        items.insert(ItemId(id(it)), unsupported.clone());
    }
    // One that does not exist any more.
    items.insert(ItemId(999_999), unsupported);
    items.insert(ItemId(id(&fine)), ItemLive::default());
    drop(items);
    let bearer = format!("Bearer {}", bob.id);
    let system =
        server.get("/api/v1/overview", &[("Authorization", &bearer)]).json()["system"].clone();
    assert_eq!((&system["hosts_total"], &system["items_total"]), (&json!(1), &json!(2)));
    assert_eq!((&system["items_supported"], &system["items_unsupported"]), (&json!(1), &json!(1)));
}

#[test]
fn tag_filters_hide_problems_everywhere() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let of = (trigger.as_str(), host.as_str());
    let mysql = tagged(1, of, &server, ("target", "mysql"));
    let nginx = tagged(2, of, &server, ("target", "nginx"));
    server.db.events().apply(vec![mysql.clone(), nginx.clone()], 1).unwrap();
    let bob = restricted(&server, &admin, 1, json!({}));
    let groups = json!({"filter": {"name": "restricted"}, "selectHostGroupRights": "extend"});
    let group = admin.call("usergroup.get", groups)[0].clone();
    let hostgroup = admin.call("host.get", json!({"hostids": host, "selectHostGroups": "extend"}));
    let hostgroup = hostgroup[0]["hostgroups"][0]["groupid"].clone();
    let filter = |filters: Value| {
        let update = json!({"usrgrpid": group["usrgrpid"], "tag_filters": filters});
        admin.call("usergroup.update", update);
    };
    let ids = |method: &str, params: Value| -> Vec<String> {
        let mut params = params;
        params["output"] = json!(["eventid"]);
        params["sortfield"] = json!(["eventid"]);
        let rows = bob.call(method, params);
        let ids = rows.as_array().unwrap().iter();
        ids.map(|it| it["eventid"].as_str().unwrap().to_owned()).collect()
    };
    let counts = || {
        let counts =
            bob.server.get("/api/v1/overview", &[("Authorization", &format!("Bearer {}", bob.id))]);
        let counts = counts.json()["problems_by_severity"].clone();
        counts.as_array().unwrap().iter().map(|it| it["total"].as_u64().unwrap()).sum::<u64>()
    };
    let rows = || bob.problem_lines("")[0]["total"].as_u64().unwrap();
    assert_eq!(ids("problem.get", json!({})), ["1", "2"]);
    assert_eq!((counts(), rows()), (2, 2));
    filter(json!([{"groupid": hostgroup, "tag": "target", "value": "mysql"}]));
    assert_eq!(ids("problem.get", json!({})), ["1"]);
    assert_eq!(ids("problem.get", json!({"eventids": ["1", "2"]})), ["1"]);
    assert_eq!(ids("problem.get", json!({"objectids": [trigger]})), ["1"]);
    assert_eq!(bob.call("problem.get", json!({"countOutput": true})), "1");
    assert_eq!(ids("event.get", json!({})), ["1"]);
    assert_eq!((counts(), rows()), (1, 1));
    let refused = bob.error("event.acknowledge", json!({"eventids": ["2"], "action": 2}));
    assert_eq!(refused, "No permissions to referred object or it does not exist!");
    // Users who saw a problem see its end.
    let end = db::EventRow { tags: Vec::new(), ..recovery(3, &mysql, server.now()) };
    let other = db::EventRow { tags: mysql.tags, ..recovery(4, &nginx, server.now()) };
    server.db.events().apply(vec![end, other], 2).unwrap();
    assert_eq!(ids("event.get", json!({})), ["1", "3"]);
    // Admins see all; groups that no filter names are not visible.
    assert_eq!(admin.call("event.get", json!({"countOutput": true})), "4");
    let elsewhere = admin.create("hostgroup.create", json!({"name": "elsewhere"}));
    filter(json!([{"groupid": elsewhere}]));
    assert_eq!(ids("event.get", json!({})), [""; 0]);
    filter(json!([{"groupid": elsewhere}, {"groupid": hostgroup}]));
    assert_eq!(ids("event.get", json!({})), ["1", "2", "3", "4"]);
    let kept = json!({"usrgrpids": group["usrgrpid"], "selectTagFilters": "extend"});
    assert_eq!(
        admin.call("usergroup.get", kept.clone())[0]["tag_filters"].as_array().unwrap().len(),
        2
    );
    admin.call("hostgroup.delete", json!([elsewhere]));
    let left = admin.call("usergroup.get", kept)[0]["tag_filters"].clone();
    assert_eq!(left, json!([{"groupid": hostgroup, "tag": "", "value": ""}]));
    let nameless = json!({"usrgrpid": group["usrgrpid"],
        "tag_filters": [{"groupid": hostgroup, "value": "x"}]});
    let refused = admin.error("usergroup.update", nameless);
    assert_eq!(refused, "Incorrect value for field \"tag\": cannot be empty.");
}

#[test]
fn tag_filters_hide_problems_from_scripts_alerts_and_last_events() {
    let server = Server::start();
    let admin = server.login();
    let (host, _, trigger) = scene(&admin);
    let of = (trigger.as_str(), host.as_str());
    let mysql = tagged(1, of, &server, ("target", "mysql"));
    let nginx = tagged(2, of, &server, ("target", "nginx"));
    server.db.events().apply(vec![mysql, nginx.clone()], 1).unwrap();
    let bob = restricted(&server, &admin, 1, json!({}));
    let alerts = || -> Vec<String> {
        let rows = bob.call("alert.get", json!({"output": ["eventid"]}));
        let ids = rows.as_array().unwrap().iter();
        ids.map(|it| it["eventid"].as_str().unwrap().to_owned()).collect()
    };
    let script = admin.create(
        "script.create",
        json!({"name": "notify", "type": 0, "scope": 4, "execute_on": 1,
            "command": "notify {EVENT.NAME} {EVENT.TAGS}"}),
    );
    let alert = |id: u64| Alert { id, event: EventId(id), clock: 1, ..Alert::default() };
    server
        .db
        .escalations()
        .save(EscalationTurn { alerts: vec![alert(1), alert(2)], ..EscalationTurn::default() })
        .unwrap();
    let live = TriggerLive { is_problem: true, last_change: nginx.time, ..TriggerLive::default() };
    server.world.triggers.lock().unwrap().insert(TriggerId(id(&trigger)), live);
    assert_eq!(alerts(), ["1", "2"]);
    let hostgroup = admin.call("host.get", json!({"hostids": host, "selectHostGroups": "extend"}));
    let hostgroup = hostgroup[0]["hostgroups"][0]["groupid"].clone();
    let group = admin.call("usergroup.get", json!({"filter": {"name": "restricted"}}))[0].clone();
    let filters = json!([{"groupid": hostgroup, "tag": "target", "value": "mysql"}]);
    admin.call("usergroup.update", json!({"usrgrpid": group["usrgrpid"], "tag_filters": filters}));
    assert_eq!(bob.call("script.getscriptsbyevents", json!({"eventid": "2"})), json!({"2": []}));
    let refused = bob.error("script.execute", json!({"scriptid": script, "eventid": "2"}));
    assert_eq!(refused, "No permissions to referred object or it does not exist!");
    assert_eq!(
        bob.call("script.getscriptsbyevents", json!({"eventid": "1"}))["1"][0]["name"],
        "notify"
    );
    bob.call("script.execute", json!({"scriptid": script, "eventid": "1"}));
    assert_eq!(server.world.commands.lock().unwrap().len(), 1);
    assert_eq!(alerts(), ["1"]);
    let triggers = json!({"triggerids": trigger, "selectLastEvent": "extend"});
    assert_eq!(bob.call("trigger.get", triggers.clone())[0]["lastEvent"], json!([]));
    assert_eq!(admin.call("trigger.get", triggers)[0]["lastEvent"]["eventid"], "2");
}

#[test]
fn cluster_and_directory_methods_answer_as_without_any() {
    let server = Server::start();
    let admin = server.login();
    for method in ["mfa.get", "module.get", "userdirectory.get"] {
        assert_eq!(admin.call(method, json!({"output": "extend"})), json!([]));
        assert_eq!(admin.call(method, json!({"countOutput": true})), "0");
    }
    let nodes = admin.call("hanode.get", json!({"output": ["name", "status"]}));
    assert_eq!(nodes, json!([{"ha_nodeid": "saker", "name": "", "status": "3"}]));
    assert_eq!(admin.call("hanode.get", json!({"ha_nodeids": ["other"]})), json!([]));
    assert_eq!(
        admin.call("hanode.get", json!({"filter": {"status": 3}, "countOutput": true})),
        "1"
    );
    let bob = restricted(&server, &admin, 2, json!({}));
    for method in [
        "hanode.get",
        "mfa.get",
        "module.get",
        "userdirectory.get",
        "user.unblock",
        "user.resettotp",
    ] {
        assert_eq!(bob.error(method, json!({})), denied(method));
    }
    assert_eq!(admin.call("user.resettotp", json!(["1"])), json!({"userids": ["1"]}));
    assert_eq!(admin.call("user.provision", json!(["1"])), json!({"userids": []}));
    let gone = "No permissions to referred object or it does not exist!";
    assert_eq!(admin.error("user.unblock", json!(["77"])), gone);
}

#[test]
fn a_user_who_failed_too_often_is_unblocked() {
    let server = Server::start();
    let admin = server.login();
    let bob = restricted(&server, &admin, 1, json!({}));
    let who = server.call_as(None, "user.checkAuthentication", json!({"sessionid": bob.id}));
    let id = who["result"]["userid"].clone();
    let login = |password: &str| {
        let params = json!({"username": "bob", "password": password});
        server.call_as(None, "user.login", params)
    };
    for _ in 0..5 {
        assert!(login("wrong")["error"].is_object());
    }
    let blocked = login(SECRET);
    assert!(blocked["error"]["data"].as_str().unwrap().contains("temporarily blocked"));
    assert_eq!(admin.call("user.unblock", json!([id])), json!({"userids": [id]}));
    assert!(login(SECRET)["result"].is_string());
}

#[test]
fn failed_logins_are_returned_until_one_succeeds() {
    let server = Server::start();
    let admin = server.login();
    let bob = restricted(&server, &admin, 1, json!({}));
    let who = server.call_as(None, "user.checkAuthentication", json!({"sessionid": bob.id}));
    let id = who["result"]["userid"].clone();
    let login = |password: &str| {
        let params = json!({"username": "bob", "password": password, "userData": true});
        server.call_as(None, "user.login", params)
    };
    let fields = ["attempt_failed", "attempt_ip", "attempt_clock"];
    let failures = |by: &Session<'_>| {
        let found = by.call("user.get", json!({"userids": id, "output": fields}));
        fields.map(|it| found[0][it].as_str().unwrap().to_owned())
    };
    assert_eq!(failures(&admin), ["0", "", "0"]);
    for _ in 0..2 {
        assert!(login("wrong")["error"].is_object());
    }
    let clock = server.now().clock();
    let [n, ip, at] = failures(&admin);
    assert_eq!((n.as_str(), ip.as_str()), ("2", "127.0.0.1"));
    assert!((clock - 60..=clock).contains(&at.parse::<i64>().unwrap()), "{at}");
    assert_eq!(failures(&bob), [n, ip.clone(), at.clone()], "people see their own");
    let now = server.call_as(None, "user.checkAuthentication", json!({"sessionid": bob.id}));
    assert_eq!(now["result"]["attempt_failed"], "2");
    // They are kept: another look at the same tables finds them.
    let by_count = json!({"userids": id, "filter": {"attempt_failed": 2}, "countOutput": true});
    assert_eq!(admin.call("user.get", by_count), "1");
    // The login returns the failures before it, and only the number is reset.
    let at_login = login(SECRET)["result"].clone();
    assert_eq!(
        (&at_login["attempt_failed"], &at_login["attempt_ip"]),
        (&json!("2"), &json!("127.0.0.1"))
    );
    assert_eq!(failures(&admin), ["0".to_owned(), ip, at]);
    for _ in 0..7 {
        assert!(login("wrong")["error"].is_object());
    }
    assert_eq!(failures(&admin)[0], "5", "who has to wait does not fail");
    admin.call("user.unblock", json!([id]));
    assert_eq!(failures(&admin)[0], "0");
    assert!(login(SECRET)["result"].is_object());
    // Others of their group know nothing of it.
    assert!(login("wrong")["error"].is_object());
    let group = bob.call("usergroup.get", json!({"output": ["usrgrpid"]}));
    let user = json!({"username": "eve", "passwd": SECRET, "roleid": "1", "usrgrps": group});
    admin.create("user.create", user);
    assert_eq!(failures(&server.login_as("eve", SECRET)), ["0", "", "0"]);
}
