//! Every stored input of the fuzz targets, on every toolchain.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

#[test]
fn stored_inputs_do_no_harm() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for (name, target) in wire::fuzz::TARGETS {
        let mut n_inputs = 0;
        for entry in fs::read_dir(corpora.join(name)).unwrap() {
            let path = entry.unwrap().path();
            let input = fs::read(&path).unwrap();
            assert!(catch_unwind(|| target(&input)).is_ok(), "{}", path.display());
            n_inputs += 1;
        }
        assert!(n_inputs >= 5, "{name} has inputs");
    }
}

#[test]
fn every_corpus_has_a_target() {
    let corpora = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus");
    for entry in fs::read_dir(corpora).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(wire::fuzz::TARGETS.iter().any(|it| it.0 == name), "{name}");
    }
}
