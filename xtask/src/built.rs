//! Programs of this workspace, built with the features that all of its members want together, as its tests are: built
//! by its package alone, a program wants other features of libraries, and whatever uses those is compiled twice.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use cargo_metadata::Message;

/// The cargo that runs this, or the one that is found.
pub(crate) fn cargo() -> Command {
    Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

/// A program of the workspace.
#[derive(Clone, Copy)]
pub(crate) enum Program {
    Bin(&'static str),
    Example(&'static str),
}

impl Program {
    /// Builds it, and returns its path; the error is that of cargo.
    pub(crate) fn build(self) -> Result<PathBuf, String> {
        let (kind, name) = match self {
            Self::Bin(name) => ("--bin", name),
            Self::Example(name) => ("--example", name),
        };
        let output = cargo()
            .args(["build", "--quiet", "--locked", "--workspace", kind, name])
            .arg("--message-format=json-render-diagnostics")
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cannot run cargo: {error}"))?;
        if !output.status.success() {
            return Err(format!("{name} was not built: {}", output.status));
        }
        Message::parse_stream(output.stdout.as_slice())
            .filter_map(|message| match message {
                Ok(Message::CompilerArtifact(it)) if it.target.name == name => it.executable,
                _ => None,
            })
            .last()
            .map(Into::into)
            .ok_or_else(|| format!("cargo does not say where {name} is"))
    }
}
