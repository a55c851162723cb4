//! The fuzz targets over their corpora, and over random texts made of what their languages are made of.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test"
)]

use std::path::{Path, PathBuf};

use formats::fuzz::{PIECES, TOWERS};
use lang::fuzz::TARGETS;
use proptest::prelude::*;

fn files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn corpora_pass() {
    for (name, run) in TARGETS {
        let files = files(name);
        assert!(!files.is_empty(), "{name} has a corpus");
        for file in files {
            let bytes = std::fs::read(&file).unwrap();
            run(&bytes);
            // A text cut anywhere is a text as well.
            for end in 0..bytes.len() {
                run(&bytes[..end]);
            }
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop::collection::vec(0..PIECES.len(), 0..40)
        .prop_map(|picks| picks.into_iter().map(|it| PIECES[it]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parsers_never_panic(text in hostile()) {
        for (_, run) in TARGETS {
            run(text.as_bytes());
        }
    }

    #[test]
    fn parsers_never_panic_on_any_text(text in "\\PC{0,80}") {
        for (_, run) in TARGETS {
            run(text.as_bytes());
        }
    }
}

#[test]
fn deep_nesting_is_an_error_and_no_overflow() {
    for unit in TOWERS {
        let text = unit.repeat(200_000 / unit.len());
        for (_, run) in TARGETS {
            run(text.as_bytes());
            run(format!("$.a\n{text}").as_bytes());
            run(format!("{text}\n<a/>").as_bytes());
            run(format!(",\n\"\n1\n{text}").as_bytes());
            run(format!(".1\n{text}").as_bytes());
        }
    }
}
