//! The fuzz target over its corpus.

use std::path::Path;

use pipeline::fuzz;
use proptest::prelude::*;

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/restore");
    let files = std::fs::read_dir(folder).expect("a corpus");
    files.map(|it| std::fs::read(it.expect("an entry").path()).expect("a file")).collect()
}

#[test]
fn the_fuzz_corpus_never_panics() {
    let corpus = corpus();
    assert!(!corpus.is_empty());
    for bytes in corpus {
        for end in 0..=bytes.len() {
            fuzz::restore(&bytes[..end]);
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_checkpoint_never_panics(file in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let corpus = corpus();
        let mut bytes = file.get(&corpus).clone();
        if !bytes.is_empty() {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        fuzz::restore(&bytes);
    }
}
