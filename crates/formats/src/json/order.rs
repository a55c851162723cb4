//! The order in which Zabbix walks the members of an object: that of its hash table.
//!
//! It is observable (`$.*.first()`, lists of results), so it is reproduced: FNV-1a with a final mix,
//! chains grown at their head, 11 slots growing by half at four fifths (in whole numbers). When it
//! grows, what stays in its slot keeps its place there. Rows of SNMP tables come in such an order too.

use std::borrow::Cow;

use super::node::NodeId;

const SLOTS_MIN: usize = 11;

/// The members in walking order; of equal names the last takes the place of the first.
pub(super) fn walk_order<'t>(members: impl Iterator<Item = (Cow<'t, str>, NodeId)>) -> Vec<NodeId> {
    let mut table = Table { slots: vec![Vec::new(); SLOTS_MIN], len: 0 };
    for (name, id) in members {
        table.insert(name, id);
    }
    table.entries().map(|it| it.id).collect()
}

/// Different names in the order of a table that has so many slots at first.
pub(crate) fn table_order(n_slots: usize, names: Vec<&str>) -> Vec<&str> {
    let mut table = Table { slots: vec![Vec::new(); n_slots.max(1)], len: 0 };
    for (idx, name) in names.iter().enumerate() {
        table.insert(Cow::Borrowed(*name), NodeId(u32::try_from(idx).unwrap_or(u32::MAX)));
    }
    let place = |it: MemberEntry<'_>| usize::try_from(it.id.0).unwrap_or(usize::MAX);
    table.entries().filter_map(|it| names.get(place(it)).copied()).collect()
}

#[derive(Clone)]
struct MemberEntry<'t> {
    hash: u32,
    name: Cow<'t, str>,
    id: NodeId,
}

/// Chains hold their head last.
struct Table<'t> {
    slots: Vec<Vec<MemberEntry<'t>>>,
    len: usize,
}

impl<'t> Table<'t> {
    fn entries(self) -> impl Iterator<Item = MemberEntry<'t>> {
        self.slots.into_iter().flat_map(|it| it.into_iter().rev())
    }

    fn slot_of(&self, hash: u32) -> usize {
        usize::try_from(hash).unwrap_or(0) % self.slots.len()
    }

    fn insert(&mut self, name: Cow<'t, str>, id: NodeId) {
        let hash = hash(name.as_bytes());
        let slot = self.slot_of(hash);
        if let Some(known) =
            self.slots[slot].iter_mut().find(|it| it.hash == hash && it.name == name)
        {
            known.id = id;
            return;
        }
        if self.len + 1 >= self.slots.len() * 4 / 5 {
            self.grow();
        }
        let slot = self.slot_of(hash);
        self.slots[slot].push(MemberEntry { hash, name, id });
        self.len += 1;
    }

    fn grow(&mut self) {
        let n_old = self.slots.len();
        self.slots.resize(next_prime(n_old * 3 / 2), Vec::new());
        for slot in 0..n_old {
            let chain = std::mem::take(&mut self.slots[slot]);
            let (staying, moving): (Vec<_>, Vec<_>) =
                chain.into_iter().partition(|it| self.slot_of(it.hash) == slot);
            self.slots[slot] = staying;
            for entry in moving.into_iter().rev() {
                let slot = self.slot_of(entry.hash);
                self.slots[slot].push(entry);
            }
        }
    }
}

fn next_prime(from: usize) -> usize {
    (from..).find(|it| is_prime(*it)).unwrap_or(from)
}

fn is_prime(n: usize) -> bool {
    n > 1 && (2..).take_while(|it| it * it <= n).all(|it| !n.is_multiple_of(it))
}

fn hash(bytes: &[u8]) -> u32 {
    let mut hash = bytes
        .iter()
        .fold(2_166_136_261_u32, |hash, it| (hash ^ u32::from(*it)).wrapping_mul(16_777_619));
    hash = hash.wrapping_add(hash << 13);
    hash ^= hash >> 7;
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 17;
    hash.wrapping_add(hash << 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(n: usize) -> Table<'static> {
        let mut table = Table { slots: vec![Vec::new(); SLOTS_MIN], len: 0 };
        for idx in 0..n {
            table.insert(Cow::Owned(format!("name{idx}")), NodeId(u32::try_from(idx).unwrap()));
        }
        table
    }

    #[test]
    fn tables_grow_at_four_fifths_rounded_down() {
        assert_eq!(table(7).slots.len(), 11);
        assert_eq!(table(8).slots.len(), 17);
        assert_eq!(table(200).entries().count(), 200);
    }

    #[test]
    fn entries_that_keep_their_slot_keep_their_order() {
        let mut table = Table { slots: vec![Vec::new(); SLOTS_MIN], len: 0 };
        let entry = |hash, id| MemberEntry { hash, name: Cow::Borrowed(""), id: NodeId(id) };
        table.slots[3] = vec![entry(3, 1), entry(3, 2), entry(14, 3)];
        table.slots[2] = vec![entry(2 + 11 * 3, 4)];
        table.grow();
        let ids = |slot: usize| table.slots[slot].iter().map(|it| it.id.0).collect::<Vec<_>>();
        assert_eq!(table.slots.len(), 17);
        assert_eq!((ids(3), ids(14), ids(1)), (vec![1, 2], vec![3], vec![4]));
    }
}
