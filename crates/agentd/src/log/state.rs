//! The state of a log item's files, as text for a persistent directory.

use serde::{Deserialize, Serialize};

use super::files::FileState;
use super::position::Position;

/// Increased when the form changes.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    version: u32,
    pub(super) position: Position,
    pub(super) files: Vec<FileState>,
}

pub(super) fn write(files: &[FileState], position: Position) -> String {
    let kept = Kept { version: VERSION, position, files: files.to_vec() };
    serde_json::to_string(&kept).expect("paths of log files are text, or were not read")
}

/// `None` for text of another form, which is ignored.
pub(super) fn read(text: &str) -> Option<Kept> {
    serde_json::from_str::<Kept>(text).ok().filter(|it| it.version == VERSION)
}
