//! Places that users share: no user has all of them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::UserId;
use rt::places::owner;
use tokio::sync::Notify;

/// Places of which each owner has some at most.
#[derive(Debug)]
pub(crate) struct Shares<K> {
    taken: Mutex<BTreeMap<K, usize>>,
    max: usize,
    each_max: usize,
}

impl<K: Ord + Copy> Shares<K> {
    pub(crate) fn new(max: usize, each_max: usize) -> Self {
        Self { taken: Mutex::default(), max, each_max }
    }

    /// A place, if there is one and the owner has not too many.
    pub(crate) fn take(self: &Arc<Self>, owner: K) -> Option<SharePlace<K>> {
        let mut taken = self.lock();
        let n_all: usize = taken.values().sum();
        let n_own = taken.get(&owner).copied().unwrap_or(0);
        if self.max <= n_all || self.each_max <= n_own {
            return None;
        }
        taken.insert(owner, n_own + 1);
        Some(SharePlace { shares: Arc::clone(self), owner })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<K, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct SharePlace<K: Ord + Copy> {
    shares: Arc<Shares<K>>,
    owner: K,
}

impl<K: Ord + Copy> Drop for SharePlace<K> {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        match taken.get_mut(&self.owner) {
            Some(n) if 1 < *n => *n -= 1,
            _ => drop(taken.remove(&self.owner)),
        }
    }
}

/// An address has at most one in this many parts of all live streams.
const ADDRESS_SHARE: usize = 2;

/// Places of live streams, by user and address. When there are none left, the oldest stream of the user with
/// the most streams ends, provided that this user has more than the caller.
#[derive(Debug)]
pub(crate) struct StreamPlaces {
    streams: Mutex<Streams>,
    max: usize,
    user_max: usize,
    address_max: usize,
}

#[derive(Debug, Default)]
struct Streams {
    next_id: u64,
    by_id: BTreeMap<u64, StreamEntry>,
}

#[derive(Debug)]
struct StreamEntry {
    user: UserId,
    address: Option<IpAddr>,
    end: Arc<Notify>,
}

impl StreamPlaces {
    pub(crate) fn new(max: usize, user_max: usize) -> Self {
        let address_max = max.div_ceil(ADDRESS_SHARE);
        Self { streams: Mutex::default(), max, user_max, address_max }
    }

    /// A place, unless the user has too many or no other user has more.
    pub(crate) fn take(
        self: &Arc<Self>,
        user: UserId,
        address: Option<IpAddr>,
    ) -> Option<StreamPlace> {
        let address = address.map(owner);
        let mut streams = self.lock();
        let n_own = streams.by_id.values().filter(|it| it.user == user).count();
        if self.user_max.min(self.max) <= n_own {
            return None;
        }
        let of_address = address.map(|it| streams.of(|entry| entry.address == Some(it)));
        let crowded = match of_address {
            Some(list) if self.address_max <= list.len() => Some(list),
            _ if self.max <= streams.by_id.len() => Some(streams.of(|_| true)),
            _ => None,
        };
        if let Some(list) = crowded {
            let mut by_user: BTreeMap<UserId, (usize, u64)> = BTreeMap::new();
            for (id, of) in list {
                by_user.entry(of).or_insert((0, id)).0 += 1;
            }
            let most = by_user.into_values().max_by_key(|(n, _)| *n);
            let (_, oldest) = most.filter(|(n, _)| n_own + 1 < *n)?;
            if let Some(entry) = streams.by_id.remove(&oldest) {
                entry.end.notify_one();
            }
        }
        let id = streams.next_id;
        streams.next_id += 1;
        let end: Arc<Notify> = Arc::default();
        streams.by_id.insert(id, StreamEntry { user, address, end: Arc::clone(&end) });
        Some(StreamPlace { places: Arc::clone(self), id, end })
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Streams {
    /// Ids and users, the oldest first.
    fn of(&self, wanted: impl Fn(&StreamEntry) -> bool) -> Vec<(u64, UserId)> {
        let wanted = self.by_id.iter().filter(|(_, it)| wanted(it));
        wanted.map(|(id, it)| (*id, it.user)).collect()
    }
}

/// The place of a live stream, until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamPlace {
    places: Arc<StreamPlaces>,
    id: u64,
    end: Arc<Notify>,
}

impl StreamPlace {
    /// Ends when the place is given to another.
    pub(crate) async fn lost(&self) {
        self.end.notified().await;
    }
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        self.places.lock().by_id.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: UserId = UserId(1);
    const OTHER: UserId = UserId(2);

    #[test]
    fn an_owner_has_its_share_and_gives_it_back() {
        let shares = Arc::new(Shares::new(3, 2));
        let first = shares.take(ONE).expect("free");
        let _second = shares.take(ONE).expect("free");
        assert!(shares.take(ONE).is_none());
        let third = shares.take(OTHER).expect("another has some");
        assert!(shares.take(OTHER).is_none(), "there are no more");
        drop((first, third));
        assert!(shares.take(ONE).is_some() && shares.take(OTHER).is_some());
    }

    #[tokio::test]
    async fn users_with_many_streams_make_place_for_those_with_few() {
        let places = Arc::new(StreamPlaces::new(8, 3));
        let address = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let many: Vec<StreamPlace> =
            (0..3).map(|_| places.take(ONE, address(1)).expect("free")).collect();
        assert!(places.take(ONE, address(2)).is_none(), "no user has more");
        let _fourth = places.take(OTHER, address(1)).expect("half of all");
        // The address is full: the oldest stream of the user with most ends.
        let _fifth = places.take(UserId(3), address(1)).expect("a place");
        many[0].lost().await;
        assert_eq!(places.lock().by_id.len(), 4);
        drop(many);
        assert_eq!(places.lock().by_id.len(), 2);
    }

    #[test]
    fn a_user_with_as_many_streams_displaces_none() {
        let places = Arc::new(StreamPlaces::new(2, 2));
        let _one = places.take(ONE, None).expect("free");
        let _other = places.take(OTHER, None).expect("free");
        assert!(places.take(UserId(3), None).is_none());
        assert!(Arc::new(StreamPlaces::new(0, 2)).take(ONE, None).is_none(), "zero means zero");
    }
}
