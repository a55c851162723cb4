//! Which hosts are in maintenance: those of this shard by its records, and all hosts without data
//! collection, by the last message. The consequences are in [`super::without_data`].

use model::content::ItemType;
use model::map::Map;
use model::record::{MaintenanceChange, MaintenanceRow};
use model::{HostId, MaintenanceId, Time, partition_of};

use super::codec::{Reader, Writer};
use super::state::NO_DATA;

/// A maintenance under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaintainedHost {
    pub maintenance: MaintenanceId,
    pub since: Time,
    /// Or no values are taken meanwhile.
    pub with_data: bool,
}

#[derive(Debug, Default)]
pub(super) struct Maintenance {
    /// By host, those of this shard; never empty ones.
    under_way: Map<HostId, Vec<MaintainedHost>>,
    /// Hosts of any shard without data, by the last message, and the second in which that is to
    /// end.
    planned: Map<HostId, u32>,
}

impl Maintenance {
    pub(super) fn apply(&mut self, row: &MaintenanceRow) {
        let under_way = self.under_way.entry(row.host).or_default();
        under_way.retain(|it| it.maintenance != row.maintenance);
        if let MaintenanceChange::Begins { with_data } = row.what {
            let (maintenance, since) = (row.maintenance, row.time);
            under_way.push(MaintainedHost { maintenance, since, with_data });
        }
        if under_way.is_empty() {
            self.under_way.remove(&row.host);
        }
    }

    /// False if there is none.
    pub(super) fn put(&self, partition: u8, out: &mut Writer) -> bool {
        let mut hosts: Vec<_> =
            self.under_way.iter().filter(|(host, _)| partition_of(**host) == partition).collect();
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

    pub(super) fn read(reader: &mut Reader<'_>) -> Option<Vec<(HostId, MaintainedHost)>> {
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
            read.push((host, MaintainedHost { maintenance, since, with_data }));
        }
        Some(read)
    }

    pub(super) fn restore(&mut self, partition: u8, saved: Vec<(HostId, MaintainedHost)>) {
        for (host, it) in saved.into_iter().filter(|it| partition_of(it.0) == partition) {
            self.under_way.entry(host).or_default().push(it);
        }
    }

    /// When values of a host are not taken any more; `None`: they are.
    pub(super) fn without_data_since(&self, host: HostId) -> Option<Time> {
        self.of(host).iter().filter(|it| !it.with_data).map(|it| it.since).min()
    }

    /// The flag that an item of a host has because of it.
    pub(super) fn flag_of(&self, host: HostId, kind: ItemType, is_mirror: bool) -> u16 {
        let goes_on = is_mirror || kind == ItemType::Internal;
        if !goes_on && self.without_data_since(host).is_some() { NO_DATA } else { 0 }
    }

    /// Whether nobody is in any, as far as is known.
    pub(super) fn is_nobodys(&self) -> bool {
        self.planned.is_empty() && self.under_way.is_empty()
    }

    /// All that are under way.
    pub(super) fn all(&self) -> impl Iterator<Item = (HostId, &MaintainedHost)> {
        self.under_way.iter().flat_map(|(host, all)| all.iter().map(|it| (*host, it)))
    }

    /// Takes over which hosts of any shard are without data, each until a second.
    pub(super) fn plan(&mut self, planned: Map<HostId, u32>) {
        self.planned = planned;
    }

    /// The second in which a host's maintenance without data is to end; `None`: it is in none.
    pub(super) fn planned_end(&self, host: HostId) -> Option<u32> {
        self.planned.get(&host).copied()
    }

    /// From which second on missing values of a new mirror count.
    pub(super) fn mirror_since(&self, host: HostId, now: u32) -> u32 {
        self.planned.get(&host).copied().unwrap_or(0).max(now)
    }

    /// Takes over the messages of the state that this one replaces.
    pub(super) fn take_over(&mut self, old: &mut Self) {
        self.planned = std::mem::take(&mut old.planned);
    }

    /// The maintenances of a host, in the order in which they began.
    pub(super) fn of(&self, host: HostId) -> &[MaintainedHost] {
        self.under_way.get(&host).map_or(&[], Vec::as_slice)
    }
}
