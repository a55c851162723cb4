#![no_main]

use std::sync::LazyLock;

static ROOT: LazyLock<tempfile::TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|data: &[u8]| agent::fuzz::answer(ROOT.path(), data));
