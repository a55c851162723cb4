//! The quarantine of an input of which each turn fails: it must not stop all others.
//!
//! After a failure that does not pass with time (a bug, a row that the database refuses) turns are
//! made of one input each, so that the failing one is known. An input that fails again and again is
//! quarantined: it has no messages. It is counted, logged, and shown in `/health` for an hour.
//! After some turns without a failure they are whole again.

use model::EventId;

/// Times that one input may fail before it is quarantined.
const TRIES_MAX: u32 = 3;
/// Turns of one input each that have to end well.
const SINGLE_TURNS: u32 = 20;
/// How long `/health` shows the quarantined input.
const SHOWN_NS: u64 = 3_600_000_000_000;

/// The subject of a turn of one input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Input {
    Event(EventId),
    /// An entry below a problem.
    Update {
        acknowledge: u64,
        event: EventId,
    },
    /// A step of an escalation.
    Step {
        escalation: u64,
        event: EventId,
    },
}

impl Input {
    pub(super) const fn event(self) -> EventId {
        match self {
            Self::Event(event) | Self::Update { event, .. } | Self::Step { event, .. } => event,
        }
    }

    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Event(_) => "event",
            Self::Update { .. } => "update of problem",
            Self::Step { .. } => "escalation of problem",
        }
    }
}

/// Finds out which input fails.
#[derive(Debug, Default)]
pub(super) struct Quarantine {
    /// Turns of one input each that are still to be made; 0: turns are whole.
    n_single: u32,
    /// The input of the present turn.
    current: Option<Input>,
    /// The input that failed last, and its failures in a row.
    suspect: Option<(Input, u32)>,
    /// Until when something is shown, by the monotonic clock.
    shown_until_ns: Option<u64>,
}

impl Quarantine {
    /// A turn begins; whether it is of one input.
    pub(super) const fn begin(&mut self) -> bool {
        self.current = None;
        0 < self.n_single
    }

    pub(super) const fn is_about(&mut self, input: Input) {
        self.current = Some(input);
    }

    /// Whether a step that is due comes before new events: both get their turns.
    pub(super) const fn begins_with_steps(&self) -> bool {
        self.n_single.is_multiple_of(2)
    }

    /// A turn ended well.
    pub(super) const fn passed(&mut self) {
        self.n_single = self.n_single.saturating_sub(1);
        if self.n_single == 0 {
            self.suspect = None;
        }
    }

    /// A turn failed, and time does not help. Returns the input to quarantine.
    pub(super) fn failed(&mut self) -> Option<Input> {
        self.n_single = SINGLE_TURNS;
        let input = self.current.take()?;
        let before = self.suspect.filter(|(it, _)| *it == input).map_or(0, |(_, n)| n);
        self.suspect = Some((input, before + 1));
        (TRIES_MAX <= before + 1).then_some(input)
    }

    pub(super) const fn shown(&mut self, now_ns: u64) {
        self.suspect = None;
        self.shown_until_ns = Some(now_ns.saturating_add(SHOWN_NS));
    }

    /// Whether the notice has been shown long enough.
    pub(super) fn is_over(&mut self, now_ns: u64) -> bool {
        let is_over = self.shown_until_ns.is_some_and(|it| it <= now_ns);
        if is_over {
            self.shown_until_ns = None;
        }
        is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_fails_alone_three_times_is_set_aside() {
        let mut it = Quarantine::default();
        let bad = Input::Event(EventId(7));
        assert!(!it.begin());
        assert_eq!(
            it.failed(),
            None,
            "many were judged in that turn: nobody knows which one it is"
        );
        for n in 1..=3 {
            assert!(it.begin());
            it.is_about(Input::Event(EventId(6)));
            it.passed();
            it.begin();
            it.is_about(bad);
            assert_eq!(it.failed(), (n == 3).then_some(bad));
        }
        for _ in 0..SINGLE_TURNS {
            assert!(it.begin());
            it.passed();
        }
        assert!(!it.begin(), "turns are whole again");
    }

    #[test]
    fn quarantined_input_is_shown_for_an_hour() {
        let mut it = Quarantine::default();
        assert!(!it.is_over(u64::MAX));
        it.shown(5);
        assert!(!it.is_over(SHOWN_NS + 4) && it.is_over(SHOWN_NS + 5));
        assert!(!it.is_over(SHOWN_NS + 6), "once");
    }
}
