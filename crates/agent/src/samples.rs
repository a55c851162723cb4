//! Counters remembered second by second, for averages over 1, 5 and 15 minutes.
//!
//! The owner of the agent calls for a sample each second; nothing here has a thread or a clock.
//! Late or missing calls are harmless: averages use the time that really passed.
//!
//! Bounds: 901 samples a processor (80 bytes each) and a device; devices are sampled from the first
//! request on, at most [`DEVICES_MAX`], and forgotten after three hours without one.

use std::collections::{BTreeMap, VecDeque};

use crate::processes::Filter;

/// One a second for 15 minutes, and the one before them.
const SAMPLES_MAX: usize = 15 * 60 + 1;
const SECOND_NS: u64 = 1_000_000_000;
/// Calls that are a little late must not shorten a window by a whole sample.
const TOLERANCE_NS: u64 = SECOND_NS / 2;
const DEVICES_MAX: usize = 1024;
const DEVICE_IDLE_NS: u64 = 3 * 3600 * SECOND_NS;

/// The period of an average.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    Avg1,
    Avg5,
    Avg15,
}

impl Window {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "avg1" => Some(Self::Avg1),
            "avg5" => Some(Self::Avg5),
            "avg15" => Some(Self::Avg15),
            _ => None,
        }
    }

    fn nanos(self) -> u64 {
        let minutes = match self {
            Self::Avg1 => 1,
            Self::Avg5 => 5,
            Self::Avg15 => 15,
        };
        minutes * 60 * SECOND_NS
    }
}

/// The newest samples of `N` counters that only grow.
#[derive(Debug, Clone)]
struct Series<const N: usize>(VecDeque<(u64, [u64; N])>);

/// The growth of each counter in a window, and the length of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Growth<const N: usize> {
    pub(crate) counters: [u64; N],
    pub(crate) seconds: f64,
}

impl<const N: usize> Default for Series<N> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<const N: usize> Series<N> {
    fn push(&mut self, mono_ns: u64, counters: [u64; N]) {
        match self.0.back() {
            // Called twice at the same time: the clock of the series must strictly grow.
            Some((last, _)) if mono_ns <= *last => return,
            _ => self.0.push_back((mono_ns, counters)),
        }
        if self.0.len() > SAMPLES_MAX {
            self.0.pop_front();
        }
    }

    /// None before the first sample; all zero after a single one.
    fn growth(&self, window: Window) -> Option<Growth<N>> {
        let (end, newest) = self.0.back()?;
        let oldest_wanted = end.saturating_sub(window.nanos() + TOLERANCE_NS);
        let first = self.0.partition_point(|it| it.0 < oldest_wanted);
        let (start, oldest) = self.0.get(first)?;
        let mut counters = [0; N];
        for (idx, counter) in counters.iter_mut().enumerate() {
            // A counter that decreased (a device was replaced, or a defect of the kernel) has not
            // grown.
            *counter = newest[idx].saturating_sub(oldest[idx]);
        }
        #[expect(clippy::cast_precision_loss, reason = "15 minutes in nanoseconds are exact")]
        let seconds = (end - start) as f64 / SECOND_NS as f64;
        Some(Growth { counters, seconds })
    }
}

/// Columns of /proc/stat in its order.
pub(crate) const N_CPU_STATES: usize = 10;
/// Sectors and operations read, sectors and operations written.
pub(crate) const N_DISK_COUNTERS: usize = 4;

#[derive(Debug, Default)]
struct Device {
    last_asked_ns: u64,
    series: Series<N_DISK_COUNTERS>,
}

/// Ticks of user and system.
pub(crate) const N_PROCESS_COUNTERS: usize = 2;
/// Each costs a walk through /proc a second. Further filters are refused.
const PROCESS_WATCHES_MAX: usize = 128;

/// Processes whose CPU time is measured.
#[derive(Debug)]
struct ProcessWatch {
    last_asked_ns: u64,
    filter: Filter,
    /// When each process started, and its ticks.
    last: BTreeMap<u32, (u64, [u64; N_PROCESS_COUNTERS])>,
    total: [u64; N_PROCESS_COUNTERS],
    series: Series<N_PROCESS_COUNTERS>,
}

/// The ticks of processes by number, with the times of their starts.
pub(crate) type ProcessTimes = BTreeMap<u32, (u64, [u64; N_PROCESS_COUNTERS])>;

#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// By the parameters that choose the processes.
    processes: BTreeMap<String, ProcessWatch>,
    /// `None` is all processors together.
    cpus: BTreeMap<Option<u32>, Series<N_CPU_STATES>>,
    /// The empty name is all devices together.
    devices: BTreeMap<String, Device>,
}

impl Samples {
    /// `lines` are the processors of /proc/stat. A missing one has gone offline: its earlier
    /// counters are no base for the time after its return.
    pub(crate) fn push_cpus(
        &mut self,
        mono_ns: u64,
        lines: &BTreeMap<Option<u32>, [u64; N_CPU_STATES]>,
    ) {
        self.cpus.retain(|cpu, _| lines.contains_key(cpu));
        for (cpu, counters) in lines {
            self.cpus.entry(*cpu).or_default().push(mono_ns, *counters);
        }
    }

    pub(crate) fn cpus_are_sampled(&self) -> bool {
        !self.cpus.is_empty()
    }

    pub(crate) fn cpu(&self, cpu: Option<u32>, window: Window) -> Option<Growth<N_CPU_STATES>> {
        self.cpus.get(&cpu)?.growth(window)
    }

    pub(crate) fn has_devices(&self) -> bool {
        !self.devices.is_empty()
    }

    /// Names to look up for the next [`Samples::push_device`]; forgets unused ones.
    pub(crate) fn devices(&mut self, mono_ns: u64) -> Vec<String> {
        self.devices.retain(|_, it| mono_ns.saturating_sub(it.last_asked_ns) < DEVICE_IDLE_NS);
        self.devices.keys().cloned().collect()
    }

    pub(crate) fn push_device(
        &mut self,
        mono_ns: u64,
        name: &str,
        counters: [u64; N_DISK_COUNTERS],
    ) {
        if let Some(device) = self.devices.get_mut(name) {
            device.series.push(mono_ns, counters);
        }
    }

    /// Filters to look for among the processes; forgets unused ones.
    pub(crate) fn processes(&mut self, mono_ns: u64) -> Vec<(String, Filter)> {
        self.processes.retain(|_, it| mono_ns.saturating_sub(it.last_asked_ns) < DEVICE_IDLE_NS);
        self.processes.iter().map(|it| (it.0.clone(), it.1.filter.clone())).collect()
    }

    pub(crate) fn push_processes(&mut self, mono_ns: u64, name: &str, times: ProcessTimes) {
        let Some(watch) = self.processes.get_mut(name) else { return };
        for (pid, (started, ticks)) in &times {
            // CPU time before the process was first seen, or of an earlier process with its number,
            // does not count.
            let Some((_, before)) = watch.last.get(pid).filter(|it| it.0 == *started) else {
                continue;
            };
            for (idx, total) in watch.total.iter_mut().enumerate() {
                *total += ticks[idx].saturating_sub(before[idx]);
            }
        }
        watch.last = times;
        watch.series.push(mono_ns, watch.total);
    }

    /// Samples processes from now on. False if there are too many filters.
    #[must_use]
    pub(crate) fn watch_processes(&mut self, mono_ns: u64, name: &str, filter: &Filter) -> bool {
        if self.processes.len() >= PROCESS_WATCHES_MAX && !self.processes.contains_key(name) {
            return false;
        }
        let watch = self.processes.entry(name.to_owned()).or_insert_with(|| ProcessWatch {
            last_asked_ns: mono_ns,
            filter: filter.clone(),
            last: BTreeMap::new(),
            total: [0; N_PROCESS_COUNTERS],
            series: Series::default(),
        });
        watch.last_asked_ns = mono_ns;
        true
    }

    pub(crate) fn process(&self, name: &str, window: Window) -> Option<Growth<N_PROCESS_COUNTERS>> {
        self.processes.get(name)?.series.growth(window)
    }

    /// Samples a device from now on. False if there are too many.
    #[must_use]
    pub(crate) fn watch_device(&mut self, mono_ns: u64, name: &str) -> bool {
        if self.devices.len() >= DEVICES_MAX && !self.devices.contains_key(name) {
            return false;
        }
        self.devices.entry(name.to_owned()).or_default().last_asked_ns = mono_ns;
        true
    }

    pub(crate) fn device(&self, name: &str, window: Window) -> Option<Growth<N_DISK_COUNTERS>> {
        self.devices.get(name)?.series.growth(window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(samples: impl Iterator<Item = (u64, u64)>) -> Series<1> {
        let mut series = Series::default();
        for (second, counter) in samples {
            series.push(second * SECOND_NS, [counter]);
        }
        series
    }

    fn growth(series: &Series<1>, window: Window) -> (u64, f64) {
        let growth = series.growth(window).expect("there are samples");
        (growth.counters[0], growth.seconds)
    }

    #[test]
    fn an_average_looks_back_exactly_its_window() {
        // Grows by 1 a second for ten minutes, then by 10 a second.
        let speed = |it: u64| if it <= 600 { it } else { 600 + (it - 600) * 10 };
        let series = series((0..=700).map(|it| (it, speed(it))));
        assert_eq!(growth(&series, Window::Avg1), (600, 60.0));
        assert_eq!(growth(&series, Window::Avg5), (1000 + 200, 300.0));
        assert_eq!(growth(&series, Window::Avg15), (1600, 700.0));
    }

    #[test]
    fn missing_samples_do_not_stretch_a_window() {
        let series = series([(0, 0), (10, 10), (200, 200), (230, 290)].into_iter());
        assert_eq!(growth(&series, Window::Avg1), (90, 30.0));
    }

    #[test]
    fn memory_is_bounded_and_time_never_goes_back() {
        let mut series = series((0..5000).map(|it| (it, it)));
        assert_eq!(series.0.len(), SAMPLES_MAX);
        series.push(3, [0]);
        assert_eq!(growth(&series, Window::Avg15), (900, 900.0));
    }

    #[test]
    fn one_sample_is_no_growth_and_none_is_unknown() {
        assert_eq!(growth(&series([(5, 100)].into_iter()), Window::Avg1), (0, 0.0));
        assert_eq!(Series::<1>::default().growth(Window::Avg1), None);
    }

    #[test]
    fn unused_devices_are_forgotten_and_limited_in_number() {
        let mut samples = Samples::default();
        for number in 0..DEVICES_MAX {
            assert!(samples.watch_device(0, &format!("d{number}")));
        }
        assert!(!samples.watch_device(0, "one too many"));
        assert!(samples.watch_device(DEVICE_IDLE_NS, "d7"));
        assert_eq!(samples.devices(DEVICE_IDLE_NS), ["d7"]);
    }
}
