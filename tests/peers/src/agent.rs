//! Zabbix's agents: both implementations, by the same settings.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, program, reached_at, wait_until};

/// Which implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentKind {
    /// `zabbix_agentd`.
    Agentd,
    /// `zabbix_agent2`.
    Agent2,
}

impl AgentKind {
    /// Starts an agent in the foreground that listens at an address and answers this machine; `lines`
    /// are added to its settings. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start(self, listens: SocketAddr, lines: &str) -> Option<Agent> {
        let name = match self {
            Self::Agentd => "zabbix_agentd",
            Self::Agent2 => "zabbix_agent2",
        };
        let program = program(name)?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = |name: &str| folder.path().join(name);
        let own = match self {
            // A listener is busy with one connection at a time.
            Self::Agentd => "AllowRoot=1\nStartAgents=10\n".to_owned(),
            Self::Agent2 => format!("ControlSocket={}\n", path("socket").display()),
        };
        let settings = format!(
            "ListenIP={}\nListenPort={}\nServer=127.0.0.0/8\nLogType=console\nPidFile={}\n{own}{lines}\n",
            listens.ip(),
            listens.port(),
            path("pid").display(),
        );
        fs::write(path("settings"), settings).expect("settings are written");
        let mut command = Command::new(program);
        command.arg("-f").arg("-c").arg(path("settings")).current_dir(folder.path());
        let process = Process::start(&mut command, path("log"));
        let agent = Agent { process, address: reached_at(listens), folder };
        wait_until(&format!("{name} listens"), START_MAX, || {
            assert!(!agent.process.has_ended(), "{name} ended:\n{}", agent.process.log());
            TcpStream::connect(agent.address).is_ok()
        });
        Some(agent)
    }

    /// Its response to an unknown key.
    #[must_use]
    pub fn unknown_key(self, key: &str) -> String {
        match self {
            Self::Agentd => "Unsupported item key.".to_owned(),
            Self::Agent2 => format!("Unknown metric {key}"),
        }
    }
}

/// A running agent.
#[derive(Debug)]
pub struct Agent {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    /// With its files `settings` and `log`. Behind the process: it goes last.
    pub folder: TempDir,
}

/// Makes two tests of each function that takes an [`AgentKind`]: one with each implementation. For
/// functions that are `async`, the word stands in front of their names.
#[macro_export]
macro_rules! with_each_agent {
    (async $($test:ident),+ $(,)?) => {
        mod agentd {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test($crate::AgentKind::Agentd).await;
            })+
        }
        mod agent2 {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $test() {
                super::$test($crate::AgentKind::Agent2).await;
            })+
        }
    };
    ($($test:ident),+ $(,)?) => {
        mod agentd {
            $(#[test]
            fn $test() {
                super::$test($crate::AgentKind::Agentd);
            })+
        }
        mod agent2 {
            $(#[test]
            fn $test() {
                super::$test($crate::AgentKind::Agent2);
            })+
        }
    };
}
