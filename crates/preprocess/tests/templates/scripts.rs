//! Every script of the templates compiles: preprocessing steps and items of type script.

use std::time::Duration;

use lang::macros::{self, Search};
use script::{Engine, Host, HostRequest, Limits, Script};
use serde_json::Value;
use wire::http::Response;

use crate::walk;

/// Compiling uses nothing but the clock.
struct Nothing;

impl Host for Nothing {
    fn now_ns(&self) -> u64 {
        0
    }

    fn sleep(&mut self, _time: Duration) {}

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, _request: &HostRequest<'_>) -> Result<Response, String> {
        Err(String::new())
    }

    fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
        Err(String::new())
    }
}

/// Calls `visit` for the text of each script below `value`.
fn scripts(value: &Value, visit: &mut dyn FnMut(&str)) {
    match value {
        Value::Array(list) => list.iter().for_each(|it| scripts(it, visit)),
        Value::Object(members) => {
            match value["type"].as_str() {
                Some("JAVASCRIPT") => visit(value["parameters"][0].as_str().unwrap()),
                Some("SCRIPT") => visit(value["params"].as_str().unwrap()),
                _ => {}
            }
            members.values().for_each(|it| scripts(it, visit));
        }
        _ => {}
    }
}

#[test]
fn official_scripts_compile() {
    let mut engine = Engine::new(Limits::default(), Box::new(Nothing)).unwrap();
    let (mut n, mut refused) = (0, Vec::new());
    for file in walk::files() {
        let root: Value = serde_saphyr::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        scripts(&root, &mut |text| {
            let source =
                macros::substitute(text, Search::BASIC, &macros::FuncEnv::utc(), &mut |_, _| {
                    macros::Resolution::Value("1".to_owned())
                });
            n += 1;
            if let Err(error) = engine.check(&Script::new(&source)) {
                let file = file.file_name().unwrap().to_string_lossy();
                refused.push(format!("{file}: {error}: {text}"));
            }
        });
    }
    println!("{n} scripts, {} refused", refused.len());
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
