//! Bytes to messages and back, for every protocol; no sockets.
//!
//! Purpose: each protocol that a device, an agent, a sender or a proxy speaks has one module here
//! that reads its bytes and writes its answers. Where a stream delivers bytes piecemeal the module
//! is a small state machine that is fed and asked ([`zbxd::Decoder`]).
//!
//! Not here: sockets, timeouts, retries, clocks, randomness (request ids are arguments), and the
//! meaning of messages (whether the host exists, whether it may send).
//!
//! Invariants: no input panics or allocates more than a small multiple of its own size (or the
//! limit that the caller gave); everything from outside is either understood, kept as an explicit
//! fault of one row, or refused with an error that says why. All errors of this crate are the
//! peer's fault and none is cured by reading the same bytes again.
//!
//! | module | protocol |
//! |---|---|
//! | [`zbxd`] | the "ZBXD" frame around every Zabbix message |
//! | [`request_kind`] | the kind of a trapper's request, which decides on the parser for the rest |
//! | [`sender`] | `sender data`, `agent data`: many values, the hot path |
//! | [`active`] | active checks: item lists, heartbeat, commands |
//! | [`passive`] | the server asks an agent for one key |
//! | [`snmp`] | SNMP v1 and v2c, BER |
//! | [`modbus`] | Modbus TCP and RTU: reading registers and bits |
//! | [`charset`] | encodings of texts, also of HTTP bodies |
//! | [`dns`] | names of addresses and of hosts in other scripts |
//! | [`http`] | requests as curl makes them: redirects, cookies, authentication |
//! | [`icmp`] | echo request and reply, v4 and v6 |
//! | [`series`] | series that others push: Prometheus's remote write, OpenTelemetry's metrics |
//! | [`services`] | the first words of mail servers, SSH, directories, clocks and others |
//! | [`syslog`] | messages of RFC 5424 and 3164, and their frames in streams |
//! | [`telnet`] | text and options of a terminal's stream |
#![warn(clippy::indexing_slicing)]
#![cfg_attr(test, allow(clippy::indexing_slicing, reason = "a test may panic"))]

pub mod active;
mod ber;
pub mod charset;
pub mod dns;
pub mod http;
pub mod icmp;
pub mod ipmi;
mod lenient;
pub mod modbus;
pub mod passive;
pub mod request_kind;
pub mod sender;
pub mod series;
pub mod services;
pub mod snmp;
pub mod syslog;
pub mod telnet;

mod version;
pub mod zbxd;

#[doc(hidden)]
pub mod fuzz;

pub use version::Version;
