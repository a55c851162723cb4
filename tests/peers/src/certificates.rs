//! A certificate authority of a test, and certificates of it.

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
    authority_key: PathBuf,
    openssl: PathBuf,
    kind: &'static str,
    /// Holds the files.
    folder: TempDir,
}

impl Certificates {
    /// Makes them; `None` if there is no `openssl`.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn new() -> Option<Self> {
        Self::of_kind("ec:P-256")
    }

    /// With keys of RSA: Debian's Zabbix (GnuTLS) takes no others by default.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn of_rsa() -> Option<Self> {
        Self::of_kind("rsa:2048")
    }

    fn of_kind(kind: &'static str) -> Option<Self> {
        let openssl = program("openssl")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = |name: &str| folder.path().join(name);
        let (authority, authority_key) = (path("ca.pem"), path("ca.key"));
        let (certificate, key) = (path("server.pem"), path("server.key"));
        let mut own = request((&openssl, kind), &authority_key, &authority);
        run(own.args(["-subj", "/CN=authority of a test"]));
        let made = Self { authority, certificate, key, authority_key, openssl, kind, folder };
        made.sign("/CN=server of a test", &made.certificate, &made.key);
        Some(made)
    }

    /// Another certificate of the authority and its key, for `/O=…/CN=…`.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn another(&self, name: &str, subject: &str) -> (PathBuf, PathBuf) {
        let path = |kind: &str| self.folder.path().join(format!("{name}.{kind}"));
        let (certificate, key) = (path("pem"), path("key"));
        self.sign(subject, &certificate, &key);
        (certificate, key)
    }

    /// Revokes the certificates: writes the authority's list of exactly these, as PEM.
    ///
    /// # Panics
    /// If it fails.
    #[must_use]
    pub fn revoke(&self, certificates: &[&Path]) -> PathBuf {
        let path = |name: &str| self.folder.path().join(name);
        let (list, database, settings) = (path("crl.pem"), path("index.txt"), path("ca.cnf"));
        fs::write(&database, "").expect("written");
        fs::write(path("crlnumber"), "01\n").expect("written");
        let text = format!(
            "[ca]\ndefault_ca = own\n[own]\ndatabase = {}\ncrlnumber = {}\ndefault_md = sha256\n",
            database.display(),
            path("crlnumber").display(),
        );
        fs::write(&settings, text).expect("written");
        let ca = || {
            let mut command = Command::new(&self.openssl);
            command.args(["ca", "-batch", "-crldays", "2", "-config"]).arg(&settings);
            command.arg("-cert").arg(&self.authority).arg("-keyfile").arg(&self.authority_key);
            command
        };
        for certificate in certificates {
            run(ca().arg("-revoke").arg(certificate));
        }
        run(ca().arg("-gencrl").arg("-out").arg(&list));
        list
    }

    fn sign(&self, subject: &str, certificate: &Path, key: &Path) {
        let mut signed = request((&self.openssl, self.kind), key, certificate);
        signed.args(["-subj", subject, "-addext", "subjectAltName=DNS:localhost"]);
        signed.args(["-addext", "basicConstraints=critical,CA:FALSE"]);
        run(signed.arg("-CA").arg(&self.authority).arg("-CAkey").arg(&self.authority_key));
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

fn request((openssl, kind): (&Path, &str), key: &Path, certificate: &Path) -> Command {
    let mut command = Command::new(openssl);
    command.args(["req", "-x509", "-nodes", "-days", "2", "-newkey"]);
    match kind.strip_prefix("ec:") {
        Some(curve) => command.arg("ec").arg("-pkeyopt").arg(format!("ec_paramgen_curve:{curve}")),
        None => command.arg(kind),
    };
    command.arg("-keyout").arg(key).arg("-out").arg(certificate);
    command
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
