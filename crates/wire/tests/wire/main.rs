//! Messages of every protocol, there and back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agents;
mod corpora;
mod icmp;
mod sender;
mod snmp;
mod snmp_notification;
mod snmp_v3;
mod zbxd;
