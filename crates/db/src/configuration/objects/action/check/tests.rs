use serde_json::json;

use super::super::ACTION;
use super::*;

fn made(fields: &Json) -> Result<Body, String> {
    let given = fields.as_object().cloned().unwrap_or_default();
    let mut body = ACTION.made_of(&given).map_err(|it| it.text())?;
    check_form(&mut body).map_err(|it| it.text())?;
    Ok(body)
}

fn action(source: u8, change: &Json) -> Json {
    let mut fields = json!({
        "name": "a", "eventsource": source.to_string(),
        "operations": [{"operationtype": "0", "opmessage": {}, "opmessage_usr": [{"userid": "1"}]}],
    });
    let all = fields.as_object_mut().expect("an object");
    all.extend(change.as_object().cloned().unwrap_or_default());
    fields
}

fn with_condition(source: u8, condition: &Json) -> Result<Body, String> {
    made(&action(source, &json!({"filter": {"evaltype": "0", "conditions": [condition]}})))
}

fn with_operation(source: u8, list: &str, operation: &Json) -> Result<Body, String> {
    made(&action(source, &json!({ list: [operation] })))
}

#[test]
fn a_body_gets_its_form_and_keeps_it() {
    let mut body = made(&action(
        0,
        &json!({
            "filter": {"evaltype": "0", "conditions": [{"conditiontype": "16", "operator": "11"}]},
            "recovery_operations": [{"operationtype": "11", "opmessage": {}}],
        }),
    ))
    .expect("good");
    assert_eq!(
        body["operations"],
        json!([{
            "operationtype": "0", "esc_period": "0", "esc_step_from": "1", "esc_step_to": "1",
            "evaltype": "0", "opconditions": [],
            "opmessage": {"default_msg": "1", "mediatypeid": "0", "subject": "", "message": ""},
            "opmessage_grp": [], "opmessage_oncall": [], "opmessage_usr": [{"userid": "1"}],
        }])
    );
    let message = json!({"default_msg": "1", "mediatypeid": "0", "subject": "", "message": ""});
    let recovery = json!([{"operationtype": "11", "opmessage": message}]);
    assert_eq!(body["recovery_operations"], recovery);
    assert_eq!(
        body["filter"],
        json!({"evaltype": "0", "formula": "", "conditions": [
            {"conditiontype": "16", "operator": "11", "value": "", "value2": "", "formulaid": ""}]})
    );
    let before = body.clone();
    check_form(&mut body).expect("still good");
    assert_eq!(body, before);
}

#[test]
fn filters_are_refused_in_the_words_of_zabbix() {
    let custom = |formula: &str, letters: &[&str]| {
        let conditions: Vec<Json> = letters
            .iter()
            .map(|it| json!({"conditiontype": "4", "value": "1", "formulaid": it}))
            .collect();
        let filter = json!({"evaltype": "3", "formula": formula, "conditions": conditions});
        made(&action(0, &json!({ "filter": filter })))
    };
    assert!(custom("A and not (B or C)", &["A", "B", "C"]).is_ok());
    let at = "Invalid parameter \"/1/filter";
    for (formula, letters, expected) in [
        ("A an", &["A"][..], "/formula\": check expression starting from \"an\"."),
        ("A", &["A", "B"], "/conditions\": incorrect number of conditions."),
        ("A or B", &["A"], "/conditions\": incorrect number of conditions."),
        ("A", &["B"], "/conditions/1/formulaid\": an identifier is not defined in the formula."),
        ("A", &["A", "A"], "/conditions/2\": value (formulaid)=(A) already exists."),
        ("A", &["a"], "/conditions/1/formulaid\": an uppercase identifier is expected."),
    ] {
        let error = custom(formula, letters).expect_err("refused");
        assert_eq!(error, format!("{at}{expected}"), "{formula}");
    }
    let filter = |it: Json| made(&action(0, &json!({ "filter": it }))).expect_err("refused");
    assert_eq!(
        filter(json!({"conditions": [{"conditiontype": "4", "value": "1"}]})),
        format!("{at}\": the parameter \"evaltype\" is missing.")
    );
}

#[test]
fn conditions_are_those_of_their_source() {
    for (source, condition) in [
        (0, json!({"conditiontype": "0", "value": "2"})),
        (0, json!({"conditiontype": "6", "operator": "4", "value": "{$HOURS}"})),
        (0, json!({"conditiontype": "26", "operator": "1", "value": "", "value2": "team"})),
        (1, json!({"conditiontype": "7", "value": "192.0.2.0/24,192.0.2.1-20"})),
        (1, json!({"conditiontype": "9", "value": "22,8000-8010"})),
        (1, json!({"conditiontype": "12", "value": ""})),
        (2, json!({"conditiontype": "22", "operator": "8", "value": "^db"})),
        (3, json!({"conditiontype": "23", "value": "2"})),
        (4, json!({"conditiontype": "28", "operator": "2", "value": "Shop"})),
    ] {
        if let Err(error) = with_condition(source, &condition) {
            panic!("{condition}: {error}");
        }
    }
}

#[test]
fn values_of_another_form_are_refused() {
    let at = "Invalid parameter \"/1/filter/conditions/1/value\": ";
    for (source, condition, expected) in [
        (
            0,
            json!({"conditiontype": "6", "operator": "4", "value": "1-8,00:00-24:00"}),
            "a time period is expected.",
        ),
        (1, json!({"conditiontype": "7", "value": "192.0.2.1,x"}), "invalid address range \"x\"."),
        (1, json!({"conditiontype": "12", "operator": "2", "value": ""}), "cannot be empty."),
        (1, json!({"conditiontype": "9", "value": "70000"}), "invalid range expression."),
    ] {
        let error = with_condition(source, &condition).expect_err("refused");
        assert_eq!(error, format!("{at}{expected}"), "{condition}");
    }
}

/// A message to a user group, with further fields.
fn with(change: &Json) -> Json {
    let mut operation = json!({"opmessage": {}, "opmessage_grp": [{"usrgrpid": "7"}]});
    let all = operation.as_object_mut().expect("an object");
    all.extend(change.as_object().cloned().unwrap_or_default());
    operation
}

#[test]
fn operations_have_the_parts_of_their_type_at_their_time() {
    for (source, list, operation) in [
        (
            0,
            "operations",
            with(&json!({"operationtype": "0", "esc_step_from": "2", "esc_step_to": "0"})),
        ),
        (0, "operations", with(&json!({"operationtype": "0", "esc_period": "{$STEP}"}))),
        (0, "update_operations", json!({"operationtype": "12", "opmessage": {"mediatypeid": "3"}})),
        (
            0,
            "recovery_operations",
            json!({"operationtype": "1", "opcommand": {"scriptid": "4"},
            "opcommand_hst": [{"hostid": "0"}]}),
        ),
        (1, "operations", json!({"operationtype": "4", "opgroup": [{"groupid": "2"}]})),
        (2, "operations", json!({"operationtype": "10", "opinventory": {"inventory_mode": "1"}})),
        (3, "recovery_operations", json!({"operationtype": "11", "opmessage": {}})),
        (4, "update_operations", json!({"operationtype": "1", "opcommand": {"scriptid": "4"}})),
    ] {
        if let Err(error) = with_operation(source, list, &operation) {
            panic!("{operation}: {error}");
        }
    }
}

#[test]
fn steps_and_recipients_are_checked() {
    let at = |list: &str, what: &str| format!("Invalid parameter \"/1/{list}/1{what}");
    let plain = |it: &str| it.to_owned();
    for (source, list, operation, expected) in [
        (
            0,
            "operations",
            with(&json!({"operationtype": "0", "esc_period": "59"})),
            at("operations", "/esc_period\": value must be one of 0, 60-604800."),
        ),
        (
            0,
            "operations",
            with(&json!({"operationtype": "0", "esc_step_from": "2"})),
            plain("Parameters \"esc_step_from\" and \"esc_step_to\" must be set together."),
        ),
        (
            0,
            "operations",
            with(&json!({"operationtype": "0", "esc_step_from": "3", "esc_step_to": "2"})),
            plain("Incorrect action operation escalation step values."),
        ),
        (
            0,
            "operations",
            json!({"operationtype": "0", "opmessage": {}}),
            plain("No recipients specified for action operation message."),
        ),
    ] {
        let error = with_operation(source, list, &operation).expect_err("refused");
        assert_eq!(error, expected, "{operation}");
    }
}

#[test]
fn targets_and_conditions_of_operations_are_checked() {
    let at = |list: &str, what: &str| format!("Invalid parameter \"/1/{list}/1{what}");
    let plain = |it: &str| it.to_owned();
    for (source, list, operation, expected) in [
        (
            0,
            "operations",
            json!({"operationtype": "1", "opcommand": {"scriptid": "4"}}),
            plain("No targets specified for action operation global script."),
        ),
        (
            0,
            "operations",
            with(&json!({"operationtype": "0", "opconditions": [
            {"conditiontype": "14", "value": "0"}, {"conditiontype": "14", "value": "0"}]})),
            at("operations", "/opconditions/2\": value (value)=(0) already exists."),
        ),
    ] {
        let error = with_operation(source, list, &operation).expect_err("refused");
        assert_eq!(error, expected, "{operation}");
    }
}

#[test]
fn an_action_does_something_and_has_a_period() {
    assert_eq!(
        made(&action(0, &json!({"operations": []}))).expect_err("refused"),
        "No operations defined for action \"a\"."
    );
    assert_eq!(
        made(&action(0, &json!({"esc_period": "59"}))).expect_err("refused"),
        "Invalid parameter \"/1/esc_period\": value must be one of 60-604800."
    );
    assert_eq!(
        made(&action(1, &json!({"operations": [{"operationtype": "2"}, {"operationtype": "2"}]})))
            .expect_err("refused"),
        "Operation \"Add host\" already exists for action \"a\"."
    );
}

#[test]
fn unsupported_types_are_refused_by_name() {
    for (fields, expected) in [
        (
            action(
                1,
                &json!({"filter": {"evaltype": "0", "conditions": [
                {"conditiontype": "21", "operator": "0", "value": "1"},
                {"conditiontype": "20", "operator": "0", "value": "1"}]}}),
            ),
            "/1/filter/conditions/2/conditiontype\": conditions on proxies are not supported yet.",
        ),
        (
            action(
                2,
                &json!({"filter": {"evaltype": "0", "conditions": [
                {"conditiontype": "20", "operator": "0", "value": "1"}]}}),
            ),
            "/1/filter/conditions/1/conditiontype\": conditions on proxies are not supported yet.",
        ),
    ] {
        let mut body = made(&fields).expect("its form is good");
        let error = check(&mut body).expect_err("refused").text();
        assert_eq!(error, format!("Invalid parameter \"{expected}"));
    }
}

#[test]
fn named_objects_are_found_in_all_parts() {
    let body = made(&action(
        0,
        &json!({
            "filter": {"evaltype": "0", "conditions": [
                {"conditiontype": "0", "value": "2"}, {"conditiontype": "13", "value": "9"},
                {"conditiontype": "4", "value": "3"}]},
            "update_operations": [{"operationtype": "0", "opmessage": {},
                "opmessage_grp": [{"usrgrpid": "7"}]}],
            "recovery_operations": [{"operationtype": "1", "opcommand": {"scriptid": "4"},
                "opcommand_hst": [{"hostid": "0"}, {"hostid": "5"}], "opcommand_grp": [{"groupid": "3"}]}],
        }),
    ))
    .expect("good");
    let named: Vec<(Named, u64)> = named_in(&body).into_iter().collect();
    let expected = [
        (Named::Script, 4),
        (Named::HostGroup, 2),
        (Named::ChangedHostGroup, 3),
        (Named::ChangedHost, 5),
        (Named::Template, 9),
        (Named::User, 1),
        (Named::UserGroup, 7),
    ];
    assert_eq!(named, expected);
    let of_discovery = made(&action(
        1,
        &json!({
            "filter": {"evaltype": "0", "conditions": [
                {"conditiontype": "18", "value": "8"}, {"conditiontype": "19", "value": "6"}]},
            "operations": [{"operationtype": "0", "opmessage": {},
                "opmessage_grp": [{"usrgrpid": "7"}]}],
        }),
    ))
    .expect("good");
    let named = named_in(&of_discovery);
    assert!(named.contains(&(Named::DiscoveryRule, 8)), "{named:?}");
    assert!(named.contains(&(Named::DiscoveryCheck, 6)), "{named:?}");
}
