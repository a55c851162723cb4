//! Generated files equal the output of the descriptions.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use api::generate::{TYPES_FOLDER, pages};

#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = pages();
    let paths: BTreeSet<&str> = pages.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths.len(), pages.len(), "each type has its own name");
    for page in &pages {
        let text = fs::read_to_string(root.join(&page.path)).unwrap_or_default();
        assert!(text == page.text, "{} is stale: run `cargo xtask docs`", page.path);
    }
    for entry in fs::read_dir(root.join(TYPES_FOLDER)).expect("the folder is there") {
        let name = entry.expect("an entry").file_name();
        let path = format!("{TYPES_FOLDER}/{}", name.to_string_lossy());
        assert!(pages.iter().any(|it| it.path == path), "{path} is of an object that is gone");
    }
}
