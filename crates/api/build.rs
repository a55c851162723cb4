//! The UI's build is embedded where it is; a server without pages compiles as well.

use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo says where the crate is");
    let dist = Path::new(&root).join("../../ui/dist");
    if let Err(error) = fs::create_dir_all(&dist) {
        println!("cargo::warning=cannot make {}: {error}", dist.display());
    }
    println!("cargo::rerun-if-changed=../../ui/dist");
}
