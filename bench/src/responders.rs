//! Thousands of devices on addresses of 127.0.0.0/8, one responder for each protocol, each device of which can vanish.
//!
//! A device that has vanished takes connections and packets and answers none of them. Pings are
//! answered by a responder of the benchmark where the kernel does not answer them
//! (`scripts/with-own-network.sh` ensures that); elsewhere the kernel answers all.

use std::collections::VecDeque;
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddrV4, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::libc::in_pktinfo;
use nix::sys::socket::sockopt::{Ipv4PacketInfo, RcvBufForce};
use nix::sys::socket::{
    Backlog, ControlMessage, ControlMessageOwned, MsgFlags, SockaddrIn, listen, recvmsg, sendmsg,
    setsockopt,
};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use wire::snmp::{PduKind, SnmpMessage, Value, Varbind};

use super::polling::devices::{BUFFER_BYTES, agent_packet};
use crate::common::{BenchError, io_error};

/// For how long a connection to a vanished device is held: longer than the server waits.
const HELD_NS: u64 = 5_000_000_000;

pub(super) struct Responders {
    pub(super) agent_port: u16,
    pub(super) snmp_port: u16,
    /// Whether pings of vanished devices get no answer.
    pub(super) pings_vanish: bool,
    vanished: Arc<Vanished>,
}

/// By number of the device.
struct Vanished(Vec<AtomicBool>);

impl Vanished {
    /// Of the device with this address.
    fn has(&self, at: Ipv4Addr) -> bool {
        let [_, high, middle, low] = at.octets();
        let number = (usize::from(high).wrapping_sub(1) << 16) + (usize::from(middle) << 8);
        self.0.get(number + usize::from(low)).is_some_and(|it| it.load(Ordering::Relaxed))
    }
}

impl Responders {
    /// For so many devices, which live at [`super::polling::protocol::address`] each.
    pub(super) fn start(n: usize) -> Result<Self, BenchError> {
        let vanished = Arc::new(Vanished((0..n).map(|_| AtomicBool::new(false)).collect()));
        let listener = TcpListener::bind("0.0.0.0:0").map_err(io_error("open a port"))?;
        if let Ok(backlog) = Backlog::new(65_535) {
            listen(&listener, backlog).ok();
        }
        let agent_port = listener.local_addr().map_err(io_error("open a port"))?.port();
        let of_agents = Arc::clone(&vanished);
        thread::spawn(move || answer_agents(&listener, &of_agents));
        let socket = UdpSocket::bind("0.0.0.0:0").map_err(io_error("open a port"))?;
        setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).ok();
        setsockopt(&socket, Ipv4PacketInfo, &true)
            .map_err(|it| io_error("ask for addresses of packets")(it.into()))?;
        let snmp_port = socket.local_addr().map_err(io_error("open a port"))?.port();
        let of_snmp = Arc::clone(&vanished);
        thread::spawn(move || answer_snmp(&socket, &of_snmp));
        let kernel = std::fs::read_to_string("/proc/sys/net/ipv4/icmp_echo_ignore_all");
        let pings_vanish = kernel.is_ok_and(|it| it.trim() == "1");
        if pings_vanish {
            let kind = (Domain::IPV4, Type::RAW, Some(Protocol::ICMPV4));
            let socket =
                Socket::new(kind.0, kind.1, kind.2).map_err(io_error("open a socket for pings"))?;
            socket.set_header_included_v4(true).map_err(io_error("write headers of packets"))?;
            setsockopt(&socket, RcvBufForce, &BUFFER_BYTES).ok();
            let of_pings = Arc::clone(&vanished);
            thread::spawn(move || answer_pings(&socket, &of_pings));
        }
        Ok(Self { agent_port, snmp_port, pings_vanish, vanished })
    }

    pub(super) fn set(&self, device: usize, is_vanished: bool) {
        if let Some(it) = self.vanished.0.get(device) {
            it.store(is_vanished, Ordering::Relaxed);
        }
    }

    pub(super) fn toggle(&self, device: usize) {
        if let Some(it) = self.vanished.0.get(device) {
            it.fetch_not(Ordering::Relaxed);
        }
    }
}

fn answer_agents(listener: &TcpListener, vanished: &Vanished) {
    let (packet, clock) = (agent_packet(), rt::clock::Clock::real());
    let mut request = [0; 4_096];
    let mut held: VecDeque<(u64, TcpStream)> = VecDeque::new();
    while let Ok((mut stream, _)) = listener.accept() {
        let now_ns = clock.mono_ns();
        while held.front().is_some_and(|it| it.0 + HELD_NS < now_ns) {
            held.pop_front();
        }
        let Ok(at) = stream.local_addr() else { continue };
        if matches!(at.ip(), IpAddr::V4(at) if vanished.has(at)) {
            held.push_back((now_ns, stream));
        } else if stream.read(&mut request).is_ok_and(|it| 0 < it) {
            // A server that has gone makes no difference to the next one.
            stream.write_all(&packet).ok();
        }
    }
}

/// One value for every object, from the address that was asked.
fn answer_snmp(socket: &UdpSocket, vanished: &Vanished) {
    let (mut datagram, mut answer) = (vec![0; 65_536], Vec::new());
    let mut room = nix::cmsg_space!(in_pktinfo);
    loop {
        let mut parts = [IoSliceMut::new(&mut datagram)];
        let taken = recvmsg::<SockaddrIn>(
            socket.as_raw_fd(),
            &mut parts,
            Some(&mut room),
            MsgFlags::empty(),
        );
        let Ok(taken) = taken else { return };
        let (n, peer) = (taken.bytes, taken.address);
        let info = taken.cmsgs().ok().and_then(|mut all| {
            all.find_map(|it| match it {
                ControlMessageOwned::Ipv4PacketInfo(info) => Some(info),
                _ => None,
            })
        });
        let (Some(peer), Some(mut info)) = (peer, info) else { continue };
        if vanished.has(Ipv4Addr::from(u32::from_be(info.ipi_addr.s_addr))) {
            continue;
        }
        let Ok(mut message) = SnmpMessage::decode(&datagram[..n]) else { continue };
        let value = Value::Integer(12);
        let asked = message.pdu.varbinds;
        let bound: Vec<_> =
            asked.map_while(Result::ok).map(|it| Varbind { oid: it.oid, value }).collect();
        (message.pdu.kind, message.pdu.first, message.pdu.second) = (PduKind::Response, 0, 0);
        answer.clear();
        SnmpMessage::encode(&message, &bound, &mut answer);
        (info.ipi_ifindex, info.ipi_spec_dst) = (0, info.ipi_addr);
        let control = [ControlMessage::Ipv4PacketInfo(&info)];
        let parts = [IoSlice::new(&answer)];
        // One that is lost is asked for again.
        sendmsg(socket.as_raw_fd(), &parts, &control, MsgFlags::empty(), Some(&peer)).ok();
    }
}

const IP_HEADER: usize = 20;
const ECHO_REQUEST: u8 = 8;

/// Echo replies in place of the kernel's.
fn answer_pings(mut socket: &Socket, vanished: &Vanished) {
    let mut packet = vec![0; 65_536];
    while let Ok(n) = socket.read(&mut packet) {
        let Some(packet) = packet.get_mut(..n).filter(|it| IP_HEADER + 8 <= it.len()) else {
            continue;
        };
        let has_options = packet[0] != 0x45;
        let address = |at: usize| Ipv4Addr::from([0, 1, 2, 3].map(|it| packet[at + it]));
        let (source, target) = (address(12), address(16));
        if has_options || packet[IP_HEADER] != ECHO_REQUEST || vanished.has(target) {
            continue;
        }
        packet[12..16].copy_from_slice(&target.octets());
        packet[16..20].copy_from_slice(&source.octets());
        packet[IP_HEADER] = 0;
        // By RFC 1624: a type of 0 in place of 8 adds 8 to the first byte of the complement.
        let sum = u16::from_be_bytes([packet[IP_HEADER + 2], packet[IP_HEADER + 3]]);
        let (sum, is_carried) = sum.overflowing_add(u16::from(ECHO_REQUEST) << 8);
        let sum = sum + u16::from(is_carried);
        packet[IP_HEADER + 2..IP_HEADER + 4].copy_from_slice(&sum.to_be_bytes());
        let to = SockAddr::from(SocketAddrV4::new(source, 0));
        socket.send_to(packet, &to).ok();
    }
}
