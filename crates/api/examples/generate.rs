//! Writes what is generated from the API's descriptions: `generate ROOT`. Run by `cargo xtask docs`.
#![allow(clippy::print_stdout, reason = "a command-line tool speaks on stdout")]

use std::path::Path;
use std::{env, fs, io};

use api::generate::{TYPES_FOLDER, pages};

fn main() -> io::Result<()> {
    let root = env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let root = Path::new(&root);
    let pages = pages();
    fs::create_dir_all(root.join(TYPES_FOLDER))?;
    for entry in fs::read_dir(root.join(TYPES_FOLDER))? {
        let path = entry?.path();
        if !pages.iter().any(|it| root.join(&it.path) == path) {
            fs::remove_file(&path)?;
            println!("removed {}", path.display());
        }
    }
    for page in pages {
        let path = root.join(&page.path);
        let is_fresh = fs::read_to_string(&path).is_ok_and(|it| it == page.text);
        if !is_fresh {
            fs::write(path, page.text)?;
            println!("wrote {}", page.path);
        }
    }
    Ok(())
}
