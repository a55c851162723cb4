//! Every mode against a real server, with and without encryption.

use peers::{Certificates, Line, Lost, Postgres};
use postgres_tls::{Connector, Error};

/// A server, and a connection to it that records whether anything readable has passed.
struct Server {
    line: Line,
    _server: Postgres,
}

/// Part of each connection's first message, in clear if that is.
const CLEAR: &[u8] = b"application_name";

impl Server {
    fn start(certificates: Option<&Certificates>) -> Option<Self> {
        let server = Postgres::start(certificates)?;
        Some(Self { line: Line::to(server.address), _server: server })
    }

    /// Whether the connection is encrypted, or why there is none; and whether anything has passed in clear.
    fn connect(
        &self,
        host: &str,
        ca_pem: Option<&str>,
        query: &str,
    ) -> (Result<bool, String>, bool) {
        let port = self.line.address.port();
        let url = format!("postgres://saker:secret@{host}:{port}/saker{query}");
        let mut connector = Connector::new(&url, ca_pem).expect("the settings are sound");
        connector.config.application_name("test");
        // The first message that is in clear ends the connection, which shows that it has come; then it
        // may connect.
        self.line.cut_at(CLEAR, Lost::Request);
        let first = connector.connect();
        let is_clear = self.line.has_cut();
        let connected = if is_clear { connector.connect() } else { first };
        let encrypted =
            connected.map_err(|error| postgres_tls::with_causes(&error)).map(|mut client| {
                let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
                client.query_one(sql, &[]).expect("it answers").get(0)
            });
        (encrypted, is_clear)
    }
}

#[test]
fn a_server_that_encrypts_is_checked_as_the_mode_says() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(server) = Server::start(Some(&certificates)) else { return };
    let other = Certificates::new().expect("there is an openssl");
    let (own, other) = (certificates.authority_pem(), other.authority_pem());
    let (own, other) = (Some(own.as_str()), Some(other.as_str()));

    // The certificate is for localhost.
    assert_eq!(server.connect("localhost", None, "?sslmode=disable"), (Ok(false), true));
    for (host, ca, query) in [
        ("localhost", None, ""),
        ("127.0.0.1", None, "?sslmode=prefer"),
        ("localhost", own, ""),
        ("localhost", own, "?sslmode=prefer"),
        ("localhost", own, "?sslmode=require"),
        ("localhost", own, "?sslmode=verify-ca"),
        ("127.0.0.1", own, "?sslmode=verify-ca"),
        ("localhost", own, "?sslmode=verify-full"),
    ] {
        assert_eq!(server.connect(host, ca, query), (Ok(true), false), "{host} {query}");
    }
    let from_file =
        format!("?sslmode=verify-full&sslrootcert={}", certificates.authority.display());
    assert_eq!(server.connect("localhost", None, &from_file), (Ok(true), false));

    for (host, ca, query, why) in [
        ("127.0.0.1", own, "", "IP address mismatch"),
        ("127.0.0.1", own, "?sslmode=require", "IP address mismatch"),
        ("127.0.0.1", own, "?sslmode=verify-full", "IP address mismatch"),
        ("localhost", other, "", "certificate verify failed"),
        ("localhost", other, "?sslmode=verify-ca", "certificate verify failed"),
        ("localhost", other, "?sslmode=verify-full", "certificate verify failed"),
        // The machine does not know the authority.
        ("localhost", None, "?sslmode=require", "certificate verify failed"),
        ("localhost", None, "?sslmode=verify-ca", "certificate verify failed"),
    ] {
        let (connected, is_clear) = server.connect(host, ca, query);
        let error = connected.expect_err(query);
        assert!(error.contains(why) && !error.contains("secret"), "{host} {query}: {error}");
        assert!(!is_clear, "{host} {query}");
    }
}

#[test]
fn a_server_that_does_not_encrypt_gets_nothing_unless_that_is_accepted() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(server) = Server::start(None) else { return };
    for query in ["", "?sslmode=prefer", "?sslmode=disable"] {
        assert_eq!(server.connect("localhost", None, query), (Ok(false), true), "{query}");
    }
    let own = certificates.authority_pem();
    for (ca, query) in [
        (None, "?sslmode=require"),
        (None, "?sslmode=verify-full"),
        (Some(own.as_str()), ""),
        (Some(own.as_str()), "?sslmode=prefer"),
        (Some(own.as_str()), "?sslmode=verify-ca"),
    ] {
        let (connected, is_clear) = server.connect("localhost", ca, query);
        let error = connected.expect_err(query);
        assert!(error.contains("server does not support TLS"), "{query}: {error}");
        assert!(!is_clear, "{query}");
    }
}

#[test]
fn contradicting_settings_are_reported_without_the_password() {
    let pem = "no certificate";
    for (url, ca, expected) in [
        ("postgres://a:secret@h/d?sslmode=allow", None, "sslmode is none of"),
        ("postgres://a:secret@h/d?sslmode=disable", Some(pem), "sslmode=disable does not encrypt"),
        ("postgres://a:secret@h/d", Some(pem), "there is no certificate in it"),
        ("postgres://a:secret@h/d?sslrootcert=/no/such", None, "certificate authority /no/such"),
        ("postgres://a:secret@[", None, "its URL cannot be read"),
        ("postgres://a:secret@h/d?sslkeys=1", None, "its URL cannot be read"),
    ] {
        let error: Error = Connector::new(url, ca).expect_err(url);
        let text = error.to_string();
        assert!(text.contains(expected) && !text.contains("secret"), "{url}: {text}");
    }
    assert!(Connector::new("postgres://%2Frun%2Fpostgresql/d?sslmode=require", None).is_ok());
    assert!(Connector::new("host=/run/postgresql dbname=d", None).is_ok());
}
