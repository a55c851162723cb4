//! Arguments of both forms of the benchmark, and the sending of values.

use std::path::PathBuf;

use clap::Args;

use crate::common::Common;
use crate::rounds::Phase;

/// Times that the server and the bare receiver are loaded, in turns: other work of the machine then
/// affects both.
pub(super) const TURNS: usize = 4;

#[derive(Clone, PartialEq, Debug, Args)]
pub(crate) struct SenderArgs {
    #[arg(long, default_value_t = 1_000)]
    pub(super) hosts: usize,
    /// Items a host.
    #[arg(long, default_value_t = 100)]
    pub(super) items: usize,
    /// Threshold triggers a host.
    #[arg(long, default_value_t = 20)]
    pub(super) triggers: usize,
    /// Values to send in each of the two ways.
    #[arg(long, default_value_t = 20_000_000)]
    pub(super) values: usize,
    /// Connections at once.
    #[arg(long, default_value_t = 4)]
    pub(super) connections: usize,
    /// The server's program, to compare it with another one; the one next to this program by default.
    #[arg(long)]
    pub(super) server: Option<PathBuf>,
    /// Texts of 20 bytes and numbers, sent to two servers in turns: the cost of a text relative to
    /// a number.
    #[arg(long)]
    pub(super) texts: bool,
    /// With `--texts`: how many values of an item that follow one another are equal, numbers as texts; each is measured.
    #[arg(long, value_delimiter = ',', default_value = "1,20")]
    pub(super) repeat: Vec<i64>,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Both ways to send, with so many values each; in the second one fewer, since they take longer.
pub(super) fn phases(values: usize) -> [(&'static str, Phase); 2] {
    [
        ("sender_1000", Phase { per_request: 1_000, keep: true, values }),
        ("sender_250_new", Phase { per_request: 250, keep: false, values: values / 4 }),
    ]
}
