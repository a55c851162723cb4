//! Which hosts are in maintenance, as records say.
//!
//! Nothing in a shard depends on it: it is kept so that a checkpoint holds it, and whoever reads on from
//! there knows which events are suppressed at their time.

use model::map::Map;
use model::record::{MaintenanceRow, MaintenanceWhat};
use model::{HostId, MaintenanceId, Time, partition_of};

use super::codec::{Reader, Writer};

/// A maintenance under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Maintained {
    pub maintenance: MaintenanceId,
    pub since: Time,
    /// Or no values are taken meanwhile.
    pub with_data: bool,
}

/// By host; never empty ones.
#[derive(Debug, Default)]
pub(super) struct Maintenance(Map<HostId, Vec<Maintained>>);

impl Maintenance {
    pub(super) fn apply(&mut self, row: &MaintenanceRow) {
        let under_way = self.0.entry(row.host).or_default();
        under_way.retain(|it| it.maintenance != row.maintenance);
        if let MaintenanceWhat::Begins { with_data } = row.what {
            let (maintenance, since) = (row.maintenance, row.time);
            under_way.push(Maintained { maintenance, since, with_data });
        }
        if under_way.is_empty() {
            self.0.remove(&row.host);
        }
    }

    /// False if there is none.
    pub(super) fn put(&self, partition: u8, out: &mut Writer) -> bool {
        let mut hosts: Vec<_> =
            self.0.iter().filter(|(host, _)| partition_of(**host) == partition).collect();
        hosts.sort_unstable_by_key(|it| it.0);
        out.number(hosts.iter().map(|it| it.1.len() as u64).sum());
        for (host, under_way) in &hosts {
            for it in *under_way {
                out.number(host.0);
                out.number(it.maintenance.0);
                out.time(it.since);
                out.number(u64::from(it.with_data));
            }
        }
        !hosts.is_empty()
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Vec<(HostId, Maintained)>> {
        let mut read = Vec::new();
        for _ in 0..reader.len()? {
            let host = HostId(reader.number()?);
            let maintenance = MaintenanceId(reader.number()?);
            let since = reader.time()?;
            let with_data = match reader.number()? {
                0 => false,
                1 => true,
                _ => return None,
            };
            read.push((host, Maintained { maintenance, since, with_data }));
        }
        Some(read)
    }

    pub(super) fn restore(&mut self, partition: u8, saved: Vec<(HostId, Maintained)>) {
        for (host, it) in saved.into_iter().filter(|it| partition_of(it.0) == partition) {
            self.0.entry(host).or_default().push(it);
        }
    }

    /// What a host is in maintenance for; in the order in which it began.
    pub(super) fn of(&self, host: HostId) -> &[Maintained] {
        self.0.get(&host).map_or(&[], Vec::as_slice)
    }
}
