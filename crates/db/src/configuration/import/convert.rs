//! Files of 6.0, 6.2 and 6.4 in the form of 7.0: renamed fields, and defaults that differed.
//!
//! Works on the parsed tree, before it is read; unknown parts are left as they are, and refused by
//! the reader.

use std::collections::BTreeSet;

use serde_json::{Map as JsonMap, Value as Json, json};

type Fields = JsonMap<String, Json>;

/// Versions that are brought into the form of 7.0.
pub(super) const VERSIONS: &[&str] = &["6.0", "6.2", "6.4"];

/// Whether a version is older than all that are read.
pub(super) fn is_too_old(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    let major = parts.next().and_then(Result::ok);
    parts.all(|it| it.is_ok()) && major.is_some_and(|it| it < 6)
}

/// Converts the content of `zabbix_export`.
pub(super) fn to_7_0(export: &mut Fields, version: &str, is_xml: bool) {
    let converter = Converter { is_xml };
    if version == "6.0" {
        converter.split_groups(export);
    }
    if version != "6.4" {
        converter.rules_of_6_4(export);
    }
    converter.rules_of_7_0(export);
}

struct Converter {
    /// Lists stand as `<items><item>…</item></items>`.
    is_xml: bool,
}

fn text<'f>(of: &'f Fields, name: &str) -> &'f str {
    of.get(name).and_then(Json::as_str).unwrap_or_default()
}

impl Converter {
    /// The objects of a list.
    fn list<'f>(&self, of: &'f mut Fields, name: &str) -> Vec<&'f mut Fields> {
        self.entries(of, name).into_iter().filter_map(Json::as_object_mut).collect()
    }

    /// The objects of lists in objects of lists.
    fn visit(&self, of: &mut Fields, lists: &[&str], visitor: &mut dyn FnMut(&mut Fields)) {
        let Some((first, below)) = lists.split_first() else { return visitor(of) };
        for it in self.list(of, first) {
            self.visit(it, below, visitor);
        }
    }

    fn entries<'f>(&self, of: &'f mut Fields, name: &str) -> Vec<&'f mut Json> {
        match of.get_mut(name) {
            Some(Json::Array(list)) => list.iter_mut().collect(),
            Some(Json::Object(wrapper)) if self.is_xml && wrapper.len() == 1 => {
                match wrapper.values_mut().next() {
                    Some(Json::Array(list)) => list.iter_mut().collect(),
                    Some(one) => vec![one],
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Up to 6.0, groups were for hosts and templates alike.
    fn split_groups(&self, export: &mut Fields) {
        let (mut of_hosts, mut of_templates) = (BTreeSet::new(), BTreeSet::new());
        for (list, found) in [("templates", &mut of_templates), ("hosts", &mut of_hosts)] {
            for holder in self.list(export, list) {
                let groups = self.list(holder, "groups");
                found.extend(groups.iter().map(|it| text(it, "name").to_owned()));
            }
        }
        for list in ["templates", "hosts"] {
            let links = [list, "discovery_rules", "host_prototypes", "group_links"];
            self.visit(export, &links, &mut |link| {
                let group = link.get("group").and_then(Json::as_object);
                of_hosts.extend(group.map(|it| text(it, "name").to_owned()));
            });
        }
        let (mut host_groups, mut template_groups) = (Vec::new(), Vec::new());
        for group in self.list(export, "groups") {
            let name = text(group, "name");
            let is_of_templates = of_templates.contains(name);
            if of_hosts.contains(name) || !is_of_templates {
                host_groups.push(Json::Object(group.clone()));
            }
            if is_of_templates {
                template_groups.push(Json::Object(group.clone()));
            }
        }
        export.remove("groups");
        for (name, list) in [("host_groups", host_groups), ("template_groups", template_groups)] {
            if !list.is_empty() {
                export.insert(name.to_owned(), Json::Array(list));
            }
        }
    }

    fn rules_of_6_4(&self, export: &mut Fields) {
        for list in ["templates", "hosts"] {
            self.visit(export, &[list, "discovery_rules", "item_prototypes"], &mut |prototype| {
                prototype.remove("inventory_link");
            });
        }
        self.visit(export, &["templates", "dashboards", "pages", "widgets"], &mut name_widget);
        for media_type in self.list(export, "media_types") {
            if text(media_type, "type") == "SCRIPT" {
                self.number_arguments(media_type);
            }
        }
    }

    /// Arguments of scripts were a list of texts.
    fn number_arguments(&self, media_type: &mut Fields) {
        let arguments = self.entries(media_type, "parameters");
        for (at, argument) in arguments.into_iter().enumerate().filter(|(_, it)| !it.is_object()) {
            let value = argument.take();
            *argument = json!({"sortorder": at.to_string(), "value": value});
        }
    }

    fn rules_of_7_0(&self, export: &mut Fields) {
        for list in ["templates", "hosts"] {
            for holder in self.list(export, list) {
                if holder.contains_key("proxy") {
                    holder.insert("monitored_by".to_owned(), "PROXY".into());
                }
                for item in self.list(holder, "items") {
                    self.item(item, "triggers");
                }
                for rule in self.list(holder, "discovery_rules") {
                    self.rule(rule);
                }
                for dashboard in self.list(holder, "dashboards") {
                    self.dashboard(dashboard);
                }
            }
        }
        for trigger in self.list(export, "triggers") {
            self.trigger(trigger);
        }
        for map in self.list(export, "maps") {
            self.map(map);
        }
        for media_type in self.list(export, "media_types") {
            if let Some(format) = media_type.remove("content_type") {
                media_type.insert("message_format".to_owned(), format);
            }
            for parameter in self.list(media_type, "parameters") {
                convert_macros(parameter, "name");
                convert_macros(parameter, "value");
            }
            for message in self.list(media_type, "message_templates") {
                convert_macros(message, "subject");
                convert_macros(message, "message");
            }
        }
    }

    /// Triggers on it are named by their expressions.
    fn map(&self, map: &mut Fields) {
        for lists in [["selements", "elements"], ["links", "linktriggers"]] {
            self.visit(map, &lists, &mut |it| match it.get_mut("trigger") {
                Some(Json::Object(trigger)) => self.trigger(trigger),
                _ => self.trigger(it),
            });
        }
        for (list, name) in [("selements", "label"), ("links", "label"), ("shapes", "text")] {
            self.visit(map, &[list], &mut |it| convert_macros(it, name));
        }
    }

    fn rule(&self, rule: &mut Fields) {
        remove_timeout(rule);
        rule.insert("enabled_lifetime_type".to_owned(), "DISABLE_NEVER".into());
        match rule.get("lifetime").and_then(Json::as_str) {
            None => {
                rule.insert("lifetime".to_owned(), "30d".into());
            }
            Some(lifetime) if is_zero(lifetime) => {
                rule.insert("lifetime_type".to_owned(), "DELETE_IMMEDIATELY".into());
                rule.insert("enabled_lifetime_type".to_owned(), "DISABLE_IMMEDIATELY".into());
            }
            Some(_) => {}
        }
        for prototype in self.list(rule, "item_prototypes") {
            self.item(prototype, "trigger_prototypes");
        }
        for trigger in self.list(rule, "trigger_prototypes") {
            self.trigger(trigger);
        }
    }

    fn item(&self, item: &mut Fields, triggers: &str) {
        if text(item, "type") == "CALCULATED" && item.contains_key("params") {
            let formula = escape(&without_period(text(item, "params")));
            item.insert("params".to_owned(), formula.into());
        }
        remove_timeout(item);
        item.entry("history").or_insert_with(|| "90d".into());
        for step in self.list(item, "preprocessing") {
            if text(step, "type") == "CHECK_NOT_SUPPORTED" {
                // Any error.
                step.insert("parameters".to_owned(), json!(["-1"]));
            }
        }
        for trigger in self.list(item, triggers) {
            self.trigger(trigger);
        }
    }

    fn trigger(&self, trigger: &mut Fields) {
        for name in ["expression", "recovery_expression"] {
            if let Some(Json::String(expression)) = trigger.get_mut(name) {
                *expression = escape(expression);
            }
        }
        convert_macros(trigger, "event_name");
        for dependency in self.list(trigger, "dependencies") {
            self.trigger(dependency);
        }
    }

    /// The grid has three columns for each one of before, and fields count before they name.
    fn dashboard(&self, dashboard: &mut Fields) {
        let mut n_references = 0;
        for page in self.list(dashboard, "pages") {
            for widget in self.list(page, "widgets") {
                let triple =
                    |it: &str| it.parse().map_or(it.to_owned(), |it: u32| (it * 3).to_string());
                if widget.contains_key("x") {
                    let x = triple(text(widget, "x"));
                    widget.insert("x".to_owned(), x.into());
                }
                let width = widget.get("width").and_then(Json::as_str).unwrap_or("1");
                let width = triple(width);
                widget.insert("width".to_owned(), width.into());
                let mut fields: Vec<Json> =
                    self.entries(widget, "fields").into_iter().map(|it| it.take()).collect();
                for field in fields.iter_mut().filter_map(Json::as_object_mut) {
                    let name = renamed(text(field, "name"), text(field, "type"));
                    field.insert("name".to_owned(), name.into());
                }
                let kind = text(widget, "type").to_owned();
                if kind == "plaintext" {
                    fields = history_fields(fields);
                    widget.insert("type".to_owned(), "itemhistory".into());
                }
                if matches!(kind.as_str(), "graph" | "graphprototype" | "plaintext") {
                    let value = reference(n_references);
                    n_references += 1;
                    fields.push(json!({"type": "STRING", "name": "reference", "value": value}));
                }
                widget.insert("fields".to_owned(), Json::Array(fields));
            }
        }
    }
}

/// `AAAAA`, `AAAAB` and so on: how widgets call each other.
fn reference(number: u32) -> String {
    let digit = |place: u32| {
        let digit = number / 26_u32.pow(place) % 26;
        char::from_digit(digit + 10, 36).unwrap_or('a').to_ascii_uppercase()
    };
    (0..5).rev().map(digit).collect()
}

/// `columns.name.0` is `columns.0.name`; references to an object have a number.
fn renamed(name: &str, kind: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    match parts.as_slice() {
        [one, two, first] if is_number(first) && !is_number(two) => format!("{one}.{first}.{two}"),
        [one, two, first, second] if is_number(first) && is_number(second) => {
            format!("{one}.{first}.{two}.{second}")
        }
        [one] if !matches!(kind, "INTEGER" | "STRING" | "") => format!("{one}.0"),
        _ => name.to_owned(),
    }
}

/// Fields of a widget of plain texts for one of the history of items.
fn history_fields(old: Vec<Json>) -> Vec<Json> {
    let mut fields = vec![json!({"type": "INTEGER", "name": "show_timestamp", "value": "1"})];
    let mut n_columns = 0;
    for mut field in old {
        let name = field["name"].as_str().unwrap_or_default().to_owned();
        if name.starts_with("itemids") {
            let key = field["value"]["key"].as_str().unwrap_or_default().to_owned();
            fields.push(json!({"type": "STRING", "name": format!("columns.{n_columns}.name"), "value": key}));
            field["name"] = format!("columns.{n_columns}.itemid").into();
            n_columns += 1;
        } else if name == "style" {
            field["name"] = "layout".into();
        } else if name == "show_as_html" {
            continue;
        }
        fields.push(field);
    }
    fields
}

/// Types of widgets had names of their own in files.
fn name_widget(widget: &mut Fields) {
    let name = match text(widget, "type") {
        "CLOCK" => "clock",
        "GRAPH_CLASSIC" => "graph",
        "GRAPH_PROTOTYPE" => "graphprototype",
        "ITEM" => "item",
        "PLAIN_TEXT" => "plaintext",
        "URL" => "url",
        _ => return,
    };
    widget.insert("type".to_owned(), name.into());
}

/// Only these had one; others have it of the server's settings now.
fn remove_timeout(item: &mut Fields) {
    if !matches!(text(item, "type"), "HTTP_AGENT" | "SCRIPT") {
        item.remove("timeout");
    }
}

fn is_zero(time: &str) -> bool {
    let digits = time.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    !digits.is_empty() && digits.bytes().all(|it| it == b'0')
}

/// Escapes in the expression macros of a text.
fn convert_macros(of: &mut Fields, name: &str) {
    let Some(Json::String(value)) = of.get_mut(name) else { return };
    if value.contains("{?") && value.contains('\\') {
        *value = escape(value);
    }
}

/// A backslash in quoted parameters of functions over history stood for itself unless a quote
/// followed; now it is written twice.
fn escape(expression: &str) -> String {
    if !expression.contains('\\') {
        return expression.to_owned();
    }
    let mut out = String::with_capacity(expression.len() + 8);
    let mut scan = Scan::default();
    let mut chars = expression.chars().peekable();
    while let Some(char) = chars.next() {
        out.push(char);
        if char == '\\' && scan.is_in_parameter() {
            match chars.peek() {
                Some('"') => {
                    out.push('"');
                    chars.next();
                }
                _ => out.push('\\'),
            }
            continue;
        }
        scan.step(char, chars.peek().copied());
    }
    out
}

/// Where in an expression one is, character by character.
#[derive(Default)]
struct Scan {
    /// Parentheses that are open, and whether each is of a function over history.
    calls: Vec<bool>,
    /// Brackets of an item key that are open.
    brackets: usize,
    is_in_item: bool,
    is_quoted: bool,
    is_escaped: bool,
}

impl Scan {
    /// Between the quotes of a parameter after an item.
    fn is_in_parameter(&self) -> bool {
        self.is_quoted && !self.is_in_item && self.calls.last() == Some(&true)
    }

    fn step(&mut self, char: char, next: Option<char>) {
        if self.is_quoted {
            if char == '"' && !self.is_escaped {
                self.is_quoted = false;
            }
            self.is_escaped = char == '\\' && !self.is_escaped;
            return;
        }
        match char {
            '"' if !self.is_in_item || self.brackets != 0 => {
                (self.is_quoted, self.is_escaped) = (true, false);
            }
            '[' if self.is_in_item => self.brackets += 1,
            ']' if self.is_in_item => self.brackets = self.brackets.saturating_sub(1),
            '(' if !self.is_in_item => {
                let is_history = next == Some('/');
                self.calls.push(is_history);
                self.is_in_item = is_history;
            }
            ',' if self.brackets == 0 => self.is_in_item = false,
            ')' if self.brackets == 0 => {
                self.is_in_item = false;
                self.calls.pop();
            }
            _ => {}
        }
    }
}

/// `last_foreach` had a period that said nothing.
fn without_period(formula: &str) -> String {
    const NAME: &str = "last_foreach(";
    let mut out = String::with_capacity(formula.len());
    let mut rest = formula;
    while let Some((before, behind)) = rest.split_once(NAME) {
        out.push_str(before);
        out.push_str(NAME);
        let mut scan = Scan { calls: vec![true], is_in_item: true, ..Scan::default() };
        let mut chars = behind.char_indices().peekable();
        let (mut comma, mut end) = (None, None);
        while let Some((at, char)) = chars.next() {
            let was_in_item = scan.is_in_item;
            scan.step(char, chars.peek().map(|it| it.1));
            if char == ',' && was_in_item && !scan.is_in_item {
                comma = Some(at);
            }
            if scan.calls.is_empty() {
                end = Some(at);
                break;
            }
        }
        let Some(end) = end else {
            rest = behind;
            break;
        };
        out.push_str(behind.get(..comma.unwrap_or(end)).unwrap_or_default());
        rest = behind.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_are_doubled_in_quoted_parameters_alone() {
        for (old, new) in [
            (r#"find(/h/k,,"regexp","\d+")=1"#, r#"find(/h/k,,"regexp","\\d+")=1"#),
            (
                r#"find(/h/k["a\d"],,"like","say \"x\\d\"")"#,
                r#"find(/h/k["a\d"],,"like","say \"x\\\\d\"")"#,
            ),
            (r#"last(/h/k[a\d,(])="a\d""#, r#"last(/h/k[a\d,(])="a\d""#),
            (r#"{?max(find(/h/k,,"regexp","\."),1)}"#, r#"{?max(find(/h/k,,"regexp","\\."),1)}"#),
        ] {
            assert_eq!(escape(old), new);
        }
    }

    #[test]
    fn last_foreach_loses_its_period() {
        for (old, new) in [
            ("sum(last_foreach(/*/k[a,\"b)\"],5m))", "sum(last_foreach(/*/k[a,\"b)\"]))"),
            ("sum(last_foreach(/*/k))+1", "sum(last_foreach(/*/k))+1"),
            (
                "max(last_foreach(/*/k,0))/avg(last_foreach(/*/k?[tag=\"a,b\"],0s))",
                "max(last_foreach(/*/k))/avg(last_foreach(/*/k?[tag=\"a,b\"]))",
            ),
        ] {
            assert_eq!(without_period(old), new);
        }
    }

    #[test]
    fn fields_of_widgets_count_before_they_name() {
        for (name, kind, new) in [
            ("tags.tag.0", "STRING", "tags.0.tag"),
            ("ds.hosts.0.1", "STRING", "ds.0.hosts.1"),
            ("itemid", "ITEM", "itemid.0"),
            ("itemid.0", "ITEM", "itemid.0"),
            ("show", "INTEGER", "show"),
        ] {
            assert_eq!(renamed(name, kind), new);
        }
        assert_eq!([reference(0), reference(27)], ["AAAAA", "AAABB"]);
    }

    #[test]
    fn versions_before_six_are_too_old() {
        for (version, expected) in [
            ("5.4", true),
            ("1.8", true),
            ("6.0", false),
            ("8.0", false),
            ("x", false),
            ("", false),
        ] {
            assert_eq!(is_too_old(version), expected, "{version}");
        }
    }
}
