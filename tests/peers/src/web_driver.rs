//! Chromedriver: drives Chromium as W3C's WebDriver has it.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, program, wait_until};

/// A running chromedriver of this machine's Chromium.
#[derive(Debug)]
pub struct WebDriver {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    _folder: TempDir,
}

impl WebDriver {
    /// Starts one. `None` if it or Chromium is not installed.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let (driver, _browser) = (program("chromedriver")?, program("chromium")?);
        let folder = tempfile::tempdir().expect("a folder is made");
        let address: SocketAddr = ([127, 0, 0, 1], free_tcp_address().port()).into();
        let mut command = Command::new(driver);
        command
            .arg(format!("--port={}", address.port()))
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .current_dir(folder.path());
        let process = Process::start(&mut command, folder.path().join("log"));
        let driver = Self { process, address, _folder: folder };
        wait_until("chromedriver listens", START_MAX, || {
            assert!(!driver.process.has_ended(), "it ended:\n{}", driver.process.log());
            TcpStream::connect(driver.address).is_ok()
        });
        Some(driver)
    }

    /// Browsers of its sessions that run: its children.
    ///
    /// # Panics
    /// If it has ended.
    #[must_use]
    pub fn n_browsers(&self) -> usize {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process.id())).expect("it runs");
        let children = tasks.flatten().map(|it| fs::read_to_string(it.path().join("children")));
        children.flatten().map(|it| it.split_whitespace().count()).sum()
    }
}
