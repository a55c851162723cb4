//! The destination of a request.

/// A server's name and port.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Endpoint {
    /// Lower case, IPv6 addresses without brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) is_tls: bool,
}

impl Endpoint {
    /// As in the first line of a request for a tunnel.
    pub(crate) fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}
