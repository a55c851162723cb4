//! Durable ids: one newtype per kind of object, 0 meaning "none" where an option would cost space.
//!
//! Hosts and templates share one number space ([`HostId`]), as do items, discovery rules and item
//! prototypes ([`ItemId`]), and triggers and trigger prototypes ([`TriggerId`]): clients of the API
//! rely on it.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub u64);

        impl $name {
            pub const NONE: Self = Self(0);

            #[must_use]
            pub fn is_none(self) -> bool {
                self.0 == 0
            }

            #[must_use]
            pub fn is_some(self) -> bool {
                self.0 != 0
            }

            /// The id as an option: `None` for 0.
            #[must_use]
            pub fn some(self) -> Option<Self> {
                (self.0 != 0).then_some(self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl From<u64> for $name {
            fn from(id: u64) -> Self {
                Self(id)
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        /// As the API writes ids: a decimal text.
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        /// A decimal text or a number.
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::id::deserialize_u64(deserializer).map(Self)
            }
        }
    )*};
}

ids! {
    /// A host or a template.
    HostId,
    /// A host group.
    GroupId,
    /// A template group.
    TemplateGroupId,
    InterfaceId,
    /// An item, a discovery rule or an item prototype.
    ItemId,
    /// A trigger or a trigger prototype.
    TriggerId,
    /// A graph or a graph prototype.
    GraphId,
    /// A user macro of a host or template.
    HostMacroId,
    GlobalMacroId,
    ValueMapId,
    /// A global regular expression.
    RegexpId,
    UserId,
    UserGroupId,
    RoleId,
    TokenId,
    EventId,
    /// One immutable version of a content.
    ContentId,
    ProxyId,
    MaintenanceId,
}

pub(crate) fn deserialize_u64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct Visitor;
    impl serde::de::Visitor<'_> for Visitor {
        type Value = u64;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an unsigned number, also as text")
        }
        fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<u64, E> {
            Ok(value)
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<u64, E> {
            u64::try_from(value).map_err(|_negative| E::custom("a negative number"))
        }
        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<u64, E> {
            value.parse().map_err(|_error| E::custom(format_args!("not a number: {value:?}")))
        }
    }
    deserializer.deserialize_any(Visitor)
}

/// Id of function number `index` of a trigger, as the API shows it (`{functionid}`).
///
/// Nothing is stored for it: 256 function ids are reserved with each trigger id.
#[must_use]
pub fn function_id(trigger: TriggerId, index: u8) -> u64 {
    (trigger.0 << 8) | u64::from(index)
}

/// As many ids of items are reserved with each graph as it may have: two to this.
const GRAPH_ITEM_BITS: u32 = crate::content::GRAPH_ITEMS_MAX.trailing_zeros();

/// Id of item number `index` of a graph, as the API shows it (`gitemid`). Nothing is stored for it.
#[must_use]
pub fn graph_item_id(graph: GraphId, index: usize) -> u64 {
    let last = crate::content::GRAPH_ITEMS_MAX - 1;
    (graph.0 << GRAPH_ITEM_BITS) | index.min(last) as u64
}

/// The graph of an id of a graph's item, and the position.
#[must_use]
pub fn graph_of_item_id(id: u64) -> (GraphId, usize) {
    let index = id & ((1 << GRAPH_ITEM_BITS) - 1);
    (GraphId(id >> GRAPH_ITEM_BITS), usize::try_from(index).unwrap_or(usize::MAX))
}

/// The number of partitions that hosts are spread over. Fixed for the life of a data directory.
pub const PARTITIONS: usize = 256;

/// The partition of a host: a fixed hash of its id, so that state saved by partition survives any
/// change of the number of shard threads.
#[must_use]
pub fn partition_of(host: HostId) -> u8 {
    // The finalizer of splitmix64; its upper bits are well mixed even for consecutive ids.
    let mut x = host.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    x.to_be_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_even_for_consecutive_ids() {
        let mut counts = [0_u32; PARTITIONS];
        for id in 10_001..10_001 + 25_600 {
            counts[usize::from(partition_of(HostId(id)))] += 1;
        }
        assert!(counts.iter().all(|&it| (60..=145).contains(&it)), "{counts:?}");
    }

    #[test]
    fn partition_of_a_host_never_changes() {
        // Data directories hold state by partition: these values are part of the format.
        assert_eq!(partition_of(HostId(1)), 0x91);
    }
}
