//! All templates next to the checkout in one file, and very many in one: in every format, into an
//! empty server and out again the same.

use std::fs;
use std::path::Path;

use db::{
    Actor, Db, DbSettings, ExportOptions, ImportFormat, ImportRules, Location, export, write,
};
use serde_json::Value as Json;

use crate::official::files;

fn open(folder: &Path, name: &str) -> Db {
    Db::open(&DbSettings::new(Location::Sqlite(folder.join(name)))).unwrap()
}

fn import(db: &Db, text: &str, format: ImportFormat) {
    if let Err(error) = db.import(Actor::System, text, format, &ImportRules::ALL) {
        panic!("as {format:?}: {}", error.text());
    }
}

/// All templates and media types, as a document.
fn whole(db: &Db) -> formats::document::Value {
    let snapshot = db.snapshot();
    let all = ExportOptions::all(&snapshot);
    let options = ExportOptions {
        templates: all.templates,
        media_types: all.media_types,
        ..Default::default()
    };
    export(&snapshot, &options)
}

const FORMATS: [ImportFormat; 3] = [ImportFormat::Yaml, ImportFormat::Json, ImportFormat::Xml];

#[test]
fn all_templates_in_one_file_come_back_the_same_in_every_format() {
    for version in ["v7.0", "v7.4"] {
        let files = files(version);
        if files.is_empty() {
            println!("skipped: there are no official templates of {version} next to the checkout");
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let first = open(folder.path(), "first.db");
        for path in &files {
            import(&first, &fs::read_to_string(path).unwrap(), ImportFormat::Yaml);
        }
        let expected = whole(&first);
        let n_templates = first.snapshot().templates.len();
        for format in FORMATS {
            let text = write(&expected, format, format != ImportFormat::Json);
            let second = open(folder.path(), &format!("{format:?}.db"));
            import(&second, &text, format);
            assert_eq!(second.snapshot().templates.len(), n_templates);
            assert_eq!(write(&whole(&second), format, format != ImportFormat::Json), text);
            println!(
                "{version}: {n_templates} templates of {} files, {} bytes as {format:?}",
                files.len(),
                text.len()
            );
        }
    }
}

/// Copies of the templates of a document under other names and uuids. Templates name each other, and
/// themselves in expressions.
fn copies(document: &Json, n: usize) -> Json {
    let names: Vec<String> = document["templates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["template"].as_str().unwrap().to_owned())
        .collect();
    let mut whole = serde_json::Map::new();
    for copy in 0..n {
        let mut text = document.to_string();
        for name in &names {
            for quote in ["\"", "/"] {
                let (old, new) =
                    (format!("{quote}{name}{quote}"), format!("{quote}{name} {copy}{quote}"));
                text = text.replace(&old, &new);
            }
        }
        let mut document: Json = serde_json::from_str(&text).unwrap();
        let templates = document["templates"].as_array_mut().unwrap();
        for (template, name) in templates.iter_mut().zip(&names) {
            template["name"] = format!("{name} {copy}").into();
        }
        with_other_uuids(&mut document, copy);
        for (list, value) in document.as_object().unwrap() {
            match whole.entry(list.clone()).or_insert_with(|| Json::Array(Vec::new())) {
                Json::Array(all) if list != "template_groups" || copy == 0 => {
                    all.extend(value.as_array().cloned().unwrap_or_default());
                }
                _ => {}
            }
        }
    }
    whole.insert("version".to_owned(), "7.4".into());
    serde_json::json!({ "zabbix_export": whole })
}

fn with_other_uuids(value: &mut Json, copy: usize) {
    match value {
        Json::Object(fields) => {
            if let Some(Json::String(uuid)) = fields.get_mut("uuid") {
                uuid.replace_range(..4, &format!("{copy:04x}"));
            }
            fields.values_mut().for_each(|it| with_other_uuids(it, copy));
        }
        Json::Array(list) => list.iter_mut().for_each(|it| with_other_uuids(it, copy)),
        _ => {}
    }
}

#[test]
fn a_file_of_400_templates_is_imported() {
    const N_TEMPLATES: usize = 400;
    const N_COPIES: usize = 25;
    // A file of which copies are small enough for each run of the tests.
    const FILE_BYTES_MAX: usize = 60_000;
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path(), "first.db");
    let n_before = first.snapshot().templates.len();
    let mut n_files = 0;
    for path in files("v7.4") {
        let text = fs::read_to_string(path).unwrap();
        let n_new = first.snapshot().templates.len() - n_before;
        if text.len() <= FILE_BYTES_MAX && n_new < N_TEMPLATES / N_COPIES {
            import(&first, &text, ImportFormat::Yaml);
            n_files += 1;
        }
    }
    if n_files == 0 {
        println!("skipped: there are no official templates of 7.4 next to the checkout");
        return;
    }
    let mut document: Json =
        serde_json::from_str(&write(&whole(&first), ImportFormat::Json, false)).unwrap();
    let mut document = document["zabbix_export"].take();
    document.as_object_mut().unwrap().retain(|list, _| list != "version" && list != "media_types");
    let text = copies(&document, N_COPIES).to_string();
    let second = open(folder.path(), "second.db");
    let n_before = second.snapshot().templates.len();
    import(&second, &text, ImportFormat::Json);
    let n_templates = second.snapshot().templates.len() - n_before;
    println!("{n_templates} templates, {} bytes", text.len());
    assert!(N_TEMPLATES <= n_templates, "{n_templates}");
}
