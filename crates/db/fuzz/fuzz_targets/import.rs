#![no_main]

use std::sync::LazyLock;

use db::{Db, DbSettings, Location};

static DB: LazyLock<(tempfile::TempDir, Db)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::Sqlite(folder.path().join("saker.db"));
    let db = Db::open(&DbSettings::new(location)).expect("an empty database");
    (folder, db)
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| db::fuzz::import(&DB.1, data));
