//! Listening sockets, with messages that name the remedy.

use std::io;
use std::net::{SocketAddr, UdpSocket};

use thiserror::Error;
use tokio::net::TcpListener;

#[derive(Debug, Error)]
pub enum ListenError {
    #[error(
        "cannot listen on {address} ({purpose}): another program has this port, perhaps another \
         saker; stop it or choose another address by {setting}"
    )]
    InUse { address: SocketAddr, purpose: &'static str, setting: &'static str },
    #[error(
        "cannot listen on {address} ({purpose}): not permitted; ports below 1024 need \
         CAP_NET_BIND_SERVICE; choose another address by {setting}"
    )]
    NotPermitted { address: SocketAddr, purpose: &'static str, setting: &'static str },
    #[error(
        "cannot listen on {address} ({purpose}): this machine has no such address; choose \
         another one by {setting}"
    )]
    NoSuchAddress { address: SocketAddr, purpose: &'static str, setting: &'static str },
    #[error("cannot listen on {address} ({purpose}): {source}")]
    Listen { address: SocketAddr, purpose: &'static str, source: io::Error },
}

/// Opens a TCP listener. `purpose` ("web pages and API") and `setting` (`http.listen`) go into
/// the message when it fails. Port 0 takes any free one; ask the listener which.
///
/// # Errors
/// [`ListenError`], whose text is meant for the operator as it is.
pub async fn listen_tcp(
    address: SocketAddr,
    purpose: &'static str,
    setting: &'static str,
) -> Result<TcpListener, ListenError> {
    TcpListener::bind(address).await.map_err(|it| explained(it, address, purpose, setting))
}

/// As [`listen_tcp`], a socket for datagrams.
///
/// # Errors
/// As [`listen_tcp`].
pub fn listen_udp(
    address: SocketAddr,
    purpose: &'static str,
    setting: &'static str,
) -> Result<UdpSocket, ListenError> {
    UdpSocket::bind(address).map_err(|it| explained(it, address, purpose, setting))
}

fn explained(
    source: io::Error,
    address: SocketAddr,
    purpose: &'static str,
    setting: &'static str,
) -> ListenError {
    match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse { address, purpose, setting },
        io::ErrorKind::PermissionDenied => ListenError::NotPermitted { address, purpose, setting },
        io::ErrorKind::AddrNotAvailable => ListenError::NoSuchAddress { address, purpose, setting },
        _ => ListenError::Listen { address, purpose, source },
    }
}

#[cfg(test)]
mod tests {
    use super::{listen_tcp, listen_udp};

    #[tokio::test]
    async fn occupied_port_is_explained() {
        let any = "127.0.0.1:0".parse().unwrap();
        let first = listen_tcp(any, "trapper", "trapper.listen").await.unwrap();
        let address = first.local_addr().unwrap();
        let error = listen_tcp(address, "trapper", "trapper.listen").await.unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&format!("cannot listen on {address} (trapper): another")));
        assert!(text.ends_with("choose another address by trapper.listen"), "{text}");
    }

    #[test]
    fn occupied_port_for_datagrams_is_explained() {
        let first = listen_udp("127.0.0.1:0".parse().unwrap(), "traps", "x.listen").unwrap();
        let error = listen_udp(first.local_addr().unwrap(), "traps", "x.listen").unwrap_err();
        assert!(error.to_string().ends_with("choose another address by x.listen"), "{error}");
    }

    #[tokio::test]
    async fn foreign_address_is_explained() {
        // 203.0.113.0/24 is reserved for documentation.
        let address = "203.0.113.1:0".parse().unwrap();
        let error = listen_tcp(address, "trapper", "trapper.listen").await.unwrap_err();
        assert!(error.to_string().contains("no such address"), "{error}");
    }
}
