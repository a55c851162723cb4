//! TypeScript: the facts about an object that forms and readers of answers need, as data.
//!
//! One constant an object, in the file of its types: fields with types, bounds, codes, defaults and
//! conditions. `ui/src/api/described.ts` makes schemas, drafts and checks of it.

use model::version::Version;

use super::code_names;
use super::common::{is_input, method_for, property};
use crate::describe::{Field, FieldType, Gives, Object, Rule, Select, When};
use crate::method::ObjectEntry;

const WIDTH: usize = 100;

/// A literal of TypeScript.
enum Literal {
    Text(String),
    Plain(String),
    List(Vec<Self>),
    Members(Vec<(&'static str, Self)>),
}

impl Literal {
    fn text(it: &str) -> Self {
        Self::Text(it.to_owned())
    }

    fn texts<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        Self::List(items.into_iter().map(Self::text).collect())
    }

    const fn yes() -> Self {
        Self::Plain(String::new())
    }

    fn inline(&self) -> String {
        match self {
            Self::Text(it) => format!("{it:?}"),
            Self::Plain(it) if it.is_empty() => "true".to_owned(),
            Self::Plain(it) => it.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::inline).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Members(members) if members.is_empty() => "{}".to_owned(),
            Self::Members(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, it)| format!("{}: {}", property(name), it.inline()))
                    .collect();
                format!("{{ {} }}", members.join(", "))
            }
        }
    }

    /// In one line if it fits, else one line a member.
    fn write(&self, depth: usize, head: usize, out: &mut String) {
        let inline = self.inline();
        if depth * 2 + head + inline.len() < WIDTH {
            out.push_str(&inline);
            return;
        }
        let indent = "  ".repeat(depth + 1);
        let (open, close) = if matches!(self, Self::List(_)) { ('[', ']') } else { ('{', '}') };
        match self {
            Self::List(items) => {
                out.push(open);
                for item in items {
                    out.push_str(&format!("\n{indent}"));
                    item.write(depth + 1, 1, out);
                    out.push(',');
                }
            }
            Self::Members(members) => {
                out.push(open);
                for (name, member) in members {
                    out.push_str(&format!("\n{indent}{}: ", property(name)));
                    member.write(depth + 1, name.len() + 3, out);
                    out.push(',');
                }
            }
            Self::Text(_) | Self::Plain(_) => {
                out.push_str(&inline);
                return;
            }
        }
        out.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
    }
}

/// `HostGroup` → `HOST_GROUP`
fn constant_of(type_name: &str) -> String {
    let mut name = String::new();
    for it in type_name.chars() {
        if it.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(it.to_ascii_uppercase());
    }
    name
}

/// The constant of an object that is read or written somewhere.
pub(super) fn constant(entry: &ObjectEntry) -> Option<String> {
    ["get", "create", "update"].iter().find_map(|it| method_for(entry, it))?;
    let object = entry.object.at(Version::default());
    let mut text = format!(
        "\n/** What forms and readers of answers have to know of it. */\nexport const {} = ",
        constant_of(object.type_name)
    );
    described(object).write(0, 0, &mut text);
    text.push_str(" as const;\n");
    Some(text)
}

fn described(object: &Object) -> Literal {
    let mut members = vec![("object", Literal::text(object.name))];
    if !object.id.is_empty() {
        members.push(("id", Literal::text(object.id)));
        members.push(("ids", Literal::text(object.ids)));
    }
    let answered: Vec<&str> = object.output_fields().map(|it| it.name).collect();
    let is_answered = |it: &Field| answered.contains(&it.name);
    members.push(("fields", fields(object.name, object.fields, &is_answered)));
    let selects: Vec<(&'static str, Literal)> =
        object.selects.iter().filter_map(|it| Some((it.property, select(object, it)?))).collect();
    if !selects.is_empty() {
        members.push(("selects", Literal::Members(first_of_each(selects))));
    }
    Literal::Members(members)
}

/// Two parameters may fill one property: the first is listed for both.
fn first_of_each(selects: Vec<(&'static str, Literal)>) -> Vec<(&'static str, Literal)> {
    let mut kept: Vec<(&'static str, Literal)> = Vec::new();
    for (name, literal) in selects {
        if kept.iter().all(|(it, _)| *it != name) {
            kept.push((name, literal));
        }
    }
    kept
}

/// The parts of a field are described there.
fn select(object: &Object, select: &Select) -> Option<Literal> {
    let mut members = vec![("param", Literal::text(select.param))];
    let is_field = object.fields.iter().any(|it| {
        it.name == select.property
            && matches!(it.kind, FieldType::List([_, ..]) | FieldType::Object([_, ..]))
    });
    let path = format!("{}.{}", object.name, select.property);
    match select.gives {
        Gives::Parts(_) | Gives::Part(_) if is_field => {}
        Gives::Parts(parts) => members.push(("list", parts_of(&path, parts))),
        Gives::Part(parts) => members.push(("one", parts_of(&path, parts))),
        Gives::Objects(name) => members.push(("objects", Literal::text(name))),
        Gives::Object(name) => members.push(("object", Literal::text(name))),
        Gives::Field => members.push(("text", Literal::yes())),
        Gives::Nothing => return None,
    }
    Some(Literal::Members(members))
}

/// Fields by their object and the fields that they are in.
fn fields(path: &str, all: &'static [Field], is_answered: &dyn Fn(&Field) -> bool) -> Literal {
    let described =
        |it: &'static Field| (it.name, field(&format!("{path}.{}", it.name), it, is_answered(it)));
    Literal::Members(all.iter().map(described).collect())
}

fn parts_of(path: &str, parts: &'static [Field]) -> Literal {
    fields(path, parts, &Field::is_output)
}

fn field(path: &str, field: &Field, is_answered: bool) -> Literal {
    let mut members = kind(path, field);
    if !is_input(field) {
        members.push(("readOnly", Literal::yes()));
    }
    if !is_answered {
        members.push(("notAnswered", Literal::yes()));
    }
    if field.is_constant() {
        members.push(("fixed", Literal::yes()));
    }
    match field.rule {
        Rule::Required => members.push(("required", Literal::yes())),
        _ if !field.default_text().is_empty() => {
            members.push(("default", Literal::text(field.default_text())));
        }
        _ => {}
    }
    if let Some(form) = field.form {
        members.push(("form", Literal::text(form.name)));
        if let Some([min, max]) = form.range {
            members.push(("within", Literal::Plain(format!("[{min}, {max}]"))));
        }
    }
    let names = if field.constants.is_empty() { code_names::of(path) } else { field.constants };
    if !names.is_empty() {
        let names = names.iter().map(|(name, code)| (*name, Literal::Text(code.to_string())));
        members.push(("names", Literal::Members(names.collect())));
    }
    if let Some(refers) = field.refers {
        members.push(("refers", Literal::text(refers.to)));
    }
    if field.depends.is_absent_elsewhere {
        members.push(("absentElsewhere", Literal::yes()));
    }
    for (name, when) in [("only", field.depends.only), ("needed", field.depends.needed)] {
        if !when.is_empty() {
            members.push((name, Literal::List(when.iter().map(condition).collect())));
        }
    }
    Literal::Members(members)
}

fn condition(when: &When) -> Literal {
    Literal::Members(vec![
        ("field", Literal::text(when.field)),
        ("oneOf", Literal::texts(when.one_of.iter().copied())),
    ])
}

fn kind(path: &str, field: &Field) -> Vec<(&'static str, Literal)> {
    let of = |it: &str| ("type", Literal::text(it));
    let number = |it: i64| Literal::Plain(it.to_string());
    match field.kind {
        FieldType::Id => vec![of("id")],
        FieldType::Text { max } => vec![of("text"), ("max", Literal::Plain(max.to_string()))],
        FieldType::Uuid => vec![of("uuid")],
        FieldType::Int { min, max } => vec![of("int"), ("min", number(min)), ("max", number(max))],
        FieldType::Code(codes) => {
            let codes = codes.iter().map(|it| Literal::Text(it.to_string())).collect();
            vec![of("code"), ("codes", Literal::List(codes))]
        }
        FieldType::Timestamp => vec![of("time")],
        FieldType::Bool => vec![of("bool")],
        FieldType::Float => vec![of("float")],
        FieldType::Object(parts) => vec![of("object"), ("fields", parts_of(path, parts))],
        FieldType::Inventory(_) => vec![of("object")],
        FieldType::List(parts) => vec![of("list"), ("fields", parts_of(path, parts))],
        FieldType::Texts { .. } => vec![of("texts")],
    }
}

#[cfg(test)]
mod tests {
    use super::{Literal, constant_of};

    #[test]
    fn constants_are_named_by_their_type() {
        for (name, constant) in [("Connector", "CONNECTOR"), ("HostGroup", "HOST_GROUP")] {
            assert_eq!(constant_of(name), constant);
        }
    }

    #[test]
    fn members_beyond_the_line_width_get_a_line_each() {
        let fit = Literal::Members(vec![("a", Literal::text("x")), ("b", Literal::yes())]);
        let mut text = String::new();
        fit.write(0, 0, &mut text);
        assert_eq!(text, r#"{ a: "x", b: true }"#);
        let long = Literal::Members(vec![
            ("a", Literal::text(&"x".repeat(60))),
            ("b", Literal::text(&"y".repeat(60))),
        ]);
        text.clear();
        long.write(0, 0, &mut text);
        let expected =
            format!("{{\n  a: \"{}\",\n  b: \"{}\",\n}}", "x".repeat(60), "y".repeat(60));
        assert_eq!(text, expected);
    }
}
