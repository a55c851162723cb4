//! The shared behaviour vectors that concern agent keys.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::tree::{Tree, text};

fn cases(topic: &str) -> Vec<Value> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path: PathBuf = checkout.join("../shared/conformance/agent").join(topic);
    let Ok(content) = fs::read_to_string(&path) else {
        println!("skipped: there is no {}", path.display());
        return Vec::new();
    };
    let topic: Value = serde_json::from_str(&content).expect("a case file is JSON");
    topic["cases"].as_array().expect("cases").clone()
}

fn tree(case: &Value) -> Tree {
    let files: Vec<(&str, &str)> = match case["in"]["files"].as_object() {
        Some(files) => files
            .iter()
            .map(|(path, content)| (path.as_str(), content.as_str().expect("text")))
            .collect(),
        None => Vec::new(),
    };
    Tree::new(&files)
}

#[test]
fn interface_counters_follow_the_vectors() {
    for case in cases("net_if.json") {
        let key = case["in"]["param"].as_str().expect("a key");
        let answer = tree(&case).get(key);
        let result = case["out"]["result"].as_str().expect("a result");
        let expected = match case["out"]["ok"].as_bool() {
            Some(true) => result.to_owned(),
            _ => format!("ZBX_NOTSUPPORTED: {result}"),
        };
        assert_eq!(answer, expected, "{}", case["name"]);
    }
}

#[test]
fn discovery_follows_the_vectors() {
    for case in cases("discovery.json") {
        let out = &case["out"];
        let subject = format!("{}{}{}", case["name"], case["in"], out);
        let key =
            if subject.contains("/proc/net/dev") { "net.if.discovery" } else { "vfs.fs.discovery" };
        let answer = text(tree(&case).answer(key));
        let expected = match out["json"].as_str() {
            Some(json) => json.to_owned(),
            None => format!("ZBX_NOTSUPPORTED: {}", out["error"].as_str().expect("an error")),
        };
        assert_eq!(answer, expected, "{}", case["name"]);
    }
}
