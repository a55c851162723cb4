use serde_json::json;

use super::*;

fn fields(of: &Json) -> Fields {
    of.as_object().cloned().unwrap()
}

fn said_of_new(kind: &str, now: &Json, given: &Json) -> Json {
    let given = fields(given);
    Json::Object(added(Subject { kind, id: 7, given: &given }, &fields(now)))
}

fn said_of_change(kind: &str, before: &Json, now: &Json, given: &Json) -> Json {
    let given = fields(given);
    Json::Object(updated(Subject { kind, id: 7, given: &given }, &fields(before), &fields(now)))
}

#[test]
fn new_objects_are_recorded_with_non_default_fields() {
    let now = json!({"name": "web", "type": "0", "delay": "30s", "history": "31d", "status": "0", "units": "",
        "preprocessing": [{"type": "5", "params": "a", "error_handler": "0"}], "parameters": []});
    let expected = json!({"item.itemid": ["add", "7"], "item.name": ["add", "web"], "item.delay": ["add", "30s"],
        "item.preprocessing[1]": ["add"], "item.preprocessing[1].item_preprocid": ["add", "1"],
        "item.preprocessing[1].type": ["add", "5"], "item.preprocessing[1].params": ["add", "a"]});
    assert_eq!(said_of_new("item", &now, &json!({})), expected);
}

#[test]
fn updates_are_recorded_with_changed_fields_only() {
    let before = json!({"name": "a", "delay": "30s", "history": "31d", "medias": [
        {"mediaid": "5", "sendto": "x", "period": "1-5"}, {"mediaid": "6", "sendto": "y"}]});
    let now = json!({"name": "b", "delay": "30s", "history": "31d", "medias": [
        {"mediaid": "5", "sendto": "z", "period": "1-5"}, {"mediaid": "8", "sendto": "y"}]});
    let expected = json!({"user.name": ["update", "b", "a"], "user.medias[6]": ["delete"],
        "user.medias[5]": ["update"], "user.medias[5].sendto": ["update", "z", "x"],
        "user.medias[8]": ["add"], "user.medias[8].mediaid": ["add", "8"], "user.medias[8].sendto": ["add", "y"]});
    assert_eq!(said_of_change("user", &before, &now, &json!({})), expected);
    assert_eq!(said_of_change("user", &now, &now, &json!({"name": "b"})), json!({}));
    let (one, two) = (json!({"slo": "99.9"}), json!({"slo": "99.90"}));
    assert_eq!(said_of_change("sla", &one, &two, &json!({})), json!({}), "the same number");
}

#[test]
fn a_part_without_an_id_is_the_same_as_long_as_what_makes_it_is() {
    let tags = |of: &[(&str, &str)]| json!({"tags": of.iter().map(|it| json!({"tag": it.0, "value": it.1})).collect::<Vec<_>>()});
    let before = tags(&[("a", "1"), ("b", "2")]);
    let said = said_of_change("item", &before, &tags(&[("b", "2"), ("c", "")]), &json!({}));
    let said = said.as_object().unwrap();
    let deleted = said.values().filter(|it| **it == json!(["delete"]));
    assert_eq!(deleted.count(), 1, "{said:?}");
    let new = said.iter().find(|it| *it.1 == json!(["add"])).unwrap().0;
    assert_eq!(said[&format!("{new}.tag")], json!(["add", "c"]));
    assert!(!said.contains_key(&format!("{new}.value")), "{said:?}");
    assert_eq!(said.len(), 4, "the unchanged tag is not recorded: {said:?}");
}

#[test]
fn secrets_are_masked_and_recorded_whenever_given() {
    let text = json!({"macro": "{$A}", "value": "open", "type": "0"});
    let secret = json!({"macro": "{$A}", "value": "hush", "type": "1"});
    let said = said_of_new("usermacro", &secret, &secret);
    assert_eq!(said["usermacro.value"], json!(["add", "******"]));
    let said = said_of_change("usermacro", &text, &secret, &secret);
    assert_eq!(said["usermacro.value"], json!(["update", "******", "open"]));
    let said = said_of_change("usermacro", &secret, &secret, &json!({"value": "hush"}));
    assert_eq!(said, json!({"usermacro.value": ["update", "******", "******"]}));
    let said = said_of_change("user", &json!({}), &json!({}), &json!({"passwd": "hush"}));
    assert_eq!(said, json!({"user.passwd": ["update", "******", "******"]}));
    let said = said_of_new("user", &json!({"username": "ann"}), &json!({"passwd": "hush"}));
    assert_eq!(said["user.passwd"], json!(["add", "******"]));
}

#[test]
fn of_kinds_of_which_little_is_said_only_updates_of_fields_stay() {
    let before = json!({"name": "a", "tags": [{"tag": "a"}], "status": "0"});
    let now = json!({"name": "b", "tags": [{"tag": "b"}], "status": "0"});
    let mut said = fields(&said_of_change("host", &before, &now, &json!({})));
    keep_updates_of_fields(&mut said);
    assert_eq!(Json::Object(said), json!({"host.name": ["update", "b", "a"]}));
}

#[test]
fn numbers_of_texts_stay_as_they_are() {
    // They are in databases.
    assert_eq!(number_of("7 item.tags\0os\0linux"), number_of("7 item.tags\0os\0linux"));
    assert_ne!(number_of("7 item.tags\0os\0linux"), number_of("8 item.tags\0os\0linux"));
    assert_eq!(number_of(""), 1 + 0xcbf2_9ce4_8422_2325_u64 % 0x7fff_ffff);
}
