//! The table of collectors: one file and one line here for each subject.
//!
//! To add keys: write a file with `pub(crate) const KEYS: &[Key]` and functions from [`Ask`](key::Ask) to
//! [`Outcome`](crate::outcome::Outcome), and name it below.

mod agent_info;
pub(crate) mod block_device;
mod cpu;
pub(crate) mod cpu_util;
mod directory;
mod dns;
mod file_checksum;
mod file_content;
mod file_details;
mod file_info;
mod file_system;
mod hardware;
mod kernel;
pub(crate) mod key;
mod local_time;
mod memory;
pub(crate) mod modbus;
mod network_interface;
mod os;
mod package;
mod process;
pub(crate) mod process_cpu;
mod process_details;
mod sensor;
mod service;
mod socket;
mod socket_count;
mod stopwatch;
mod swap;
mod uptime;
mod users;
pub(crate) mod web_page;
mod zabbix_stats;

use self::key::Key;

const TABLE: &[&[Key]] = &[
    agent_info::KEYS,
    block_device::KEYS,
    cpu::KEYS,
    cpu_util::KEYS,
    directory::KEYS,
    dns::KEYS,
    file_checksum::KEYS,
    file_content::KEYS,
    file_details::KEYS,
    file_info::KEYS,
    file_system::KEYS,
    hardware::KEYS,
    kernel::KEYS,
    local_time::KEYS,
    memory::KEYS,
    modbus::KEYS,
    network_interface::KEYS,
    os::KEYS,
    package::KEYS,
    process::KEYS,
    process_cpu::KEYS,
    process_details::KEYS,
    sensor::KEYS,
    service::KEYS,
    socket::KEYS,
    socket_count::KEYS,
    swap::KEYS,
    uptime::KEYS,
    users::KEYS,
    web_page::KEYS,
    zabbix_stats::KEYS,
];

pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    TABLE.iter().copied().flatten()
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}
