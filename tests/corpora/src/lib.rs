//! The fuzz targets over their corpora, and over random texts of their languages.

#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests: a panic is a failed test"
)]

use std::path::{Path, PathBuf};

use ::formats::fuzz::{PIECES, TOWERS};
use proptest::prelude::*;

/// Name, and a function that takes bytes without a panic.
type Targets = &'static [(&'static str, fn(&[u8]))];

fn files(of: &str, target: &str) -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates");
    let folder = crates.join(of).join("fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    files.sort();
    files
}

fn corpora_pass(of: &str, targets: Targets) {
    for (name, run) in targets {
        let files = files(of, name);
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

fn deep_nesting_is_no_overflow(targets: Targets) {
    for unit in TOWERS {
        let text = unit.repeat(200_000 / unit.len());
        for (_, run) in targets {
            run(text.as_bytes());
            run(format!("$.a\n{text}").as_bytes());
            run(format!("{text}\n<a/>").as_bytes());
            run(format!(",\n\"\n1\n{text}").as_bytes());
            run(format!(".1\n{text}").as_bytes());
        }
    }
}

macro_rules! tests_of {
    ($($name:ident),*) => {$(
        mod $name {
            use proptest::prelude::*;
            use ::$name::fuzz::TARGETS;

            #[test]
            fn corpora_pass() {
                super::corpora_pass(stringify!($name), TARGETS);
            }

            #[test]
            fn deep_nesting_is_an_error_and_no_overflow() {
                super::deep_nesting_is_no_overflow(TARGETS);
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

                #[test]
                fn parsers_never_panic(text in super::hostile()) {
                    TARGETS.iter().for_each(|it| it.1(text.as_bytes()));
                }

                #[test]
                fn parsers_never_panic_on_any_text(text in "\\PC{0,80}") {
                    TARGETS.iter().for_each(|it| it.1(text.as_bytes()));
                }
            }
        }
    )*};
}

proptest! {
    #[test]
    fn numbers_print_as_what_they_are(value in any::<f64>()) {
        prop_assume!(value.is_finite());
        let text = ::formats::number::format_f64(value);
        prop_assert_eq!(::formats::number::parse_f64(&text), Some(value));
    }
}

tests_of!(formats, lang, preprocess, script);
