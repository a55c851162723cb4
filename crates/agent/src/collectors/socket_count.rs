//! The number of sockets of this machine, chosen by addresses, ports and states. From /proc/net.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use model::networks::Networks;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("net.tcp.socket.count", 5, |ask| count(ask, &TCP)),
    Key::may_block("net.udp.socket.count", 5, |ask| count(ask, &UDP)),
];

struct Protocol {
    name: &'static str,
    tables: [&'static str; 2],
    /// Name and the kernel's code.
    states: &'static [(&'static str, u8)],
}

const TCP: Protocol = Protocol {
    name: "tcp",
    tables: ["/proc/net/tcp", "/proc/net/tcp6"],
    states: &[
        ("established", 1),
        ("syn_sent", 2),
        ("syn_recv", 3),
        ("fin_wait1", 4),
        ("fin_wait2", 5),
        ("time_wait", 6),
        ("close", 7),
        ("close_wait", 8),
        ("last_ack", 9),
        ("listen", 10),
        ("closing", 11),
    ],
};

const UDP: Protocol = Protocol {
    name: "udp",
    tables: ["/proc/net/udp", "/proc/net/udp6"],
    states: &[("established", 1), ("unconn", 7)],
};

/// The required end of a connection.
struct End {
    networks: Option<Networks>,
    port: Option<u16>,
}

impl End {
    fn of_params(ask: &Ask<'_>, first: usize, protocol: &Protocol) -> Result<Self, Refusal> {
        let address = ask.params.get(first);
        let wrong = |_error| Refusal::from(format!("IP is not supported: \"{address}\""));
        let networks = match address {
            "" => None,
            it => Some(it.parse().map_err(wrong)?),
        };
        let port = match ask.params.get(first + 1) {
            "" => None,
            text => Some(port(ask.root, text, protocol)?),
        };
        // Port 0 is any, as in Zabbix.
        Ok(Self { networks, port: port.filter(|it| *it != 0) })
    }

    fn fits(&self, address: IpAddr, port: u16) -> bool {
        self.networks.as_ref().is_none_or(|it| it.contains(address))
            && self.port.is_none_or(|it| it == port)
    }
}

/// A number, or a service of /etc/services.
fn port(root: &Root, text: &str, protocol: &Protocol) -> Result<u16, Refusal> {
    if let Ok(number) = text.parse::<i64>() {
        let wrong = |_error| Refusal::from(format!("Invalid port number: {text}"));
        return u16::try_from(number).map_err(wrong);
    }
    let services = root.read("/etc/services").unwrap_or_default();
    let found = services.lines().find_map(|line| {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let (name, target) = (words.next()?, words.next()?);
        let (port, kind) = target.split_once('/')?;
        let fits = kind == protocol.name && (name == text || words.any(|it| it == text));
        if fits { port.parse().ok() } else { None }
    });
    found.ok_or_else(|| {
        let what = "is not available for the requested socket type.";
        Refusal::from(format!("The service \"{text}\" {what}"))
    })
}

fn count(ask: &Ask<'_>, protocol: &Protocol) -> Outcome {
    let state = match ask.params.get(4) {
        "" => None,
        name => {
            let found = protocol.states.iter().find(|it| it.0 == name);
            Some(found.ok_or_else(|| invalid(4))?.1)
        }
    };
    let local = End::of_params(ask, 0, protocol)?;
    let remote = End::of_params(ask, 2, protocol)?;
    let mut n_found = 0_u64;
    for table in protocol.tables {
        // A kernel without IPv6 lacks the second table.
        for line in ask.root.read(table).unwrap_or_default().lines().skip(1) {
            let Some(socket) = Socket::parse(line) else { continue };
            let fits = state.is_none_or(|it| it == socket.state)
                && local.fits(socket.local.0, socket.local.1)
                && remote.fits(socket.remote.0, socket.remote.1);
            n_found += u64::from(fits);
        }
    }
    Ok(n_found.into())
}

struct Socket {
    local: (IpAddr, u16),
    remote: (IpAddr, u16),
    state: u8,
}

impl Socket {
    /// Line: `0: 0100007F:2742 00000000:0000 0A …`: number, local and remote address, state.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split_whitespace().skip(1);
        let local = end(fields.next()?)?;
        let remote = end(fields.next()?)?;
        let state = u8::from_str_radix(fields.next()?, 16).ok()?;
        Some(Self { local, remote, state })
    }
}

/// The kernel writes an address as words of 32 bits in the machine's order.
fn end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| u32::from_str_radix(address.get(at * 8..at * 8 + 8)?, 16).ok();
    let address = if address.len() == 8 {
        IpAddr::V4(Ipv4Addr::from(word(0)?.to_ne_bytes()))
    } else {
        let mut bytes = [0; 16];
        for (at, chunk) in bytes.chunks_exact_mut(4).enumerate() {
            chunk.copy_from_slice(&word(at)?.to_ne_bytes());
        }
        IpAddr::V6(Ipv6Addr::from(bytes))
    };
    Some((address.to_canonical(), port))
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn addresses_are_read_as_the_kernel_writes_them() {
        if cfg!(target_endian = "little") {
            let v4 = end("0100007F:0016").expect("an address");
            assert_eq!(v4, ("127.0.0.1".parse().expect("one"), 22));
            let v6 = end("00000000000000000000000001000000:1F90").expect("an address");
            assert_eq!(v6, ("::1".parse().expect("one"), 8080));
        }
        assert!(end("xx:0016").is_none() && end("0100007F").is_none() && end("01:1").is_none());
    }
}
