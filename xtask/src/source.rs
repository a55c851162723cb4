//! The files of the repository, as git sees them, and the packages, as cargo sees them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use cargo_metadata::Metadata;

pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) metadata: Metadata,
    /// Tracked files and new ones that are not ignored, sorted by path.
    pub(crate) files: Vec<SourceFile>,
}

pub(crate) struct SourceFile {
    /// From the root, with `/`.
    pub(crate) path: String,
    /// None for files that are no text.
    pub(crate) text: Option<String>,
}

impl Tree {
    pub(crate) fn open(metadata: Metadata) -> io::Result<Self> {
        let root = metadata.workspace_root.clone().into_std_path_buf();
        let files = list(&root)?
            .into_iter()
            .filter_map(|path| match fs::read(root.join(&path)) {
                Ok(bytes) => Some(Ok(SourceFile { path, text: String::from_utf8(bytes).ok() })),
                // Deleted, but still in the index; or a link to a folder.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) if error.kind() == io::ErrorKind::IsADirectory => None,
                Err(error) => Some(Err(error)),
            })
            .collect::<io::Result<_>>()?;
        Ok(Self { root, metadata, files })
    }

    /// Text files whose name ends in one of the endings.
    pub(crate) fn texts(&self, endings: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(move |file| {
            let is_wanted = endings.iter().any(|it| file.path.ends_with(it));
            Some((file.path.as_str(), file.text.as_deref().filter(|_| is_wanted)?))
        })
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|it| it.path == path)?.text.as_deref()
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.iter().any(|it| it.path == path || is_below(&it.path, path))
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|it| it.starts_with('/'))
}

fn list(root: &Path) -> io::Result<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.current_dir(root).output()?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("git ls-files: {reason}")));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut paths: Vec<String> =
        text.split('\0').filter(|it| !it.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths.dedup();
    Ok(paths)
}
