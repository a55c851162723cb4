//! Rules beyond single fields of a map. Errors are Zabbix's.

use std::collections::BTreeSet;

use formats::number::parse_suffixed;
use model::document::Body;
use model::snapshot::Snapshot;
use model::{GroupId, HostId, ItemId, TriggerId, ValueType};
use serde_json::{Value as Json, json};

use super::parts::{
    HOST, HOST_GROUP, OF_ITEM, OF_TRIGGERS, SUBMAP, TRIGGER, link_triggers, list, number,
    parts_mut, target_field, targets, text,
};
use crate::error::{ConfigError, edited};

/// Kinds of elements that have labels of their own: in names of fields, and what errors call them.
const LABELS: [(&str, &str); 5] = [
    ("hostgroup", "host group"),
    ("host", "host"),
    ("trigger", "trigger"),
    ("map", "map"),
    ("image", "image"),
];
const ADDRESS: &str = "1";
const STATUS: &str = "3";
const CUSTOM: &str = "5";

const PUBLIC: &str = "0";
const READ: &str = "2";

pub(super) fn check(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    labels(body)?;
    shares(body)?;
    urls(body)?;
    colors(body)?;
    elements(snapshot, body)?;
    let known = list(body, "selements").map(|it| text(it, "selementid"));
    let known: BTreeSet<&str> = known.collect();
    for link in list(body, "links") {
        for end in ["selementid1", "selementid2"] {
            if !known.contains(text(link, end)) {
                return Err(ConfigError::parameters(format_args!(
                    "Link \"{end}\" field is pointing to a nonexistent map selement ID \"{}\" for map \"{}\".",
                    text(link, end),
                    text(body, "name")
                )));
            }
        }
    }
    let is_there = |id: u64| snapshot.trigger(TriggerId(id)).is_some_and(|(_, row)| row.is_live());
    if !link_triggers(body).all(is_there) {
        return Err(ConfigError::no_permissions());
    }
    indicators(snapshot, body)
}

/// Indicators of links exist, and fields of other indicators are empty.
fn indicators(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    for (n, link) in parts_mut(body, "links").enumerate() {
        let path = |name: &str| edited("links").element(n).member(name);
        let has = |link: &Body, name: &str| list(link, name).next().is_some();
        // As clients say it that know triggers only.
        if text(link, "indicator_type") == "0" && has(link, "linktriggers") {
            link.insert("indicator_type".to_owned(), OF_TRIGGERS.into());
        }
        let kind = text(link, "indicator_type").to_owned();
        let may_have: &[&str] = match kind.as_str() {
            OF_TRIGGERS => &["linktriggers"],
            OF_ITEM => match of_item(snapshot, link)? {
                ValueType::Float | ValueType::Unsigned => &["thresholds"],
                _ => &["highlights"],
            },
            _ => &[],
        };
        if kind == OF_TRIGGERS && !has(link, "linktriggers") {
            return Err(ConfigError::invalid(path("linktriggers"), "cannot be empty"));
        }
        if kind != OF_ITEM {
            link.insert("itemid".to_owned(), "0".into());
        }
        for name in ["linktriggers", "thresholds", "highlights"] {
            if !may_have.contains(&name) && has(link, name) {
                return Err(ConfigError::invalid(path(name), "should be empty"));
            }
            link.entry(name).or_insert_with(|| json!([]));
        }
        let mut seen = BTreeSet::new();
        for (m, it) in list(link, "thresholds").enumerate() {
            let path = || path("thresholds").element(m);
            let number = parse_suffixed(text(it, "threshold"));
            let number = number.ok_or_else(|| {
                ConfigError::invalid(path().member("threshold"), "a number is expected")
            })?;
            if !seen.insert(number.to_bits()) {
                let what = format!("value (threshold)=({number}) already exists");
                return Err(ConfigError::invalid(path(), what));
            }
        }
        for (m, it) in list(link, "highlights").enumerate() {
            if text(it, "pattern").is_empty() {
                let path = path("highlights").element(m).member("pattern");
                return Err(ConfigError::invalid(path, "cannot be empty"));
            }
        }
    }
    Ok(())
}

fn of_item(snapshot: &Snapshot, link: &Body) -> Result<ValueType, ConfigError> {
    let id = text(link, "itemid").parse().ok();
    let found = id.and_then(|it| snapshot.item(ItemId(it))).map(|(_, row)| row);
    let found = found.filter(|it| it.is_live());
    found.map(|it| it.content.value_type).ok_or_else(ConfigError::no_permissions)
}

fn labels(body: &Body) -> Result<(), ConfigError> {
    if text(body, "label_format") != "1" {
        return Ok(());
    }
    let name = text(body, "name");
    for (kind, noun) in LABELS {
        let label = text(body, &format!("label_type_{kind}"));
        if label == CUSTOM && text(body, &format!("label_string_{kind}")).is_empty() {
            return Err(ConfigError::parameters(format_args!(
                "Custom label for map \"{name}\" elements of type \"{noun}\" may not be empty."
            )));
        }
        if label == STATUS && kind == "image" || label == ADDRESS && kind != "host" {
            return Err(ConfigError::parameters(format_args!(
                "Incorrect {noun} label type value for map \"{name}\"."
            )));
        }
    }
    Ok(())
}

fn shares(body: &Body) -> Result<(), ConfigError> {
    let mut all = list(body, "users").chain(list(body, "userGroups"));
    if text(body, "private") == PUBLIC && all.any(|it| text(it, "permission") == READ) {
        return Err(ConfigError::parameters(format_args!(
            "Map \"{}\" is public and read-only sharing is disallowed.",
            text(body, "name")
        )));
    }
    Ok(())
}

fn urls(body: &Body) -> Result<(), ConfigError> {
    let unique = |of: &Body, what: &str| {
        let mut names = BTreeSet::new();
        if list(of, "urls").all(|it| names.insert(text(it, "name"))) {
            return Ok(());
        }
        Err(ConfigError::parameters(format_args!(
            "URL name should be unique for {what} \"{}\".",
            text(body, "name")
        )))
    };
    unique(body, "map")?;
    list(body, "selements").try_for_each(|it| unique(it, "map element of map"))?;
    let of_elements = list(body, "selements").flat_map(|it| list(it, "urls"));
    if list(body, "urls").chain(of_elements).all(|it| is_address(text(it, "url"))) {
        return Ok(());
    }
    Err(ConfigError::parameters("Wrong value for \"url\" field."))
}

/// No address that a page would run.
fn is_address(url: &str) -> bool {
    lang::link::is_acceptable(url, Some(super::SCHEMES))
}

fn colors(body: &Body) -> Result<(), ConfigError> {
    for link in list(body, "links") {
        color(text(link, "color"))?;
        for name in ["linktriggers", "thresholds", "highlights"] {
            list(link, name).try_for_each(|it| color(text(it, "color")))?;
        }
    }
    let shapes = list(body, "shapes").flat_map(|it| {
        ["font_color", "border_color", "background_color"].map(|name| text(it, name))
    });
    let lines = list(body, "lines").map(|it| text(it, "line_color"));
    shapes.chain(lines).filter(|it| !it.is_empty()).try_for_each(color)
}

fn color(color: &str) -> Result<(), ConfigError> {
    if color.is_empty() {
        return Err(ConfigError::parameters("Empty color."));
    }
    if color.len() == 6 && color.bytes().all(|it| it.is_ascii_hexdigit()) {
        return Ok(());
    }
    Err(ConfigError::parameters(format_args!(
        "Color \"{color}\" is not correct: expecting hexadecimal color code (6 symbols)."
    )))
}

/// Objects of elements exist, and are written in one form.
fn elements(snapshot: &Snapshot, body: &mut Body) -> Result<(), ConfigError> {
    let Some(Json::Array(elements)) = body.get_mut("selements") else { return Ok(()) };
    for (at, element) in elements.iter_mut().filter_map(Json::as_object_mut).enumerate() {
        // They are answered, not kept.
        element.remove("permission");
        let (kind, ids) = targets(element);
        let wrong = |what: &str| {
            let path = edited("selements").element(at).member("elements");
            Err(ConfigError::invalid(path, what))
        };
        let Some(field) = target_field(kind) else {
            element.insert("elements".to_owned(), json!([]));
            continue;
        };
        match ids.len() {
            0 => return wrong("cannot be empty"),
            1 => {}
            _ if kind == TRIGGER => {}
            _ => return wrong("maximum number of array elements is 1"),
        }
        if !ids.iter().all(|id| is_there(snapshot, kind, *id)) {
            return Err(ConfigError::no_permissions());
        }
        let written = ids.iter().map(|id| json!({ field: id.to_string() }));
        let written: Vec<Json> = written.collect();
        element.insert("elements".to_owned(), Json::Array(written));
        if number(element, "elementsubtype") != 0 && kind != HOST_GROUP {
            element.insert("elementsubtype".to_owned(), "0".into());
        }
    }
    if let Some(Json::Array(links)) = body.get_mut("links") {
        for link in links.iter_mut().filter_map(Json::as_object_mut) {
            link.remove("permission");
        }
    }
    Ok(())
}

fn is_there(snapshot: &Snapshot, kind: i64, id: u64) -> bool {
    match kind {
        HOST => snapshot.hosts.contains_key(&HostId(id)),
        SUBMAP => snapshot.documents.get("map", id).is_some(),
        TRIGGER => snapshot.trigger(TriggerId(id)).is_some_and(|(_, row)| row.is_live()),
        _ => snapshot.host_groups.contains_key(&GroupId(id)),
    }
}

/// Whether a map shows itself, through others or at once.
pub(crate) fn is_in_itself(snapshot: &Snapshot, id: u64, body: &Body) -> bool {
    let below = |body: &Body| -> Vec<u64> {
        let maps = list(body, "selements").map(targets).filter(|(kind, _)| *kind == SUBMAP);
        maps.flat_map(|(_, ids)| ids).collect()
    };
    let mut seen = BTreeSet::new();
    let mut pending = below(body);
    while let Some(next) = pending.pop() {
        if next == id {
            return true;
        }
        if let Some(map) = snapshot.documents.get("map", next).filter(|_| seen.insert(next)) {
            pending.extend(below(&map.body));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(value: Json) -> Body {
        let Json::Object(it) = value else { panic!("an object") };
        it
    }

    fn message(value: Json) -> String {
        let mut body = body(value);
        check(&Snapshot::default(), &mut body).map_or_else(|it| it.text(), |()| String::new())
    }

    #[test]
    fn conflicting_fields_are_refused_with_zabbix_texts() {
        let denied = "No permissions to referred object or it does not exist!";
        for (given, expected) in [
            (json!({"name": "m"}), ""),
            (
                json!({"name": "m", "label_format": "1", "label_type_host": "5"}),
                "Custom label for map \"m\" elements of type \"host\" may not be empty.",
            ),
            (
                json!({"name": "m", "label_format": "1", "label_type_image": "3"}),
                "Incorrect image label type value for map \"m\".",
            ),
            (
                json!({"name": "m", "label_format": "1", "label_type_hostgroup": "1"}),
                "Incorrect host group label type value for map \"m\".",
            ),
            (json!({"name": "m", "label_format": "0", "label_type_hostgroup": "1"}), ""),
            (
                json!({"name": "m", "private": "0", "users": [{"userid": "1", "permission": "2"}]}),
                "Map \"m\" is public and read-only sharing is disallowed.",
            ),
            (json!({"private": "0", "users": [{"userid": "1", "permission": "3"}]}), ""),
            (
                json!({"name": "m", "urls": [{"name": "a", "url": "x"}, {"name": "a", "url": "y"}]}),
                "URL name should be unique for map \"m\".",
            ),
            (
                json!({"urls": [{"name": "a", "url": "javascript:alert(1)"}]}),
                "Wrong value for \"url\" field.",
            ),
            (json!({"urls": [{"name": "a", "url": "zabbix.php?hostid={HOST.ID}&x=a:b"}]}), ""),
            (
                json!({"selements": [{"selementid": "1", "elementtype": "0", "elements": []}]}),
                "Invalid parameter \"/1/selements/1/elements\": cannot be empty.",
            ),
            (
                json!({"selements": [{"selementid": "1", "elementtype": "0", "elements": [{"hostid": "1"}]}]}),
                denied,
            ),
            (
                json!({"name": "m", "selements": [{"selementid": "1", "elementtype": "4"}],
                    "links": [{"selementid1": "1", "selementid2": "2", "color": "00FF00"}]}),
                "Link \"selementid2\" field is pointing to a nonexistent map selement ID \"2\" for map \"m\".",
            ),
            (
                json!({"links": [{"color": "green"}]}),
                "Color \"green\" is not correct: expecting hexadecimal color code (6 symbols).",
            ),
            (
                json!({"shapes": [{"font_color": "000000", "border_color": "000000", "background_color": "x"}]}),
                "Color \"x\" is not correct: expecting hexadecimal color code (6 symbols).",
            ),
        ] {
            assert_eq!(message(given.clone()), expected, "{given}");
        }
    }

    #[test]
    fn elements_are_written_in_one_form() {
        let mut of_image = body(json!({"selements": [
            {"selementid": "1", "elementtype": "4", "elements": [{"hostid": "1"}], "permission": "3"}]}));
        check(&Snapshot::default(), &mut of_image).expect("an image needs nothing");
        assert_eq!(
            of_image["selements"],
            json!([{"selementid": "1", "elementtype": "4", "elements": []}])
        );
    }
}
