//! A disk in memory that can fail the way disks do: for tests and for the simulator.
//!
//! It keeps two images of everything, what a reader sees and what is durable. A power cut leaves
//! of each sector that was written but not synced either the old or the new content, by the seed;
//! of creations and removals that were not synced, a prefix. A failed sync drops its dirty sectors
//! for good, as Linux does: the next sync of the same file succeeds without them.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Disk, DiskFile};

/// Sectors are written whole or not at all.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
pub struct MemDisk {
    state: Arc<Mutex<MemState>>,
}

#[derive(Debug)]
struct MemState {
    names: BTreeMap<PathBuf, u64>,
    durable_names: BTreeMap<PathBuf, u64>,
    /// Name changes since the last sync of their folder, oldest first; each is whole or not there.
    pending: Vec<Vec<(PathBuf, Option<u64>)>>,
    inodes: BTreeMap<u64, Inode>,
    next_inode: u64,
    random: u64,
    capacity_bytes: u64,
    failing_syncs: u32,
    failing_reads: u32,
    failing_writes: u32,
    /// Operations until the power fails.
    ops_left: Option<u64>,
    /// Handles of an earlier life are dead.
    life: u64,
}

#[derive(Debug, Default)]
struct Inode {
    live: Vec<u8>,
    durable: Vec<u8>,
    dirty: BTreeSet<usize>,
}

impl MemDisk {
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let state = MemState {
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending: Vec::new(),
            inodes: BTreeMap::new(),
            next_inode: 1,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
            capacity_bytes: u64::MAX,
            failing_syncs: 0,
            failing_reads: 0,
            failing_writes: 0,
            ops_left: None,
            life: 0,
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    fn lock(&self) -> MutexGuard<'_, MemState> {
        // The state is only ever changed in whole steps, a poisoned lock loses nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on all files together may hold this many bytes; writes past it fail part-way.
    pub fn set_capacity(&self, bytes: u64) {
        self.lock().capacity_bytes = bytes;
    }

    #[must_use]
    pub fn used_bytes(&self) -> u64 {
        self.lock().used()
    }

    /// The next `n` syncs of files fail and lose what they should have written.
    pub fn fail_syncs(&self, n: u32) {
        self.lock().failing_syncs = n;
    }

    /// The next `n` reads fail; the bytes on the disk stay good.
    pub fn fail_reads(&self, n: u32) {
        self.lock().failing_reads = n;
    }

    /// The next `n` writes fail, before anything of them is written.
    pub fn fail_writes(&self, n: u32) {
        self.lock().failing_writes = n;
    }

    /// After `n_ops` more operations everything fails until [`MemDisk::restart_after_power_cut`].
    pub fn cut_power_after(&self, n_ops: u64) {
        self.lock().ops_left = Some(n_ops);
    }

    /// The machine restarts: unsynced data is there or not, sector by sector.
    pub fn restart_after_power_cut(&self) {
        let mut state = self.lock();
        state.lose_unsynced();
        state.come_back();
    }

    /// The process was killed: nothing is lost, but its handles are dead.
    pub fn restart_after_kill(&self) {
        self.lock().come_back();
    }

    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.lock().names.keys().cloned().collect()
    }

    /// Length of a file.
    ///
    /// # Errors
    /// The file does not exist.
    pub fn file_len(&self, path: &Path) -> io::Result<usize> {
        let state = self.lock();
        let inode = state.inode_of(path)?;
        Ok(state.inodes.get(&inode).map_or(0, |it| it.live.len()))
    }

    /// Changes one byte of a file, durably, as bit rot would.
    ///
    /// # Errors
    /// The file does not exist or is shorter.
    pub fn corrupt(&self, path: &Path, offset: usize) -> io::Result<()> {
        let mut state = self.lock();
        let inode = state.inode_of(path)?;
        let inode = state.inodes.get_mut(&inode).ok_or(io::ErrorKind::NotFound)?;
        *inode.live.get_mut(offset).ok_or(io::ErrorKind::UnexpectedEof)? ^= 0x55;
        if let Some(byte) = inode.durable.get_mut(offset) {
            *byte ^= 0x55;
        }
        Ok(())
    }
}

impl MemState {
    fn used(&self) -> u64 {
        self.names
            .values()
            .filter_map(|inode| self.inodes.get(inode))
            .map(|it| it.live.len() as u64)
            .sum()
    }

    fn inode_of(&self, path: &Path) -> io::Result<u64> {
        self.names.get(path).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn next_random(&mut self) -> u64 {
        // splitmix64
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Counts one operation; fails when the power is off.
    fn tick(&mut self) -> io::Result<()> {
        match &mut self.ops_left {
            None => Ok(()),
            Some(0) => Err(io::Error::other("the power is off")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    fn set_names(&mut self, change: Vec<(PathBuf, Option<u64>)>) {
        apply(&mut self.names, change.clone());
        self.pending.push(change);
    }

    fn lose_unsynced(&mut self) {
        let n_pending = self.pending.len() as u64 + 1;
        let mut n_kept = self.next_random() % n_pending;
        for change in std::mem::take(&mut self.pending) {
            if n_kept == 0 {
                break;
            }
            n_kept -= 1;
            apply(&mut self.durable_names, change);
        }
        self.names = self.durable_names.clone();
        let dirty: Vec<(u64, usize)> = self
            .inodes
            .iter()
            .flat_map(|(id, inode)| inode.dirty.iter().map(|sector| (*id, *sector)))
            .collect();
        for (id, sector) in dirty {
            let kept = self.next_random() & 1 == 0;
            if let Some(inode) = self.inodes.get_mut(&id)
                && kept
            {
                inode.persist(sector);
            }
        }
        for inode in self.inodes.values_mut() {
            inode.dirty.clear();
            inode.live = inode.durable.clone();
        }
    }

    fn come_back(&mut self) {
        self.ops_left = None;
        self.failing_syncs = 0;
        self.life += 1;
    }
}

fn apply(names: &mut BTreeMap<PathBuf, u64>, change: Vec<(PathBuf, Option<u64>)>) {
    for (path, inode) in change {
        match inode {
            Some(inode) => names.insert(path, inode),
            None => names.remove(&path),
        };
    }
}

impl Inode {
    fn persist(&mut self, sector: usize) {
        let from = sector * SECTOR;
        let to = (from + SECTOR).min(self.live.len());
        if from >= to {
            return;
        }
        if self.durable.len() < to {
            self.durable.resize(to, 0);
        }
        self.durable[from..to].copy_from_slice(&self.live[from..to]);
    }
}

impl Disk for MemDisk {
    fn create_dir_all(&self, _dir: &Path) -> io::Result<()> {
        self.lock().tick()
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        let mut state = self.lock();
        state.tick()?;
        let inside = state.names.keys().filter(|path| path.parent() == Some(dir));
        Ok(inside
            .filter_map(|path| path.file_name())
            .map(|it| it.to_string_lossy().into_owned())
            .collect())
    }

    fn create(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.lock();
        state.tick()?;
        if state.names.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        if state.used() >= state.capacity_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let inode = state.next_inode;
        state.next_inode += 1;
        state.inodes.insert(inode, Inode::default());
        state.set_names(vec![(path.to_owned(), Some(inode))]);
        Ok(Arc::new(MemFile { disk: self.clone(), inode, life: state.life }))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn DiskFile>> {
        let mut state = self.lock();
        state.tick()?;
        let inode = state.inode_of(path)?;
        Ok(Arc::new(MemFile { disk: self.clone(), inode, life: state.life }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.tick()?;
        state.inode_of(path)?;
        state.set_names(vec![(path.to_owned(), None)]);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.tick()?;
        let inode = state.inode_of(from)?;
        state.set_names(vec![(from.to_owned(), None), (to.to_owned(), Some(inode))]);
        Ok(())
    }

    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        let mut state = self.lock();
        state.tick()?;
        for change in std::mem::take(&mut state.pending) {
            if change.iter().all(|(path, _)| path.parent() == Some(dir)) {
                apply(&mut state.durable_names, change);
            } else {
                state.pending.push(change);
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct MemFile {
    disk: MemDisk,
    inode: u64,
    life: u64,
}

impl MemFile {
    fn with<T>(&self, f: impl FnOnce(&mut MemState) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.disk.lock();
        state.tick()?;
        if state.life != self.life {
            return Err(io::Error::other("the process that opened this file is gone"));
        }
        f(&mut state)
    }

    fn inode<'a>(&self, state: &'a mut MemState) -> io::Result<&'a mut Inode> {
        state.inodes.get_mut(&self.inode).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl DiskFile for MemFile {
    fn len(&self) -> io::Result<u64> {
        self.with(|state| Ok(self.inode(state)?.live.len() as u64))
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.with(|state| {
            if state.failing_reads != 0 {
                state.failing_reads -= 1;
                // EIO.
                return Err(io::Error::from_raw_os_error(5));
            }
            let live = &self.inode(state)?.live;
            let from = usize::try_from(offset).map_or(live.len(), |it| it.min(live.len()));
            let n = buf.len().min(live.len() - from);
            buf[..n].copy_from_slice(&live[from..from + n]);
            Ok(n)
        })
    }

    fn write_at(&self, buf: &[u8], offset: u64) -> io::Result<usize> {
        self.with(|state| {
            if state.failing_writes != 0 {
                state.failing_writes -= 1;
                // EIO.
                return Err(io::Error::from_raw_os_error(5));
            }
            let free = state.capacity_bytes.saturating_sub(state.used());
            let inode = self.inode(state)?;
            let from = usize::try_from(offset).map_err(|_too_large| io::ErrorKind::InvalidInput)?;
            let room = (inode.live.len() as u64).saturating_sub(offset).saturating_add(free);
            let n = usize::try_from(room).map_or(buf.len(), |it| it.min(buf.len()));
            if n == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            if inode.live.len() < from + n {
                inode.live.resize(from + n, 0);
            }
            inode.live[from..from + n].copy_from_slice(&buf[..n]);
            inode.dirty.extend(from / SECTOR..=(from + n - 1) / SECTOR);
            Ok(n)
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with(|state| {
            let inode = self.inode(state)?;
            let len = usize::try_from(len).map_err(|_too_large| io::ErrorKind::InvalidInput)?;
            // Shortening reaches the disk at once here: the caller syncs after shortening before it
            // relies on it, and the simpler image finds the same faults.
            inode.live.resize(len, 0);
            inode.durable.truncate(len);
            inode.dirty.retain(|sector| sector * SECTOR < len);
            Ok(())
        })
    }

    fn sync_data(&self) -> io::Result<()> {
        self.with(|state| {
            let fails = state.failing_syncs > 0;
            state.failing_syncs = state.failing_syncs.saturating_sub(1);
            let inode = self.inode(state)?;
            let dirty = std::mem::take(&mut inode.dirty);
            if fails {
                return Err(io::Error::other("input/output error (injected)"));
            }
            for sector in dirty {
                inode.persist(sector);
            }
            let len = inode.live.len();
            inode.durable.resize(len, 0);
            Ok(())
        })
    }
}
