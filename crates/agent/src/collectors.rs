//! The table of collectors: one file and one line here for each subject.
//!
//! To add keys: write a file with `pub(crate) const KEYS: &[Key]` and functions from [`Ask`](key::Ask) to
//! [`Outcome`](crate::outcome::Outcome), and name it below.

mod agent_info;
pub(crate) mod block_device;
mod cpu;
pub(crate) mod cpu_util;
mod directory;
mod file_checksum;
mod file_content;
mod file_info;
mod file_system;
mod kernel;
pub(crate) mod key;
mod local_time;
mod memory;
pub(crate) mod modbus;
mod network_interface;
mod os;
mod process;
mod socket;
mod swap;
mod uptime;
mod users;
pub(crate) mod web_page;

use self::key::Key;

const TABLE: &[&[Key]] = &[
    agent_info::KEYS,
    block_device::KEYS,
    cpu::KEYS,
    cpu_util::KEYS,
    directory::KEYS,
    file_checksum::KEYS,
    file_content::KEYS,
    file_info::KEYS,
    file_system::KEYS,
    kernel::KEYS,
    local_time::KEYS,
    memory::KEYS,
    modbus::KEYS,
    network_interface::KEYS,
    os::KEYS,
    process::KEYS,
    socket::KEYS,
    swap::KEYS,
    uptime::KEYS,
    users::KEYS,
    web_page::KEYS,
];

pub(crate) fn all() -> impl Iterator<Item = &'static Key> {
    TABLE.iter().copied().flatten()
}

pub(crate) fn find(name: &str) -> Option<&'static Key> {
    all().find(|key| key.name == name)
}
