//! Views of the problem list: each user's own, bounded, and as they were written.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn send(server: &Server, session: &Session<'_>, body: &Value) -> (u16, Value) {
    let bearer = format!("Bearer {}", session.id);
    let answer =
        server.post("/api/v1/views", &[("Authorization", &bearer)], body.to_string().as_bytes());
    (answer.status, answer.json())
}

fn list(server: &Server, session: &Session<'_>) -> Value {
    let bearer = format!("Bearer {}", session.id);
    server.get("/api/v1/views", &[("Authorization", &bearer)]).json()["views"].clone()
}

#[test]
fn views_are_each_users_own_and_stay() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("usergroup.create", json!({"name": "others"}));
    admin.create(
        "user.create",
        json!({"username": "eve", "passwd": "for-tests-only-1", "roleid": "1",
            "usrgrps": [{"usrgrpid": group}]}),
    );
    let eve = server.login_as("eve", "for-tests-only-1");
    assert_eq!(list(&server, &admin), json!([]));
    let mine = json!({"name": " Mine ", "search": {"sev": "5", "q": "db"}});
    let (status, all) = send(&server, &admin, &mine);
    assert_eq!((status, &all["views"][0]["name"]), (200, &json!("Mine")));
    send(&server, &admin, &json!({"name": "All", "search": {}}));
    send(&server, &admin, &json!({"name": "Mine", "search": {"sev": "4"}}));
    let expected = json!([{"name": "All", "search": {}}, {"name": "Mine", "search": {"sev": "4"}}]);
    assert_eq!(list(&server, &admin), expected);
    // Of the same name, and another's.
    send(&server, &eve, &json!({"name": "Mine", "search": {"q": "web"}}));
    send(&server, &eve, &json!({"name": "All", "search": null}));
    assert_eq!(list(&server, &admin), expected);
    assert_eq!(list(&server, &eve), json!([{"name": "Mine", "search": {"q": "web"}}]));
    let (_, left) = send(&server, &admin, &json!({"name": "All", "search": null}));
    assert_eq!(left["views"], json!([{"name": "Mine", "search": {"sev": "4"}}]));
    assert_eq!(server.get("/api/v1/views", &[]).status, 401);
}

#[test]
fn wrong_views_are_refused_and_there_are_fifty_at_most() {
    let server = Server::start();
    let admin = server.login();
    let long = "x".repeat(61);
    for body in [
        json!({}),
        json!({"name": "  ", "search": {}}),
        json!({"name": long, "search": {}}),
        json!({"name": "a"}),
        json!({"name": "a", "search": "q=1"}),
        json!({"name": "a", "search": {"q": "x".repeat(5_000)}}),
    ] {
        let (status, answer) = send(&server, &admin, &body);
        assert_eq!(status, 400, "{body}: {answer}");
    }
    for n in 0..50 {
        assert_eq!(send(&server, &admin, &json!({"name": format!("{n}"), "search": {}})).0, 200);
    }
    assert_eq!(send(&server, &admin, &json!({"name": "one more", "search": {}})).0, 400);
    // One that is there already is replaced.
    assert_eq!(send(&server, &admin, &json!({"name": "7", "search": {"q": "a"}})).0, 200);
    assert_eq!(list(&server, &admin).as_array().unwrap().len(), 50);
}
