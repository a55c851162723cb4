//! The sockets that the settings name.

use std::net::UdpSocket;

use collect::syslog::SyslogSockets;
use rt::net::{ListenError, listen_tcp, listen_udp};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::server::base::ServerLanes;
use crate::server::syslog;
use crate::settings::Settings;

pub(crate) struct Sockets {
    pub(crate) http: TcpListener,
    pub(crate) trapper: TcpListener,
    /// None unless it is asked for.
    pub(crate) traps: Option<UdpSocket>,
    pub(crate) syslog: SyslogSockets,
    /// None unless it is asked for.
    pub(crate) metrics: Option<TcpListener>,
}

impl Sockets {
    /// Opens them; they belong to the runtime, those of lanes to their first.
    ///
    /// # Errors
    /// The first that cannot be opened, by the name of its setting.
    pub(crate) fn bind(
        settings: &Settings,
        runtime: &Runtime,
        lanes: &ServerLanes,
    ) -> Result<Self, ListenError> {
        let tcp = |address, what, name| runtime.block_on(listen_tcp(address, what, name));
        let (address, what) = (settings.http.listen, "web pages and API");
        let http = lanes.http.first().block_on(listen_tcp(address, what, "http.listen"))?;
        let (address, what) = (settings.trapper.listen, "senders and active agents");
        let accepting = lanes.senders.first();
        let trapper = accepting.block_on(listen_tcp(address, what, "trapper.listen"))?;
        let metrics = settings.metrics.listen.map(|it| tcp(it, "metrics", "metrics.listen"));
        let traps = settings.snmp_traps.listen;
        let traps = traps.map(|it| listen_udp(it, "SNMP traps", "snmp_traps.listen"));
        Ok(Self {
            http,
            trapper,
            metrics: metrics.transpose()?,
            traps: traps.transpose()?,
            syslog: syslog::listen(&settings.syslog, &lanes.senders)?,
        })
    }
}
