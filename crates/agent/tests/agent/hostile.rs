//! Any key over any content of files gets an answer: no panic, no hang.

use std::path::Path;

use proptest::prelude::*;

use agent::Agent;
use model::key::{ItemKey, KeyParam};

use crate::tree::{Tree, at};

fn params() -> impl Strategy<Value = Vec<String>> {
    let param = prop_oneof![
        Just(String::new()),
        Just("all".to_owned()),
        Just("avg1".to_owned()),
        Just("/proc/stat".to_owned()),
        Just("sps".to_owned()),
        "[0-9]{1,20}",
        "\\PC{0,8}",
    ];
    prop::collection::vec(param, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_files_and_parameters_never_panic(
        content in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..400),
            "((cpu[0-9]?|Name:|MemTotal:|btime|lo:|0:|8 0 sda|/dev/a) ?([0-9]{1,21}|-|:|,|[A-F0-9]{8}:[0-9A-F]{4}| |\\\\[0-9]{3}){0,18}\n){0,6}"
                .prop_map(String::into_bytes),
        ],
        params in params(),
    ) {
        let tree = Tree::new(&[]);
        for path in agent::fuzz::FILES {
            tree.write(path, &content);
        }
        tree.agent.sample(at(1));
        tree.agent.sample(at(2));
        // These would query name servers for names that do not exist.
        let is_asked = |it: &&str| !matches!(*it, "net.tcp.port" | "zabbix.stats");
        for name in Agent::keys().map(|it| it.0).filter(|it| is_asked(it)) {
            let params: Vec<_> = params.iter().cloned().map(KeyParam::Text).collect();
            let key = ItemKey { name: name.to_owned(), has_params: !params.is_empty(), params };
            drop(tree.agent.get(&key, at(3)));
        }
    }
}

#[test]
fn a_pipe_or_an_endless_device_is_refused_instead_of_read() {
    let tree = Tree::new(&[]);
    let mode = nix::sys::stat::Mode::S_IRWXU;
    nix::unistd::mkfifo(&tree.path("pipe"), mode).expect("a pipe is made");
    std::os::unix::fs::symlink("/dev/zero", tree.path("zero")).expect("a link is made");
    for name in ["pipe", "zero"] {
        for key in [
            format!("vfs.file.contents[/{name}]"),
            format!("vfs.file.regexp[/{name},x]"),
            format!("vfs.file.md5sum[/{name}]"),
            format!("vfs.file.size[/{name},lines]"),
        ] {
            assert_eq!(tree.get(&key), "ZBX_NOTSUPPORTED: Cannot read from file.", "{key}");
        }
    }
}

#[test]
fn a_regular_expression_that_explodes_gives_up() {
    let line = format!("{}!\n", "a".repeat(40_000));
    let tree = Tree::new(&[("/log", &line)]);
    assert_eq!(tree.get(r#"vfs.file.regmatch[/log,"^(a+)+$"]"#), "0");
}

#[test]
fn the_fuzz_corpus_never_panics() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/answer");
    for entry in std::fs::read_dir(folder).expect("a corpus") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        agent::fuzz::answer(root.path(), &bytes);
    }
}
