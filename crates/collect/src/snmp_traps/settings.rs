//! The operator's settings.

use std::fmt;
use std::net::{SocketAddr, UdpSocket};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use rt::settings::Deserialize;

rt::section! {
    /// SNMP traps.
    pub struct SnmpTrapSettings in "snmp_traps" {
        /// Address and port for traps and informs of SNMPv1, v2c and v3. Devices send to port 162, which
        /// requires CAP_NET_BIND_SERVICE. If not given, none are received.
        pub listen: Option<SocketAddr> = unset r#""127.0.0.1:1162""#,
        /// Communities of v1 and v2c that are accepted, separated by commas; empty: any.
        pub communities: Communities = r#""""#,
        /// File with users of v3 that may send traps, one `createUser` line each as in net-snmp's
        /// `snmptrapd.conf`. Users of the SNMP interfaces of hosts with trap items may send from their
        /// interface's address without being listed.
        pub users: Option<PathBuf> = unset r#""/etc/saker/snmp_users.conf""#,
        /// Most traps in the queue; further ones are lost and counted.
        pub queue_max: NonZeroUsize = "10_000",
        /// File that another receiver writes traps to (`snmptrapd` with Zabbix's script, or SNMPTT);
        /// Zabbix's `SNMPTrapperFile`. If not given, no file is read.
        pub file: Option<PathBuf> = unset r#""/var/log/snmptrap/snmptrap.log""#,
        /// Whether traps that are received on `listen` name objects, `IF-MIB::ifIndex.3`, as snmptrapd
        /// writes them, instead of numbers. Names come from the files of `collectors.snmp.mib_directories`.
        /// Items whose regular expressions match numbers then receive nothing.
        pub mib_names: bool = "false",
    }
}

/// Accepted communities; none: any. They are a kind of passwords, and not shown.
#[derive(Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(crate = "::rt::settings::serde", from = "String")]
pub struct Communities(Vec<String>);

impl From<String> for Communities {
    fn from(text: String) -> Self {
        let each = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        Self(each.map(str::to_owned).collect())
    }
}

impl fmt::Debug for Communities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communities({} of them)", self.0.len())
    }
}

impl Communities {
    pub(super) fn is_taken(&self, community: &[u8]) -> bool {
        self.0.is_empty() || self.0.iter().any(|it| it.as_bytes() == community)
    }
}

/// The sources of traps.
#[derive(Debug, Default)]
pub struct TrapSources {
    pub settings: SnmpTrapSettings,
    /// Bound to [`SnmpTrapSettings::listen`].
    pub socket: Option<UdpSocket>,
    /// The data directory: it keeps the position in the file, and the identity in SNMPv3.
    pub folder: PathBuf,
}

impl Default for SnmpTrapSettings {
    fn default() -> Self {
        rt::settings::defaults()
    }
}
