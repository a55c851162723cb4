//! `settings` and `housekeeping`: one of each, for all users to read and super admins to change.

use serde_json::{Value, json};

use crate::fake::Server;

#[test]
fn settings_have_the_defaults_of_zabbix() {
    let server = Server::start();
    let admin = server.login();
    let housekeeping = admin.call("housekeeping.get", json!({}));
    for (name, value) in [
        ("hk_events_mode", "1"),
        ("hk_events_trigger", "365d"),
        ("hk_events_internal", "1d"),
        ("hk_audit", "31d"),
        ("hk_sessions", "365d"),
        ("hk_history_global", "0"),
        ("hk_history", "31d"),
        ("db_extension", ""),
        ("compression_availability", "0"),
    ] {
        assert_eq!(housekeeping[name], value, "{name}");
    }
    let settings = admin.call("settings.get", json!({"output": "extend"}));
    for (name, value) in [
        ("default_lang", "en_US"),
        ("search_limit", "1000"),
        ("severity_name_5", "Disaster"),
        ("timeout_browser", "60s"),
        ("login_attempts", "5"),
        ("ha_failover_delay", "1m"),
    ] {
        assert_eq!(settings[name], value, "{name}");
    }
    assert_eq!(housekeeping.as_object().map(serde_json::Map::len), Some(22));
    assert_eq!(settings.as_object().map(serde_json::Map::len), Some(76));
    let two = admin.call("settings.get", json!({"output": ["url", "default_theme"]}));
    assert_eq!(two, json!({"default_theme": "blue-theme", "url": ""}));
}

#[test]
fn changed_settings_are_returned_stored_and_logged() {
    let server = Server::start();
    let admin = server.login();
    let given = json!({"hk_history_global": 1, "hk_history": "7d", "hk_audit": 86400});
    let names = admin.call("housekeeping.update", given);
    assert_eq!(names, json!(["hk_audit", "hk_history", "hk_history_global"]));
    let wanted = json!({"output": ["hk_history", "hk_history_global", "hk_audit"]});
    let kept = admin.call("housekeeping.get", wanted);
    assert_eq!(kept, json!({"hk_history": "7d", "hk_history_global": "1", "hk_audit": "86400"}));
    let record = json!({"filter": {"resourcetype": "41"}});
    let records = admin.call("auditlog.get", record);
    assert_eq!(records.as_array().map(Vec::len), Some(1), "{records}");
    assert!(records[0]["details"].as_str().is_some_and(|it| it.contains("hk_history")));
}

#[test]
fn rules_of_digests_and_flapping_are_stored_logged_and_applied() {
    let server = Server::start();
    let admin = server.login();
    let names = [
        ("digest_messages", "0", "20"),
        ("digest_period", "5m", "2m"),
        ("digest_interval", "10m", "1d"),
        ("flapping_changes", "0", "6"),
        ("flapping_period", "10m", "30m"),
    ];
    let output: Vec<&str> = names.iter().map(|it| it.0).collect();
    let shown = || admin.call("settings.get", json!({"output": output}));
    let first: Value = names.iter().map(|it| (it.0.to_owned(), json!(it.1))).collect();
    let second: Value = names.iter().map(|it| (it.0.to_owned(), json!(it.2))).collect();
    assert_eq!(shown(), first);
    let changed = admin.call("settings.update", second.clone());
    let mut sorted = output.clone();
    sorted.sort_unstable();
    assert_eq!(changed, json!(sorted));
    assert_eq!(shown(), second);
    let settings = &server.db.snapshot().globals.settings;
    let rule = model::settings::DigestRule { messages: 20, period_s: 120, interval_s: 86_400 };
    assert_eq!(settings.digests, rule);
    let rule = model::settings::FlappingRule { changes: 6, period_s: 1_800 };
    assert_eq!(settings.flapping, rule);
    let records = admin.call("auditlog.get", json!({"filter": {"resourcetype": "40"}}));
    let details = records[0]["details"].as_str().unwrap_or_default();
    for (name, before, now) in names {
        let change = format!("\"settings.{name}\":[\"update\",\"{now}\",\"{before}\"]");
        assert!(details.contains(&change), "{details}");
    }
    for (name, value, what) in [
        ("digest_messages", json!(1_001), "value must be one of 0-1000"),
        ("digest_messages", json!("many"), "an integer is expected"),
        ("digest_period", json!("9s"), "value must be one of 10-3600"),
        ("digest_period", json!("{$PERIOD}"), "a time unit is expected"),
        ("digest_interval", json!("25h"), "value must be one of 10-86400"),
        ("digest_interval", json!(""), "cannot be empty"),
        ("flapping_period", json!("31m"), "value must be one of 60-1800"),
    ] {
        let reported = admin.error("settings.update", json!({(name): value}));
        assert_eq!(reported, format!("Invalid parameter \"/{name}\": {what}."));
    }
    assert_eq!(shown(), second);
}

#[test]
fn wrong_values_are_refused_in_zabbixs_words() {
    let server = Server::start();
    let admin = server.login();
    let housekeeping = [
        (json!({}), "/", "cannot be empty"),
        (json!({"hk_none": "1"}), "/", "unexpected parameter \"hk_none\""),
        (json!({"db_extension": "x"}), "/", "unexpected parameter \"db_extension\""),
        (json!({"hk_events_mode": 2}), "/hk_events_mode", "value must be one of 0, 1"),
        (
            json!({"hk_events_trigger": "1h"}),
            "/hk_events_trigger",
            "value must be one of 86400-788400000",
        ),
        (json!({"hk_history": "1m"}), "/hk_history", "value must be one of 0, 3600-788400000"),
        (json!({"hk_trends": "x"}), "/hk_trends", "a time unit is expected"),
        (json!({"hk_audit": ""}), "/hk_audit", "cannot be empty"),
    ];
    let settings = [
        (json!({"ha_failover_delay": "2m"}), "/", "unexpected parameter \"ha_failover_delay\""),
        (json!({"search_limit": 0}), "/search_limit", "value must be one of 1-999999"),
        (
            json!({"default_theme": "pink"}),
            "/default_theme",
            "value must be one of \"blue-theme\", \"dark-theme\", \"hc-light\", \"hc-dark\"",
        ),
        (
            json!({"severity_color_1": "red"}),
            "/severity_color_1",
            "a hexadecimal color code (6 symbols) is expected",
        ),
        (json!({"work_period": "1-5"}), "/work_period", "a time period is expected"),
        (json!({"timeout_script": "601"}), "/timeout_script", "value must be one of 1-600"),
        (json!({"severity_name_0": ""}), "/severity_name_0", "cannot be empty"),
    ];
    let check = |method: &str, cases: &[(Value, &str, &str)]| {
        for (given, path, what) in cases {
            let reported = admin.error(method, given.clone());
            assert_eq!(reported, format!("Invalid parameter \"{path}\": {what}."));
        }
    };
    check("housekeeping.update", &housekeeping);
    check("settings.update", &settings);
    let reported = admin.error("settings.update", json!({"discovery_groupid": "999"}));
    assert_eq!(reported, "Host group with ID \"999\" is not available.");
    let reported = admin.error("settings.update", json!({"period_default": "3y"}));
    assert!(reported.contains("exceeds the max period"), "{reported}");
    let reported = admin.error("settings.get", json!({"filter": {}}));
    assert_eq!(reported, "Invalid parameter \"/\": unexpected parameter \"filter\".");
    let reported = admin.error("housekeeping.get", json!({"output": ["url"]}));
    assert!(reported.starts_with("Invalid parameter \"/output/1\": value must be one of \"hk_"));
    for method in ["settings.create", "housekeeping.delete"] {
        let reported = admin.error(method, json!({}));
        assert!(reported.contains("Incorrect method"), "{reported}");
    }
}

#[test]
fn settings_are_read_by_all_and_changed_by_super_admins() {
    let server = Server::start();
    let admin = server.login();
    let user = json!({"username": "op", "passwd": "secret-1", "roleid": "2",
        "usrgrps": [{"usrgrpid": "7"}]});
    admin.create("user.create", user);
    let user = server.login_as("op", "secret-1");
    for object in ["settings", "housekeeping"] {
        user.call(&format!("{object}.get"), json!({}));
        let method = format!("{object}.update");
        let reported = user.error(&method, json!({"url": "x"}));
        assert_eq!(reported, format!("No permissions to call \"{method}\"."));
    }
}

#[test]
fn settings_count_where_they_are_about_something() {
    let server = Server::start();
    let admin = server.login();
    let set = |given: Value| {
        admin.call("settings.update", given);
    };

    set(json!({"default_inventory_mode": 1}));
    let host = json!({"host": "h1", "groups": [{"groupid": "2"}]});
    let id = admin.create("host.create", host);
    let found = admin.call("host.get", json!({"hostids": id, "output": ["inventory_mode"]}));
    assert_eq!(found[0]["inventory_mode"], "1");

    set(json!({"uri_valid_schemes": "https,gopher"}));
    let user = |url: &str| json!({"userid": "1", "url": url});
    admin.call("user.update", user("gopher://x"));
    let reported = admin.error("user.update", user("http://x"));
    assert_eq!(reported, "Invalid parameter \"/1/url\": unacceptable URL.");
    set(json!({"validate_uri_schemes": 0}));
    admin.call("user.update", user("http://x"));

    set(json!({"auditlog_enabled": 0}));
    let count = || admin.call("auditlog.get", json!({"countOutput": true}));
    let before = count();
    admin.call("user.update", user(""));
    assert_eq!(count(), before, "nothing is noted while the log is off");
    set(json!({"auditlog_enabled": 1}));
    assert_ne!(count(), before, "that it is on again is");

    set(json!({"login_attempts": 2, "login_block": "1h"}));
    let login = |username: &str, password: &str| {
        let params = json!({"username": username, "password": password});
        server.call_as(None, "user.login", params)
    };
    let other = json!({"username": "op", "passwd": "secret-1", "roleid": "1",
        "usrgrps": [{"usrgrpid": "7"}]});
    admin.create("user.create", other);
    for _ in 0..2 {
        assert!(login("op", "wrong").get("error").is_some());
    }
    assert!(login("op", "secret-1").get("error").is_some(), "two failures block now");
}

#[test]
fn new_passwords_obey_the_rules_of_authentication() {
    let server = Server::start();
    let admin = server.login();
    let all = admin.call("authentication.get", json!({"output": "extend"}));
    for (name, value) in [
        ("authentication_type", "0"),
        ("passwd_min_length", "8"),
        ("passwd_check_rules", "8"),
        ("jit_provision_interval", "1h"),
        ("mfa_status", "0"),
    ] {
        assert_eq!(all[name], value, "{name}");
    }
    let user = |passwd: &str| json!({"username": "ada", "passwd": passwd, "roleid": "1", "usrgrps": [{"usrgrpid": "7"}]});
    let rules = json!({"passwd_min_length": 10, "passwd_check_rules": 15});
    admin.call("authentication.update", rules);
    for (passwd, what) in [
        ("Ab1-Ab1-", "must be at least 10 characters long"),
        ("ab1-ab1-ab1-", "must contain at least one lowercase and one uppercase Latin letter"),
        ("Abc-Abc-Abc-", "must contain at least one digit"),
        ("Abc1Abc1Abc1", "must contain at least one special character"),
        ("Ada1-Ada1-Ada1", "must not contain user's name, surname or username"),
    ] {
        let error = admin.error("user.create", user(passwd));
        assert!(error.contains(what), "{passwd}: {error}");
    }
    admin.call("user.create", user("Xyz1-Xyz1-Xyz1"));
    admin.call("authentication.update", json!({"passwd_min_length": 1, "passwd_check_rules": 0}));
    let other =
        json!({"username": "bob", "passwd": "b", "roleid": "1", "usrgrps": [{"usrgrpid": "7"}]});
    admin.call("user.create", other);
    let other = "value must be 0: this login is not supported yet.";
    for (field, what) in [("saml_auth_enabled", other), ("http_auth_enabled", other)] {
        let error = admin.error("authentication.update", json!({field: "1"}));
        assert_eq!(error, format!("Invalid parameter \"/{field}\": {what}"));
    }
}
