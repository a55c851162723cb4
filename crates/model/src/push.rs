//! Values that users push: the API reads them, the collector of senders takes them.

use crate::id::ItemId;

/// Which item a pushed value is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PushedItem<'a> {
    Id(ItemId),
    /// By the host's technical name.
    Key {
        host: &'a str,
        key: &'a str,
    },
}

/// A value as it was pushed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PushedValue<'a> {
    pub item: PushedItem<'a>,
    pub value: &'a str,
    /// Seconds since 1970; `None`: now.
    pub clock: Option<i64>,
    /// Only with `clock`; `None`: one that no other value of the request has.
    pub ns: Option<u32>,
}
