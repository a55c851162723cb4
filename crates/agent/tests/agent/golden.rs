//! Our answers next to those of the real zabbix_agentd on the same machine at the same moment.
//!
//! Each key is answered by it, by us, and by it again: a figure that moves must lie between its two
//! answers, give or take the slack of its case. Where 6.0 (Debian's) and 7.0 differ, the case says
//! so.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::Command;
use std::time::Duration;

use agent::{Agent, AgentSettings, KeyAnswer, Value};
use model::key::ItemKey;
use model::{Now, Time};
use peers::AgentKind;

const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 77, 1);

/// One of Zabbix's agents; dropping this value ends it.
pub(crate) struct Golden(peers::Agent);

impl Golden {
    /// zabbix_agentd; None where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_kind(AgentKind::Agentd)
    }

    pub(crate) fn start_kind(kind: AgentKind) -> Option<Self> {
        let address = (ADDRESS, peers::free_tcp_address().port()).into();
        let lines = "Hostname=golden\nHostMetadata=linux\nTimeout=10";
        let golden = Self(kind.start(address, lines)?);
        // It listens before it has counted the processors, which takes it a second or two.
        peers::wait_until("it has looked at the processors", Duration::from_secs(60), || {
            !golden.get("system.cpu.util").starts_with("ZBX_NOTSUPPORTED")
        });
        Some(golden)
    }

    pub(crate) fn get(&self, key: &str) -> String {
        let mut stream = TcpStream::connect(self.0.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
        let mut frame = b"ZBXD\x01".to_vec();
        frame.extend((key.len() as u64).to_le_bytes());
        frame.extend(key.as_bytes());
        stream.write_all(&frame).expect("the key is sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer comes");
        let text = String::from_utf8_lossy(answer.get(13..).expect("a header")).into_owned();
        text.replacen("ZBX_NOTSUPPORTED\0", "ZBX_NOTSUPPORTED: ", 1)
    }

    /// The kinds of its values by key, from its own list of all keys: `u`, `d`, `s`, `t`.
    fn kinds(&self) -> Vec<(String, char)> {
        let program = peers::program("zabbix_agentd").expect("it runs");
        let output = Command::new(program)
            .arg("--config")
            .arg(self.0.folder.path().join("settings"))
            .arg("--print")
            .output()
            .expect("zabbix_agentd prints its keys");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let kind = |line: &str| {
            let (key, answer) = line.split_once(' ')?;
            let (kind, _) = answer.trim_start().strip_prefix('[')?.split_once('|')?;
            Some((key.to_owned(), kind.chars().next()?))
        };
        text.lines().filter_map(kind).collect()
    }
}

fn ours() -> Agent {
    Agent::new(AgentSettings {
        hostname: "golden".to_owned(),
        host_metadata: "linux".to_owned(),
        ..AgentSettings::default()
    })
}

#[expect(clippy::disallowed_methods, reason = "the real agent answers by the real clock")]
pub(crate) fn now() -> Now {
    let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = wall.expect("we live after 1970").as_nanos();
    let nanos = i64::try_from(nanos).expect("we live before 2262");
    Now { wall: Time(nanos), mono_ns: nanos.unsigned_abs() }
}

pub(crate) fn ask(agent: &Agent, key: &str) -> KeyAnswer {
    match ItemKey::parse(key) {
        Ok(key) => agent.get(&key, now()),
        Err(_not_a_key) => KeyAnswer::NotSupported("Invalid item key format.".to_owned()),
    }
}

pub(crate) fn text(answer: &KeyAnswer) -> String {
    match answer {
        KeyAnswer::Value(value) => value.to_string(),
        KeyAnswer::NotSupported(reason) => format!("ZBX_NOTSUPPORTED: {reason}"),
    }
}

/// Keys whose answers must be the same to the letter: constants of the machine, and refusals.
const SAME: &str = include_str!("golden_same.txt");

#[test]
fn constants_and_refusals_are_those_of_zabbix_agentd() {
    let Some(golden) = Golden::start() else { return };
    let agent = ours();
    agent.sample(now());
    let keys: Vec<_> = SAME.lines().filter(|it| !it.is_empty() && !it.starts_with('#')).collect();
    assert!(keys.len() > 150, "the list of keys is there");
    let mut wrong = Vec::new();
    for key in keys {
        let (expected, answer) = (golden.get(key), text(&ask(&agent, key)));
        if expected != answer {
            wrong.push(format!("{key}\n  zabbix_agentd: {expected}\n  ours:          {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Figures that vary, with the slack in their own unit.
const MOVING: &[(&str, f64)] = &[
    ("system.uptime", 2.0),
    ("system.boottime", 1.0),
    ("system.localtime", 2.0),
    ("system.cpu.load", 0.02),
    ("system.cpu.load[all,avg15]", 0.02),
    ("system.cpu.load[percpu,avg5]", 0.02),
    ("system.cpu.switches", 5e3),
    ("system.cpu.intr", 5e3),
    ("kernel.openfiles", 200.0),
    ("vm.memory.size[free]", 1e8),
    ("vm.memory.size[used]", 1e8),
    ("vm.memory.size[pused]", 2.0),
    ("vm.memory.size[available]", 1e8),
    ("vm.memory.size[pavailable]", 2.0),
    ("vm.memory.size[active]", 1e8),
    ("vm.memory.size[inactive]", 1e8),
    ("vm.memory.size[anon]", 1e8),
    ("vm.memory.size[buffers]", 1e7),
    ("vm.memory.size[cached]", 1e8),
    ("vm.memory.size[slab]", 1e7),
    ("system.swap.size", 1e8),
    ("system.swap.size[all,used]", 1e8),
    ("system.swap.size[all,pfree]", 5.0),
    ("system.swap.size[,pused]", 5.0),
    ("system.swap.in", 1e5),
    ("system.swap.out[all,pages]", 1e5),
    ("vfs.file.time[/etc/passwd,access]", 1.0),
    ("vfs.fs.size[/,free]", 5e7),
    ("vfs.fs.size[/,used]", 5e7),
    ("vfs.fs.size[/,pfree]", 0.1),
    ("vfs.fs.size[/,pused]", 0.1),
    ("vfs.fs.inode[/,free]", 1e4),
    ("vfs.fs.inode[/,used]", 1e4),
    ("vfs.fs.inode[/,pfree]", 0.1),
    ("vfs.fs.inode[/,pused]", 0.1),
    ("vfs.dev.read[,sectors]", 1e5),
    ("vfs.dev.write[,operations]", 1e4),
    ("vfs.dev.read", 1e9),
    ("vfs.dev.write[all,ops,avg5]", 1e9),
    ("net.if.in[lo]", 1e6),
    ("net.if.out[lo,packets]", 1e4),
    ("net.if.total[lo,bytes]", 2e6),
    ("proc.num", 20.0),
    ("proc.num[,root]", 20.0),
    ("proc.num[,,sleep]", 20.0),
    ("proc.num[,,run]", 20.0),
    ("proc.mem", 2e10),
    ("proc.mem[zabbix_agentd]", 1e8),
    ("proc.mem[zabbix_agentd,,avg]", 5e7),
    ("proc.mem[zabbix_agentd,,,,rss]", 1e8),
    ("proc.mem[zabbix_agentd,,,,size]", 5e7),
    ("proc.mem[zabbix_agentd,,max,,data]", 5e7),
    ("proc.mem[zabbix_agentd,,,,pte]", 5e6),
    ("proc.mem[zabbix_agentd,,,,pmem]", 1.0),
    ("system.cpu.util", 100.0),
    ("system.cpu.util[0,idle,avg15]", 100.0),
];

#[test]
fn moving_figures_agree_with_zabbix_agentd() {
    let Some(golden) = Golden::start() else { return };
    let agent = ours();
    agent.sample(now());
    let mut wrong = Vec::new();
    for (key, slack) in MOVING {
        let before = golden.get(key);
        let answer = text(&ask(&agent, key));
        let after = golden.get(key);
        let number = |text: &str| text.parse::<f64>().ok();
        let decimals = |text: &str| text.split_once('.').map(|it| it.1.len());
        let agrees = match (number(&before), number(&answer), number(&after)) {
            (Some(before), Some(answer), Some(after)) => {
                (before.min(after) - slack..=before.max(after) + slack).contains(&answer)
            }
            _ => false,
        };
        if !agrees || decimals(&before) != decimals(&answer) {
            wrong.push(format!("{key}: zabbix_agentd {before} … {after}, ours {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinds_of_values_are_those_of_zabbix_agentd() {
    let Some(golden) = Golden::start() else { return };
    let agent = ours();
    agent.sample(now());
    let mut n_compared = 0;
    for (key, kind) in golden.kinds() {
        let parsed = ItemKey::parse(&key).expect("a key");
        // `m` is a message: not supported here. Keys without a collector are run elsewhere.
        if kind == 'm' || !Agent::keys().any(|it| it.0 == parsed.name) {
            continue;
        }
        let ours = match ask(&agent, &key) {
            KeyAnswer::Value(Value::Unsigned(_)) => 'u',
            KeyAnswer::Value(Value::Float(_)) => 'd',
            KeyAnswer::Value(Value::Text(_)) => 's',
            KeyAnswer::NotSupported(reason) => panic!("{key}: {reason}"),
        };
        assert_eq!(ours, if kind == 't' { 's' } else { kind }, "{key}");
        n_compared += 1;
    }
    assert!(n_compared > 40, "only {n_compared} keys were compared");
}

/// The rows as a set of texts, with the members in `keep` only.
fn rows(json: &str, keep: &[&str]) -> Vec<String> {
    let rows: serde_json::Value = serde_json::from_str(json).expect("rows are JSON");
    let mut rows: Vec<_> = rows
        .as_array()
        .expect("rows are an array")
        .iter()
        .map(|row| keep.iter().map(|it| format!("{it}={} ", row[it])).collect::<String>())
        .collect();
    rows.sort_unstable();
    rows
}

#[test]
fn discovery_finds_the_same_as_zabbix_agentd() {
    let Some(golden) = Golden::start() else { return };
    let agent = ours();
    for (key, members) in [
        ("system.cpu.discovery", &["{#CPU.NUMBER}", "{#CPU.STATUS}"][..]),
        ("vfs.fs.discovery", &["{#FSNAME}", "{#FSTYPE}"]),
        ("vfs.dev.discovery", &["{#DEVNAME}", "{#DEVTYPE}"]),
        ("net.if.discovery", &["{#IFNAME}"]),
        ("vfs.fs.get", &["fsname", "fstype"]),
    ] {
        let expected = golden.get(key);
        let answer = text(&ask(&agent, key));
        assert_eq!(rows(&answer, members), rows(&expected, members), "{key}");
    }
}

#[test]
fn figures_of_file_systems_have_the_members_of_zabbix_agentd() {
    let Some(golden) = Golden::start() else { return };
    let shape = |json: &str| {
        let rows: serde_json::Value = serde_json::from_str(json).expect("rows are JSON");
        let mut root = rows.as_array().expect("an array").iter().find(|it| it["fsname"] == "/");
        let root = root.take().expect("there is a root").clone();
        let member = |path: &str| root.pointer(path).and_then(serde_json::Value::as_f64);
        let members = ["total", "free", "used", "pfree", "pused"];
        let paths = members.iter().flat_map(|it| [format!("/bytes/{it}"), format!("/inodes/{it}")]);
        paths.map(|it| member(&it).expect("each member is a number")).collect::<Vec<_>>()
    };
    let expected = shape(&golden.get("vfs.fs.get"));
    let answer = shape(&text(&ask(&ours(), "vfs.fs.get")));
    for (expected, answer) in expected.iter().zip(answer) {
        let slack = expected.abs() * 0.02 + 1.0;
        assert!((expected - answer).abs() <= slack, "{expected} {answer}");
    }
}

#[test]
fn processors_are_shown_as_by_zabbix_agentd_at_any_speed() {
    let Some(golden) = Golden::start() else { return };
    let agent = ours();
    // Numbers of processors and models stay; the frequency before the unit varies.
    let form = |text: &str| {
        let is_digit = |it: char| it.is_ascii_digit();
        text.split("MHz").map(|it| it.trim_end_matches(is_digit)).collect::<Vec<_>>().join("MHz")
    };
    for key in
        ["system.hw.cpu", "system.hw.cpu[0]", "system.hw.cpu[0,full]", "system.hw.cpu[all,curfreq]"]
    {
        let (expected, answer) = (golden.get(key), text(&ask(&agent, key)));
        assert_eq!(form(&answer), form(&expected), "{key}");
    }
    let number = |text: String| text.parse::<u64>().map_err(|_error| text);
    let key = "system.hw.cpu[0,curfreq]";
    let (expected, answer) = (number(golden.get(key)), number(text(&ask(&agent, key))));
    assert_eq!(answer.is_ok(), expected.is_ok(), "{answer:?} {expected:?}");
}
