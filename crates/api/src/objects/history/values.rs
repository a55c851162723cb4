//! Values read on demand: of one item after the other, or of all items merged.
//!
//! A merge holds a page of each item, and pages are the smaller the more items there are; so the memory
//! depends on neither the length of the time nor the limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use model::value::Sample;
use model::{ItemId, ValueType};

use super::order::{Order, Place};
use crate::error::ApiError;
use crate::ports::RangeQuery;
use crate::shared::Ctx;

/// The number of values that are read of an item at once, if there are `n_items`. A number takes 32 bytes, a
/// text may have 64 kB.
fn page_of(kind: ValueType, n_items: usize) -> usize {
    let n_items = n_items.max(1);
    if kind.is_numeric() {
        (100_000 / n_items).clamp(8, 20_000)
    } else {
        (1_000 / n_items).clamp(2, 1_000)
    }
}

/// The values to read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Of any item; without its limit and direction.
    pub(super) whole: RangeQuery,
    pub(super) order: Order,
    /// The most values of each item.
    pub(super) of_each: usize,
    /// The most values; further ones are an error.
    pub(super) room: usize,
}

/// The values of items in an order.
pub(super) struct Values<'a> {
    ctx: &'a Ctx,
    items: std::vec::IntoIter<ItemId>,
    wanted: Wanted,
    /// Those that are read now by their next values: one item, or all of them.
    heads: BinaryHeap<Head>,
    /// Why there are no more.
    pub(super) failed: Option<ApiError>,
}

/// An item and its next value.
struct Head {
    place: Reverse<Place>,
    sample: Sample,
    page: std::vec::IntoIter<Sample>,
    pages: ItemPages,
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.place == other.place
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.place.cmp(&other.place)
    }
}

/// The values of one item, page by page.
struct ItemPages {
    /// The part that has not been read.
    rest: RangeQuery,
    /// Values at the near end of it that are.
    n_seen: usize,
    /// The number of values that are still wanted.
    left: usize,
    /// The number of values read at once.
    page: usize,
}

impl ItemPages {
    fn read(&mut self, ctx: &Ctx) -> Result<Vec<Sample>, ApiError> {
        let n_wanted = self.page.min(self.left);
        let limit = n_wanted.saturating_add(self.n_seen);
        let mut found = ctx.ports().history.range(&RangeQuery { limit, ..self.rest })?;
        let is_last = found.len() < limit;
        if let Some(end) = found.last().map(|it| it.time) {
            // The next page begins in the midst of the values of this time.
            let n_at_end = found.iter().rev().take_while(|it| it.time == end).count();
            let near =
                if self.rest.newest_first { &mut self.rest.till } else { &mut self.rest.from };
            *near = end;
            found.drain(..self.n_seen.min(found.len()));
            self.n_seen = n_at_end;
        }
        self.left = if is_last { 0 } else { self.left - n_wanted };
        Ok(found)
    }
}

impl<'a> Values<'a> {
    pub(super) fn new(ctx: &'a Ctx, mut items: Vec<ItemId>, wanted: Wanted) -> Self {
        items.sort_by(|one, other| wanted.order.compare_items(*one, *other));
        Self { ctx, items: items.into_iter(), wanted, heads: BinaryHeap::new(), failed: None }
    }

    /// The next items that are read together; `false`: there are none.
    fn open(&mut self) -> Result<bool, ApiError> {
        let n_items = self.items.len();
        let n_open = if self.wanted.order.merged.is_some() { n_items } else { n_items.min(1) };
        let page = page_of(self.wanted.whole.kind, n_open);
        let newest_first = self.wanted.order.newest_first;
        for item in self.items.by_ref().take(n_open) {
            let rest = RangeQuery { item, newest_first, ..self.wanted.whole };
            let mut pages = ItemPages { rest, n_seen: 0, left: self.wanted.of_each, page };
            let mut page = Vec::new().into_iter();
            if let Some(sample) = next_of(self.ctx, &mut pages, &mut page, &mut self.wanted.room)? {
                let place = Reverse(self.wanted.order.place(item, sample.time));
                self.heads.push(Head { place, sample, page, pages });
            }
        }
        Ok(0 < n_open)
    }

    /// The first of the heads; the next value of its item takes its place.
    fn take(&mut self) -> Result<Option<(ItemId, Sample)>, ApiError> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let Head { page, pages, .. } = &mut *head;
        let item = pages.rest.item;
        let Some(next) = next_of(self.ctx, pages, page, &mut self.wanted.room)? else {
            return Ok(Some((item, PeekMut::pop(head).sample)));
        };
        head.place = Reverse(self.wanted.order.place(item, next.time));
        Ok(Some((item, std::mem::replace(&mut head.sample, next))))
    }

    fn read(&mut self) -> Result<Option<(ItemId, Sample)>, ApiError> {
        while self.heads.is_empty() && self.open()? {}
        self.take()
    }
}

fn next_of(
    ctx: &Ctx,
    pages: &mut ItemPages,
    page: &mut std::vec::IntoIter<Sample>,
    room: &mut usize,
) -> Result<Option<Sample>, ApiError> {
    loop {
        if let Some(it) = page.next() {
            return Ok(Some(it));
        }
        if pages.left == 0 {
            return Ok(None);
        }
        let found = pages.read(ctx)?;
        *room = room.checked_sub(found.len()).ok_or_else(|| {
            let what =
                "Too many values to sort: ask for a shorter time, fewer items, or in no order.";
            ApiError::application(what)
        })?;
        *page = found.into_iter();
    }
}

impl Iterator for Values<'_> {
    type Item = (ItemId, Sample);

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed.is_some() {
            return None;
        }
        self.read().unwrap_or_else(|error| {
            self.failed = Some(error);
            None
        })
    }
}
