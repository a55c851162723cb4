//! A file system with an end: what a server sees as its data directory is a tmpfs of some megabytes.
//!
//! It stands in a mount namespace of its own (and a user namespace where the test is not root), which
//! a process holds as long as the test needs it: the server may be killed and started again on it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{Process, program, wait_until};

const MOUNTED_MAX: Duration = Duration::from_secs(30);
const FILLER: &str = "filler";

pub struct SmallDisk {
    holder: Process,
    /// Its mount point, for the processes inside.
    dir: PathBuf,
    is_root: bool,
}

impl SmallDisk {
    /// `None`, with a word, where this machine has no `unshare` and `nsenter`.
    ///
    /// # Panics
    /// If it can't be mounted: user namespaces may be forbidden here.
    pub fn new(dir: &Path, megabytes: u32) -> Option<Self> {
        let (unshare, _nsenter) = (program("unshare")?, program("nsenter")?);
        fs::create_dir_all(dir).unwrap();
        let is_root = nix::unistd::geteuid().is_root();
        let mut command = Command::new(unshare);
        if !is_root {
            command.args(["--user", "--map-root-user"]);
        }
        let script = "mount -t tmpfs -o size=${0}m,mode=700 saker \"$1\" && exec sleep 3600";
        command.args(["--mount", "sh", "-c", script, &megabytes.to_string()]).arg(dir);
        let holder = Process::start(&mut command, dir.with_extension("mount.log"));
        let disk = Self { holder, dir: dir.to_owned(), is_root };
        wait_until("the disk is mounted", MOUNTED_MAX, || {
            assert!(!disk.holder.has_ended(), "{}", disk.holder.log());
            let mounts = fs::read_to_string(format!("/proc/{}/mounts", disk.holder.id()));
            let dir = dir.to_string_lossy();
            mounts.is_ok_and(|it| it.lines().any(|it| it.split(' ').nth(1) == Some(&dir)))
        });
        Some(disk)
    }

    /// Its files as they are seen from outside.
    pub fn path(&self) -> PathBuf {
        let inside = self.dir.strip_prefix("/").expect("absolute");
        Path::new("/proc").join(self.holder.id().to_string()).join("root").join(inside)
    }

    /// A program that will run on it.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        if !self.is_root {
            command.args(["--user", "--preserve-credentials"]);
        }
        command.args(["--mount", "--target", &self.holder.id().to_string(), program]);
        command
    }

    /// Takes all room but some.
    pub fn fill(&self, kilobytes_left: u64) {
        let mut file = fs::File::create(self.path().join(FILLER)).unwrap();
        let block = vec![0xa5; 1 << 16];
        loop {
            match file.write_all(&block) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::StorageFull => break,
                Err(error) => panic!("{error}"),
            }
        }
        let bytes = file.metadata().unwrap().len();
        file.set_len(bytes.saturating_sub(kilobytes_left << 10)).unwrap();
    }

    /// As an operator mounts it again, or a kernel that has met errors; nobody may have a file open for writing.
    pub fn remount(&self, option: &str) {
        let mut command = self.command("mount");
        command.args(["-o", &format!("remount,{option}")]).arg(&self.dir);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    pub fn free(&self) {
        fs::remove_file(self.path().join(FILLER)).unwrap();
    }
}
