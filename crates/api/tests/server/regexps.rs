//! Global regular expressions over the API.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

fn one(name: &str, expressions: Value) -> Value {
    json!({"name": name, "expressions": expressions})
}

fn read(admin: &Session<'_>, id: &str) -> Value {
    admin.call("regexp.get", json!({"regexpids": id, "selectExpressions": "extend"}))
}

#[test]
fn they_read_back_as_they_were_made_and_changed() {
    let server = Server::start();
    let admin = server.login();
    let expressions = json!([
        {"expression": "^/(dev|run)", "expression_type": "4", "case_sensitive": "1"},
        {"expression": "tmp;run", "expression_type": 1, "exp_delimiter": "."},
    ]);
    let id = admin.create(
        "regexp.create",
        json!({"name": "File systems", "test_string": "/boot", "expressions": expressions}),
    );
    let expected = json!([{
        "regexpid": id, "name": "File systems", "test_string": "/boot",
        "expressions": [
            {"expression": "^/(dev|run)", "expression_type": "4", "exp_delimiter": ",",
                "case_sensitive": "1"},
            {"expression": "tmp;run", "expression_type": "1", "exp_delimiter": ".",
                "case_sensitive": "0"},
        ],
    }]);
    assert_eq!(read(&admin, &id), expected);
    let narrow = json!({"output": ["name"], "selectExpressions": ["expression"],
        "filter": {"name": "File systems"}});
    let found = admin.call("regexp.get", narrow);
    assert_eq!(found[0]["expressions"][0], json!({"expression": "^/(dev|run)"}));
    // The delimiter is of texts alone.
    let mut same = expected[0].clone();
    let reported = admin.error("regexp.update", same.clone());
    assert_eq!(
        reported,
        "Invalid parameter \"/1/expressions/1/exp_delimiter\": value must be empty."
    );
    same["expressions"][0]["exp_delimiter"] = json!("");
    same["name"] = json!("Files");
    assert_eq!(admin.call("regexp.update", same), json!({"regexpids": [id]}));
    admin.call(
        "regexp.update",
        json!({"regexpid": id, "expressions": [
        {"expression": "x", "expression_type": 0}]}),
    );
    let found = read(&admin, &id);
    assert_eq!((&found[0]["name"], &found[0]["test_string"]), (&json!("Files"), &json!("/boot")));
    assert_eq!(found[0]["expressions"].as_array().unwrap().len(), 1);
    assert_eq!(admin.call("regexp.delete", json!([id])), json!({"regexpids": [id]}));
    assert_eq!(admin.call("regexp.get", json!({"countOutput": true})), "0");
}

#[test]
fn wrong_ones_are_refused_in_zabbix_words() {
    let server = Server::start();
    let admin = server.login();
    let good = json!([{"expression": "a", "expression_type": 0}]);
    admin.create("regexp.create", one("taken", good.clone()));
    for (params, expected) in [
        (
            json!({"name": "x"}),
            "Invalid parameter \"/1\": the parameter \"expressions\" is missing.",
        ),
        (one("", good.clone()), "Invalid parameter \"/1/name\": cannot be empty."),
        (one(&"n".repeat(129), good.clone()), "Invalid parameter \"/1/name\": value is too long."),
        (one("x", json!([])), "Invalid parameter \"/1/expressions\": cannot be empty."),
        (
            one("x", json!([{"expression": "a", "expression_type": 5}])),
            "Invalid parameter \"/1/expressions/1/expression_type\": value must be one of 0, 1, 2, 3, 4.",
        ),
        (
            one("x", json!([{"expression_type": 0}])),
            "Invalid parameter \"/1/expressions/1\": the parameter \"expression\" is missing.",
        ),
        (
            one(
                "x",
                json!([{"expression": "(", "expression_type": 0}, {"expression": "(", "expression_type": 3}]),
            ),
            "Invalid parameter \"/1/expressions/2/expression\": invalid regular expression.",
        ),
        (
            one("x", json!([{"expression": "a;b", "expression_type": 1, "exp_delimiter": ";"}])),
            "Invalid parameter \"/1/expressions/1/exp_delimiter\": value must be one of \",\", \".\", \"/\".",
        ),
        (
            one(
                "x",
                json!([{"expression": "a", "expression_type": 0}, {"expression": "a", "expression_type": "0"}]),
            ),
            "Invalid parameter \"/1/expressions/2\": value (expression_type, expression)=(0, a) already exists.",
        ),
        (one("taken", good), "Regular expression \"taken\" already exists."),
    ] {
        assert_eq!(admin.error("regexp.create", params.clone()), expected, "{params}");
    }
}

#[test]
fn they_are_the_super_admins() {
    let server = Server::start();
    let admin = server.login();
    let group = admin.create("usergroup.create", json!({"name": "admins"}));
    let user = json!({"username": "op", "passwd": "secret-1", "roleid": "2",
        "usrgrps": [{"usrgrpid": group}]});
    admin.create("user.create", user);
    let user = server.login_as("op", "secret-1");
    for method in ["regexp.get", "regexp.create", "regexp.update", "regexp.delete"] {
        let expected = format!("No permissions to call \"{method}\".");
        assert_eq!(user.error(method, json!({})), expected);
    }
}

#[test]
fn expressions_are_tried_one_by_one() {
    let server = Server::start();
    let admin = server.login();
    let bearer = format!("Bearer {}", admin.id);
    let tried = |body: Value| {
        let headers = [("Content-Type", "application/json"), ("Authorization", &*bearer)];
        server.post("/api/v1/check/regexp", &headers, body.to_string().as_bytes()).json()
    };
    let answer = tried(json!({"text": "/Dev/sda", "expressions": [
        {"expression": "^/dev", "expression_type": "3", "case_sensitive": "0"},
        {"expression": "SDB,SDA", "expression_type": "1", "exp_delimiter": ","},
        {"expression": "dev", "expression_type": "2", "case_sensitive": "0"},
    ]}));
    let expected = json!({"holds": false, "expressions": [
        {"holds": true}, {"holds": true}, {"holds": false}]});
    assert_eq!(answer, expected);
    let answer = tried(json!({"text": "", "expressions": [
        {"expression": "(", "expression_type": "3"}, {"expression": "x", "expression_type": "9"}]}));
    assert_eq!(answer["holds"], Value::Null);
    for part in answer["expressions"].as_array().unwrap() {
        assert!(part["error"].is_string(), "{part}");
    }
}
