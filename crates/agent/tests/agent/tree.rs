//! A folder that stands for `/`.

use std::fs;

use agent::{Agent, AgentSettings, KeyAnswer};
use model::key::ItemKey;
use model::{Now, Time};

pub(crate) const SECOND_NS: u64 = 1_000_000_000;

pub(crate) struct Tree {
    folder: tempfile::TempDir,
    pub(crate) agent: Agent,
}

impl Tree {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, |_| {})
    }

    pub(crate) fn with(files: &[(&str, &str)], change: impl FnOnce(&mut AgentSettings)) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut settings =
            AgentSettings { root: folder.path().to_owned(), ..AgentSettings::default() };
        change(&mut settings);
        let tree = Self { folder, agent: Agent::new(settings) };
        for (path, content) in files {
            tree.write(path, content.as_bytes());
        }
        tree
    }

    pub(crate) fn write(&self, path: &str, content: &[u8]) {
        let path = self.folder.path().join(path.trim_start_matches('/'));
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folder is made");
        fs::write(path, content).expect("file is written");
    }

    pub(crate) fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path.trim_start_matches('/'))
    }

    pub(crate) fn answer_at(&self, key: &str, now: Now) -> KeyAnswer {
        self.agent.get(&ItemKey::parse(key).expect("a key"), now)
    }

    pub(crate) fn answer(&self, key: &str) -> KeyAnswer {
        self.answer_at(key, at(0))
    }

    /// The value or the refusal as text.
    pub(crate) fn get(&self, key: &str) -> String {
        text(self.answer(key))
    }
}

pub(crate) fn at(seconds: u64) -> Now {
    Now { wall: Time::from_clock(1_800_000_000, 765_000_000), mono_ns: seconds * SECOND_NS }
}

pub(crate) fn text(answer: KeyAnswer) -> String {
    match answer {
        KeyAnswer::Value(value) => value.to_string(),
        KeyAnswer::NotSupported(reason) => format!("ZBX_NOTSUPPORTED: {reason}"),
    }
}
