//! Problems that `problem.get` finds among all in memory: conditions are checked by facts where these
//! suffice, conditions on data that many problems share are checked once, and only hits are read in full.

use std::sync::Arc;

use db::events::{EventRow, ProblemFacts, ProblemPiece, ProblemView, object};
use db::{Problem, ReadScope};
use model::map::Map;

use super::event::EventFilter;
use super::visibility::{has_object, is_visible};
use crate::shared::Ctx;
use crate::visibility::{ObjectVisibility, Visibility};

/// A verdict a number, as far as it was asked for.
#[derive(Default)]
struct Judged(Vec<Option<bool>>);

impl Judged {
    fn of(&mut self, number: u32, judge: impl FnOnce() -> bool) -> bool {
        let Ok(at) = usize::try_from(number) else { return judge() };
        if self.0.len() <= at {
            self.0.resize(at + 1, None);
        }
        match self.0.get_mut(at) {
            Some(known) => *known.get_or_insert_with(judge),
            None => judge(),
        }
    }
}

/// The problems that a filter admits, in order.
pub(super) struct Selected<'a> {
    ctx: &'a Ctx,
    filter: &'a EventFilter,
    /// Problems resolved later are shown too.
    resolved_after: Option<i64>,
    is_descending: bool,
    view: ProblemView,
    /// Pieces that are done.
    n_done: usize,
    /// Hits of the last one, those that come first at the end.
    piece: Option<Arc<ProblemPiece>>,
    hits: Vec<usize>,
    hosts: Judged,
    tags: Judged,
    viewer: Viewer<'a>,
}

impl<'a> Selected<'a> {
    pub(super) fn new(
        ctx: &'a Ctx,
        filter: &'a EventFilter,
        resolved_after: Option<i64>,
        is_descending: bool,
    ) -> Self {
        Self {
            ctx,
            filter,
            resolved_after,
            is_descending,
            view: ctx.db().events().view(),
            n_done: 0,
            piece: None,
            hits: Vec::new(),
            hosts: Judged::default(),
            tags: Judged::default(),
            viewer: Viewer::new(ctx),
        }
    }

    /// Their number.
    pub(super) fn n_left(mut self) -> usize {
        let mut n = self.hits.len();
        while self.next_piece() {
            n += self.hits.len();
        }
        n
    }

    /// Finds the hits of the next piece; false: there is none.
    fn next_piece(&mut self) -> bool {
        let pieces = self.view.pieces();
        let at = if self.is_descending {
            pieces.len().checked_sub(self.n_done + 1)
        } else {
            Some(self.n_done)
        };
        let Some(piece) = at.and_then(|it| pieces.get(it)).map(Arc::clone) else { return false };
        self.n_done += 1;
        let mut hits = std::mem::take(&mut self.hits);
        hits.clear();
        let rows = piece.facts().iter().enumerate();
        hits.extend(rows.filter(|(at, it)| self.admits(&piece, *at, it)).map(|(at, _)| at));
        self.viewer.retain(&piece, &mut hits);
        if !self.is_descending {
            hits.reverse();
        }
        self.hits = hits;
        self.piece = Some(piece);
        true
    }

    /// All but whether it may be seen.
    fn admits(&mut self, piece: &ProblemPiece, at: usize, facts: &ProblemFacts) -> bool {
        let filter = self.filter;
        let is_near = i64::from(facts.source) == filter.source
            && i64::from(facts.object) == filter.object
            && (facts.is_open || self.resolved_after.is_some())
            && filter.id_from.is_none_or(|it| it <= facts.eventid.0)
            && filter.id_till.is_none_or(|it| facts.eventid.0 <= it)
            && filter.from.is_none_or(|it| it <= facts.clock)
            && filter.till.is_none_or(|it| facts.clock <= it)
            && filter.objects.as_ref().is_none_or(|it| it.contains(&facts.objectid))
            && filter.severities.as_ref().is_none_or(|it| it.contains(&facts.severity.into()))
            && filter.acknowledged.is_none_or(|it| it == facts.acknowledged)
            && filter.symptom.is_none_or(|it| it == facts.is_symptom);
        if !is_near {
            return false;
        }
        let has_suppression = facts.has_suppression;
        let needs_problem = !facts.is_open
            || filter.has_actions()
            || filter.suppressed.is_some() && has_suppression;
        if filter.suppressed == Some(true) && !has_suppression {
            return false;
        }
        if needs_problem
            && !piece.problem(at).is_some_and(|it| {
                (it.is_open() || self.resolved_after.is_some_and(|after| after < it.r_time.clock()))
                    && filter.admits_state(self.ctx, &it.event, Some(it))
            })
        {
            return false;
        }
        let of_event = |judge: &dyn Fn(&EventRow) -> bool| {
            piece.problem(at).is_some_and(|it| judge(&it.event))
        };
        let ctx = self.ctx;
        (!filter.has_hosts()
            || self.hosts.of(facts.hosts_number, || of_event(&|it| filter.admits_hosts(ctx, it))))
            && (filter.tags.is_empty()
                || self
                    .tags
                    .of(facts.tags_number, || of_event(&|it| filter.tags.matches(&it.tags))))
    }
}

impl Iterator for Selected<'_> {
    type Item = Arc<Problem>;

    fn next(&mut self) -> Option<Arc<Problem>> {
        loop {
            if let Some(at) = self.hits.pop() {
                return self.piece.as_ref().and_then(|it| it.problem(at)).cloned();
            }
            if !self.next_piece() {
                return None;
            }
        }
    }
}

/// The user who reads problems.
struct Viewer<'a> {
    ctx: &'a Ctx,
    scope: ReadScope,
    generation: u64,
    /// By audience.
    admitted: Vec<Option<bool>>,
    /// The result of tag filters, by audience and tags.
    filtered: Map<(u32, u32), bool>,
}

impl<'a> Viewer<'a> {
    fn new(ctx: &'a Ctx) -> Self {
        let scope = ctx.rights.read_scope();
        Self { ctx, scope, generation: 0, admitted: Vec::new(), filtered: Map::default() }
    }

    /// Keeps the rows of a piece whose objects exist and may be seen.
    fn retain(&mut self, piece: &ProblemPiece, rows: &mut Vec<usize>) {
        let ctx = self.ctx;
        // Held for one piece: other callers go on in between.
        let mut known = ctx.shared.visibility.by(&ctx.snapshot);
        rows.retain(|at| {
            let Some(facts) = piece.facts().get(*at) else { return false };
            match known.of(facts, &ctx.snapshot) {
                Visibility::Gone => false,
                Visibility::Unknown | Visibility::Ask => piece
                    .problem(*at)
                    .is_some_and(|it| has_object(ctx, &it.event) && is_visible(ctx, &it.event)),
                _ if self.scope == ReadScope::All => true,
                Visibility::Hidden => false,
                Visibility::Audience(number) => {
                    self.belongs_to(&known, number)
                        && self.passes_filters(&known, (number, facts), || piece.problem(*at))
                }
            }
        });
    }

    fn belongs_to(&mut self, known: &ObjectVisibility, number: u32) -> bool {
        if self.generation != known.generation {
            self.generation = known.generation;
            self.admitted.clear();
            self.filtered.clear();
        }
        let Ok(at) = usize::try_from(number) else { return false };
        let Some(groups) = known.audience(number) else { return false };
        if self.admitted.len() <= at {
            self.admitted.resize(at + 1, None);
        }
        let scope = &self.scope;
        let admits = || groups.iter().all(|it| scope.admits(it));
        self.admitted.get_mut(at).is_some_and(|it| *it.get_or_insert_with(admits))
    }
    /// Whether tag filters of the user's groups let a problem of an audience be seen.
    fn passes_filters<'p>(
        &mut self,
        known: &ObjectVisibility,
        (number, facts): (u32, &ProblemFacts),
        problem: impl FnOnce() -> Option<&'p Arc<Problem>>,
    ) -> bool {
        let scope = self.ctx.rights.tag_scope();
        // Problems of items are none of triggers.
        if scope.is_all() || facts.object != object::TRIGGER {
            return true;
        }
        let Some(groups) = known.audience(number) else { return false };
        *self.filtered.entry((number, facts.tags_number)).or_insert_with(|| {
            let is_in = |group| groups.iter().any(|it| it.contains(&group));
            problem().is_some_and(|it| scope.admits(is_in, &it.event.tags))
        })
    }
}
