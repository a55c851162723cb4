//! On-call schedules: permissions, refused parameters, and the user on call at a time.

use serde_json::{Value, json};

use crate::fake::{Server, Session};

const DAY: i64 = 86_400;
/// Monday, 2026-01-05, 09:00 in Riga.
const MONDAY: i64 = 1_767_596_400;

fn user(admin: &Session<'_>, name: &str) -> String {
    let group = admin.create("usergroup.create", json!({"name": format!("group of {name}")}));
    admin.create(
        "user.create",
        json!({"username": name, "name": name.to_uppercase(), "passwd": "for-tests-only-1",
            "roleid": "2", "usrgrps": [{"usrgrpid": group}]}),
    )
}

fn weeks(name: &str, users: &[&str]) -> Value {
    let users: Vec<Value> = users.iter().map(|it| json!({"userid": it})).collect();
    json!({"name": name, "timezone": "Europe/Riga",
        "rotations": [{"name": "Weeks", "start": MONDAY, "users": users}]})
}

#[test]
fn overrides_apply_before_rotations() {
    let server = Server::start();
    let admin = server.login();
    let (ada, bob) = (user(&admin, "ada"), user(&admin, "bob"));
    let id = admin.create("oncall.create", weeks("Operations", &[&ada, &bob]));
    let overrides =
        json!([{"userid": ada, "time_from": MONDAY + 8 * DAY, "time_till": MONDAY + 9 * DAY}]);
    admin.call("oncall.update", json!({"oncallid": id, "overrides": overrides}));
    let answer = admin.call(
        "oncall.whois",
        json!({"oncallids": [id], "time_from": MONDAY - DAY, "time_till": MONDAY + 15 * DAY}),
    );
    let shifts = answer[0]["shifts"].as_array().expect("a list").iter();
    let shifts: Vec<(i64, &str, &str)> = shifts
        .map(|it| {
            let from: i64 = it["time_from"].as_str().unwrap().parse().unwrap();
            (
                (from - MONDAY) / DAY,
                it["username"].as_str().unwrap(),
                it["override"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        (-1, "", "0"),
        (0, "ada", "0"),
        (7, "bob", "0"),
        (8, "ada", "1"),
        (9, "bob", "0"),
        (14, "ada", "0"),
    ];
    assert_eq!(shifts, expected);
    assert_eq!(answer[0]["timezone"], "Europe/Riga");
    // Every user may ask, and sees the names.
    let bobs = server.login_as("bob", "for-tests-only-1");
    assert_eq!(bobs.call("oncall.whois", json!([]))[0]["name"], "Operations");
    assert_eq!(bobs.call("oncall.get", json!({"userids": [ada], "countOutput": true})), json!("1"));
    let rows = bobs.call("oncall.get", json!({"selectRotations": ["name", "users"]}));
    assert_eq!(
        rows[0]["rotations"],
        json!([{"name": "Weeks", "users": [{"userid": ada}, {"userid": bob}]}])
    );
}

#[test]
fn a_wrong_schedule_is_refused() {
    let server = Server::start();
    let admin = server.login();
    let ada = user(&admin, "ada");
    let with = |name: &str, value: Value| {
        let mut schedule = weeks("Operations", &[&ada]);
        schedule["rotations"][0][name] = value;
        schedule
    };
    let wrong = |path: &str, what: &str| format!("Invalid parameter \"/1/{path}\": {what}.");
    let rotation = |field: &str, what: &str| wrong(&format!("rotations/1/{field}"), what);
    for (schedule, expected) in [
        (
            with("handover", json!("9:00")),
            rotation("handover", "a time from 00:00 to 23:59 is expected"),
        ),
        (with("period", json!("1-5")), rotation("period", "a time period is expected")),
        (with("unit", json!(3)), rotation("unit", "value must be one of 0, 1, 2")),
        (with("weekday", json!(8)), rotation("weekday", "value must be one of 1-7")),
        (with("length", json!(0)), rotation("length", "value must be one of 1-1000")),
        (with("users", json!([])), rotation("users", "cannot be empty")),
        (weeks("Operations", &["999"]), wrong("", "User with ID \"999\" is not available")),
    ] {
        let expected = expected.replace("/1/\"", "/1\"");
        assert_eq!(admin.error("oncall.create", schedule), expected);
    }
    let mut schedule = weeks("Operations", &[&ada]);
    schedule["timezone"] = json!("Mars");
    assert_eq!(
        admin.error("oncall.create", schedule.clone()),
        wrong("timezone", "a time zone is expected")
    );
    schedule["timezone"] = json!("UTC");
    schedule["overrides"] = json!([{"userid": ada, "time_from": 9, "time_till": 9}]);
    assert_eq!(
        admin.error("oncall.create", schedule),
        wrong("overrides/1/time_till", "a time behind \"time_from\" is expected")
    );
    for (params, expected) in [
        (
            json!({"time_from": 9, "time_till": 9}),
            "a time 1-63244800 seconds after \"time_from\" is expected",
        ),
        (json!({"time_till": "x"}), "an integer is expected"),
    ] {
        let expected = format!("Invalid parameter \"/time_till\": {expected}.");
        assert_eq!(admin.error("oncall.whois", params), expected);
    }
}

#[test]
fn a_schedule_in_use_is_not_deleted() {
    let server = Server::start();
    let admin = server.login();
    let ada = user(&admin, "ada");
    let id = admin.create("oncall.create", weeks("Operations", &[&ada]));
    let action = |id: &str| {
        json!({"name": "To those on call", "eventsource": 0, "operations": [{"operationtype": 0,
            "opmessage": {"default_msg": 1}, "opmessage_oncall": [{"oncallid": id}]}]})
    };
    let saved = admin.create("action.create", action(&id));
    let rows = admin.call("action.get", json!({"actionids": saved, "selectOperations": "extend"}));
    assert_eq!(rows[0]["operations"][0]["opmessage_oncall"], json!([{"oncallid": id}]));
    assert_eq!(
        admin.error(
            "action.update",
            json!({"actionid": saved, "operations": action("999")["operations"]})
        ),
        "Incorrect action operation on-call schedule. On-call schedule does not exist."
    );
    assert_eq!(
        admin.error("oncall.delete", json!([id])),
        "The on-call schedule is used by action \"To those on call\"."
    );
    assert_eq!(
        admin.error("user.delete", json!([ada])),
        "User \"ada\" is used in on-call schedule \"Operations\"."
    );
    admin.call("action.delete", json!([saved]));
    admin.call("oncall.delete", json!([id]));
    admin.call("user.delete", json!([ada]));
    // Zabbix has no such records.
    let of_schedules = json!({"filter": {"resourcetype": 1001}, "countOutput": true});
    assert_eq!(admin.call("auditlog.get", of_schedules.clone()), "0");
    let mut all = of_schedules;
    all["selectAllDetails"] = json!(true);
    assert_eq!(admin.call("auditlog.get", all), "2");
}

#[test]
fn admins_schedule_members_of_their_groups_and_users_none() {
    let server = Server::start();
    let admin = server.login();
    let (ada, bob) = (user(&admin, "ada"), user(&admin, "bob"));
    let adas = server.login_as("ada", "for-tests-only-1");
    let id = adas.create("oncall.create", weeks("Hers", &[&ada]));
    assert_eq!(
        adas.error("oncall.create", weeks("Both", &[&ada, &bob])),
        format!("Invalid parameter \"/1\": User with ID \"{bob}\" is not available.")
    );
    // A user who was named by another user stays.
    let both = weeks("Hers", &[&ada, &bob]);
    admin.call("oncall.update", json!({"oncallid": id, "rotations": both["rotations"]}));
    adas.call(
        "oncall.update",
        json!({"oncallid": id, "rotations": both["rotations"], "name": "Ours"}),
    );
    admin.call("user.update", json!({"userid": bob, "roleid": "1"}));
    let bobs = server.login_as("bob", "for-tests-only-1");
    assert!(bobs.error("oncall.delete", json!([id])).contains("No permissions"));
}

#[test]
fn shifts_are_exported_as_a_calendar() {
    let server = Server::start();
    let admin = server.login();
    let (ada, bob) = (user(&admin, "ada"), user(&admin, "bob"));
    let id = admin.create("oncall.create", weeks("Ops; nights, too", &[&ada, &bob]));
    let path = format!("/api/v1/oncall/{id}/ical");
    assert_eq!(server.get(&path, &[]).status, 401);
    let authorization = format!("Bearer {}", admin.id);
    let get = |path: &str| server.get(path, &[("Authorization", &authorization)]);
    assert_eq!(get("/api/v1/oncall/999/ical").status, 404);
    let answer = get(&path);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, "text/calendar; charset=utf-8")
    );
    let text = answer.text();
    assert!(
        text.starts_with("BEGIN:VCALENDAR\r\n") && text.ends_with("END:VCALENDAR\r\n"),
        "{text}"
    );
    assert!(text.split("\r\n").all(|it| it.len() <= 75 && !it.contains('\n')), "{text}");
    let unfolded = text.replace("\r\n ", "");
    let of = |name: &str| -> Vec<&str> {
        unfolded.split("\r\n").filter_map(|it| it.strip_prefix(name)).collect()
    };
    // Four weeks before and half a year ahead, each user in turn.
    let users = of("SUMMARY:");
    assert!((30..=32).contains(&users.len()), "{text}");
    assert!(users.windows(2).all(|it| it[0] != it[1]));
    assert!(users.iter().all(|it| it.starts_with("Ops\\; nights\\, too: ")), "{users:?}");
    assert_eq!(of("DTSTART:")[1..], of("DTEND:")[..users.len() - 1]);
    let mut uids = of("UID:");
    uids.sort_unstable();
    uids.dedup();
    assert_eq!(uids.len(), users.len());
}
