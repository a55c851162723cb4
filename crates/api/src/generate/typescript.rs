//! TypeScript: one file per object, one for the parts, one for the methods.
//!
//! Numbers and ids are texts in answers; parameters may be either. Nothing is asserted about
//! answers here: readers check them.

use std::collections::BTreeSet;

use model::version::Version;

use super::common::{
    PARTS, Page, TYPES_FOLDER, deleted_ids, entry_of, is_input, is_single, method_for, part_name,
    property,
};
use super::described;
use crate::describe::{Field, FieldType, Gives, Object, Rule, Select};
use crate::method::ObjectEntry;
use crate::objects::common::single::answers_true;
use crate::registry;

const HEAD: &str =
    "// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.\n";

const WIDTH: usize = 100;

pub(super) fn pages() -> Vec<Page> {
    let mut pages: Vec<Page> = registry::TABLE.iter().map(object_page).collect();
    pages.extend(registry::documents::entries().iter().map(object_page));
    pages.push(documents_page());
    pages.push(parts_page());
    pages.push(methods_page());
    pages.push(Page { path: path("get"), text: format!("{HEAD}{GET}") });
    pages
}

/// Parameters of get methods.
const GET: &str = r#"
/** Which fields are answered: all, or these. The id is always there. */
export type Output<Field extends PropertyKey> = "extend" | readonly Field[];

/** The parameters of all get methods. An object adds its own, such as `hostids`. */
export interface GetParams<Field extends PropertyKey> {
  readonly output?: Output<Field> | undefined;
  /** Answers the number of objects, as a text. */
  readonly countOutput?: boolean | undefined;
  readonly filter?: { readonly [F in Field]?: unknown } & { readonly [own: string]: unknown };
  readonly search?: { readonly [F in Field]?: string | readonly string[] };
  readonly searchByAny?: boolean | undefined;
  readonly searchWildcardsEnabled?: boolean | undefined;
  readonly startSearch?: boolean | undefined;
  readonly excludeSearch?: boolean | undefined;
  readonly sortfield?: string | readonly string[] | undefined;
  readonly sortorder?: "ASC" | "DESC" | readonly ("ASC" | "DESC")[] | undefined;
  readonly limit?: number | undefined;
  /** Answers an object by id instead of a list. */
  readonly preservekeys?: boolean | undefined;
  /** Only what the caller may change. */
  readonly editable?: boolean | undefined;
  readonly [own: string]: unknown;
}
"#;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Answer,
    Params,
}

fn path(file: &str) -> String {
    format!("{TYPES_FOLDER}/{file}.ts")
}

/// The file with the methods of objects that are made of their descriptions.
const DOCUMENTS: &str = "documents";

/// `HostGroup` → `host-group`
fn file_of(type_name: &str) -> String {
    let mut file = String::new();
    for it in type_name.chars() {
        if it.is_uppercase() && !file.is_empty() {
            file.push('-');
        }
        file.push(it.to_ascii_lowercase());
    }
    file
}

/// A file that is being written: its text, and the names that it imports.
#[derive(Default)]
struct File {
    text: String,
    /// (file, name)
    imports: BTreeSet<(String, String)>,
}

impl File {
    fn line(&mut self, depth: usize, line: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn doc(&mut self, depth: usize, text: &str) {
        self.line(depth, &format!("/** {} */", text.replace("*/", "* /")));
    }

    fn import(&mut self, file: &str, name: &str) {
        self.imports.insert((file.to_owned(), name.to_owned()));
    }

    /// The type of an object of the API, by its method name.
    fn object_type(&mut self, name: &str) -> &'static str {
        let type_name = entry_of(name).object.type_name;
        self.import(&file_of(type_name), type_name);
        type_name
    }

    fn interface(&mut self, name: &str, fields: &[&Field], side: Side) {
        self.line(0, &format!("export interface {name} {{"));
        self.members(1, fields, side);
        self.line(0, "}");
    }

    fn members(&mut self, depth: usize, fields: &[&Field], side: Side) {
        for field in fields {
            self.doc(depth, &field_doc(field));
            let optional = side == Side::Params && field.rule != Rule::Required;
            let mark = if optional { "?" } else { "" };
            let name = property(field.name);
            self.text.push_str(&"  ".repeat(depth));
            self.text.push_str(&format!("readonly {name}{mark}: "));
            self.kind(depth, field.kind, side);
            self.text.push_str(if optional { " | undefined;\n" } else { ";\n" });
        }
    }

    fn kind(&mut self, depth: usize, kind: FieldType, side: Side) {
        let text = match (kind, side) {
            (FieldType::Text { .. }, _) | (_, Side::Answer) => "string",
            _ => "string | number",
        };
        match kind {
            FieldType::Object([]) => self.text.push_str("Record<string, never>"),
            FieldType::Object(fields) | FieldType::Inventory(fields) => {
                self.part(depth, fields, side);
                if side == Side::Answer {
                    self.text.push_str(" | readonly []");
                }
            }
            FieldType::List([]) => self.text.push_str("readonly []"),
            FieldType::List(fields) => {
                self.text.push_str("readonly ");
                self.part(depth, fields, side);
                self.text.push_str("[]");
            }
            FieldType::Uuid => self.text.push_str("string"),
            FieldType::Bool => self.text.push_str("boolean"),
            FieldType::Texts { .. } => self.text.push_str("readonly string[]"),
            _ => self.text.push_str(text),
        }
    }

    fn part(&mut self, depth: usize, fields: &'static [Field], side: Side) {
        if let Some(name) = part_name(fields) {
            let name = if side == Side::Params { format!("{name}Create") } else { name.to_owned() };
            self.import("parts", &name);
            self.text.push_str(&name);
            return;
        }
        self.text.push_str("{\n");
        self.members(depth + 1, &members_of(fields, side), side);
        self.text.push_str(&"  ".repeat(depth));
        self.text.push('}');
    }

    fn finish(self, own: &str) -> Page {
        let mut head = HEAD.to_owned();
        let files: BTreeSet<&String> = self.imports.iter().map(|(file, _)| file).collect();
        let mut lines = String::new();
        for file in files.into_iter().filter(|it| *it != own) {
            let names: Vec<&str> =
                self.imports.iter().filter(|it| it.0 == *file).map(|it| it.1.as_str()).collect();
            let line = format!("import type {{ {} }} from \"./{file}\";\n", names.join(", "));
            if line.len() <= WIDTH {
                lines.push_str(&line);
            } else {
                let names = names.join(",\n  ");
                lines.push_str(&format!("import type {{\n  {names},\n}} from \"./{file}\";\n"));
            }
        }
        if !lines.is_empty() {
            head.push('\n');
            head.push_str(&lines);
        }
        Page { path: path(own), text: format!("{head}{}", self.text) }
    }
}

/// Parts take their id in updates.
fn members_of(fields: &'static [Field], side: Side) -> Vec<&'static Field> {
    let wanted = |it: &&Field| side == Side::Params || it.is_output();
    fields.iter().filter(wanted).collect()
}

fn field_doc(field: &Field) -> String {
    let rule = match field.rule {
        Rule::Default(it) if !it.is_empty() => format!(" Default: {it}."),
        _ if field.is_constant() => " Not changed later.".to_owned(),
        _ => String::new(),
    };
    format!("{}.{rule}", field.doc)
}

fn object_page(entry: &ObjectEntry) -> Page {
    let mut file = File::default();
    object_types(&mut file, entry);
    file.text.push_str(&described::constant(entry).unwrap_or_default());
    file.finish(&file_of(entry.object.type_name))
}

fn documents_page() -> Page {
    let mut file = File::default();
    file.line(0, "");
    file.doc(0, "Methods of objects by their descriptions.");
    file.line(0, "export interface DocumentMethods {");
    for entry in registry::documents::entries() {
        methods(&mut file, entry);
    }
    file.line(0, "}");
    file.finish(DOCUMENTS)
}

/// The types of one object.
fn object_types(file: &mut File, entry: &ObjectEntry) {
    let object = entry.object.at(Version::default());
    file.line(0, "");
    file.doc(0, &format!("{}.", object.doc));
    let answered: Vec<&Field> = object.output_fields().collect();
    file.interface(object.type_name, &answered, Side::Answer);
    selects(file, object);
    if method_for(entry, "get").is_some() {
        get(file, object);
    }
    let input: Vec<&Field> = object.fields.iter().filter(|it| is_input(it)).collect();
    if let Some(method) = method_for(entry, "create") {
        file.line(0, "");
        file.doc(0, &format!("Parameters of `{}`.", method.name));
        file.interface(&format!("{}Create", object.type_name), &input, Side::Params);
    }
    if let Some(method) = method_for(entry, "update") {
        file.line(0, "");
        file.doc(0, &format!("Parameters of `{}`: omitted fields keep their values.", method.name));
        let name = object.type_name;
        if is_single(object) {
            file.interface(&format!("{name}Update"), &input, Side::Params);
            return;
        }
        let constant: Vec<String> = input
            .iter()
            .filter(|it| it.is_constant())
            .map(|it| format!("\"{}\"", it.name))
            .collect();
        let changed = if constant.is_empty() {
            format!("Partial<{name}Create>")
        } else {
            format!("Partial<Omit<{name}Create, {}>>", constant.join(" | "))
        };
        let id = object.id;
        file.line(
            0,
            &format!("export type {name}Update = {changed} & {{ readonly {id}: string }};"),
        );
    }
}

/// The properties that `select…` parameters add to an object.
fn selects(file: &mut File, object: &Object) {
    if object.selects.is_empty() {
        return;
    }
    file.line(0, "");
    file.doc(0, "The properties of `select…` parameters.");
    file.line(0, &format!("export interface {}Selects {{", object.type_name));
    let mut known = BTreeSet::new();
    for select in object.selects.iter().filter(|it| known.insert(it.property)) {
        let count = if select.countable { "; its number, as a text, with \"count\"" } else { "" };
        file.doc(1, &format!("`{}`{count}.", select.param));
        file.text.push_str(&format!("  readonly {}: ", select.property));
        gives(file, select);
        file.text.push_str(if select.countable { " | string;\n" } else { ";\n" });
    }
    file.line(0, "}");
}

fn gives(file: &mut File, select: &Select) {
    match select.gives {
        Gives::Objects(name) => {
            let name = file.object_type(name);
            file.text.push_str(&format!("readonly {name}[]"));
        }
        Gives::Object(name) => {
            let name = file.object_type(name);
            file.text.push_str(&format!("{name} | readonly []"));
        }
        Gives::Parts(fields) => file.kind(1, FieldType::List(fields), Side::Answer),
        Gives::Part(fields) => file.kind(1, FieldType::Object(fields), Side::Answer),
        Gives::Field => file.text.push_str("string"),
        Gives::Nothing => file.text.push_str("readonly []"),
    }
}

/// Parameters of the get method.
fn get(file: &mut File, object: &Object) {
    let name = object.type_name;
    file.line(0, "");
    file.doc(0, &format!("Parameters of `{}.get`.", object.name));
    if is_single(object) {
        file.import("get", "Output");
        file.line(0, &format!("export interface {name}Get {{"));
        file.line(1, &format!("readonly output?: Output<keyof {name}> | undefined;"));
        file.line(0, "}");
        return;
    }
    file.import("get", "GetParams");
    if object.selects.is_empty() {
        file.line(0, &format!("export type {name}Get = GetParams<keyof {name}>;"));
        return;
    }
    file.line(0, &format!("export interface {name}Get extends GetParams<keyof {name}> {{"));
    for select in object.selects {
        let fields = match select.gives {
            Gives::Objects(name) | Gives::Object(name) => {
                format!("keyof {}", file.object_type(name))
            }
            Gives::Parts(fields) | Gives::Part(fields) => match part_name(fields) {
                Some(name) => {
                    file.import("parts", name);
                    format!("keyof {name}")
                }
                None => "string".to_owned(),
            },
            Gives::Field => {
                file.line(1, &format!("readonly {}?: boolean | undefined;", select.param));
                continue;
            }
            Gives::Nothing => "string".to_owned(),
        };
        file.import("get", "Output");
        let count = if select.countable { " | \"count\"" } else { "" };
        let param = select.param;
        file.line(1, &format!("readonly {param}?: Output<{fields}>{count} | undefined;"));
    }
    file.line(0, "}");
}

fn parts_page() -> Page {
    let mut file = File::default();
    for (name, fields) in PARTS {
        file.line(0, "");
        file.interface(name, &members_of(fields, Side::Answer), Side::Answer);
        if fields.iter().any(is_input) {
            file.line(0, "");
            file.doc(0, "The same as a parameter.");
            let name = format!("{name}Create");
            file.interface(&name, &members_of(fields, Side::Params), Side::Params);
        }
    }
    file.finish("parts")
}

/// Every method with its parameters and its answer.
fn methods_page() -> Page {
    let mut file = File::default();
    file.line(0, "");
    file.doc(0, "Methods by name: their parameters and their answers.");
    file.import(DOCUMENTS, "DocumentMethods");
    file.line(0, "export interface Methods extends DocumentMethods {");
    for entry in registry::TABLE {
        methods(&mut file, entry);
    }
    file.line(0, "}");
    file.finish("methods")
}

/// The methods of one object.
fn methods(file: &mut File, entry: &ObjectEntry) {
    for method in entry.methods() {
        let (params, result) = signature(file, entry, method.name);
        file.line(1, &format!("readonly \"{}\": {{", method.name));
        file.line(2, &format!("readonly params: {params};"));
        file.line(2, &format!("readonly result: {result};"));
        file.line(1, "};");
    }
}

fn signature(file: &mut File, entry: &ObjectEntry, method: &str) -> (String, String) {
    let object = entry.object.at(Version::default());
    let name = object.type_name;
    let own = file_of(name);
    let is = |verb: &str| method_for(entry, verb).is_some_and(|it| it.name == method);
    let ids = format!("{{ readonly {}: readonly string[] }}", object.ids);
    let changing = |file: &mut File, suffix: &str| {
        let name = format!("{name}{suffix}");
        file.import(&own, &name);
        (format!("{name} | readonly {name}[]"), ids.clone())
    };
    if is_single(object) && is("update") {
        let update = format!("{name}Update");
        file.import(&own, &update);
        let answer = if answers_true(object) { "true" } else { "readonly string[]" };
        (update, answer.to_owned())
    } else if is_single(object) && is("get") {
        file.import(&own, name);
        file.import(&own, &format!("{name}Get"));
        (format!("{name}Get"), format!("Partial<{name}>"))
    } else if is("create") {
        changing(file, "Create")
    } else if is("update") {
        changing(file, "Update")
    } else if is("delete") {
        let ids = format!("{{ readonly {}: readonly string[] }}", deleted_ids(object));
        ("readonly string[]".to_owned(), ids)
    } else if is("get") {
        file.import(&own, name);
        file.import(&own, &format!("{name}Get"));
        let selects = if object.selects.is_empty() {
            String::new()
        } else {
            file.import(&own, &format!("{name}Selects"));
            format!(" & Partial<{name}Selects>")
        };
        (format!("{name}Get"), format!("readonly (Partial<{name}>{selects})[]"))
    } else {
        ("unknown".to_owned(), "unknown".to_owned())
    }
}
