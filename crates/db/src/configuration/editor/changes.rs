//! What of given fields changes something.

use serde_json::{Map as JsonMap, Value as Json};

type Fields = JsonMap<String, Json>;

/// Takes out of both what a change leaves as it is.
pub(super) fn keep_changes(given: &mut Fields, before: &mut Fields) {
    before.retain(|name, old| {
        let is_same = given.get(name).is_some_and(|new| same(new, old));
        if is_same {
            given.remove(name);
        }
        !is_same
    });
}

/// Whether a value as it is given means what is kept: numbers and codes come as texts or numbers, and of objects
/// what is left out is as by default.
fn same(new: &Json, old: &Json) -> bool {
    match (new, old) {
        (Json::Array(new), Json::Array(old)) => {
            new.len() == old.len() && new.iter().zip(old).all(|(new, old)| same(new, old))
        }
        (Json::Object(new), Json::Object(old)) => {
            let mut names = new.keys().chain(old.keys().filter(|it| !new.contains_key(*it)));
            names.all(|name| match (new.get(name), old.get(name)) {
                (Some(new), Some(old)) => same(new, old),
                // The id of a part says nothing by itself.
                (None, Some(old)) => name.ends_with("id") || is_usual(old),
                (Some(new), None) => name.ends_with("id") || is_usual(new),
                (None, None) => true,
            })
        }
        _ => scalar(new).is_some_and(|it| scalar(old).as_ref() == Some(&it)),
    }
}

fn is_usual(value: &Json) -> bool {
    match value {
        Json::Array(list) => list.is_empty(),
        Json::Object(fields) => fields.is_empty(),
        it => scalar(it).is_some_and(|it| it.is_empty() || it == "0"),
    }
}

fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(it) => Some(it.clone()),
        Json::Number(it) => Some(it.to_string()),
        Json::Bool(it) => Some(if *it { "1" } else { "0" }.to_owned()),
        Json::Null => Some(String::new()),
        Json::Array(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(of: Json) -> Fields {
        match of {
            Json::Object(it) => it,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn what_a_change_leaves_as_it_is_is_not_kept() {
        let mut given = fields(json!({
            "name": "web", "delay": "1m", "status": 1, "tags": [{"tag": "a"}], "passwd": "x",
            "macros": [{"macro": "{$A}", "value": "1"}],
        }));
        let mut before = fields(json!({
            "name": "web", "delay": "30s", "status": "1", "tags": [{"tag": "a", "value": ""}],
            "macros": [{"macro": "{$A}", "value": "2", "hostmacroid": "7", "type": "0"}],
        }));
        keep_changes(&mut given, &mut before);
        let names = |it: &Fields| it.keys().cloned().collect::<Vec<String>>();
        assert_eq!(names(&given), ["delay", "macros", "passwd"]);
        assert_eq!(names(&before), ["delay", "macros"]);
    }

    #[test]
    fn values_are_the_same_in_each_form_in_which_they_are_given() {
        for (new, old) in [
            (json!(5), json!("5")),
            (json!("1"), json!(true)),
            (json!([{"tag": "a"}]), json!([{"tag": "a", "value": ""}])),
            (json!([{"groupid": "2"}]), json!([{"groupid": "2"}])),
        ] {
            assert!(same(&new, &old), "{new} {old}");
        }
        for (new, old) in [
            (json!("a"), json!("b")),
            (json!([]), json!([{"tag": "a"}])),
            (json!([{"tag": "a"}]), json!([{"tag": "a", "value": "x"}])),
            (json!([{"groupid": "2"}]), json!([{"groupid": "4"}])),
            (json!({}), json!("")),
        ] {
            assert!(!same(&new, &old), "{new} {old}");
        }
    }
}
