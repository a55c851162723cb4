//! Whether a port of this machine is listened on. From /proc/net, IPv4 and IPv6.

use super::key::{Ask, Key};
use crate::outcome::Outcome;
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::small("net.tcp.listen", 1, |ask| listens(ask, ["/proc/net/tcp", "/proc/net/tcp6"], "0A")),
    Key::small("net.udp.listen", 1, |ask| listens(ask, ["/proc/net/udp", "/proc/net/udp6"], "07")),
];

/// `state` is the kernel's code of a listening TCP or of an unconnected UDP socket.
fn listens(ask: &Ask<'_>, tables: [&str; 2], state: &str) -> Outcome {
    let port: u16 = ask.params.required(0)?.trim().parse().map_err(|_source| invalid(0))?;
    let mut texts = Vec::new();
    for table in tables {
        match ask.root.read(table) {
            Ok(text) => texts.push(text),
            // A kernel without IPv6.
            Err(_absent) if !texts.is_empty() => {}
            Err(_absent) => texts.push(ask.root.read_or_refuse(table)?),
        }
    }
    Ok(texts.iter().flat_map(|it| it.lines()).any(|it| is_match(it, port, state)).into())
}

/// Line: `0: 0100007F:2742 00000000:0000 0A …`: number, local address and port, remote ones, state.
fn is_match(line: &str, port: u16, state: &str) -> bool {
    let mut fields = line.split_whitespace().skip(1);
    let local = fields.next().and_then(|it| it.rsplit_once(':'));
    let local_port = local.and_then(|it| u16::from_str_radix(it.1, 16).ok());
    local_port == Some(port) && fields.nth(1) == Some(state)
}
