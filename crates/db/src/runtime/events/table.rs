//! The problems in memory by event id: rows with each problem and the fields that most queries use,
//! in pieces that readers share with the writer. A reader of a [`ProblemView`] sees the problems of
//! one moment for as long as it likes and blocks nobody; the writer copies a piece when it changes
//! one that a reader still uses.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use model::EventId;
use model::map::Map;

use super::{EventRow, Problem};

/// The most rows of a piece: copying them takes some microseconds.
const ROWS_MAX: usize = 512;

/// A piece with fewer rows joins a neighbour that has room.
const ROWS_MIN: usize = ROWS_MAX / 4;

/// Fields of a problem that are known without reading it.
///
/// Problems with the same number have the same value of it. Numbers are small and used again when
/// no problem has them any more: they distinguish values within one view only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProblemFacts {
    pub eventid: EventId,
    pub objectid: u64,
    /// When it began: seconds since 1970.
    pub clock: i64,
    /// Of `object` and `objectid`.
    pub object_number: u32,
    /// Of the list of hosts.
    pub hosts_number: u32,
    /// Of the list of tags.
    pub tags_number: u32,
    pub source: u8,
    pub object: u8,
    /// As it is now.
    pub severity: u8,
    pub is_open: bool,
    pub acknowledged: bool,
    /// Another problem is its cause.
    pub is_symptom: bool,
    /// It may be suppressed at some time; whether it is says [`Problem::is_suppressed`].
    pub has_suppression: bool,
}

/// Some problems that follow each other by event id.
#[derive(Clone, Debug, Default)]
pub struct ProblemPiece {
    facts: Vec<ProblemFacts>,
    problems: Vec<Arc<Problem>>,
}

impl ProblemPiece {
    /// Rows, by event id.
    #[must_use]
    pub fn facts(&self) -> &[ProblemFacts] {
        &self.facts
    }

    /// The problem of a row.
    #[must_use]
    pub fn problem(&self, at: usize) -> Option<&Arc<Problem>> {
        self.problems.get(at)
    }

    fn first(&self) -> EventId {
        self.facts.first().map_or(EventId::NONE, |it| it.eventid)
    }

    fn position(&self, id: EventId) -> Result<usize, usize> {
        self.facts.binary_search_by_key(&id, |it| it.eventid)
    }
}

/// All open and recently resolved problems of one moment.
#[derive(Clone, Debug, Default)]
pub struct ProblemView {
    pieces: Vec<Arc<ProblemPiece>>,
}

impl ProblemView {
    /// By event id; none is empty.
    #[must_use]
    pub fn pieces(&self) -> &[Arc<ProblemPiece>] {
        &self.pieces
    }

    #[must_use]
    pub fn get(&self, id: EventId) -> Option<&Arc<Problem>> {
        let piece = self.pieces.get(self.place(id)?)?;
        piece.problem(piece.position(id).ok()?)
    }

    /// Problems by event id.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Problem>> {
        self.pieces.iter().flat_map(|it| it.problems.iter())
    }

    /// The piece that a problem is in if it is in any. `None`: it would be the first of all.
    fn place(&self, id: EventId) -> Option<usize> {
        self.pieces.partition_point(|it| it.first() <= id).checked_sub(1)
    }
}

/// The writer's side.
#[derive(Debug, Default)]
pub(super) struct Table {
    view: ProblemView,
    n_rows: usize,
    objects: Numbers<(u8, u64)>,
    hosts: Numbers<HostsOf>,
    tags: Numbers<TagsOf>,
}

impl Table {
    pub(super) fn view(&self) -> &ProblemView {
        &self.view
    }

    pub(super) fn len(&self) -> usize {
        self.n_rows
    }

    pub(super) fn get(&self, id: EventId) -> Option<&Arc<Problem>> {
        self.view.get(id)
    }

    /// Inserts or replaces a problem; gives the one that was there.
    pub(super) fn put(&mut self, problem: Arc<Problem>) -> Option<Arc<Problem>> {
        let id = problem.eventid();
        let facts = self.facts_of(&problem);
        let pieces = &mut self.view.pieces;
        let place = pieces.partition_point(|it| it.first() <= id).saturating_sub(1);
        let position = pieces.get(place).map_or(Err(0), |it| it.position(id));
        match (position, pieces.get_mut(place).map(Arc::make_mut)) {
            (Ok(at), Some(piece)) => {
                let old_facts = std::mem::replace(piece.facts.get_mut(at)?, facts);
                let old = std::mem::replace(piece.problems.get_mut(at)?, problem);
                self.release(&old_facts, &old.event);
                Some(old)
            }
            (Err(at), Some(piece)) if piece.facts.len() < ROWS_MAX => {
                piece.facts.insert(at, facts);
                piece.problems.insert(at, problem);
                self.n_rows += 1;
                None
            }
            (Ok(at) | Err(at), piece) => {
                // Full. Ids grow, so that mostly it is the last one.
                let mut rest = ProblemPiece { facts: vec![facts], problems: vec![problem] };
                if let Some(piece) = piece.filter(|_| 0 < at) {
                    rest.facts.extend(piece.facts.drain(at..));
                    rest.problems.extend(piece.problems.drain(at..));
                }
                pieces.insert(if at == 0 { place } else { place + 1 }, Arc::new(rest));
                self.n_rows += 1;
                None
            }
        }
    }

    pub(super) fn remove(&mut self, id: EventId) -> Option<Arc<Problem>> {
        let place = self.view.place(id)?;
        let piece = self.view.pieces.get_mut(place)?;
        let at = piece.position(id).ok()?;
        let piece = Arc::make_mut(piece);
        let facts = piece.facts.remove(at);
        let old = piece.problems.remove(at);
        let n_left = piece.facts.len();
        self.n_rows -= 1;
        self.release(&facts, &old.event);
        if n_left < ROWS_MIN {
            self.join(place);
        }
        Some(old)
    }

    /// Puts a small piece to a neighbour, so that there are never many more pieces than are needed.
    fn join(&mut self, place: usize) {
        let pieces = &mut self.view.pieces;
        let len = |at: usize| pieces.get(at).map_or(ROWS_MAX, |it| it.facts.len());
        let own = len(place);
        let fits = |at: usize| own + len(at) <= ROWS_MAX / 2;
        if own == 0 {
            pieces.remove(place);
            return;
        }
        let first = match place.checked_sub(1) {
            Some(before) if fits(before) => before,
            _ if fits(place + 1) => place,
            _ => return,
        };
        let second = pieces.remove(first + 1);
        if let Some(piece) = pieces.get_mut(first) {
            let piece = Arc::make_mut(piece);
            piece.facts.extend_from_slice(&second.facts);
            piece.problems.extend(second.problems.iter().cloned());
        }
    }

    fn facts_of(&mut self, problem: &Problem) -> ProblemFacts {
        let event = &problem.event;
        ProblemFacts {
            eventid: event.eventid,
            objectid: event.objectid,
            clock: event.time.clock(),
            object_number: self.objects.take((event.object, event.objectid)),
            hosts_number: self.hosts.take(HostsOf(Arc::clone(event))),
            tags_number: self.tags.take(TagsOf(Arc::clone(event))),
            source: event.source,
            object: event.object,
            severity: problem.severity.code().unsigned_abs(),
            is_open: problem.is_open(),
            acknowledged: problem.acknowledged,
            is_symptom: problem.is_symptom(),
            has_suppression: problem.has_suppression(),
        }
    }

    fn release(&mut self, facts: &ProblemFacts, event: &Arc<EventRow>) {
        self.objects.release(&(facts.object, facts.objectid));
        self.hosts.release(&HostsOf(Arc::clone(event)));
        self.tags.release(&TagsOf(Arc::clone(event)));
    }
}

/// Small numbers for values that many rows have in common.
#[derive(Debug)]
struct Numbers<K> {
    /// With the rows that have it.
    known: Map<K, (u32, usize)>,
    free: Vec<u32>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Self { known: Map::default(), free: Vec::new() }
    }
}

impl<K: Hash + Eq> Numbers<K> {
    /// The number of a value, for one more row.
    fn take(&mut self, value: K) -> u32 {
        let n_known = self.known.len();
        let free = &mut self.free;
        let new = || (free.pop().unwrap_or_else(|| u32::try_from(n_known).unwrap_or(u32::MAX)), 0);
        let (number, n_rows) = self.known.entry(value).or_insert_with(new);
        *n_rows += 1;
        *number
    }

    fn release(&mut self, value: &K) {
        let Some((number, n_rows)) = self.known.get_mut(value) else { return };
        *n_rows -= 1;
        if *n_rows == 0 {
            self.free.push(*number);
            self.known.remove(value);
        }
    }
}

/// An event for the sake of its hosts.
#[derive(Debug)]
struct HostsOf(Arc<EventRow>);

impl PartialEq for HostsOf {
    fn eq(&self, other: &Self) -> bool {
        self.0.hosts == other.0.hosts
    }
}

impl Eq for HostsOf {}

impl Hash for HostsOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hosts.hash(state);
    }
}

/// An event for the sake of its tags.
#[derive(Debug)]
struct TagsOf(Arc<EventRow>);

impl PartialEq for TagsOf {
    fn eq(&self, other: &Self) -> bool {
        self.0.tags == other.0.tags
    }
}

impl Eq for TagsOf {}

impl Hash for TagsOf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.tags.hash(state);
    }
}

#[cfg(test)]
mod tests;
