//! A certificate authority of a test, and a server's certificate of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::program;

/// Files of `openssl`, for the name `localhost` only.
#[derive(Debug)]
pub struct Certificates {
    /// The authority, as PEM.
    pub authority: PathBuf,
    pub certificate: PathBuf,
    /// Of the certificate.
    pub key: PathBuf,
    /// Holds the files.
    _folder: TempDir,
}

impl Certificates {
    /// Makes them; `None` if there is no `openssl`.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn new() -> Option<Self> {
        let openssl = program("openssl")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = |name: &str| folder.path().join(name);
        let (authority, authority_key) = (path("ca.pem"), path("ca.key"));
        let (certificate, key) = (path("server.pem"), path("server.key"));
        let request = |key: &Path, certificate: &Path| {
            let mut command = Command::new(&openssl);
            command.args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"]);
            command.args(["-pkeyopt", "ec_paramgen_curve:P-256"]);
            command.arg("-keyout").arg(key).arg("-out").arg(certificate);
            command
        };
        run(request(&authority_key, &authority).args(["-subj", "/CN=authority of a test"]));
        let mut signed = request(&key, &certificate);
        signed.args(["-subj", "/CN=server of a test", "-addext", "subjectAltName=DNS:localhost"]);
        signed.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        run(signed.arg("-CA").arg(&authority).arg("-CAkey").arg(&authority_key));
        Some(Self { authority, certificate, key, _folder: folder })
    }

    /// The text of the authority.
    ///
    /// # Panics
    /// If it is gone.
    #[must_use]
    pub fn authority_pem(&self) -> String {
        fs::read_to_string(&self.authority).expect("it was made")
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
