//! The queue: late items, by delay and by type; the costliest devices and items.

use std::collections::BTreeMap;
use std::time::Duration;

use model::Time;
use model::content::ItemType;
use model::figures::{DeviceFigures, ItemFigures, QUEUE_CLASSES_S, QueueFigures};

use super::Collectors;
use super::polling::Polling;
use crate::collectors;
use crate::schedule::{CostSums, DeviceCost, ItemCost, LateCheck, PERIOD_S};

/// Entries (of 32 bytes, next to each other) that are read while polling waits: some 20 µs.
const ENTRIES_A_TURN: usize = 16_384;
const DEVICES_A_TURN: usize = 4_096;
/// Devices listed of each kind: the slowest, and those that take most time.
const DEVICES_MAX: usize = 100;
const ITEMS_MAX: usize = 100;

impl Collectors {
    /// Reads the schedule, with `n_max` of the latest items. Polling continues meanwhile, so that
    /// the figures span some milliseconds. Costs some 5 ms a million items: call it where that is
    /// harmless.
    #[must_use]
    pub fn queue(&self, n_max: usize) -> QueueFigures {
        let polling = &self.0.polling;
        let mut state = QueueFigures {
            time: polling.clock.wall(),
            period: Duration::from_secs(PERIOD_S * 2),
            collectors: self.jobs(),
            ..QueueFigures::default()
        };
        late(polling, n_max, &mut state);
        costs(polling, &mut state);
        state
    }
}

fn late(polling: &Polling, n_max: usize, state: &mut QueueFigures) {
    let snapshot = polling.configuration.snapshot();
    let mut kinds = BTreeMap::<ItemType, [u64; QUEUE_CLASSES_S.len()]>::new();
    let (mut found, mut latest) = (Vec::new(), Vec::<LateCheck>::new());
    let mut from = 0;
    loop {
        let part = (from, ENTRIES_A_TURN);
        let has_more = polling.lock().late_among(part, QUEUE_CLASSES_S[0], state.time, &mut found);
        for check in found.drain(..) {
            let Some((_, row)) = snapshot.item(check.item) else { continue };
            let late_s = state.time.clock().saturating_sub(i64::from(check.due));
            let class =
                QUEUE_CLASSES_S.iter().rposition(|it| i64::from(*it) <= late_s).unwrap_or(0);
            kinds.entry(row.content.kind).or_default()[class] += 1;
            state.n_late += 1;
            latest.push(check);
        }
        // Only now and then, so that each late item is moved a few times at most.
        if n_max.saturating_mul(2).max(ENTRIES_A_TURN) <= latest.len() {
            keep_latest(&mut latest, n_max);
        }
        if !has_more {
            break;
        }
        from += ENTRIES_A_TURN;
    }
    keep_latest(&mut latest, n_max);
    let late = |it: LateCheck| (it.item, Time::from_clock(it.due.into(), 0));
    state.latest = latest.into_iter().map(late).collect();
    state.kinds = kinds.into_iter().collect();
}

fn keep_latest(latest: &mut Vec<LateCheck>, n_max: usize) {
    latest.sort_unstable_by_key(|it| (it.due, it.item));
    latest.truncate(n_max);
}

fn costs(polling: &Polling, state: &mut QueueFigures) {
    let mono_ns = polling.clock.mono_ns();
    let mut loads = state.collectors.split_off(0);
    let mut found = Vec::new();
    let mut slowest = Top::new(|it| (it.mean_us(), u64::from(it.max_us)));
    let mut costliest = Top::new(|it| (it.busy_us, u64::from(it.max_us)));
    let mut from = 0;
    loop {
        let part = (from, DEVICES_A_TURN);
        let has_more = polling.lock().costs_among(part, mono_ns, &mut found);
        for cost in found.drain(..) {
            let load = &mut loads[cost.kind];
            load.n_checks += u64::from(cost.sums.n_checks);
            load.n_timeouts += u64::from(cost.sums.n_timeouts);
            load.busy += Duration::from_micros(cost.sums.busy_us);
            load.n_failing += u64::from(cost.is_failing);
            slowest.add(cost);
            costliest.add(cost);
        }
        if !has_more {
            break;
        }
        from += DEVICES_A_TURN;
    }
    let whole: Duration = loads.iter().map(|it| it.busy).sum();
    let mut devices = slowest.finish();
    for cost in costliest.finish() {
        if !devices.contains(&cost) {
            devices.push(cost);
        }
    }
    state.devices = devices.into_iter().map(|it| device_load(&it, whole)).collect();
    let items = polling.lock().costliest_items(ITEMS_MAX);
    state.items = items.into_iter().map(item_load).collect();
    state.collectors = loads;
}

fn device_load(cost: &DeviceCost, whole: Duration) -> DeviceFigures {
    let sums = &cost.sums;
    DeviceFigures {
        host: cost.host,
        interface: cost.interface,
        collector: collectors::table()[cost.kind].name,
        is_failing: cost.is_failing,
        n_jobs: sums.n_jobs,
        n_checks: sums.n_checks,
        n_failed: sums.n_failed,
        n_timeouts: sums.n_timeouts,
        mean: Duration::from_micros(sums.mean_us()),
        max: Duration::from_micros(sums.max_us.into()),
        slowest: sums.slowest,
        share: Duration::from_micros(sums.busy_us)
            .div_duration_f64(whole.max(Duration::from_micros(1))),
    }
}

fn item_load(cost: ItemCost) -> ItemFigures {
    ItemFigures {
        item: cost.item,
        share: cost.share,
        mean: Duration::from_micros(cost.mean_us),
        max: Duration::from_micros(cost.max_us.into()),
    }
}

type CostKey = fn(&CostSums) -> (u64, u64);

/// The devices with the largest figures.
struct Top {
    key: CostKey,
    kept: Vec<DeviceCost>,
}

impl Top {
    fn new(key: CostKey) -> Self {
        Self { key, kept: Vec::new() }
    }

    fn add(&mut self, cost: DeviceCost) {
        self.kept.push(cost);
        if DEVICES_MAX * 16 <= self.kept.len() {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        let key = self.key;
        self.kept.sort_unstable_by_key(|it| std::cmp::Reverse(key(&it.sums)));
        self.kept.truncate(DEVICES_MAX);
    }

    fn finish(mut self) -> Vec<DeviceCost> {
        self.shrink();
        self.kept
    }
}
