//! Conditions for exchanges on one connection.

use std::sync::Arc;

use super::endpoint::Endpoint;
use super::proxy::Proxy;
use super::request::{Identity, Prepared, Verify};

/// The properties that exchanges on one connection share.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key {
    server: Endpoint,
    proxy: Option<Proxy>,
    /// Without encryption nothing is verified.
    verify: Option<Verify>,
    identity: Option<Arc<Identity>>,
}

impl Key {
    pub(crate) fn of(request: &Prepared) -> Self {
        let Prepared { server, proxy, verify, identity, .. } = request;
        let is_tls = server.is_tls || proxy.as_ref().is_some_and(|it| it.at.is_tls);
        // A proxy for plain requests gets those for all servers.
        let server = match proxy {
            Some(proxy) if !server.is_tls => &proxy.at,
            _ => server,
        };
        Self {
            server: server.clone(),
            proxy: proxy.clone(),
            verify: is_tls.then_some(*verify),
            identity: identity.clone(),
        }
    }
}
