use disk::{DiskFile, MemDisk, OsDisk, read_full, write_full};

use super::*;

const DATA: &str = "/data";

/// Three blobs that identify their checkpoint and need the journal from `lsn` on.
fn blobs(lsn: u64) -> Vec<Blob> {
    let state = format!("state as of {lsn}").into_bytes();
    vec![
        Blob { kind: BlobKind::Sessions, key: 0, lsn, bytes: vec![7; 3_000] },
        Blob { kind: BlobKind::Partition, key: 7, lsn: lsn + 1, bytes: state },
        Blob { kind: BlobKind::Partition, key: 255, lsn: lsn + 2, bytes: Vec::new() },
    ]
}

fn write(checkpoints: &Arc<Checkpoints>, blobs: &[Blob]) -> Result<(), CheckpointError> {
    let mut writing = checkpoints.begin()?.expect("no other is being written");
    blobs.iter().try_for_each(|it| writing.put(it))?;
    writing.finish()
}

fn open(disk: &MemDisk, first: u64) -> Result<(Arc<Checkpoints>, Loaded), CheckpointError> {
    let opened = Checkpoints::open(Arc::new(disk.clone()), Path::new(DATA), first);
    opened.map(|(checkpoints, loaded)| (Arc::new(checkpoints), loaded))
}

fn opened(disk: &MemDisk, first: u64) -> (Arc<Checkpoints>, Loaded) {
    open(disk, first).expect("opens")
}

/// Those with a name, oldest first.
fn paths(disk: &MemDisk) -> Vec<PathBuf> {
    let is_one = |it: &PathBuf| it.to_string_lossy().ends_with(SUFFIX);
    disk.paths().into_iter().filter(is_one).collect()
}

fn content(disk: &MemDisk, path: &Path) -> Vec<u8> {
    let mut bytes = vec![0; disk.file_len(path).expect("is there")];
    let file = disk.open(path).expect("opens");
    read_full(&*file, &mut bytes, 0).expect("readable");
    bytes
}

fn replace(disk: &MemDisk, path: &Path, bytes: &[u8]) {
    let file: Arc<dyn DiskFile> = disk.open(path).or_else(|_| disk.create(path)).expect("opens");
    file.set_len(0).expect("shortened");
    write_full(&*file, bytes, 0).expect("written");
}

#[test]
fn written_checkpoints_read_back_and_the_two_newest_stay() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = || {
        let (checkpoints, loaded) =
            Checkpoints::open(Arc::new(OsDisk), dir.path(), 0).expect("opens");
        (Arc::new(checkpoints), loaded)
    };
    let (checkpoints, loaded) = open();
    assert_eq!((loaded.blobs, checkpoints.newest(), checkpoints.needed()), (vec![], 0, 0));
    for lsn in [100, 200, 300] {
        write(&checkpoints, &blobs(lsn)).expect("written");
    }
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (300, 200));
    let (checkpoints, loaded) = open();
    assert_eq!((loaded.blobs, loaded.lsn), (blobs(300), 300));
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (300, 200));
    let n_files = std::fs::read_dir(dir.path().join(FOLDER)).expect("a folder").count();
    assert_eq!(n_files, 2);
}

#[test]
fn with_one_checkpoint_all_of_the_journal_is_kept() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (100, 0));
    let (checkpoints, _) = opened(&disk, 0);
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (100, 0));
}

#[test]
fn damage_anywhere_is_found_and_the_one_before_is_used() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    write(&checkpoints, &blobs(200)).expect("written");
    let newest = paths(&disk).pop().expect("two files");
    let good = content(&disk, &newest);
    let mut bads: Vec<Vec<u8>> = (0..good.len())
        .step_by(7)
        .map(|at| {
            let mut bad = good.clone();
            bad[at] ^= 0x40;
            bad
        })
        .collect();
    bads.extend([0, 5, 12, 20, 40, good.len() - 1].map(|len| good[..len].to_vec()));
    for bad in bads {
        replace(&disk, &newest, &bad);
        let (checkpoints, loaded) = opened(&disk, 50);
        assert_eq!((loaded.blobs, loaded.lsn), (blobs(100), 100));
        let [error] = loaded.skipped.as_slice() else { panic!("one is reported") };
        assert!(error.to_string().contains("is damaged at offset"), "{error}");
        assert_eq!((checkpoints.newest(), checkpoints.needed()), (100, 0));
    }
    // The next one takes the place of the damaged one.
    let (checkpoints, _) = opened(&disk, 50);
    write(&checkpoints, &blobs(300)).expect("written");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (300, 100));
    assert!(!paths(&disk).contains(&newest));
    let (_, loaded) = opened(&disk, 50);
    assert_eq!((loaded.blobs, loaded.skipped.len()), (blobs(300), 0));
}

#[test]
fn state_is_not_made_up() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    let damaged = paths(&disk).pop().expect("a file");
    disk.corrupt(&damaged, 50).expect("is there");
    // The journal has all from the beginning: nothing is missing.
    let (_, loaded) = opened(&disk, 0);
    assert_eq!((loaded.blobs, loaded.skipped.len()), (vec![], 1));
    let error = open(&disk, 1).expect_err("a part of the journal is gone");
    assert!(error.to_string().contains("is damaged at offset"), "{error}");
    // Whole again, but the journal does not reach back to it.
    disk.corrupt(&damaged, 50).expect("is there");
    let error = open(&disk, 101).expect_err("records are missing");
    assert!(error.to_string().contains("the journal begins at 101"), "{error}");
}

#[test]
fn records_of_newer_versions_are_not_skipped() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    write(&checkpoints, &blobs(200)).expect("written");
    let newest = paths(&disk).pop().expect("two files");
    let mut newer = content(&disk, &newest);
    newer[8] = 9;
    let sum = crc32c::crc32c(&newer[..12]).to_le_bytes();
    newer[12..16].copy_from_slice(&sum);
    replace(&disk, &newest, &newer);
    let error = open(&disk, 0).expect_err("a version from later");
    assert!(error.to_string().contains("has format version 9, this program reads 2"), "{error}");
}

#[test]
fn the_single_file_of_version_1_is_read_and_then_replaced() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    let path = paths(&disk).pop().expect("a file");
    let mut old = content(&disk, &path);
    disk.remove(&path).expect("removed");
    old[8] = 1;
    old.drain(12..16);
    let single = Path::new(DATA).join(SINGLE);
    replace(&disk, &single, &old);
    let (checkpoints, loaded) = opened(&disk, 100);
    assert_eq!((loaded.blobs, loaded.lsn), (blobs(100), 100));
    write(&checkpoints, &blobs(200)).expect("written");
    write(&checkpoints, &blobs(300)).expect("written");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (300, 200));
    assert!(!disk.paths().contains(&single));
}

#[test]
fn a_power_cut_at_any_operation_leaves_one_that_was_whole() {
    for seed in 0..8 {
        for n_ops in 0..60 {
            let disk = MemDisk::new(seed);
            let (checkpoints, _) = opened(&disk, 0);
            write(&checkpoints, &blobs(100)).expect("written");
            write(&checkpoints, &blobs(200)).expect("written");
            disk.cut_power_after(n_ops);
            let mut last = 200;
            let mut kept = checkpoints.needed();
            for lsn in [300, 400] {
                if write(&checkpoints, &blobs(lsn)).is_err() {
                    break;
                }
                (last, kept) = (lsn, checkpoints.needed());
            }
            disk.restart_after_power_cut();
            // The journal is still there from where the last state said.
            let (checkpoints, loaded) = opened(&disk, kept);
            assert!(last <= loaded.lsn, "seed {seed}, {n_ops} operations");
            assert_eq!(loaded.blobs, blobs(loaded.lsn), "seed {seed}, {n_ops} operations");
            assert!(loaded.skipped.is_empty(), "a torn one has no name");
            // And its fallback too.
            disk.corrupt(&paths(&disk).pop().expect("a file"), 20).expect("is there");
            let (_, former) = opened(&disk, kept);
            assert!(checkpoints.needed() <= former.lsn && former.lsn < loaded.lsn);
            assert_eq!(former.blobs, blobs(former.lsn), "seed {seed}, {n_ops} operations");
        }
    }
}

#[test]
fn a_disk_that_refuses_changes_nothing() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    write(&checkpoints, &blobs(100)).expect("written");
    write(&checkpoints, &blobs(200)).expect("written");
    disk.set_capacity(disk.used_bytes() + 1_000);
    let error = write(&checkpoints, &blobs(300)).expect_err("full");
    assert!(error.to_string().contains("checkpoint.tmp"), "{error}");
    disk.set_capacity(u64::MAX);
    disk.fail_syncs(1);
    write(&checkpoints, &blobs(300)).expect_err("not synced");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (200, 100));
    assert_eq!(opened(&disk, 100).1.blobs, blobs(200));
    write(&checkpoints, &blobs(300)).expect("written");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (300, 200));
}

#[test]
fn one_is_written_at_a_time() {
    let disk = MemDisk::new(1);
    let (checkpoints, _) = opened(&disk, 0);
    let mut first = checkpoints.begin().expect("begins").expect("there is no other");
    assert!(checkpoints.begin().expect("no fault").is_none());
    blobs(100).iter().for_each(|it| first.put(it).expect("written"));
    first.finish().expect("written");
    let given_up = checkpoints.begin().expect("begins").expect("the first has ended");
    assert!(checkpoints.begin().expect("no fault").is_none());
    drop(given_up);
    write(&checkpoints, &blobs(200)).expect("written");
    assert_eq!((checkpoints.newest(), checkpoints.needed()), (200, 100));
    assert_eq!(opened(&disk, 0).1.blobs, blobs(200));
    assert_eq!(paths(&disk).len(), 2);
}
