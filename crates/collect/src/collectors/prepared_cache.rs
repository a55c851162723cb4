//! Prepared requests, to be repeated without reading the configuration.
//!
//! The checks that are due together on a device are mostly the same each time. Preparing them reads
//! host, interface, items and their texts, which lie in a dozen places of memory; a kept request
//! lies in two.
//!
//! A kept request is valid as long as its sources ([`Holds`]): the snapshot, or the host if its
//! texts have no macros, and the settings common to all. A change of the configuration therefore
//! needs no notice here. Requests with secrets of vaults, with names of MIB files, with checks that
//! cannot be made, or for this process's own agent are prepared each time.
//!
//! Bounds: [`REQUESTS_MAX`] requests a device; devices whose host is gone are forgotten whenever
//! the table has doubled.

use std::hint::black_box;
use std::ops::BitXor;
use std::sync::{Arc, Weak};
use std::time::Duration;

use model::ItemId;
use model::map::Map;
use model::snapshot::{Globals, Host, Snapshot};

use super::collector::Collector;
use super::preparer::Preparer;
use super::request::{Check, Endpoint, Request};
use crate::resolve::Holds;
use crate::schedule::{Due, Job};
use crate::secret_texts::SecretTexts;

/// Requests of one device: items of a few intervals make as many, and so do more items than one
/// request has room for. With more, the oldest is dropped.
const REQUESTS_MAX: usize = 4;
/// With fewer devices none is checked for being gone.
const DEVICES_MIN: usize = 1_024;

/// See the module.
pub(super) struct PreparedCache<C: Collector> {
    /// By the device's place in the schedule.
    devices: Map<u32, KeptDevice<C::Payload>>,
    /// With this many devices some have to be forgotten.
    prune_at: usize,
}

struct KeptDevice<P> {
    /// Another device may have its place by now.
    serial: u32,
    /// The snapshot of the last validity check.
    epoch: u64,
    host: Weak<Host>,
    globals: Weak<Globals>,
    requests: Vec<PreparedRequest<P>>,
}

struct PreparedRequest<P> {
    holds: Holds,
    endpoint: Option<Arc<Endpoint>>,
    checks: Box<[PreparedCheck<P>]>,
}

struct PreparedCheck<P> {
    item: ItemId,
    timeout: Duration,
    payload: P,
    secrets: Option<Arc<SecretTexts>>,
}

impl<C: Collector> Default for PreparedCache<C> {
    fn default() -> Self {
        Self { devices: Map::default(), prune_at: DEVICES_MIN }
    }
}

impl<C: Collector> PreparedCache<C> {
    /// The request of a job, ready or prepared now.
    pub(super) fn request(
        &mut self,
        preparer: &Preparer,
        snapshot: &Snapshot,
        job: &Job,
    ) -> Request<C::Payload> {
        let (at, serial) = job.device.place();
        let known = self.devices.get_mut(&at).filter(|it| it.serial == serial);
        if let Some(device) = known
            && device.is_current(snapshot, job)
            && let Some(again) = device.again::<C>(job)
        {
            return again;
        }
        let (request, holds) = preparer.request::<C>(snapshot, job);
        if holds != Holds::Once {
            self.keep(snapshot, job, (&request, holds));
        }
        request
    }

    /// Loads the kept requests of these devices into the cache, all at once: one after the other,
    /// the processor would wait for each place of memory.
    pub(super) fn prefetch(&self, jobs: &[Job]) {
        let device = |it: &Job| self.devices.get(&it.device.place().0)?.requests.first();
        let requests: Vec<&PreparedRequest<_>> = jobs.iter().filter_map(device).collect();
        let checks: Vec<&[PreparedCheck<_>]> = requests.iter().map(|it| &*it.checks).collect();
        let endpoints = requests.iter().map(|it| it.endpoint.as_ref().map_or(0, Arc::strong_count));
        black_box(endpoints.fold(0, BitXor::bitxor));
        let firsts = checks.iter().filter_map(|it| it.first());
        black_box(firsts.map(|it| C::touch(&it.payload)).fold(0, BitXor::bitxor));
    }

    fn keep(
        &mut self,
        snapshot: &Snapshot,
        job: &Job,
        (request, holds): (&Request<C::Payload>, Holds),
    ) {
        let check = |it: &Check<C::Payload>| {
            let payload = C::keep(&it.payload)?;
            let secrets = it.secrets.clone();
            Some(PreparedCheck { item: it.item, timeout: it.timeout, payload, secrets })
        };
        let checks: Option<Box<[_]>> = request.checks.iter().map(check).collect();
        let (Some(checks), Some(host)) = (checks, snapshot.hosts.get(&job.host)) else { return };
        self.prune();
        let (at, serial) = job.device.place();
        let device = self.devices.entry(at).or_insert_with(|| KeptDevice {
            serial,
            epoch: snapshot.epoch,
            host: Arc::downgrade(host),
            globals: Arc::downgrade(&snapshot.globals),
            requests: Vec::new(),
        });
        if device.serial != serial || !device.is_current(snapshot, job) {
            device.requests.clear();
            device.serial = serial;
            device.epoch = snapshot.epoch;
            device.host = Arc::downgrade(host);
            device.globals = Arc::downgrade(&snapshot.globals);
        }
        if REQUESTS_MAX <= device.requests.len() {
            // The least recently used one is as good a guess as any.
            device.requests.pop();
        }
        let endpoint = request.endpoint.clone();
        device.requests.insert(0, PreparedRequest { holds, endpoint, checks });
    }

    fn prune(&mut self) {
        if self.devices.len() < self.prune_at {
            return;
        }
        self.devices.retain(|_, it| 0 < it.host.strong_count());
        self.prune_at = (self.devices.len() * 2).max(DEVICES_MIN);
    }
}

impl<P> KeptDevice<P> {
    /// Whether the kept requests are valid in this snapshot; forgets the others.
    fn is_current(&mut self, snapshot: &Snapshot, job: &Job) -> bool {
        if self.epoch == snapshot.epoch {
            return true;
        }
        let host = snapshot.hosts.get(&job.host).map(Arc::as_ptr);
        let is_same = host == Some(self.host.as_ptr())
            && Arc::as_ptr(&snapshot.globals) == self.globals.as_ptr();
        if is_same {
            self.requests.retain(|it| it.holds == Holds::WithHost);
            self.epoch = snapshot.epoch;
        }
        is_same
    }

    fn again<C: Collector<Payload = P>>(&mut self, job: &Job) -> Option<Request<P>> {
        let asks = |kept: &PreparedCheck<P>, due: &Due| kept.item == due.item && !due.is_broken;
        let is_same = |it: &PreparedRequest<P>| {
            it.checks.len() == job.checks.len()
                && it.checks.iter().zip(&job.checks).all(|(kept, due)| asks(kept, due))
        };
        let position = self.requests.iter().position(is_same)?;
        // Moves it towards the front, so that the last one is seldom used.
        let kept = self.requests.get(position)?;
        let check = |(kept, due): (&PreparedCheck<P>, &Due)| {
            let payload = C::keep(&kept.payload)?;
            Some(Check {
                ticket: due.ticket,
                item: due.item,
                timeout: kept.timeout,
                payload,
                secrets: kept.secrets.clone(),
            })
        };
        let checks: Option<Vec<_>> = kept.checks.iter().zip(&job.checks).map(check).collect();
        let again = Request {
            job: job.reference(),
            host: job.host,
            endpoint: kept.endpoint.clone(),
            is_local: false,
            checks: checks?,
            done: Vec::new(),
        };
        if let Some(before) = position.checked_sub(1) {
            self.requests.swap(before, position);
        }
        Some(again)
    }
}
