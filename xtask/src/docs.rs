//! `cargo xtask docs`: writes the documents that are made from the code.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::built::Program;
use crate::metrics;
use crate::source::Tree;

/// Page, and the arguments of `saker` that print it.
const PRINTED: &[(&str, [&str; 2])] = &[
    ("docs/user/saker.sample.toml", ["check", "--sample"]),
    ("docs/user/settings.md", ["check", "--manual"]),
    ("docs/user/saker-agent.sample.toml", ["agent", "--sample"]),
    ("docs/user/agent-settings.md", ["agent", "--manual"]),
];

/// The output of one of Saker's programs.
fn printed(program: &Path, arguments: [&str; 2], tree: &Tree) -> Result<String, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(&tree.root)
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The API's reference and types come from its own descriptions.
fn api_pages(tree: &Tree) -> Result<(), String> {
    let program = Program::Example("generate").build()?;
    let status = Command::new(&program)
        .arg(".")
        .current_dir(&tree.root)
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the API's pages were not written: {status}"))
    }
}

/// The page of metrics alone, which needs no build.
pub(crate) fn write_metrics(tree: &Tree) -> Vec<String> {
    let (page, mut errors) = metrics::page(tree);
    errors.extend(write_page(tree, metrics::PAGE, &page).err());
    errors
}

pub(crate) fn write(tree: &Tree) -> Vec<String> {
    let mut errors = write_metrics(tree);
    match Program::Bin("saker").build() {
        Ok(saker) => {
            for (path, arguments) in PRINTED {
                match printed(&saker, *arguments, tree) {
                    Ok(page) => errors.extend(write_page(tree, path, &page).err()),
                    Err(error) => errors.push(error),
                }
            }
        }
        Err(error) => errors.push(error),
    }
    errors.extend(api_pages(tree).err());
    errors
}

fn write_page(tree: &Tree, path: &str, page: &str) -> Result<(), String> {
    if tree.text(path) == Some(page) {
        return Ok(());
    }
    fs::write(tree.root.join(path), page).map_err(|error| format!("{path}: {error}"))?;
    println!("wrote {path}");
    Ok(())
}
