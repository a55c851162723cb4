//! What this server asks for by itself: passive agents, SNMP, pings.
//!
//! The devices are responders of our own on loopback that do as little as they can, so that the
//! figures are the server's and the kernel's; `snmpd` has Debian's snmpd answer instead, on an
//! address for each host. CPU time is the server process's alone. More is due
//! each second than the machine can ask, so values a second is what it can do, together with the
//! responders on the same cores.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use wire::passive::{Form, encode_answer};
use wire::snmp::{Message, PduKind, Varbind};

use super::client::Client;
use super::process::{Server, wait};
use super::snmpd::{self, Snmpd};
use super::{BenchError, Common, io_error, report};

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct PollingArgs {
    #[arg(long, default_value_t = 500)]
    hosts: usize,
    /// Items a host, each due once a second.
    #[arg(long, default_value_t = 100)]
    items: usize,
    /// How long to measure.
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// What to measure.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "agent,snmp,icmp")]
    protocols: Vec<Protocol>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Protocol {
    /// Passive agent checks, a connection each.
    Agent,
    /// The same, each encrypted by a pre-shared key.
    AgentPsk,
    /// SNMP v2c, get of single objects.
    Snmp,
    /// The same, of counters that a real snmpd answers; at most 29 items a host.
    Snmpd,
    /// Pings, one packet each; this machine answers by itself.
    Icmp,
}

/// Of all hosts.
const PSK: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
/// Before anything is measured: every device has answered once by then.
const WARM_UP_S: u64 = 8;

pub(super) fn run(args: &PollingArgs) -> Result<(), BenchError> {
    args.protocols.iter().try_for_each(|it| measure(args, *it))
}

fn measure(args: &PollingArgs, protocol: Protocol) -> Result<(), BenchError> {
    let (port, snmpd) = protocol.respond(&args.common.scratch)?;
    let server = Server::start(&args.common.scratch, "polling")?;
    let client = Client::login(&server)?;
    let n_items = protocol.n_items(args);
    configure(&client, args.hosts, n_items, (protocol, port))?;
    wait(WARM_UP_S);
    let clock = rt::clock::Clock::real();
    let (n, cpu, wall) = (checks(&server, protocol)?, server.cpu_ns(), clock.mono_ns());
    let cpu_of_device = || snmpd.as_ref().map_or(0, Snmpd::cpu_ns);
    let device_cpu = cpu_of_device();
    wait(args.seconds);
    let values = checks(&server, protocol)? - n;
    let cpu_ns = server.cpu_ns() - cpu;
    let device_cpu_ns = cpu_of_device() - device_cpu;
    let wall_ms = (clock.mono_ns() - wall) / 1_000_000;
    let failed = metric(&server, "collect_poll_network_errors_total", protocol)?;
    let mut figures = json!({
        "hosts": args.hosts,
        "items": args.hosts * n_items,
        "values": values,
        "network_errors": failed,
        "values_per_second": values * 1_000 / wall_ms.max(1),
        "cpu_ns_per_value": cpu_ns / values.max(1),
        "rss_mb": server.memory().rss >> 20,
    });
    if snmpd.is_some() {
        figures["snmpd_cpu_ns_per_value"] = json!(device_cpu_ns / values.max(1));
    }
    report(&args.common, &format!("polling_{}", protocol.name()), figures)
}

impl Protocol {
    /// As metrics name it.
    fn collector(self) -> &'static str {
        match self {
            Self::Agent | Self::AgentPsk => "agent",
            Self::Snmp | Self::Snmpd => "snmp",
            Self::Icmp => "icmp",
        }
    }

    /// As the figures name it.
    fn name(self) -> &'static str {
        match self {
            Self::Snmpd => "snmpd",
            Self::AgentPsk => "agent_psk",
            _ => self.collector(),
        }
    }

    fn n_items(self, args: &PollingArgs) -> usize {
        match self {
            Self::Agent | Self::AgentPsk | Self::Snmp => args.items,
            Self::Snmpd => args.items.min(snmpd::N_OBJECTS),
            // A ping is of the host.
            Self::Icmp => 1,
        }
    }

    fn item(self, number: usize) -> Value {
        match self {
            Self::Agent | Self::AgentPsk => json!({"type": 0, "key_": format!("bench[{number}]")}),
            Self::Snmp => json!({
                "type": 20, "key_": format!("bench[{number}]"),
                "snmp_oid": format!("1.3.6.1.4.1.8072.9999.9999.{}.0", number + 1),
            }),
            Self::Snmpd => json!({
                "type": 20, "key_": format!("bench[{number}]"), "snmp_oid": snmpd::oid(number),
            }),
            Self::Icmp => json!({"type": 3, "key_": "icmppingsec[,1]"}),
        }
    }

    fn interface(self, host: usize, port: u16) -> Value {
        let mut interface = json!({
            "type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": port.to_string()
        });
        if let Self::Snmp | Self::Snmpd = self {
            interface["type"] = json!(2);
            interface["details"] = json!({"version": 2, "bulk": 1, "community": "public"});
        }
        if let Self::Snmpd | Self::Icmp = self {
            interface["ip"] = json!(format!("127.1.{}.{}", host / 250, host % 250 + 1));
        }
        interface
    }

    /// Starts a responder, which ends with the process; gives its port.
    fn respond(self, scratch: &Path) -> Result<(u16, Option<Snmpd>), BenchError> {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        match self {
            Self::Agent => {
                let listener = TcpListener::bind(any).map_err(io_error("open a port"))?;
                let port = listener.local_addr().map_err(io_error("open a port"))?.port();
                thread::spawn(move || answer_agents(&listener));
                Ok((port, None))
            }
            Self::AgentPsk => {
                let listener = TcpListener::bind(any).map_err(io_error("open a port"))?;
                let port = listener.local_addr().map_err(io_error("open a port"))?.port();
                thread::spawn(move || answer_by_key(listener));
                Ok((port, None))
            }
            Self::Snmpd => {
                let snmpd = Snmpd::start(scratch)?;
                Ok((snmpd.port, Some(snmpd)))
            }
            Self::Snmp => {
                let socket = UdpSocket::bind(any).map_err(io_error("open a port"))?;
                let port = socket.local_addr().map_err(io_error("open a port"))?.port();
                thread::spawn(move || answer_snmp(&socket));
                Ok((port, None))
            }
            Self::Icmp => Ok((10_050, None)),
        }
    }
}

fn configure(
    client: &Client,
    n_hosts: usize,
    n_items: usize,
    (protocol, port): (Protocol, u16),
) -> Result<(), BenchError> {
    let group = client.ids("templategroup.create", &json!({"name": "Bench"}))?.remove(0);
    let template = json!({"host": "Bench polling", "groups": [{"groupid": group}]});
    let template = client.ids("template.create", &template)?.remove(0);
    let items: Vec<Value> = (0..n_items)
        .map(|it| {
            let mut item = protocol.item(it);
            item["hostid"] = json!(template);
            item["name"] = json!(format!("Item {it}"));
            item["value_type"] = json!(0);
            item["delay"] = json!("1s");
            item
        })
        .collect();
    client.ids("item.create", &json!(items))?;
    let group = client.ids("hostgroup.create", &json!({"name": "Bench"}))?.remove(0);
    let hosts: Vec<Value> = (0..n_hosts)
        .map(|it| {
            let mut host = json!({
                "host": format!("bench-{it}"), "groups": [{"groupid": group}],
                "templates": [{"templateid": template}],
                "interfaces": [protocol.interface(it, port)],
            });
            if protocol == Protocol::AgentPsk {
                host["tls_connect"] = json!(2);
                host["tls_psk_identity"] = json!("bench");
                host["tls_psk"] = json!(PSK);
            }
            host
        })
        .collect();
    for some in hosts.chunks(1_000) {
        client.ids("host.create", &json!(some))?;
    }
    Ok(())
}

/// Checks that were answered since the server's start.
fn checks(server: &Server, protocol: Protocol) -> Result<u64, BenchError> {
    let failed = metric(server, "collect_poll_network_errors_total", protocol)?
        + metric(server, "collect_poll_not_made_total", protocol)?;
    Ok(metric(server, "collect_poll_checks_total", protocol)?.saturating_sub(failed))
}

fn metric(server: &Server, name: &str, protocol: Protocol) -> Result<u64, BenchError> {
    let bearer = format!("Bearer {}", Client::login(server)?.session());
    let url = format!("http://{}/metrics", server.http);
    let mut answer = ureq::get(url).header("Authorization", bearer).call()?;
    let text = answer.body_mut().read_to_string()?;
    let start = format!("{name}{{collector=\"{}\"}} ", protocol.collector());
    let line = text.lines().find_map(|it| it.strip_prefix(&start));
    // What never happened has no line.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a counter")]
    Ok(line.and_then(|it| it.parse::<f64>().ok()).map_or(0, |it| it as u64))
}

/// One value for every key.
fn answer_agents(listener: &TcpListener) {
    let mut payload = Vec::new();
    encode_answer(Form::Json, Ok("12.5"), &mut payload);
    let mut packet = Vec::new();
    wire::zbxd::encode(&payload, &mut packet);
    let mut request = [0; 4_096];
    while let Ok((mut stream, _)) = listener.accept() {
        // A server that has gone makes no difference to the next one.
        if stream.read(&mut request).is_ok_and(|it| 0 < it) {
            stream.write_all(&packet).ok();
        }
    }
}

/// As [`answer_agents`], for those who know the key.
fn answer_by_key(listener: TcpListener) {
    let mut payload = Vec::new();
    encode_answer(Form::Json, Ok("12.5"), &mut payload);
    let mut packet = Vec::new();
    wire::zbxd::encode(&payload, &mut packet);
    let key = rt::tls::key_of_hex(PSK);
    let psk_of = move |identity: &str| key.clone().filter(|_| identity == "bench");
    let acceptor = rt::tls::Acceptor::new(&rt::settings::defaults(), Arc::new(psk_of));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
    let (Ok(acceptor), Ok(runtime)) = (acceptor, runtime) else { return };
    runtime.block_on(async {
        listener.set_nonblocking(true).ok();
        let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
        let mut request = [0; 4_096];
        while let Ok((stream, _)) = listener.accept().await {
            let Ok((mut stream, _)) = acceptor.accept(stream).await else { continue };
            // A server that has gone makes no difference to the next one.
            if stream.read(&mut request).await.is_ok_and(|it| 0 < it) {
                stream.write_all(&packet).await.ok();
            }
        }
    });
}

/// One value for every object.
fn answer_snmp(socket: &UdpSocket) {
    let mut datagram = vec![0; 65_536];
    let mut answer = Vec::new();
    while let Ok((n, peer)) = socket.recv_from(&mut datagram) {
        let Ok(mut message) = Message::decode(&datagram[..n]) else { continue };
        let value = wire::snmp::Value::Integer(12);
        let asked = message.pdu.varbinds;
        let bound: Vec<_> =
            asked.map_while(Result::ok).map(|it| Varbind { oid: it.oid, value }).collect();
        (message.pdu.kind, message.pdu.first, message.pdu.second) = (PduKind::Response, 0, 0);
        answer.clear();
        Message::encode(&message, &bound, &mut answer);
        socket.send_to(&answer, peer).ok();
    }
}
