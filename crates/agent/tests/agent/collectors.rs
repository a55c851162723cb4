//! Collectors over fixture trees.

use std::time::Duration;

use agent::{Agent, AgentSettings, Cost, KeyAnswer, KeyRule, KeyRules, Value};
use model::key::ItemKey;

use crate::tree::{Tree, at, text};

fn value(answer: KeyAnswer) -> Value {
    match answer {
        KeyAnswer::Value(value) => value,
        KeyAnswer::NotSupported(reason) => panic!("not supported: {reason}"),
    }
}

const MEMINFO: &str = "MemTotal:        8000 kB\nMemFree:         2000 kB\nMemAvailable:    4000 kB\n\
    Buffers:          100 kB\nCached:          1500 kB\nSwapCached:         7 kB\n\
    Active:           900 kB\nInactive:         800 kB\nActive(anon):      70 kB\n\
    SwapTotal:       1000 kB\nSwapFree:         750 kB\nAnonPages:         60 kB\n\
    Slab:             300 kB\n";

#[test]
fn memory_is_in_bytes_and_shares_are_of_the_total() {
    let tree = Tree::new(&[("/proc/meminfo", MEMINFO)]);
    for (key, expected) in [
        ("vm.memory.size", "8192000"),
        ("vm.memory.size[free]", "2048000"),
        ("vm.memory.size[used]", "6144000"),
        ("vm.memory.size[pused]", "75.000000"),
        ("vm.memory.size[available]", "4096000"),
        ("vm.memory.size[pavailable]", "50.000000"),
        ("vm.memory.size[active]", "921600"),
        ("vm.memory.size[cached]", "1536000"),
        ("vm.memory.size[slab]", "307200"),
        ("system.swap.size", "768000"),
        ("system.swap.size[,used]", "256000"),
        ("system.swap.size[all,pfree]", "75.000000"),
        ("system.swap.size[all,pused]", "25.000000"),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
}

#[test]
fn available_memory_is_estimated_on_old_kernels() {
    let old = MEMINFO.replace("MemAvailable:    4000 kB\n", "");
    let tree = Tree::new(&[("/proc/meminfo", &old)]);
    assert_eq!(tree.get("vm.memory.size[available]"), "3686400");
}

fn stat(user: u64, idle: u64, guest: u64) -> String {
    format!(
        "cpu  {user} 0 0 {idle} 0 0 0 0 {guest} 0\ncpu0 {user} 0 0 {idle} 0 0 0 0 {guest} 0\n\
         intr 77 1 2\nctxt 55\nbtime 1700000000\n"
    )
}

#[test]
fn processor_time_is_a_share_and_guests_count_once() {
    let tree = Tree::new(&[]);
    let util = |state, now| text(tree.answer_at(&format!("system.cpu.util[,{state}]"), at(now)));
    assert_eq!(util("user", 0), "ZBX_NOTSUPPORTED: Collector is not started.");
    tree.write("/proc/stat", stat(1000, 1000, 100).as_bytes());
    tree.agent.sample(at(1));
    assert_eq!(util("user", 1), "0.000000");
    // 60 ticks as user, 40 of these for a guest, 40 idle.
    tree.write("/proc/stat", stat(1060, 1040, 140).as_bytes());
    tree.agent.sample(at(2));
    assert_eq!(util("user", 2), "20.000000");
    assert_eq!(util("guest", 2), "40.000000");
    assert_eq!(util("idle", 2), "40.000000");
    assert_eq!(tree.get("system.cpu.util[0,idle,avg15]"), "40.000000");
    assert_eq!(
        tree.get("system.cpu.util[1,idle]"),
        "ZBX_NOTSUPPORTED: Cannot obtain CPU information."
    );
}

#[test]
fn a_processor_that_goes_offline_has_no_figures_until_it_is_back() {
    let both = format!("{}cpu1 0 0 0 5 0 0 0 0 0 0\n", stat(1, 1, 0));
    let tree = Tree::new(&[("/proc/stat", &both)]);
    tree.agent.sample(at(1));
    assert_eq!(tree.get("system.cpu.util[1,idle]"), "0.000000");
    tree.write("/proc/stat", stat(2, 2, 0).as_bytes());
    tree.agent.sample(at(2));
    assert_eq!(
        tree.get("system.cpu.util[1,idle]"),
        "ZBX_NOTSUPPORTED: Cannot obtain CPU information."
    );
}

#[test]
fn processors_are_found_with_their_status() {
    let tree = Tree::new(&[
        ("/sys/devices/system/cpu/online", "0-1\n"),
        ("/sys/devices/system/cpu/present", "0-2\n"),
        ("/proc/loadavg", "1.50 0.30 0.10 3/97 12434\n"),
    ]);
    assert_eq!(
        tree.get("system.cpu.discovery"),
        r##"[{"{#CPU.NUMBER}":0,"{#CPU.STATUS}":"online"},{"{#CPU.NUMBER}":1,"{#CPU.STATUS}":"online"},{"{#CPU.NUMBER}":2,"{#CPU.STATUS}":"offline"}]"##
    );
    assert_eq!(tree.get("system.cpu.num"), "2");
    assert_eq!(tree.get("system.cpu.num[max]"), "3");
    assert_eq!(tree.get("system.cpu.load[percpu]"), "0.750000");
    assert_eq!(tree.get("system.cpu.load[,avg5]"), "0.300000");
}

fn disks(reads: u64, sectors: u64) -> String {
    format!(
        "   8       0 sda {reads} 5 {sectors} 9 20 5 400 9 0 12 36 0 0 0 0 1 2\n   \
         8       1 sda1 1 5 2 9 3 5 4 9 0 12 36 0 0 0 0 1 2\n"
    )
}

#[test]
fn disk_speed_is_measured_from_the_first_request_on() {
    let tree = Tree::new(&[("/proc/diskstats", &disks(100, 1000))]);
    let ask = |key: &str, second| value(tree.answer_at(key, at(second)));
    assert_eq!(ask("vfs.dev.read[sda]", 1), Value::Float(0.0));
    tree.write("/proc/diskstats", disks(150, 3000).as_bytes());
    tree.agent.sample(at(11));
    assert_eq!(ask("vfs.dev.read[sda]", 11), Value::Float(200.0));
    assert_eq!(ask("vfs.dev.read[/dev/sda,ops,avg5]", 11), Value::Float(5.0));
    assert_eq!(ask("vfs.dev.write[sda,ops]", 11), Value::Float(0.0));
    assert_eq!(ask("vfs.dev.read[sda,operations]", 11), Value::Unsigned(150));
    assert_eq!(ask("vfs.dev.write[sda,sectors]", 11), Value::Unsigned(400));
    assert_eq!(ask("vfs.dev.write[,operations]", 11), Value::Unsigned(23));
}

#[test]
fn block_devices_are_found_by_name_and_kind() {
    let tree = Tree::new(&[
        ("/sys/class/block/sda/uevent", "MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk\n"),
        ("/sys/class/block/sda1/uevent", "DEVNAME=sda1\nDEVTYPE=partition\n"),
    ]);
    assert_eq!(
        tree.get("vfs.dev.discovery"),
        r##"[{"{#DEVNAME}":"sda","{#DEVTYPE}":"disk"},{"{#DEVNAME}":"sda1","{#DEVTYPE}":"partition"}]"##
    );
}

#[test]
fn discovery_of_file_systems_does_not_touch_them() {
    // None of these exists below the fixture's root.
    let mounts = "srv:/x /mnt/dead\\040server nfs4 rw,hard 0 0\n/dev/sda1 / ext4 rw 0 0\n";
    let tree = Tree::new(&[("/proc/mounts", mounts)]);
    assert_eq!(
        tree.get("vfs.fs.discovery"),
        r##"[{"{#FSNAME}":"/mnt/dead server","{#FSTYPE}":"nfs4","{#FSOPTIONS}":"rw,hard"},{"{#FSNAME}":"/","{#FSTYPE}":"ext4","{#FSOPTIONS}":"rw"}]"##
    );
    assert!(!Agent::may_block(&ItemKey::parse("vfs.fs.discovery").expect("a key")));
    assert!(Agent::may_block(&ItemKey::parse("vfs.fs.size[/]").expect("a key")));
}

#[test]
fn listening_ports_are_found_in_both_families() {
    let head = "  sl  local_address rem_address   st tx_queue\n";
    let tcp = format!(
        "{head}   0: 0100007F:2742 00000000:0000 0A 0:0\n   1: 0100007F:1F90 0100007F:D2F0 01 0:0\n"
    );
    let tcp6 = format!("{head}   0: {0}:0016 {0}:0000 0A 0:0\n", "0".repeat(32));
    let udp = format!("{head}  7: 00000000:0044 00000000:0000 07 0:0\n");
    let tree =
        Tree::new(&[("/proc/net/tcp", &tcp), ("/proc/net/tcp6", &tcp6), ("/proc/net/udp", &udp)]);
    for (key, expected) in [
        ("net.tcp.listen[10050]", "1"),
        ("net.tcp.listen[8080]", "0"),
        ("net.tcp.listen[22]", "1"),
        ("net.udp.listen[68]", "1"),
        ("net.udp.listen[22]", "0"),
        ("net.tcp.listen[70000]", "ZBX_NOTSUPPORTED: Invalid first parameter."),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
}

fn processes() -> Tree {
    let status = |name: &str, state: &str, rss: u64| {
        format!("Name:\t{name}\nState:\t{state}\nVmSize:\t 100 kB\nVmRSS:\t {rss} kB\n")
    };
    Tree::new(&[
        ("/proc/meminfo", MEMINFO),
        ("/proc/1/status", &status("init", "S (sleeping)", 10)),
        ("/proc/1/cmdline", "/sbin/init\0splash\0"),
        ("/proc/20/status", &status("a_very_long_nam", "R (running)", 30)),
        ("/proc/20/cmdline", "/opt/a_very_long_name_of_a_program\0--port\080\0"),
        ("/proc/21/status", "Name:\tkworker/0:1\nState:\tI (idle)\n"),
        ("/proc/21/cmdline", ""),
        ("/proc/fs/status", "Name:\tinit\nState:\tS\n"),
    ])
}

#[test]
fn processes_are_chosen_by_name_state_and_command_line() {
    let tree = processes();
    for (key, expected) in [
        ("proc.num", "3"),
        ("proc.num[init]", "1"),
        ("proc.num[a_very_long_name_of_a_program]", "1"),
        ("proc.num[,,run]", "1"),
        ("proc.num[,,sleep]", "1"),
        ("proc.num[,,,--port 80$]", "1"),
        ("proc.num[kworker/0:1]", "1"),
        ("proc.num[,nobody-has-this-name]", "0"),
        ("proc.mem", "204800"),
        ("proc.mem[,,avg,,rss]", "20480.000000"),
        ("proc.mem[,,max,,rss]", "30720"),
        ("proc.mem[init,,min,,rss]", "10240"),
        ("proc.mem[nothing,,min]", "0"),
        ("proc.mem[,,,,pmem]", "0.500000"),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
}

#[test]
fn names_and_versions_are_those_of_the_kernel() {
    let tree = Tree::new(&[
        ("/proc/sys/kernel/hostname", "Web01\n"),
        ("/etc/hosts", "127.0.0.1 localhost\n10.0.0.7 web01.example.org Web01 # me\n"),
        ("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Some Linux 3\"\n"),
        ("/proc/version", "Linux version 6.1\n"),
        ("/proc/uptime", "726.31 1400.02\n"),
        ("/proc/stat", &stat(1, 1, 0)),
        ("/proc/sys/fs/file-nr", "617\t0\t2466177\n"),
    ]);
    for (key, expected) in [
        ("system.hostname", "Web01"),
        ("system.hostname[,lower]", "web01"),
        ("system.hostname[fqdn]", "web01.example.org"),
        ("agent.hostname", "Web01"),
        ("system.sw.os", "Linux version 6.1"),
        ("system.sw.os[name]", "Some Linux 3"),
        ("system.uptime", "726"),
        ("system.boottime", "1700000000"),
        ("system.cpu.switches", "55"),
        ("system.cpu.intr", "77"),
        ("kernel.openfiles", "617"),
        ("system.users.num", "0"),
        (
            "system.sw.os[short]",
            "ZBX_NOTSUPPORTED: Cannot open /proc/version_signature: [2] No such file or directory",
        ),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
}

#[test]
fn times_are_those_of_the_request() {
    let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(5));
    let tree = Tree::with(&[], |settings| settings.time_zone = zone);
    assert_eq!(value(tree.answer("system.localtime")), Value::Unsigned(1_800_000_000));
    assert_eq!(tree.get("system.localtime[local]"), "2027-01-15,13:00:00.765,+05:00");
}

#[test]
fn lines_are_chosen_from_files_by_number_and_pattern() {
    let tree = Tree::new(&[("/log", "one 1\ntwo 2\r\nthree 3\nlast without end")]);
    for (key, expected) in [
        ("vfs.file.size[/log,lines]", "4"),
        ("vfs.file.regexp[/log,^t]", "two 2"),
        ("vfs.file.regexp[/log,^t,,3]", "three 3"),
        ("vfs.file.regexp[/log,^t,,,1]", ""),
        (r#"vfs.file.regexp[/log,"(\w+) (\d)",,2,3,"\2=\1\9 \x"]"#, r"2=two \x"),
        ("vfs.file.regmatch[/log,end$]", "1"),
        ("vfs.file.regmatch[/log,end$,,,3]", "0"),
        ("vfs.file.contents[/log]", "one 1\ntwo 2\r\nthree 3\nlast without end"),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
}

#[test]
fn large_files_are_refused_not_loaded() {
    let largest = "x".repeat(16 << 20);
    let tree = Tree::new(&[("/large", &largest), ("/big", &format!("{largest}x"))]);
    let refusal = "ZBX_NOTSUPPORTED: File is too large for this check.";
    assert!(tree.get("vfs.file.contents[/large]") == largest, "it comes whole");
    assert_eq!(tree.get("vfs.file.contents[/big]"), refusal);
    let sparse = std::fs::File::create(tree.path("sparse")).expect("a file");
    sparse.set_len(1 << 40).expect("a sparse file is made");
    assert_eq!(tree.get("vfs.file.md5sum[/sparse]"), refusal);
    assert_eq!(tree.get("vfs.file.regmatch[/sparse,x]"), refusal);
}

#[test]
fn texts_of_files_have_a_bound_in_sum() {
    let content = "x".repeat(4 << 20);
    let memory = agent::Memory::new(20 << 20);
    let tree = Tree::with(&[("/log", &content), ("/small", "1")], |it| it.memory = memory.clone());
    let ask = |path: &str, room: &agent::Room| {
        let key = ItemKey::parse(&format!("vfs.file.contents[{path}]")).expect("a key");
        text(tree.agent.get_in(&key, at(0), Duration::from_secs(3), room))
    };
    let (first, second) = (memory.room(), memory.room());
    assert!(ask("/log", &first) == content);
    assert!((8 << 20) <= memory.taken(), "{}", memory.taken());
    let refusal = format!("ZBX_NOTSUPPORTED: {}", agent::NO_ROOM);
    assert_eq!(ask("/log", &second), refusal);
    assert!(memory.taken() <= 20 << 20, "{}", memory.taken());
    assert_eq!(ask("/small", &memory.room()), "1");
    drop((first, second));
    assert_eq!(memory.taken(), 0);
    assert!(tree.get("vfs.file.contents[/log]") == content);
    assert_eq!(memory.taken(), 0);
}

#[test]
fn users_are_counted_by_login_records_of_living_processes() {
    let tree = Tree::new(&[("/proc/42/status", "")]);
    let record = |kind: u8, pid: u8| {
        let mut record = vec![0; size_of::<nix::libc::utmpx>()];
        record[0] = kind;
        record[4] = pid;
        record
    };
    let records = [record(7, 42), record(7, 43), record(2, 42), record(7, 42)].concat();
    tree.write("/var/run/utmp", &records);
    assert_eq!(tree.get("system.users.num"), "2");
}

#[test]
fn denied_keys_do_not_exist() {
    let tree = Tree::with(&[("/etc/passwd", "root\n")], |settings| {
        let root = std::mem::take(&mut settings.root);
        *settings = AgentSettings {
            root,
            ..AgentSettings::inside_server(model::networks::Destinations::default())
        };
    });
    let unsupported = "ZBX_NOTSUPPORTED: Unsupported item key.";
    assert_eq!(tree.get("system.run[id]"), unsupported);
    assert_eq!(tree.get("no.such.key"), unsupported);
    assert_eq!(tree.get("vfs.file.contents[/etc/passwd]"), unsupported);
    assert_eq!(tree.get("vfs.file.md5sum[/etc/passwd]"), unsupported);
    assert_eq!(tree.get("vfs.file.exists[/etc/passwd]"), "1");

    let strict = Tree::with(&[], |settings| {
        let rules = [KeyRule::Allow("agent.*".into()), KeyRule::Deny("*".into())];
        settings.key_rules = KeyRules::new(rules).expect("good rules");
    });
    assert_eq!(strict.get("agent.ping"), "1");
    assert_eq!(strict.get("system.uname"), unsupported);
}

#[test]
fn agent_reports_its_name_and_version() {
    let tree = Tree::with(&[], |settings| {
        settings.hostname = "golden".into();
        settings.host_metadata = "linux".into();
        settings.version = "1.2.3".into();
    });
    assert_eq!(value(tree.answer("agent.ping")), Value::Unsigned(1));
    assert_eq!(tree.get("agent.hostname"), "golden");
    assert_eq!(tree.get("agent.hostmetadata"), "linux");
    assert_eq!(tree.get("agent.version"), "1.2.3");
    assert_eq!(tree.get("agent.variant"), "1");
    assert_eq!(tree.get("agent.ping[]"), "ZBX_NOTSUPPORTED: Item does not allow parameters.");
}

#[test]
fn every_key_is_listed_once_and_those_that_wait_are_marked() {
    let mut names: Vec<_> = Agent::keys().map(|it| it.0).collect();
    let n_names = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n_names);
    for (name, cost) in Agent::keys() {
        let waits = [
            "modbus.",
            "net.dns",
            "net.tcp.port",
            "net.tcp.service",
            "net.tcp.socket",
            "net.udp.service",
            "net.udp.socket",
            "proc.",
            "sensor",
            "system.hw.",
            "system.sw.packages",
            "vfs.dir.",
            "vfs.file.",
            "vfs.fs.",
            "web.",
            "zabbix.",
        ];
        let expected = waits.iter().any(|it| name.starts_with(it)) && name != "vfs.fs.discovery";
        assert_eq!(cost == Cost::MayBlock, expected, "{name}");
    }
}

#[test]
fn many_threads_may_request_and_sample() {
    let tree = Tree::new(&[("/proc/stat", &stat(1, 1, 0)), ("/proc/diskstats", &disks(1, 1))]);
    std::thread::scope(|scope| {
        for thread in 0..4_u64 {
            let tree = &tree;
            scope.spawn(move || {
                for second in 0..200 {
                    tree.agent.sample(at(second * 4 + thread));
                    assert_eq!(tree.get("vfs.dev.read[sda,operations]"), "1");
                    assert_eq!(tree.get("vfs.dev.read[sda]"), "0.000000");
                    assert_eq!(tree.get("system.cpu.util"), "0.000000");
                }
            });
        }
    });
}

const STATUS: &str = "Name:\tserver\nState:\tS (sleeping)\nPid:\t7\nPPid:\t1\nUid:\t0\t0\t0\t0\n\
    Gid:\t0\t0\t0\t0\nVmPeak:\t  300 kB\nVmSize:\t  200 kB\nVmRSS:\t  80 kB\nVmData:\t 10 kB\n\
    VmStk:\t  4 kB\nVmExe:\t  6 kB\nThreads:\t2\nvoluntary_ctxt_switches:\t5\n\
    nonvoluntary_ctxt_switches:\t6\n";

fn process_stat(user: u64, system: u64) -> String {
    format!("7 (a ) b) S 1 7 7 0 -1 0 90 0 3 0 {user} {system} 0 0 20 0 2 0 555 0 0\n")
}

#[test]
fn processes_are_listed_singly_by_thread_and_summed() {
    let stat = process_stat(70, 30);
    let tree = Tree::new(&[
        ("/proc/meminfo", MEMINFO),
        ("/proc/7/status", STATUS),
        ("/proc/7/stat", &stat),
        ("/proc/7/cmdline", "/bin/server\0-x\0"),
        ("/proc/7/smaps_rollup", "00-11 ---p [rollup]\nRss: 80 kB\nPss: 40 kB\n"),
        ("/proc/7/task/7/status", STATUS),
        ("/proc/7/task/7/stat", &stat),
        ("/proc/8/status", &STATUS.replace("Pid:\t7", "Pid:\t8")),
        ("/proc/8/stat", &stat),
    ]);
    let rows = |key: &str| -> Vec<serde_json::Value> {
        serde_json::from_str(&tree.get(key)).unwrap_or_else(|_| panic!("{}", tree.get(key)))
    };
    let processes = rows("proc.get[server]");
    assert_eq!(processes.len(), 2);
    let one = processes.iter().find(|it| it["pid"] == 7).expect("it is there");
    for (name, expected) in [
        ("ppid", 1),
        ("vsize", 204_800),
        ("rss", 81_920),
        ("peak", 307_200),
        ("size", 20_480),
        ("cputime_user", 70),
        ("cputime_system", 30),
        ("ctx_switches", 11),
        ("threads", 2),
        ("page_faults", 3),
        ("pss", 40_960),
        ("swap", 0),
        ("uid", 0),
    ] {
        assert_eq!(one[name], expected, "{name}");
    }
    assert_eq!((&one["state"], &one["cmdline"]), (&"sleeping".into(), &"/bin/server -x".into()));
    assert_eq!((&one["user"], &one["pmem"]), (&"root".into(), &1.0.into()));
    let threads = rows("proc.get[,,,thread]");
    assert_eq!(
        (threads.len(), &threads[0]["tid"], &threads[0]["tname"]),
        (1, &7.into(), &"server".into())
    );
    let summary = rows("proc.get[,root,,summary]");
    assert_eq!((&summary[0]["processes"], &summary[0]["vsize"]), (&2.into(), &409_600.into()));
    assert_eq!(summary[0].get("peak"), None);
    assert_eq!(rows("proc.get[,,-x]").len(), 1);
    assert_eq!(tree.get("proc.get[,,,x]"), "ZBX_NOTSUPPORTED: Invalid fourth parameter.");
    assert_eq!(tree.get("proc.get[,,x,thread]"), "ZBX_NOTSUPPORTED: Invalid third parameter.");
}

#[test]
fn process_time_is_a_cpu_share_since_the_first_check() {
    let tree = Tree::new(&[
        ("/proc/stat", &stat(1, 1, 0)),
        ("/proc/7/status", STATUS),
        ("/proc/7/stat", &process_stat(100, 100)),
    ]);
    let util =
        |kind: &str, now| text(tree.answer_at(&format!("proc.cpu.util[server,,{kind}]"), at(now)));
    assert_eq!(util("total", 0), "ZBX_NOTSUPPORTED: Collector is not started.");
    tree.agent.sample(at(1));
    assert_eq!(util("total", 1), "0.000000");
    // A hundred ticks are a second.
    tree.write("/proc/7/stat", process_stat(250, 150).as_bytes());
    tree.agent.sample(at(3));
    assert_eq!(
        [util("total", 3), util("user", 3), util("system", 3)],
        ["100.000000", "75.000000", "25.000000"]
    );
    // Another process with this number starts from zero.
    tree.write("/proc/7/stat", process_stat(900, 900).replace(" 555 ", " 777 ").as_bytes());
    tree.agent.sample(at(5));
    assert_eq!(util("total", 5), "50.000000");
}

#[test]
fn sensors_chassis_and_packages_are_read_from_their_files() {
    let tree = Tree::new(&[
        ("/sys/class/hwmon/hwmon0/name", "coretemp\n"),
        ("/sys/class/hwmon/hwmon0/temp1_input", "41000\n"),
        ("/sys/class/hwmon/hwmon0/temp2_input", "45500\n"),
        ("/sys/class/hwmon/hwmon1/name", "it87\n"),
        ("/sys/class/hwmon/hwmon1/fan1_input", "1200\n"),
        ("/sys/class/dmi/id/sys_vendor", "Acme\n"),
        ("/sys/class/dmi/id/product_name", "Box\n"),
        ("/sys/class/dmi/id/chassis_type", "17\n"),
        ("/var/lib/pacman/local/a-1/desc", "%NAME%\na\n\n%VERSION%\n1-2\n\n%SIZE%\n7\n"),
        ("/var/log/packages/b-c-2.0-x86_64-1", ""),
    ]);
    for (key, expected) in [
        ("sensor[coretemp,temp2]", "45.500000"),
        ("sensor[coretemp-isa-0000,temp1]", "41.000000"),
        ("sensor[\"^core\",temp,max]", "45.500000"),
        ("sensor[core,temp,avg]", "43.250000"),
        ("sensor[it87,fan1]", "1200.000000"),
        ("sensor[it87,fan2]", "ZBX_NOTSUPPORTED: Cannot obtain sensor information."),
        ("system.hw.chassis", "Acme Box Main Server Chassis"),
        ("system.hw.chassis[serial]", "ZBX_NOTSUPPORTED: Cannot obtain hardware information."),
        ("system.sw.packages", "[pkgtools] b-c-2.0-x86_64-1\n[pacman] a"),
        ("system.sw.packages[,pacman,short]", "a"),
    ] {
        assert_eq!(tree.get(key), expected, "{key}");
    }
    let rows: serde_json::Value =
        serde_json::from_str(&tree.get("system.sw.packages.get[,pacman]")).expect("JSON");
    assert_eq!((&rows[0]["version"], &rows[0]["size"]), (&"1-2".into(), &7.into()));
}

/// A server's answer is the unchanged value: templates extract the number.
#[test]
fn statistics_of_a_server_are_returned_unchanged() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let server = std::thread::spawn(move || {
        let mut asked = Vec::new();
        for answer in
            ["{\"response\":\"success\",\"queue\":0}", "{\"response\":\"success\",\"data\":{}}"]
        {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut decoder = wire::zbxd::Decoder::new(wire::zbxd::FrameLimits::with_max(1 << 20));
            let mut chunk = [0; 4_096];
            let request = loop {
                if let Some(frame) = decoder.poll().expect("a packet") {
                    break String::from_utf8(frame.payload.to_vec()).expect("a text");
                }
                let n = std::io::Read::read(&mut stream, &mut chunk).expect("bytes");
                decoder.feed(&chunk[..n]);
            };
            asked.push(request);
            let mut packet = Vec::new();
            wire::zbxd::encode(answer.as_bytes(), &mut packet);
            std::io::Write::write_all(&mut stream, &packet).expect("sent");
        }
        asked
    });
    let tree = Tree::new(&[]);
    let queue = tree.get(&format!("zabbix.stats[127.0.0.1,{port},queue]"));
    assert_eq!(queue, "{\"response\":\"success\",\"queue\":0}");
    let all = tree.get(&format!("zabbix.stats[127.0.0.1,{port}]"));
    assert_eq!(all, "{\"response\":\"success\",\"data\":{}}");
    let asked = server.join().expect("ended");
    assert!(asked[0].contains("\"params\":{}") && !asked[1].contains("params"), "{asked:?}");
}
