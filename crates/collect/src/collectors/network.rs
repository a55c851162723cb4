//! What several collectors need of the network.

use std::net::IpAddr;
use std::time::Duration;

/// The first address of a DNS name.
pub(super) async fn lookup(name: &str, time: Duration) -> Result<IpAddr, String> {
    let failed = || format!("Cannot resolve \"{name}\".");
    let found = tokio::time::timeout(time, tokio::net::lookup_host((name, 0))).await;
    let mut addresses = found.ok().and_then(Result::ok).ok_or_else(failed)?;
    addresses.next().map(|it| it.ip()).ok_or_else(failed)
}

/// Whether the machine, not the device, lacks something: descriptors, memory, ports.
pub(super) fn is_shortage(error: &std::io::Error) -> bool {
    let code = error.raw_os_error();
    [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOBUFS, libc::EADDRNOTAVAIL]
        .into_iter()
        .any(|it| code == Some(it))
}
