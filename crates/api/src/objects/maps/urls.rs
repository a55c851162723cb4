//! Addresses in the menus of elements: their own and those that the map has for all of their kind.

use db::objects::map::{HOST, SCHEMES, SUBMAP, TRIGGER, list, number, targets, text};
use model::document::Body;

/// Names and addresses, macros replaced by `expand`.
pub(crate) fn of_element(
    body: &Body,
    element: &Body,
    expand: impl Fn(&str) -> String,
) -> Vec<(String, String)> {
    let kind = number(element, "elementtype");
    let of_map = list(body, "urls").filter(|it| number(it, "elementtype") == kind);
    let all = list(element, "urls").chain(of_map);
    let each = all.map(|it| (expand(text(it, "name")), expand(text(it, "url"))));
    each.filter(|(_, url)| is_harmless(url)).collect()
}

/// `{HOST.ID}` and its like, of the first object of an element.
pub(crate) fn with_ids(element: &Body, written: &str) -> String {
    let (kind, ids) = targets(element);
    let Some(id) = ids.first() else { return written.to_owned() };
    let name = match kind {
        HOST => "{HOST.ID}",
        SUBMAP => "{MAP.ID}",
        TRIGGER => "{TRIGGER.ID}",
        _ => "{HOSTGROUP.ID}",
    };
    written.replace(name, &id.to_string())
}

/// A macro may have made a script of an address.
fn is_harmless(url: &str) -> bool {
    lang::link::is_admitted(url, Some(SCHEMES))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_element_has_its_addresses_and_those_of_its_kind() {
        let Value::Object(body) = json!({"urls": [
            {"name": "all hosts", "url": "h?{X}", "elementtype": "0"},
            {"name": "all groups", "url": "g", "elementtype": "3"}]})
        else {
            panic!("an object")
        };
        let Value::Object(element) = json!({"elementtype": "0", "urls": [
            {"name": "own", "url": "{X}"}, {"name": "script", "url": " java\nscript:{X}"}]})
        else {
            panic!("an object")
        };
        let found = of_element(&body, &element, |it| it.replace("{X}", "7"));
        let found: Vec<(&str, &str)> = found.iter().map(|it| (&*it.0, &*it.1)).collect();
        assert_eq!(found, [("own", "7"), ("all hosts", "h?7")]);
    }
}
