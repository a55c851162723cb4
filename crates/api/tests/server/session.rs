//! Logging in and out, in all the ways that clients know.

use serde_json::json;

use crate::fake::{PASSWORD, Server};

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn a_session_is_accepted_as_header_body_member_or_cookie() {
    let server = Server::start();
    let old = json!({"user": "Admin", "password": PASSWORD});
    let answer = server.call_as(None, "user.login", old);
    assert_eq!(answer["error"]["data"], "Invalid parameter \"/\": unexpected parameter \"user\".");
    let named = json!({"username": "Admin", "password": PASSWORD});
    let session = server.call_as(None, "user.login", named)["result"].as_str().unwrap().to_owned();
    let body = json!({"jsonrpc": "2.0", "method": "host.get", "params": {"countOutput": true},
        "auth": session, "id": 7});
    for path in ["/api_jsonrpc.php", "/zabbix/api_jsonrpc.php"] {
        let answer = server.post(path, &[JSON], body.to_string().as_bytes()).json();
        assert_eq!(answer, json!({"jsonrpc": "2.0", "result": "0", "id": 7}));
    }
    let answer = server.call_as(Some(&session), "host.get", json!({"countOutput": true}));
    assert_eq!(answer["result"], "0");
    let cookie = format!("a=b; saker_session={session}");
    let body =
        json!({"jsonrpc": "2.0", "method": "host.get", "params": {"countOutput": true}, "id": 1});
    let body = body.to_string();
    let own = [JSON, ("Cookie", cookie.as_str()), ("X-Requested-With", "saker")];
    let answer = server.post("/api_jsonrpc.php", &own, body.as_bytes()).json();
    assert_eq!(answer["result"], "0");
    let foreign = server.post("/api_jsonrpc.php", &own[..2], body.as_bytes()).json();
    assert_eq!(foreign["error"]["data"], "Not authorized.", "the cookie alone proves nothing");
}

#[test]
fn errors_of_sessions_are_those_that_clients_match() {
    let server = Server::start();
    let nobody = server.call_as(None, "host.get", json!({}));
    let expected = json!({"code": -32602, "message": "Invalid params.", "data": "Not authorized."});
    assert_eq!(nobody["error"], expected);
    let answer = server.post("/api_jsonrpc.php", &[JSON], b"{}").json();
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(answer["error"]["message"], "Invalid request.");
    let unknown = server.call_as(Some(&"a".repeat(64)), "host.get", json!({}));
    assert_eq!(unknown["error"]["data"], "Session terminated, re-login, please.");
    let params = json!({"username": "Admin", "password": "wrong"});
    let refused = server.call_as(None, "user.login", params);
    assert_eq!(refused["error"]["code"], -32500);
    assert_eq!(
        refused["error"]["data"],
        "Incorrect user name or password or account is temporarily blocked."
    );
    let session = server.login();
    assert_eq!(session.call("user.logout", json!([])), json!(true));
    let ended = server.call_as(Some(&session.id), "host.get", json!({}));
    assert_eq!(ended["error"]["data"], "Session terminated, re-login, please.");
}

#[test]
fn methods_without_a_session_work_without_one() {
    let server = Server::start();
    let version = server.call_as(None, "apiinfo.version", json!([]));
    assert!(version["result"].as_str().unwrap().starts_with("7.0."), "{version}");
    let session = server.login();
    let params = json!({"sessionid": session.id});
    let data = &server.call_as(None, "user.checkAuthentication", params)["result"];
    assert_eq!((&data["username"], &data["type"]), (&json!("Admin"), &json!(3)));
    let params = json!({"username": "Admin", "password": PASSWORD, "userData": true});
    let data = &server.call_as(None, "user.login", params)["result"];
    assert_eq!(data["sessionid"].as_str().unwrap().len(), 64);
}

#[test]
fn tokens_call_the_api_until_they_are_disabled() {
    let server = Server::start();
    let admin = server.login();
    let id = admin.create("token.create", json!({"name": "ci", "description": "for CI"}));
    let generated = admin.call("token.generate", json!([id]));
    let token = generated[0]["token"].as_str().unwrap().to_owned();
    let answer = server.call_as(Some(&token), "token.get", json!({"output": ["name", "userid"]}));
    assert_eq!(answer["result"], json!([{"name": "ci", "userid": "1"}]));
    let data = server.call_as(None, "user.checkAuthentication", json!({"token": token}));
    assert_eq!(data["result"]["username"], "Admin");
    admin.call("token.update", json!({"tokenid": id, "status": 1}));
    let answer = server.call_as(Some(&token), "host.get", json!({}));
    assert_eq!(answer["error"]["data"], "Session terminated, re-login, please.");
}

#[test]
fn the_browser_gets_a_cookie_that_scripts_cannot_read() {
    let server = Server::start();
    let body = json!({"username": "Admin", "password": PASSWORD}).to_string();
    let own = ("X-Requested-With", "saker");
    let foreign = server.post("/api/v1/login", &[JSON], body.as_bytes());
    assert_eq!(foreign.status, 403);
    let answer = server.post("/api/v1/login", &[JSON, own], body.as_bytes());
    let expected = answer.json();
    let user = &expected["user"];
    let fields = ["userid", "username", "name", "surname", "roleid", "type"];
    let shown: Vec<&serde_json::Value> = fields.iter().map(|it| &user[*it]).collect();
    assert_eq!(json!(shown), json!(["1", "Admin", "Saker", "Administrator", "3", 3]));
    assert_eq!(expected["timezone"], "UTC");
    let cookie = answer.header("set-cookie").to_owned();
    let (cookie, attributes) = cookie.split_once(';').unwrap();
    assert_eq!(attributes, " Path=/; HttpOnly; SameSite=Strict");
    let me = server.get("/api/v1/session", &[("Cookie", cookie)]);
    assert_eq!(me.json(), expected);
    let nobody = server.get("/api/v1/session", &[]);
    assert_eq!((nobody.status, nobody.json()), (200, json!({"user": null})));
    let out = server.post("/api/v1/logout", &[JSON, own, ("Cookie", cookie)], b"{}");
    assert_eq!(out.status, 200);
    let nobody = server.get("/api/v1/session", &[("Cookie", cookie)]);
    assert_eq!((nobody.status, nobody.json()), (200, json!({"user": null})));
    let wrong = json!({"username": "Admin", "password": "x"}).to_string();
    let refused = server.post("/api/v1/login", &[JSON, own], wrong.as_bytes());
    assert_eq!(refused.status, 401);
    assert!(refused.json()["error"]["data"].as_str().unwrap().contains("Incorrect user name"));
}

#[test]
fn a_group_without_pages_has_the_api_alone() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("usergroup.create", json!({"name": "No pages", "gui_access": 3}));
    let user = json!({"username": "robot", "passwd": "does its work", "roleid": "3",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let body = json!({"username": "robot", "password": "does its work"}).to_string();
    let own = ("X-Requested-With", "saker");
    let refused = server.post("/api/v1/login", &[JSON, own], body.as_bytes());
    let reported = refused.json()["error"]["data"].clone();
    assert_eq!((refused.status, reported), (401, json!("GUI access disabled.")));
    let robot = server.login_as("robot", "does its work");
    assert_eq!(robot.call("host.get", json!({"countOutput": true})), "0");
    let cookie = format!("saker_session={}", robot.id);
    let nobody = server.get("/api/v1/session", &[("Cookie", &cookie)]);
    assert_eq!(nobody.json(), json!({"user": null}));
    // A change counts for sessions that are open.
    admin.call("usergroup.update", json!({"usrgrpid": group, "gui_access": 0}));
    let known = server.get("/api/v1/session", &[("Cookie", &cookie)]);
    assert_eq!(known.json()["user"]["username"], "robot");
}
