use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::ec::{EcGroup, EcKey};
use openssl::hash::MessageDigest;
use openssl::nid::Nid;
use openssl::pkey::{PKey, Private};
use openssl::ssl::{SslConnector, SslMethod};
use openssl::x509::extension::BasicConstraints;
use openssl::x509::{X509, X509NameBuilder};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{
    AcceptError, Acceptor, ConnectAs, ConnectError, PageStream, PageTls, Psk, Security, Stream,
    TlsConnector, TlsSettings, self_signed,
};

const KEY: &str = "00112233445566778899aabbccddeeff";
/// Far more than a handshake takes, also on a busy machine.
const SOON: Duration = Duration::from_secs(60);

fn none() -> TlsSettings {
    rt::settings::defaults()
}

struct Authority {
    certificate: X509,
    key: PKey<Private>,
}

fn key() -> PKey<Private> {
    let group = EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap();
    PKey::from_ec_key(EcKey::generate(&group).unwrap()).unwrap()
}

fn certificate(name: &str, of: Option<&Authority>, key: &PKey<Private>) -> X509 {
    let mut subject = X509NameBuilder::new().unwrap();
    subject.append_entry_by_text("O", "Saker, tests").unwrap();
    subject.append_entry_by_text("CN", name).unwrap();
    let subject = subject.build();
    let mut builder = X509::builder().unwrap();
    builder.set_version(2).unwrap();
    let serial = BigNum::from_u32(u32::from(of.is_some()) + 1).unwrap().to_asn1_integer().unwrap();
    builder.set_serial_number(&serial).unwrap();
    builder.set_subject_name(&subject).unwrap();
    builder.set_issuer_name(of.map_or(&subject, |it| it.certificate.subject_name())).unwrap();
    builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
    builder.set_not_after(&Asn1Time::days_from_now(2).unwrap()).unwrap();
    builder.set_pubkey(key).unwrap();
    if of.is_none() {
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
    }
    builder.sign(of.map_or(key, |it| &it.key), MessageDigest::sha256()).unwrap();
    builder.build()
}

fn authority(name: &str) -> Authority {
    let key = key();
    Authority { certificate: certificate(name, None, &key), key }
}

/// Settings of a side with a certificate of `of` that trusts `trusted`.
fn settings(dir: &Path, name: &str, of: &Authority, trusted: &Authority) -> TlsSettings {
    let key = key();
    let own = certificate(name, Some(of), &key);
    let file = |kind: &str, content: Vec<u8>| {
        let path = dir.join(format!("{name}.{kind}"));
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    TlsSettings {
        ca_file: file("ca", trusted.certificate.to_pem().unwrap()),
        cert_file: file("cert", own.to_pem().unwrap()),
        key_file: file("key", key.private_key_to_pem_pkcs8().unwrap()),
        ..none()
    }
}

fn acceptor(settings: &TlsSettings) -> Acceptor {
    let known = Psk::from_hex("switch 1", KEY).unwrap();
    let psk_of = move |identity: &str| (identity == known.identity).then(|| known.key().to_vec());
    Acceptor::new(settings, Arc::new(psk_of)).unwrap()
}

/// Both ends of one connection; the connecting side sends a byte if it is accepted.
async fn meet(
    acceptor: Acceptor,
    connector: TlsConnector,
    how: ConnectAs,
) -> (Result<Security, AcceptError>, Result<(), ConnectError>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let accepting = async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (mut stream, security) = acceptor.accept(stream).await?;
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        assert_eq!(byte, *b"Z");
        stream.write_all(b"!").await.unwrap();
        Ok(security)
    };
    let connecting = async move {
        let stream = TcpStream::connect(address).await.unwrap();
        let mut stream = connector.connect(stream, &how).await?;
        // With TLS 1.3 a refused peer learns it only now.
        if stream.write_all(b"Z").await.is_ok() {
            let mut byte = [0];
            if stream.read_exact(&mut byte).await.is_ok() {
                assert_eq!(byte, *b"!");
            }
        }
        Ok(())
    };
    tokio::time::timeout(SOON, async { tokio::join!(accepting, connecting) }).await.unwrap()
}

fn psk(identity: &str, key: &str) -> ConnectAs {
    ConnectAs::Psk(Arc::new(Psk::from_hex(identity, key).unwrap()))
}

#[tokio::test]
async fn a_shared_key_says_who_the_peer_is() {
    // TLS 1.3 and 1.2, and that without a key exchange.
    let by_12 = TlsSettings { cipher_13: String::new(), ..none() };
    let without_exchange = TlsSettings { psk_forward_secrecy: false, ..none() };
    for settings in [none(), by_12, without_exchange] {
        is_known_by_key(&settings).await;
    }
}

async fn is_known_by_key(settings: &TlsSettings) {
    let connector = TlsConnector::new(settings).unwrap();
    let (accepted, connected) =
        meet(acceptor(&none()), connector.clone(), psk("switch 1", KEY)).await;
    connected.unwrap();
    assert_eq!(accepted.unwrap(), Security::Psk { identity: "switch 1".to_owned() });

    let (accepted, connected) =
        meet(acceptor(&none()), connector.clone(), psk("switch 2", KEY)).await;
    assert!(matches!(accepted, Err(AcceptError::UnknownIdentity(it)) if it == "switch 2"));
    assert!(connected.is_err());

    let other = KEY.replace("00", "01");
    let (accepted, connected) = meet(acceptor(&none()), connector, psk("switch 1", &other)).await;
    assert!(matches!(accepted, Err(AcceptError::Handshake(_))), "{accepted:?}");
    assert!(connected.is_err());
}

#[tokio::test]
async fn forward_secrecy_of_a_shared_key_can_be_given_up() {
    for (has_forward_secrecy, version, suite) in
        [(true, "TLSv1.3", "TLS_AES_128_GCM_SHA256"), (false, "TLSv1.2", "PSK-AES128-GCM-SHA256")]
    {
        let settings = TlsSettings { psk_forward_secrecy: has_forward_secrecy, ..none() };
        let connector = TlsConnector::new(&settings).unwrap();
        let acceptor = acceptor(&settings);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (accepted, _) = listener.accept().await.unwrap();
        let how = psk("switch 1", KEY);
        let both =
            async { tokio::join!(acceptor.accept(accepted), connector.connect(stream, &how)) };
        let (accepted, connected) = tokio::time::timeout(SOON, both).await.unwrap();
        accepted.unwrap();
        let Stream::Tls(connected) = connected.unwrap() else { panic!("not encrypted") };
        let ssl = connected.ssl();
        assert_eq!(ssl.version_str(), version);
        assert_eq!(ssl.current_cipher().unwrap().name(), suite);
    }
}

#[tokio::test]
async fn plain_connections_go_on_as_they_are() {
    let connector = TlsConnector::new(&none()).unwrap();
    let (accepted, connected) = meet(acceptor(&none()), connector, ConnectAs::Unencrypted).await;
    connected.unwrap();
    assert_eq!(accepted.unwrap(), Security::Unencrypted);
}

#[tokio::test]
async fn certificates_are_of_one_authority_and_have_names() {
    let dir = tempfile::tempdir().unwrap();
    let (ours, foreign) = (authority("ours"), authority("foreign"));
    let server = settings(dir.path(), "server", &ours, &ours);
    let agent = TlsConnector::new(&settings(dir.path(), "agent", &ours, &ours)).unwrap();
    let by = |issuer: &str, subject: &str| ConnectAs::Certificate {
        issuer: issuer.to_owned(),
        subject: subject.to_owned(),
    };
    let (issuer, subject) = (r"CN=ours,O=Saker\, tests", r"CN=server,O=Saker\, tests");
    for how in [by("", ""), by(issuer, ""), by(issuer, subject)] {
        let (accepted, connected) = meet(acceptor(&server), agent.clone(), how).await;
        connected.unwrap();
        let expected = Security::Certificate {
            issuer: issuer.to_owned(),
            subject: r"CN=agent,O=Saker\, tests".to_owned(),
        };
        assert_eq!(accepted.unwrap(), expected);
    }
    // Both ways on one port.
    let (accepted, _) = meet(acceptor(&server), agent.clone(), psk("switch 1", KEY)).await;
    assert_eq!(accepted.unwrap(), Security::Psk { identity: "switch 1".to_owned() });

    let refused = |how| {
        let (server, agent) = (acceptor(&server), agent.clone());
        async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let accepting = async move {
                let (stream, _) = listener.accept().await.unwrap();
                server.accept(stream).await.map(|(_, security)| security)
            };
            let connecting = async move {
                agent.connect(TcpStream::connect(address).await.unwrap(), &how).await.map(|_| ())
            };
            tokio::time::timeout(SOON, async { tokio::join!(accepting, connecting) })
                .await
                .unwrap()
                .1
        }
    };
    let error = refused(by("CN=other", "")).await.unwrap_err();
    assert!(matches!(&error, ConnectError::Issuer(it) if it == issuer), "{error}");
    let error = refused(by("", "CN=other")).await.unwrap_err();
    assert!(matches!(&error, ConnectError::Subject(it) if it == subject), "{error}");

    // Of another authority: the server refuses; the agent would refuse the server.
    let strange = TlsConnector::new(&settings(dir.path(), "strange", &foreign, &ours)).unwrap();
    let (accepted, _) = meet(acceptor(&server), strange, by("", "")).await;
    assert!(matches!(accepted, Err(AcceptError::Handshake(_))), "{accepted:?}");
    let distrusting =
        TlsConnector::new(&settings(dir.path(), "distrusting", &ours, &foreign)).unwrap();
    let (_, connected) = meet(acceptor(&server), distrusting, by("", "")).await;
    assert!(matches!(connected, Err(ConnectError::Handshake(_))), "{connected:?}");
}

#[tokio::test]
async fn without_certificates_nobody_connects_by_one() {
    let connector = TlsConnector::new(&none()).unwrap();
    let how = ConnectAs::Certificate { issuer: String::new(), subject: String::new() };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    assert!(matches!(connector.connect(stream, &how).await, Err(ConnectError::NoCertificate)));
}

#[tokio::test]
async fn a_handshake_of_nonsense_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut peer = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    peer.write_all(&[0x16; 600]).await.unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let accepted = tokio::time::timeout(SOON, acceptor(&none()).accept(stream)).await.unwrap();
    assert!(matches!(accepted, Err(AcceptError::Handshake(_))), "{accepted:?}");
}

#[tokio::test]
async fn a_certificate_that_was_made_here_is_kept_and_can_be_changed() {
    let dir = tempfile::tempdir().unwrap();
    let (cert, key) = (dir.path().join("cert.pem"), dir.path().join("key.pem"));
    let names = ["localhost".to_owned()];
    let addresses = ["127.0.0.1".parse().unwrap()];
    self_signed(&cert, &key, &names, &addresses).unwrap();
    let pages = PageTls::open(&cert, &key).unwrap();
    let first = pages.fingerprint().unwrap();
    assert_eq!((first.len(), first.matches(':').count()), (95, 31));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&key).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    self_signed(&cert, &key, &names, &addresses).unwrap();
    assert_eq!(pages.fingerprint().unwrap(), first);

    // A browser that trusts it.
    let greet = |pages: PageTls, trusted: std::path::PathBuf, byte: &'static [u8]| async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let browsing = tokio::task::spawn_blocking(move || {
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            if byte.is_empty() {
                let mut connector = SslConnector::builder(SslMethod::tls_client()).unwrap();
                connector.set_ca_file(&trusted).unwrap();
                connector.set_alpn_protos(b"\x02h2\x08http/1.1").unwrap();
                let encrypted = connector.build().connect("localhost", stream).unwrap();
                assert_eq!(encrypted.ssl().selected_alpn_protocol(), Some(&b"h2"[..]));
            } else {
                std::io::Write::write_all(&mut stream, byte).unwrap();
            }
        });
        let (stream, _) = listener.accept().await.unwrap();
        let accepted = tokio::time::timeout(SOON, pages.accept(stream)).await.unwrap().unwrap();
        browsing.await.unwrap();
        accepted
    };
    let accepted = greet(PageTls::open(&cert, &key).unwrap(), cert.clone(), b"").await;
    assert!(matches!(accepted, PageStream::Encrypted { is_http2: true, .. }));
    let accepted = greet(PageTls::open(&cert, &key).unwrap(), cert.clone(), b"GET / ").await;
    assert!(matches!(accepted, PageStream::Plain(_)));

    // Another one takes its place; one that is broken does not.
    std::fs::remove_file(&key).unwrap();
    self_signed(&cert, &key, &names, &addresses).unwrap();
    assert_ne!(pages.fingerprint().unwrap(), first);
    pages.reload().unwrap();
    std::fs::write(&key, "nonsense").unwrap();
    assert!(pages.reload().unwrap_err().to_string().contains("http.tls_key_file"));
}

#[test]
fn conflicting_tls_settings_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let ours = authority("ours");
    let whole = settings(dir.path(), "server", &ours, &ours);
    let without_key = TlsSettings { key_file: String::new(), ..whole.clone() };
    assert!(TlsConnector::new(&without_key).unwrap_err().to_string().contains("belong together"));
    let path = dir.path().join("nothing").to_str().unwrap().to_owned();
    let missing = TlsSettings { ca_file: path.clone(), ..whole.clone() };
    assert!(TlsConnector::new(&missing).unwrap_err().to_string().contains(&path));
    let no_list = TlsSettings { crl_file: whole.ca_file.clone(), ..whole.clone() };
    assert!(TlsConnector::new(&no_list).unwrap_err().to_string().contains("tls.crl_file"));
    let ciphers = TlsSettings { cipher_psk: "none such".to_owned(), ..none() };
    assert!(TlsConnector::new(&ciphers).unwrap_err().to_string().contains("tls.cipher_psk"));
    let swapped = TlsSettings { key_file: whole.cert_file.clone(), ..whole };
    assert!(TlsConnector::new(&swapped).unwrap_err().to_string().contains("tls.key_file"));
}

#[test]
fn keys_are_of_hexadecimal_digits_and_never_printed() {
    assert_eq!(Psk::from_hex("a", "00fF".repeat(8).as_str()).unwrap().key().len(), 16);
    for (identity, hex) in [
        ("a", "00".repeat(15)),
        ("a", "00".repeat(257)),
        ("a", "0".repeat(33)),
        ("a", "0g".repeat(16)),
        ("", "00".repeat(16)),
        ("a\0b", "00".repeat(16)),
    ] {
        let error = Psk::from_hex(identity, &hex).unwrap_err();
        assert!(!error.contains(&hex), "{error}");
    }
    let psk = Psk::from_hex("a", KEY).unwrap();
    assert_eq!(format!("{psk:?}"), r#"Psk { identity: "a", .. }"#);
}
