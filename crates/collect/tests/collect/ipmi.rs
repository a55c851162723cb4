//! IPMI items against OpenIPMI's simulator.

use std::net::SocketAddr;

use crate::support::config::{host, interface, item, secret_macro, snapshot};
use crate::support::{PATIENCE, Server, error, text};
use collect::transcript::LineKind;
use collect::{Available, Chassis};
use model::batch::OwnedRaw;
use model::content::{InterfaceType, IpmiLogin, ItemType};
use model::snapshot::{Host, ItemRow};
use model::{HostId, InterfaceId, ItemId};
use peers::{IPMI_USER, IpmiSim, free_udp_address, wait_until};
use rt::clock::Clock;
use serde_json::{Value as Json, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::task::JoinHandle;
use wire::ipmi::ChassisControl;

fn sensor(id: u64, key: &str, sensor: &str) -> ItemRow {
    let mut it = item(id, ItemType::Ipmi, key, "10m");
    sensor.clone_into(&mut Arc::make_mut(&mut it.content).ipmi_sensor);
    it
}

fn device(id: u64, address: SocketAddr, items: &[(&str, &str)]) -> Host {
    let mut it = host(id, &format!("device-{id}"));
    it.interfaces.push(interface(id, InterfaceType::Ipmi, "127.0.0.1", address.port()));
    let (username, password) = IPMI_USER;
    it.ipmi = Some(Arc::new(IpmiLogin {
        username: username.to_owned(),
        password: password.to_owned(),
        ..IpmiLogin::default()
    }));
    it.items = items.iter().zip(id * 10..).map(|((key, of), id)| sensor(id, key, of)).collect();
    it
}

fn login(host: &mut Host) -> &mut IpmiLogin {
    Arc::make_mut(host.ipmi.as_mut().expect("it has one"))
}

fn available(server: &Server, interface: u64) -> Available {
    collect::AvailabilitySink::interface(&*server.owner, InterfaceId(interface)).available
}

/// Values as numbers, whatever their type.
fn number(value: &OwnedRaw) -> f64 {
    match value {
        OwnedRaw::Float(it) => *it,
        OwnedRaw::Unsigned(it) => *it as f64,
        other => panic!("no number: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sensors_are_read_by_id_and_name_in_one_session() {
    // There is room for one session only.
    let Some(sim) = IpmiSim::start(free_udp_address(), 1) else { return };
    let items = [
        ("cpu", "CPU Temp"),
        ("fan", "id:Fan 1"),
        ("ps", "name:(10.1).PS1"),
        ("ipmi.get", ""),
        ("none", "Fan 2"),
        ("vbat", "VBAT"),
    ];
    let mut it = device(1, sim.address, &items);
    login(&mut it).privilege = 4;
    let server = Server::start(snapshot(1, [it])).await;
    server.execute(10..16);
    for (item, expected) in [(10, 45.0), (11, 4_800.0), (12, 1.0)] {
        let value = number(&server.value_of(item).await);
        assert!((value - expected).abs() < 1e-9, "{item}: {value}");
    }
    let all: Json = serde_json::from_str(&text(&server.value_of(13).await)).expect("JSON");
    let expected = json!([
        {
            "id": "CPU Temp", "name": "(3.1).CPU Temp", "sensor": {"type": 1, "text": "temperature"},
            "reading": {"type": 1, "text": "threshold"}, "state": {"state": 0, "text": ""},
            "value": 45.0, "units": "degrees C",
            "threshold": {"lower": {}, "upper": {"non_crit": 112.0, "crit": 144.0, "non_recover": 160.0}},
        },
        {
            "id": "Fan 1", "name": "(29.1).Fan 1", "sensor": {"type": 4, "text": "fan"},
            "reading": {"type": 1, "text": "threshold"}, "state": {"state": 0, "text": ""},
            "value": 4_800.0, "units": "RPM", "threshold": {"lower": {}, "upper": {}},
        },
        {
            "id": "PS1", "name": "(10.1).PS1", "sensor": {"type": 8, "text": "power_supply"},
            "reading": {"type": 111, "text": "sensor_specific"},
            "state": {"state": 1, "text": "presence detected"},
        },
    ]);
    assert_eq!(all, expected);
    let none = server.value_of(14).await;
    assert_eq!(error(&none), "The device has no sensor with the id \"Fan 2\".");
    assert_eq!(error(&server.value_of(15).await), "Sensor data is not available.");
    assert_eq!(available(&server, 1), Available::Yes);
    // Another session would be refused.
    for n in 2..5 {
        server.execute([10, 13]);
        let is_read =
            |it: &[crate::support::Seen]| it.iter().filter(|it| it.item.0 == 13).count() >= n;
        server.until("all sensors again", |it| is_read(it)).await;
    }
    assert_eq!(available(&server, 1), Available::Yes);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_was_restarted_is_logged_in_to_again() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let server = Server::start(snapshot(1, [device(1, sim.address, &[("fan", "Fan 1")])])).await;
    server.execute([10]);
    server.value_of(10).await;
    let _sim = sim.restarted();
    for n in 2..5 {
        server.execute([10]);
        server.until("a value in a new session", |it| it.len() >= n).await;
    }
    let last = server.seen().pop().expect("there is one");
    assert!((number(&last.value) - 4_800.0).abs() < 1e-9);
}

#[tokio::test(flavor = "multi_thread")]
async fn trials_leave_no_session_open() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 2) else { return };
    let config = snapshot(1, [device(1, sim.address, &[("fan", "Fan 1")])]);
    let server = Server::start(Arc::clone(&config)).await;
    for _ in 0..SESSIONS_MAX + 5 {
        let transcript = collect::Transcript::default();
        let tried = server.collectors.try_item(&config, HostId(1), ItemId(10), &transcript).await;
        assert!((number(&tried.expect("it answers")) - 4_800.0).abs() < 1e-9);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trial_shows_the_session_requests_and_meanings() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let items = [("fan", "{$FAN}"), ("ps", "name:(10.1).PS1"), ("ipmi.get", ""), ("none", "VBAT2")];
    let mut it = device(1, sim.address, &items);
    login(&mut it).privilege = 4;
    it.macros.push(secret_macro("{$FAN}", "Fan 1"));
    let mut wrong = device(2, sim.address, &items);
    "something".clone_into(&mut login(&mut wrong).password);
    let mut old = device(3, sim.address, &items);
    login(&mut old).authtype = 2;
    let server = Server::start(snapshot(1, [it, wrong, old])).await;
    let (tried, said) = server.try_item(1, 10).await;
    assert!((number(&tried.expect("it answers")) - 4_800.0).abs() < 1e-9);
    let note = |text: &str| (LineKind::Note, text.to_owned());
    let at = local(&sim);
    let notes = [
        note(&format!("login at {at} by RMCP+, cipher suite 17")),
        note("Open Session Request: answered"),
        note("RAKP Message 1: answered"),
        note("RAKP Message 3: answered, the session is open"),
        note("Set Session Privilege Level 4: completion code 0x00 (done)"),
    ];
    // The simulator may not know the newer suite.
    assert!(said.iter().any(|it| it.1.starts_with(&format!("login at {at} by RMCP+"))), "{said:?}");
    assert!(notes[1..].iter().all(|it| said.contains(it)), "{said:?}");
    let of_records = said.iter().any(|it| {
        it.0 == LineKind::Note
            && it.1.contains("sensors by their records: ")
            && it.1.contains("CPU Temp")
    });
    assert!(of_records, "{said:?}");
    let [.., (LineKind::Sent, asked), (LineKind::Received, answered)] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert!(asked.starts_with("Get Sensor Reading of \"******\" (number "), "{asked}");
    assert!(answered.starts_with("completion code 0x00 (done), data "), "{answered}");
    assert!(answered.ends_with(": 4800 RPM"), "{answered}");
    let (_, said) = server.try_item(1, 11).await;
    let last = &said.last().expect("an answer").1;
    assert!(last.ends_with(": states 0x0001: presence detected"), "{last}");
    let (_, said) = server.try_item(1, 12).await;
    assert!(said.iter().any(|it| it.1.starts_with("Get Sensor Thresholds of ")), "{said:?}");
    let (tried, said) = server.try_item(2, 21).await;
    assert!(tried.is_err());
    assert_eq!(said.last(), Some(&note("RAKP Message 1: the user or the password is wrong")));
    let (_, said) = server.try_item(3, 31).await;
    let by = format!("login at {at} by IPMI 1.5, MD5");
    assert!(said.contains(&note(&by)), "{said:?}");
    assert!(said.contains(&note("Activate Session: answered, the session is open")), "{said:?}");
    let (username, password) = IPMI_USER;
    assert!(said.iter().all(|it| !it.1.contains(password)), "{username}: {said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_power_of_the_chassis_is_a_value() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let items =
        [("power", "power"), ("sensor", "id:power"), ("reset", "reset"), ("key", "{$SECRET}")];
    let mut it = device(1, sim.address, &items);
    it.macros.push(secret_macro("{$SECRET}", "hush"));
    let server = Server::start(snapshot(1, [it])).await;
    server.execute(10..14);
    assert_eq!(server.value_of(10).await, OwnedRaw::Unsigned(1));
    for (id, expected) in [
        (11, "The device has no sensor with the id \"power\"."),
        (12, "The control \"reset\" cannot be read."),
        (13, "The device has no sensor with the id \"******\"."),
    ] {
        assert_eq!(error(&server.value_of(id).await), expected);
    }
    let clock = Clock::real();
    let off = Chassis::new(&as_user(3), local(&sim), ANSWER_TIME, &clock);
    assert_eq!(off.control(ChassisControl::PowerDown).await, Ok(()));
    let (tried, said) = server.try_item(1, 10).await;
    assert_eq!(tried, Ok(OwnedRaw::Unsigned(0)));
    let asked = said.iter().position(|it| it.1 == "Get Chassis Status").expect("it is asked");
    assert!(said[asked + 1].1.starts_with("completion code 0x00 (done), data "), "{said:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_share_a_device_read_its_records_at_the_same_time() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 9) else { return };
    // Each with another login, since equal logins would share a session: of IPMI 2.0, and of 1.5 by
    // MD5 and straight.
    let logins = (1..).zip([-1, 2, 4].into_iter().flat_map(|by| [2, 3, 4].map(|to| (by, to))));
    let hosts = logins.map(|(id, (authtype, privilege))| {
        let mut it = device(id, sim.address, &[("ipmi.get", "")]);
        (login(&mut it).authtype, login(&mut it).privilege) = (authtype, privilege);
        it
    });
    let server = Server::start(snapshot(1, hosts)).await;
    let ids: Vec<u64> = (1..=9).map(|id| id * 10).collect();
    server.execute(ids.iter().copied());
    for id in ids {
        let all: Json = serde_json::from_str(&text(&server.value_of(id).await)).expect("JSON");
        assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_ipmi_1_5_are_those_that_a_host_asks_for() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let by = |id: u64, authtype: i64, privilege: i64| {
        let mut it = device(id, sim.address, &[("fan", "Fan 1"), ("ipmi.get", "")]);
        (login(&mut it).authtype, login(&mut it).privilege) = (authtype, privilege);
        it
    };
    // MD5 and straight, one as a user and one as an administrator; none, which the device does not have.
    let hosts = [by(1, 2, 2), by(2, 4, 4), by(3, 0, 2)];
    let mut wrong = by(4, 2, 2);
    "something".clone_into(&mut login(&mut wrong).password);
    let server = Server::start(snapshot(1, hosts.into_iter().chain([wrong]))).await;
    server.execute([10, 11, 20, 21]);
    for id in [10, 20] {
        assert!((number(&server.value_of(id).await) - 4_800.0).abs() < 1e-9);
    }
    for id in [11, 21] {
        let all: Json = serde_json::from_str(&text(&server.value_of(id).await)).expect("JSON");
        assert_eq!(all.as_array().map(Vec::len), Some(3), "{all}");
    }
    let refused = [(3, "(it has: MD5, straight)"), (4, "Cannot connect to IPMI host")];
    for (id, why) in refused {
        wait_until("the interface is not available", PATIENCE, || {
            drop(server.collectors.execute_now(&[ItemId(id * 10)]));
            available(&server, id) == Available::No
        });
        let reason = collect::AvailabilitySink::interface(&*server.owner, InterfaceId(id)).error;
        assert!(reason.contains(why), "{reason}");
    }
    // Sessions stay.
    assert_eq!((available(&server, 1), available(&server, 2)), (Available::Yes, Available::Yes));
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_login_is_reported_with_its_reason() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let mut wrong = device(1, sim.address, &[("fan", "Fan 1")]);
    "something".clone_into(&mut login(&mut wrong).password);
    let mut stranger = device(2, sim.address, &[("fan", "Fan 1")]);
    "nobody".clone_into(&mut login(&mut stranger).username);
    let mut old = device(3, sim.address, &[("fan", "Fan 1")]);
    login(&mut old).authtype = 1;
    let silent = std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port");
    let silent = device(4, silent.local_addr().expect("bound"), &[("fan", "Fan 1")]);
    let server = Server::start(snapshot(1, [wrong, stranger, old, silent])).await;
    server.execute([10, 20, 30, 40]);
    let refused = server.value_of(30).await;
    assert!(error(&refused).starts_with("The IPMI authentication algorithms MD2"), "{refused:?}");
    for (id, why) in [(1, "the user or the password is wrong"), (2, ""), (4, "")] {
        let reason = || {
            let states = server.owner.interfaces.lock().expect("no panic");
            let states = states.get(&InterfaceId(id)).cloned().unwrap_or_default();
            states.last().map(|it| it.error.clone()).unwrap_or_default()
        };
        wait_until("the interface is not available", PATIENCE, || {
            // A check under way is not repeated.
            drop(server.collectors.execute_now(&[ItemId(id * 10)]));
            available(&server, id) == Available::No
        });
        let reason = reason();
        let begins = "Cannot connect to IPMI host [127.0.0.1]:";
        assert!(reason.starts_with(begins) && reason.contains(why), "{reason}");
    }
}

/// The simulator's user, with a privilege.
fn as_user(privilege: i64) -> IpmiLogin {
    let mut it = device(1, ([127, 0, 0, 1], 623).into(), &[]);
    login(&mut it).privilege = privilege;
    login(&mut it).clone()
}

fn local(sim: &IpmiSim) -> SocketAddr {
    ([127, 0, 0, 1], sim.address.port()).into()
}

/// Sessions that the simulator has room for; the limit of its user has no effect.
const SESSIONS_MAX: usize = 63;

/// Long enough for a simulator on a busy machine; only a wrong password waits for all of it.
const ANSWER_TIME: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn chassis_executes_commands() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 1) else { return };
    let clock = Clock::real();
    let mut of_ipmi_1_5 = as_user(3);
    of_ipmi_1_5.authtype = 2;
    for login in [as_user(3), as_user(4), of_ipmi_1_5] {
        let chassis = || Chassis::new(&login, local(&sim), ANSWER_TIME, &clock);
        let before = sim.commands().len();
        assert_eq!(chassis().is_powered().await, Ok(true));
        assert_eq!(chassis().control(ChassisControl::PowerDown).await, Ok(()));
        assert_eq!(chassis().is_powered().await, Ok(false));
        for it in [ChassisControl::PowerUp, ChassisControl::HardReset, ChassisControl::SoftShutdown]
        {
            assert_eq!(chassis().control(it).await, Ok(()));
        }
        assert_eq!(chassis().is_powered().await, Ok(true));
        let commands = sim.commands();
        assert_eq!(commands[before..], ["power 0", "power 1", "reset 1", "shutdown 1"]);
    }
    let login = as_user(3);
    for _ in 0..SESSIONS_MAX + 5 {
        let chassis = Chassis::new(&login, local(&sim), ANSWER_TIME, &clock);
        assert_eq!(chassis.control(ChassisControl::PowerUp).await, Ok(()));
    }
    let before = sim.commands().len();
    // Its power returns a second later.
    let cycled = Chassis::new(&login, local(&sim), ANSWER_TIME, &clock);
    assert_eq!(cycled.control(ChassisControl::PowerCycle).await, Ok(()));
    wait_until("the power is on again", PATIENCE, || {
        sim.commands()[before..] == ["power 0", "power 1"]
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn chassis_refusal_has_a_reason() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let clock = Clock::real();
    let refusal = async |login: IpmiLogin, control| {
        let result = Chassis::new(&login, local(&sim), ANSWER_TIME, &clock).control(control).await;
        result.expect_err("it is refused")
    };
    let user = refusal(as_user(2), ChassisControl::PowerDown).await;
    let expected = "The device refuses the command: insufficient privilege level. The host's IPMI privilege level has to be \
                    Operator or Admin.";
    assert_eq!(user, expected);
    let diagnostic = refusal(as_user(3), ChassisControl::DiagnosticInterrupt).await;
    assert_eq!(diagnostic, "The device refuses the command: invalid data field in request.");
    let mut stranger = as_user(3);
    "something".clone_into(&mut stranger.password);
    let stranger = refusal(stranger, ChassisControl::PowerDown).await;
    assert!(stranger.starts_with("Cannot connect to IPMI host [127.0.0.1]:"), "{stranger}");
    assert!(sim.commands().is_empty());
}

/// A relay in front of a device. It drops all answers once the chassis has received a command.
fn losing(sim: &Arc<IpmiSim>) -> (SocketAddr, JoinHandle<()>) {
    let bound = || {
        let it = std::net::UdpSocket::bind("127.0.0.1:0").expect("a free port");
        it.set_nonblocking(true).expect("a socket of the system's");
        UdpSocket::from_std(it).expect("a runtime")
    };
    let (front, back, sim) = (bound(), bound(), Arc::clone(sim));
    let (address, device) = (front.local_addr().expect("bound"), local(&sim));
    let relay = async move {
        let (mut asked, mut said) = ([0; 2_048], [0; 2_048]);
        let mut whose = address;
        loop {
            tokio::select! {
                got = front.recv_from(&mut asked) => {
                    let (len, from) = got.expect("a question");
                    whose = from;
                    back.send_to(&asked[..len], device).await.expect("passed on");
                }
                got = back.recv_from(&mut said) => {
                    let (len, _) = got.expect("an answer");
                    if sim.commands().is_empty() {
                        front.send_to(&said[..len], whose).await.expect("passed on");
                    }
                }
            }
        }
    };
    (address, tokio::spawn(relay))
}

#[tokio::test(flavor = "multi_thread")]
async fn unrepeatable_command_is_sent_once_despite_a_lost_answer() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 5) else { return };
    let (sim, clock, time) = (Arc::new(sim), Clock::real(), Duration::from_secs(2));
    let (address, relay) = losing(&sim);
    let chassis = Chassis::new(&as_user(3), address, time, &clock);
    let result = chassis.control(ChassisControl::HardReset).await;
    let expected =
        "The device did not answer the command. It is not known whether it was executed.";
    assert_eq!(result, Err(expected.to_owned()));
    assert_eq!(sim.commands(), ["reset 1"]);
    relay.abort();
}
