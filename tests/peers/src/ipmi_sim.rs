//! OpenIPMI's simulator of a device's controller.

use std::fmt::Write as _;
use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::{Process, START_MAX, program, wait_until};

/// A running `ipmi_sim` with a temperature (45 degrees C, id `CPU Temp`), a fan (4,800 RPM, `Fan 1`), a power
/// supply that is present (`PS1`) and a voltage that is not scanned (`VBAT`). The power of its chassis is on.
#[derive(Debug)]
pub struct IpmiSim {
    pub process: Process,
    pub address: SocketAddr,
    folder: TempDir,
}

/// Its user, an administrator, and the password.
pub const IPMI_USER: (&str, &str) = ("watcher", "secret");

/// Its chassis: records its commands, and keeps whether its power is on.
const CHASSIS: &str = r#"
cd "$(dirname "$0")" || exit 1
case "$1" in
get) echo "power:$(cat power)" ;;
set)
    echo "$2 $3" >> commands
    if [ "$2" = power ]; then echo "$3" > power; fi
    ;;
*) exit 1 ;;
esac
"#;

/// Asks for the ways to log in, as a session of no kind.
const REQUEST: &[u8] = &[
    0x06, 0x00, 0xff, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x09, 0x20, 0x18,
    0xc8, 0x81, 0x00, 0x38, 0x8e, 0x04, 0xb5,
];

impl IpmiSim {
    /// Starts one that lets its user have so many sessions. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start(address: SocketAddr, sessions_max: u32) -> Option<Self> {
        program("ipmi_sim")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let (user, password) = IPMI_USER;
        let (ip, port) = (address.ip(), address.port());
        let lan = format!(
            "name \"peer\"\nset_working_mc 0x20\n startlan 1\n  addr {ip} {port}\n  priv_limit admin\n  \
             allowed_auths_user md5 straight\n  allowed_auths_operator md5 straight\n  allowed_auths_admin md5 straight\n  \
             guid a123456789abcdefa123456789abcdef\n endlan\n \
             user 2 true \"{user}\" \"{password}\" admin {sessions_max} md5 straight\n \
             chassis_control \"/bin/sh {}\"\n",
            folder.path().join("chassis").display()
        );
        fs::write(folder.path().join("chassis"), CHASSIS).expect("a program is written");
        fs::write(folder.path().join("power"), "1").expect("a file is written");
        fs::write(folder.path().join("lan"), lan).expect("settings are written");
        fs::write(folder.path().join("sensors"), sensors()).expect("settings are written");
        let process = run(&folder)?;
        let it = Self { process, address, folder };
        it.wait();
        Some(it)
    }

    /// The same device, with none of its sessions.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn restarted(self) -> Self {
        let Self { process, address, folder } = self;
        drop(process);
        let process = run(&folder).expect("it was there");
        let it = Self { process, address, folder };
        it.wait();
        it
    }

    /// The commands that its chassis got: `power 0`, `power 1`, `reset 1`, `shutdown 1`.
    ///
    /// # Panics
    /// If nobody can read it.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        let file = self.folder.path().join("commands");
        if !file.is_file() {
            return Vec::new();
        }
        let text = fs::read_to_string(file).expect("its program has written it");
        text.lines().map(str::to_owned).collect()
    }

    fn wait(&self) {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket has a time-out");
        wait_until("ipmi_sim answers", START_MAX, || {
            assert!(!self.process.has_ended(), "ipmi_sim ended:\n{}", self.process.log());
            drop(socket.send_to(REQUEST, self.address));
            socket.recv(&mut [0; 512]).is_ok()
        });
    }
}

fn run(folder: &TempDir) -> Option<Process> {
    let state = folder.path().join("state");
    // The saved state would be added to the new one.
    drop(fs::remove_dir_all(&state));
    fs::create_dir(&state).expect("a folder is made");
    let mut command = Command::new(program("ipmi_sim")?);
    command.arg("-c").arg(folder.path().join("lan")).arg("-f").arg(folder.path().join("sensors"));
    command.arg("-n").arg("-s").arg(state).current_dir(folder.path());
    Some(Process::start(&mut command, folder.path().join("log")))
}

/// The configuration of its sensors.
fn sensors() -> String {
    let mut text =
        "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02\n".to_owned();
    for (number, kind, reading) in
        [(1, 0x01, 0x01), (2, 0x04, 0x01), (3, 0x08, 0x6f), (4, 0x02, 0x01)]
    {
        writeln!(text, "sensor_add 0x20 0 {number} {kind:#x} {reading:#x}").expect("text");
    }
    text.push_str("sensor_set_value 0x20 0 1 45 0\nsensor_set_value 0x20 0 2 80 0\n");
    text.push_str("sensor_set_bit 0x20 0 3 0 1 0\n");
    text.push_str("sensor_set_threshold 0x20 0 1 settable 111000 0xa0 0x90 0x70 00 00 00\n");
    let events = ["000111111000000"; 4].join(" ");
    for number in 1..=3 {
        writeln!(
            text,
            "sensor_set_event_support 0x20 0 {number} enable scanning per-state {events}"
        )
        .expect("text");
    }
    let records = [
        full(1, (3, 1), (0x01, 1), 1, "CPU Temp"),
        full(2, (29, 1), (0x04, 18), 60, "Fan 1"),
        compact(3, (10, 1), 0x08, "PS1"),
        full(4, (7, 1), (0x02, 4), 1, "VBAT"),
    ];
    for record in records {
        let bytes: Vec<String> = record.iter().map(|it| format!("{it:#04x}")).collect();
        writeln!(text, "main_sdr_add 0x20 {}", bytes.join(" ")).expect("text");
    }
    text.push_str("mc_enable 0x20\n");
    text
}

/// A full record: number, entity and instance, kind and unit, factor, id.
fn full(
    number: u8,
    (entity, instance): (u8, u8),
    (kind, unit): (u8, u8),
    m: u8,
    id: &str,
) -> Vec<u8> {
    let mut record = vec![0; 48];
    let fields = [
        (0, number),
        (2, 0x51),
        (3, 0x01),
        (5, 0x20),
        (7, number),
        (8, entity),
        (9, instance),
        (10, 0x7f),
        (11, 0x68),
        (12, kind),
        (13, 0x01),
        (18, 0x38),
        (19, 0x38),
        (21, unit),
        (24, m),
    ];
    fields.iter().for_each(|(at, value)| record[*at] = *value);
    with_id(record, 47, id)
}

/// A compact record of a sensor with states.
fn compact(number: u8, (entity, instance): (u8, u8), kind: u8, id: &str) -> Vec<u8> {
    let mut record = vec![0; 32];
    let fields = [
        (0, number),
        (2, 0x51),
        (3, 0x02),
        (5, 0x20),
        (7, number),
        (8, entity),
        (9, instance),
        (12, kind),
        (13, 0x6f),
        (18, 0x0f),
        (20, 0xc0),
        (23, 0x01),
    ];
    fields.iter().for_each(|(at, value)| record[*at] = *value);
    with_id(record, 31, id)
}

fn with_id(mut record: Vec<u8>, at: usize, id: &str) -> Vec<u8> {
    record[at] = 0xc0 | u8::try_from(id.len()).expect("short");
    record.extend_from_slice(id.as_bytes());
    record[4] = u8::try_from(record.len() - 5).expect("short");
    record
}
