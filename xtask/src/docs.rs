//! `cargo xtask docs`: writes the documents that are made from the code.

use std::fs;
use std::process::Command;

use crate::metrics;
use crate::source::Tree;

/// Page, and the arguments of `saker` that print it.
const PRINTED: &[(&str, [&str; 2])] = &[
    ("docs/user/saker.sample.toml", ["check", "--sample"]),
    ("docs/user/settings.md", ["check", "--manual"]),
    ("docs/user/saker-agent.sample.toml", ["agent", "--sample"]),
    ("docs/user/agent-settings.md", ["agent", "--manual"]),
];

/// The API's reference and types come from its own descriptions.
fn api_pages(tree: &Tree) -> Option<String> {
    let arguments = ["run", "--quiet", "--package", "api", "--example", "generate", "--", "."];
    match Command::new("cargo").args(arguments).current_dir(&tree.root).status() {
        Ok(status) if status.success() => None,
        Ok(status) => Some(format!("the API's pages were not written: {status}")),
        Err(error) => Some(format!("cargo run: {error}")),
    }
}

pub(crate) fn write(tree: &Tree) -> Vec<String> {
    let (page, mut errors) = metrics::page(tree);
    let mut pages = vec![(metrics::PAGE, page)];
    for (path, [role, flag]) in PRINTED {
        let arguments = ["run", "--quiet", "--package", "saker", "--", role, flag];
        let output = Command::new("cargo").args(arguments).current_dir(&tree.root).output();
        match output {
            Ok(output) if output.status.success() => {
                pages.push((path, String::from_utf8_lossy(&output.stdout).into_owned()));
            }
            Ok(output) => errors.push(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => errors.push(format!("cargo run: {error}")),
        }
    }
    errors.extend(api_pages(tree));
    for (path, page) in pages {
        if tree.text(path) == Some(&page) {
            continue;
        }
        match fs::write(tree.root.join(path), page) {
            Ok(()) => println!("wrote {path}"),
            Err(error) => errors.push(format!("{path}: {error}")),
        }
    }
    errors
}
