//! Messages of SNMPv3: written messages are read back, and changed ones are never accepted.

use wire::snmp::{
    AuthProtocol, MasterKey, Oid, Pdu, PduKind, PrivProtocol, ReportReason, SecurityError,
    SnmpError, SnmpMessage, UserKeys, V3Head, V3Message, Value, Varbind,
};

const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x80engine";

fn keys(auth: Option<AuthProtocol>, privacy: Option<PrivProtocol>) -> UserKeys {
    let master = auth.map(|it| MasterKey::of_passphrase(it, b"maplesyrup").unwrap());
    let privacy = privacy.zip(master.as_ref());
    UserKeys::new(master.as_ref(), privacy, ENGINE)
}

fn head() -> V3Head<'static> {
    V3Head {
        message_id: 77,
        is_reportable: true,
        engine_id: ENGINE,
        boots: 3,
        time: 4_711,
        user: b"user",
        context_name: b"context",
        salt: 0x0102_0304_0506_0708,
    }
}

fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

fn answer(kind: PduKind, keys: &UserKeys) -> Vec<u8> {
    let name = oid("1.3.6.1.2.1.1.5.0");
    let varbinds = [Varbind { oid: name.as_ref(), value: Value::OctetString(b"name") }];
    let mut out = Vec::new();
    head().encode(&Pdu::new(kind, 78, 0, 0), &varbinds, keys, &mut out);
    out
}

fn every_user() -> Vec<UserKeys> {
    use AuthProtocol::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
    use PrivProtocol::{Aes128, Aes192, Aes192C, Aes256, Aes256C, Des};
    let mut users = vec![keys(None, None)];
    for auth in [Md5, Sha1, Sha224, Sha256, Sha384, Sha512] {
        users.push(keys(Some(auth), None));
        for privacy in [Des, Aes128, Aes192, Aes256, Aes192C, Aes256C] {
            users.push(keys(Some(auth), Some(privacy)));
        }
    }
    users
}

#[test]
fn written_message_is_read_back() {
    for keys in every_user() {
        let mut datagram = answer(PduKind::Response, &keys);
        datagram.extend_from_slice(b"behind");
        assert_eq!(SnmpMessage::decode(&datagram).unwrap_err(), SnmpError::UnsupportedVersion(3));
        let message = V3Message::decode(&datagram).unwrap();
        assert_eq!((message.message_id, message.boots, message.time), (77, 3, 4_711));
        assert_eq!((message.engine_id, message.user), (ENGINE, b"user".as_slice()));
        assert_eq!(message.is_signed(), keys.has_auth());
        let mut buffer = Vec::new();
        let scoped = message.open(&keys, &mut buffer).unwrap();
        assert_eq!(
            (scoped.context_engine_id, scoped.context_name),
            (ENGINE, b"context".as_slice())
        );
        assert_eq!((scoped.pdu.kind, scoped.pdu.request_id), (PduKind::Response, 78));
        let values: Vec<_> = scoped.pdu.varbinds.map(|it| it.unwrap().value).collect();
        assert_eq!(values, [Value::OctetString(b"name")]);
        assert_eq!(Pdu::decode(scoped.pdu_bytes).unwrap().request_id, 78);
        let hides = !datagram.windows(4).any(|it| it == b"name");
        assert_eq!(hides, keys.has_privacy());
    }
}

#[test]
fn changed_message_is_not_authentic() {
    for keys in every_user().into_iter().filter(UserKeys::has_auth) {
        let datagram = answer(PduKind::Response, &keys);
        for at in 0..datagram.len() {
            let mut changed = datagram.clone();
            changed[at] ^= 0x10;
            let Ok(message) = V3Message::decode(&changed) else { continue };
            assert!(message.open(&keys, &mut Vec::new()).is_err(), "{keys:?}: byte {at}");
        }
    }
}

#[test]
fn an_answer_is_as_secure_as_the_question_unless_it_is_a_report() {
    use AuthProtocol::Sha256;
    let (none, signed) = (keys(None, None), keys(Some(Sha256), None));
    let encrypted = keys(Some(Sha256), Some(PrivProtocol::Aes128));
    let opened = |kind, sent: &UserKeys, asked: &UserKeys| {
        let datagram = answer(kind, sent);
        V3Message::decode(&datagram).unwrap().open(asked, &mut Vec::new()).map(|it| it.pdu.kind)
    };
    let less = Err(SecurityError::LessSecure);
    assert_eq!(opened(PduKind::Response, &none, &signed), less);
    assert_eq!(opened(PduKind::Response, &none, &encrypted), less);
    assert_eq!(opened(PduKind::Response, &signed, &encrypted), less);
    assert_eq!(opened(PduKind::Report, &none, &encrypted), Ok(PduKind::Report));
    assert_eq!(opened(PduKind::Report, &signed, &encrypted), Ok(PduKind::Report));
    // Without the key a digest cannot be checked.
    assert_eq!(opened(PduKind::Report, &signed, &none), Err(SecurityError::WrongDigest));
    // A key of another passphrase.
    let other = MasterKey::of_passphrase(Sha256, b"something else").unwrap();
    let other = UserKeys::new(Some(&other), None, ENGINE);
    assert_eq!(opened(PduKind::Response, &signed, &other), Err(SecurityError::WrongDigest));
    // The same key for signatures, another one for the cipher.
    let master = MasterKey::of_passphrase(Sha256, b"maplesyrup").unwrap();
    let wrong = MasterKey::of_passphrase(Sha256, b"something else").unwrap();
    let wrong = UserKeys::new(Some(&master), Some((PrivProtocol::Aes128, &wrong)), ENGINE);
    assert_eq!(opened(PduKind::Response, &encrypted, &wrong), Err(SecurityError::CannotDecrypt));
}

#[test]
fn reports_name_their_reason() {
    for (counter, reason) in [
        ("1.3.6.1.6.3.15.1.1.1.0", ReportReason::UnsupportedSecurityLevel),
        ("1.3.6.1.6.3.15.1.1.2.0", ReportReason::NotInTimeWindow),
        ("1.3.6.1.6.3.15.1.1.3.0", ReportReason::UnknownUserName),
        ("1.3.6.1.6.3.15.1.1.4.0", ReportReason::UnknownEngineId),
        ("1.3.6.1.6.3.15.1.1.5.0", ReportReason::WrongDigest),
        ("1.3.6.1.6.3.15.1.1.6.0", ReportReason::DecryptionError),
        ("1.3.6.1.6.3.12.1.5.0", ReportReason::UnknownContext),
        ("1.3.6.1.2.1.1.5.0", ReportReason::Other),
    ] {
        let name = oid(counter);
        let varbinds = [Varbind { oid: name.as_ref(), value: Value::Counter32(1) }];
        let mut out = Vec::new();
        let keys = keys(None, None);
        head().encode(&Pdu::new(PduKind::Report, 1, 0, 0), &varbinds, &keys, &mut out);
        let mut buffer = Vec::new();
        let scoped = V3Message::decode(&out).unwrap().open(&keys, &mut buffer).unwrap();
        assert_eq!(ReportReason::of(&scoped.pdu), reason, "{counter}");
    }
}

#[test]
fn other_kinds_of_security_are_refused() {
    let datagram = answer(PduKind::Response, &keys(None, None));
    // In the head: 3, the kind of security.
    let at = datagram.windows(4).position(|it| it == [4, 1, 4, 2]).unwrap() + 5;
    let mut other = datagram.clone();
    other[at] = 1;
    assert_eq!(V3Message::decode(&other).unwrap_err(), SnmpError::UnsupportedSecurity(1));
    let community = [0x30, 3, 2, 1, 1];
    assert_eq!(V3Message::decode(&community).unwrap_err(), SnmpError::UnsupportedVersion(1));
    for end in 0..datagram.len() {
        let cut = V3Message::decode(&datagram[..end]);
        assert!(cut.is_err(), "{end} bytes");
    }
}
