use std::collections::BTreeSet;

use super::*;
use crate::generate::sentences;

fn each_method() -> impl Iterator<Item = &'static Value> {
    document(Version::default())["methods"].as_array().expect("methods").iter()
}

fn name(method: &Value) -> &str {
    method["name"].as_str().expect("a name")
}

#[test]
fn every_method_of_the_server_is_in_the_document_once() {
    let names: Vec<&str> = each_method().map(name).collect();
    let once: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), once.len(), "each once");
    for method in registry::methods() {
        assert!(once.contains(method.name), "{}", method.name);
    }
    for method in &once {
        let is_known = registry::method(method).is_some() || WITHOUT_SESSION.contains(method);
        assert!(is_known, "{method} is no method");
    }
    for special in methods::SPECIALS {
        assert!(once.contains(special.name), "{} is no method any more", special.name);
    }
}

#[test]
fn every_parameter_of_a_get_method_is_described() {
    for entry in registry::all() {
        for taken in entry.object.params.taken {
            let described = get_params::own(taken);
            assert!(described.is_some(), "{}.get takes {taken}: describe it", entry.object.name);
        }
    }
}

/// Methods without an example, and why.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[("rpc.discover", "its answer is the document itself")];

#[test]
fn every_method_has_an_example() {
    for method in each_method() {
        let has_one = method["examples"].is_array();
        let is_excused = WITHOUT_EXAMPLE.iter().any(|(it, _)| *it == name(method));
        assert_ne!(has_one, is_excused, "{}: an example, or else a reason", name(method));
    }
}

#[test]
fn names_in_examples_are_replaced_by_what_is_shown() {
    let text = serde_json::to_string(&examples().iter().map(Example::pair).collect::<Vec<_>>());
    let text = text.expect("JSON");
    assert!(text.contains("10"), "ids are shown");
    for example in examples() {
        for name in example.keep.keys() {
            assert!(example.shown.contains_key(name), "{}: {name}", example.method);
            assert!(!text.contains(&format!("\"${name}\"")), "{}: {name}", example.method);
        }
    }
}

/// All references of a document.
fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(it)) = fields.get("$ref") {
                found.push(it);
            }
            fields.values().for_each(|it| references(it, found));
        }
        Value::Array(list) => list.iter().for_each(|it| references(it, found)),
        _ => {}
    }
}

#[test]
fn references_of_the_document_resolve() {
    let mut found = Vec::new();
    references(document(Version::default()), &mut found);
    assert!(found.len() > 1_000, "{}", found.len());
    for it in found {
        let pointer = it.strip_prefix('#').expect("within the document");
        assert!(document(Version::default()).pointer(pointer).is_some(), "{it}");
    }
}

#[test]
fn methods_and_parameters_are_described() {
    for method in each_method() {
        let summary = method["summary"].as_str().expect("a summary");
        assert!(!summary.is_empty() && !summary.ends_with('.'), "{}: {summary}", name(method));
        for param in method["params"].as_array().expect("parameters") {
            let doc = param["description"].as_str().unwrap_or_default();
            assert!(!doc.is_empty(), "{}: {}", name(method), param["name"]);
        }
        let params = method["params"].as_array().expect("parameters");
        let first_optional = params.iter().position(|it| it["required"] != true);
        let behind = params.iter().skip(first_optional.unwrap_or(params.len()));
        assert_eq!(behind.filter(|it| it["required"] == true).count(), 0, "{}", name(method));
    }
}

#[test]
fn create_says_what_has_to_be_given() {
    let create = each_method().find(|it| name(it) == "host.create").expect("it is there");
    let required = create["params"].as_array().expect("parameters").iter();
    let required: Vec<&Value> =
        required.filter(|it| it["required"] == true).map(|it| &it["name"]).collect();
    assert!(
        required.contains(&&json!("host")) && required.contains(&&json!("groups")),
        "{required:?}"
    );
    assert_eq!(create["x-role"], "admin");
    let delete = each_method().find(|it| name(it) == "host.delete").expect("it is there");
    assert_eq!(delete["paramStructure"], "by-position");
    assert_eq!(delete["params"][0]["name"], "hostid");
}

/// Parameters of create have the rules of their fields in words, and as keywords where there are some.
#[test]
fn each_rule_of_each_field_is_in_the_document() {
    let schemas = &document(Version::default())["components"]["schemas"];
    let mut n_rules = 0;
    for entry in registry::all().filter(|it| method_for(it, "create").is_some()) {
        let object = entry.object;
        let schema = &schemas[format!("{}Create", object.type_name)]["properties"];
        for field in object.fields.iter().filter(|it| is_input(it)) {
            let property = &schema[field.name];
            let described = property["description"].as_str().expect("a description").to_lowercase();
            for rule in sentences::of(field) {
                n_rules += 1;
                assert!(
                    described.contains(&rule.to_lowercase()),
                    "{} {}: {rule}",
                    object.name,
                    field.name
                );
            }
            if let Some(form) = field.form {
                assert_eq!(property["format"], form.name, "{} {}", object.name, field.name);
            }
        }
    }
    assert!(n_rules > 300, "{n_rules}");
}
