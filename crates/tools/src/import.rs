//! `saker import`: files and directories of Zabbix's export format into a running server.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::api::{Api, ApiArgs, ApiClientError};

/// Extensions by which files in a directory are recognized.
const EXTENSIONS: &[&str] = &["yaml", "yml", "json", "xml"];

#[derive(Clone, PartialEq, Eq, Debug, Args)]
pub struct ImportArgs {
    /// Files, and directories whose files (.yaml, .yml, .json, .xml) are imported, with subdirectories.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Create new objects only: existing objects do not change.
    #[arg(long)]
    keep: bool,
    /// Delete objects of the imported templates and hosts that are missing from the file.
    #[arg(long)]
    delete_missing: bool,
    /// Show what would be imported, and import nothing.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    api: ApiArgs,
}

#[derive(Debug, Error)]
pub enum ImportError {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "there are no files to import: none of the directories has one that ends in .yaml, .yml, .json or .xml"
    )]
    Nothing,
    #[error("{0}")]
    Api(#[from] ApiClientError),
    #[error("cannot print the result of the import: {0}")]
    Say(io::Error),
}

/// Results so far.
#[derive(Default)]
struct Summary {
    n_imported: usize,
    /// Created, updated and deleted, by list.
    changes: BTreeMap<String, [u64; 3]>,
    /// Fields of files that are not supported yet, by tag.
    left_out: BTreeMap<String, u64>,
    n_not_collected: u64,
    refused: Vec<(PathBuf, String)>,
}

/// Imports, and prints the results. 0: all files were imported; 1: some were refused.
///
/// # Errors
/// [`ImportError`]: then later files were not tried.
pub fn run(args: &ImportArgs) -> Result<ExitCode, ImportError> {
    let mut files = Vec::new();
    for path in &args.paths {
        gather(path, &mut files)?;
    }
    if files.is_empty() {
        return Err(ImportError::Nothing);
    }
    let api = Api::new(&args.api);
    let rules = rules(args);
    let path = if args.dry_run { "import/preview" } else { "import" };
    let n_files = files.len();
    let mut progress = Progress { n_files, n_done: 0, is_shown: io::stderr().is_terminal() };
    let mut summary = Summary::default();
    // Templates may need others in a later file: refused files are tried again as long as another
    // one succeeds.
    loop {
        let n_waiting = files.len();
        let mut refused = Vec::new();
        for file in files {
            progress.show(&file);
            let read = |source| ImportError::Read { path: file.clone(), source };
            let source = fs::read_to_string(&file).map_err(read)?;
            match api.native(path, &json!({"source": source, "rules": rules})) {
                Ok(answer) => {
                    summary.take(&answer);
                    progress.n_done += 1;
                }
                Err(ApiClientError::Refused(reason)) => refused.push((file, reason)),
                Err(error) => {
                    progress.clear();
                    return Err(error.into());
                }
            }
        }
        if refused.is_empty() || refused.len() == n_waiting {
            summary.refused = refused;
            break;
        }
        files = refused.into_iter().map(|it| it.0).collect();
    }
    progress.clear();
    crate::say(&summary.text(n_files, args.dry_run)).map_err(ImportError::Say)?;
    Ok(if summary.refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A file as it is named, or the files of a directory, by name.
fn gather(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), ImportError> {
    let read = |source| ImportError::Read { path: path.to_owned(), source };
    if !fs::metadata(path).map_err(read)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(read)? {
        entries.push(entry.map_err(read)?.path());
    }
    entries.sort();
    for entry in entries {
        let is_export = entry
            .extension()
            .and_then(|it| it.to_str())
            .is_some_and(|it| EXTENSIONS.contains(&it.to_ascii_lowercase().as_str()));
        if is_export || entry.is_dir() {
            gather(&entry, files)?;
        }
    }
    Ok(())
}

fn rules(args: &ImportArgs) -> Value {
    let mut rules = Map::new();
    for (name, is_deletable) in [
        ("host_groups", false),
        ("template_groups", false),
        ("templates", false),
        ("hosts", false),
        ("valueMaps", true),
        ("items", true),
        ("discoveryRules", true),
        ("triggers", true),
        ("graphs", true),
        ("httptests", true),
        ("templateDashboards", true),
        ("mediaTypes", false),
        ("images", false),
        ("maps", false),
    ] {
        let mut rule = json!({"createMissing": true, "updateExisting": !args.keep});
        if is_deletable {
            rule["deleteMissing"] = args.delete_missing.into();
        }
        rules.insert(name.to_owned(), rule);
    }
    rules.insert(
        "templateLinkage".to_owned(),
        json!({"createMissing": true, "deleteMissing": args.delete_missing}),
    );
    Value::Object(rules)
}

impl Summary {
    fn take(&mut self, answer: &Value) {
        self.n_imported += 1;
        let object = |name: &str| answer.get(name).and_then(Value::as_object).into_iter().flatten();
        for (list, counts) in object("changes") {
            let sums = self.changes.entry(list.clone()).or_default();
            for (sum, name) in sums.iter_mut().zip(["created", "updated", "deleted"]) {
                *sum += counts.get(name).and_then(Value::as_u64).unwrap_or_default();
            }
        }
        for (tag, n) in object("left_out") {
            *self.left_out.entry(tag.clone()).or_default() += n.as_u64().unwrap_or_default();
        }
        let uncollected =
            answer.get("not_collected").and_then(Value::as_array).into_iter().flatten();
        self.n_not_collected += uncollected.filter_map(|it| it.get("items")?.as_u64()).sum::<u64>();
    }

    fn text(&self, n_files: usize, is_dry_run: bool) -> String {
        let would = if is_dry_run { "would be " } else { "" };
        let n_refused = self.refused.len();
        let mut text = format!(
            "files: {n_files}; {would}imported: {}; refused: {n_refused}\n",
            self.n_imported
        );
        for (list, [created, updated, deleted]) in &self.changes {
            text += &format!("  {list}: {created} created, {updated} updated, {deleted} deleted\n");
        }
        for (tag, n) in &self.left_out {
            text += &format!("  left out, not used yet: {n} {tag}\n");
        }
        if self.n_not_collected != 0 {
            text += &format!("  items that nothing collects yet: {}\n", self.n_not_collected);
        }
        for (path, reason) in &self.refused {
            text += &format!("refused: {}: {reason}\n", path.display());
        }
        text
    }
}

/// One line on a terminal that is written over.
struct Progress {
    n_files: usize,
    n_done: usize,
    is_shown: bool,
}

impl Progress {
    fn show(&self, file: &Path) {
        const WIDTH: usize = 20;
        if self.is_shown {
            let filled = WIDTH * self.n_done / self.n_files.max(1);
            let bar = format!("{}{}", "#".repeat(filled), "-".repeat(WIDTH - filled));
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            // An error of the display is no error of the import.
            drop(write!(io::stderr(), "\r\x1b[K[{bar}] {}/{} {name}", self.n_done, self.n_files));
        }
    }

    fn clear(&self) {
        if self.is_shown {
            drop(write!(io::stderr(), "\r\x1b[K"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_directories_are_taken_by_their_ends() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("below")).unwrap();
        for name in ["b.yaml", "a.XML", "readme.md", "below/c.json"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let mut files = Vec::new();
        gather(dir.path(), &mut files).unwrap();
        // One that is named is taken whatever it is called.
        gather(&dir.path().join("readme.md"), &mut files).unwrap();
        let names: Vec<_> = files.iter().map(|it| it.file_name().unwrap()).collect();
        assert_eq!(names, ["a.XML", "b.yaml", "c.json", "readme.md"]);
    }

    #[test]
    fn a_summary_adds_up_what_files_brought() {
        let mut summary = Summary::default();
        let answer = json!({
            "changes": {"items": {"created": 2, "updated": 1, "deleted": 0}},
            "left_out": {"readme": 1},
            "not_collected": [{"type": "22", "items": 3, "templates": ["a"]}],
        });
        summary.take(&answer);
        summary.take(&answer);
        summary.refused.push((PathBuf::from("x.yaml"), "It is no YAML.".to_owned()));
        let expected = "files: 3; imported: 2; refused: 1
  items: 4 created, 2 updated, 0 deleted
  left out, not used yet: 2 readme
  items that nothing collects yet: 6
refused: x.yaml: It is no YAML.
";
        assert_eq!(summary.text(3, false), expected);
    }
}
