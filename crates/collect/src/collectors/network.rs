//! Network functions for several collectors.

/// Whether the machine, not the device, lacks resources: descriptors, memory, ports.
pub(crate) fn is_shortage(error: &std::io::Error) -> bool {
    let code = error.raw_os_error();
    [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOBUFS, libc::EADDRNOTAVAIL]
        .into_iter()
        .any(|it| code == Some(it))
}

/// In Zabbix's words, `[111] Connection refused`.
pub(crate) fn describe(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => format!("[{code}] {}", std::io::Error::from_raw_os_error(code))
            .replace(&format!(" (os error {code})"), ""),
        None => error.to_string(),
    }
}
