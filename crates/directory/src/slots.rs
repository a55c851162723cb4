//! Runtime slots of one shard: dense numbers, adjacent for the items of a host, reused.
//!
//! A slot says nothing about identity: it is valid from the epoch in which it was given out
//! (`born`) until the epoch in which it was freed. It may be given out again at once, because the
//! shard refuses rows of batches that are older than the slot's birth.

use std::collections::BTreeMap;

/// Where the slots of a host's items lie, by position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Slots {
    /// `first + position`.
    Run { first: u32, len: u32 },
    /// After items were added or removed.
    List(Box<[u32]>),
}

impl Slots {
    #[inline]
    pub fn get(&self, position: u32) -> Option<u32> {
        match self {
            Self::Run { first, len } => (position < *len).then(|| first + position),
            Self::List(it) => it.get(position as usize).copied(),
        }
    }

    pub fn len(&self) -> u32 {
        match self {
            Self::Run { len, .. } => *len,
            Self::List(it) => u32::try_from(it.len()).unwrap_or(u32::MAX),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter_map(|it| self.get(it))
    }
}

/// Gives out and takes back slots.
#[derive(Debug, Default)]
pub(crate) struct Allocator {
    /// Free runs below `end`: first slot → length. Neighbours are merged.
    free: BTreeMap<u32, u32>,
    end: u32,
}

impl Allocator {
    /// `n` adjacent slots: the first free run that is long enough, else new ones.
    pub(crate) fn take(&mut self, n: u32) -> u32 {
        let found = self.free.iter().find(|(_, len)| n <= **len).map(|(first, len)| (*first, *len));
        if let Some((first, len)) = found {
            self.free.remove(&first);
            if n < len {
                self.free.insert(first + n, len - n);
            }
            return first;
        }
        let first = self.end;
        self.end += n;
        first
    }

    /// Takes back `n` slots from `first` on.
    pub(crate) fn give_back(&mut self, mut first: u32, mut n: u32) {
        if n == 0 {
            return;
        }
        if let Some((&before, &len)) = self.free.range(..first).next_back()
            && before + len == first
        {
            self.free.remove(&before);
            first = before;
            n += len;
        }
        if let Some(len) = self.free.remove(&(first + n)) {
            n += len;
        }
        if first + n == self.end {
            self.end = first;
        } else {
            self.free.insert(first, n);
        }
    }

    /// All slots ever given out are below.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_neighbours_merge_and_are_reused_as_one_run() {
        let mut it = Allocator::default();
        let (a, b, c, d) = (it.take(10), it.take(10), it.take(10), it.take(1));
        assert_eq!((a, b, c, d), (0, 10, 20, 30));
        it.give_back(a, 10);
        it.give_back(c, 10);
        it.give_back(b, 10);
        assert_eq!(it.take(25), 0);
        assert_eq!(it.take(5), 25);
        assert_eq!(it.take(1), 31);
    }

    #[test]
    fn slots_freed_at_the_end_shrink_the_range() {
        let mut it = Allocator::default();
        let first = it.take(5);
        it.give_back(first, 5);
        assert_eq!(it.end(), 0);
    }
}
