//! Messages of every protocol, written and read back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod agents;
mod corpora;
mod icmp;
mod sender;
mod snmp;
mod snmp_notification;
mod snmp_v3;
mod zbxd;
