//! Connectors as users describe them.

use lang::tags::{TagCondition, TagFilter, TagOperator};
use model::document::{Body, Document};

use crate::http::{ClientCertificate, ReceiverLogin, TlsVerify};
use crate::targets::{Auth, ConnectorDataType, ConnectorSettings};

/// A connector of its document, whose fields have been checked.
pub(crate) fn settings_of(document: &Document) -> ConnectorSettings {
    let text = |name: &str| document.text(name).to_owned();
    let number = |name: &str| document.text(name).parse::<u32>().unwrap_or(0);
    let size = |name: &str| usize::try_from(number(name)).unwrap_or(usize::MAX);
    let tags = document.body.get("tags").and_then(|it| it.as_array());
    ConnectorSettings {
        data_type: if document.text("data_type") == "1" {
            ConnectorDataType::Events
        } else {
            ConnectorDataType::Values
        },
        url: text("url"),
        value_types: u8::try_from(number("item_value_type")).unwrap_or(u8::MAX),
        auth: auth_of(document),
        max_records: size("max_records"),
        max_senders: size("max_senders"),
        max_attempts: number("max_attempts"),
        attempt_interval: text("attempt_interval"),
        timeout: text("timeout"),
        http_proxy: text("http_proxy"),
        tls_verify: TlsVerify {
            peer: document.text("verify_peer") != "0",
            host: document.text("verify_host") != "0",
        },
        certificate: ClientCertificate {
            cert_file: text("ssl_cert_file"),
            key_file: text("ssl_key_file"),
            key_password: text("ssl_key_password"),
        },
        tags: TagFilter {
            is_or: document.text("tags_evaltype") == "2",
            conditions: tags
                .into_iter()
                .flatten()
                .filter_map(|it| Some(condition(it.as_object()?)))
                .collect(),
        },
    }
}

fn auth_of(document: &Document) -> Auth {
    let text = |name: &str| document.text(name).to_owned();
    let (user, password) = (text("username"), text("password"));
    match document.text("authtype") {
        "1" => Auth::Basic { user, password },
        "2" => Auth::Login(ReceiverLogin::Ntlm { user, password }),
        "3" => Auth::Login(ReceiverLogin::Kerberos),
        "4" => Auth::Login(ReceiverLogin::Digest { user, password }),
        "5" => Auth::Bearer(text("token")),
        _ => Auth::None,
    }
}

fn condition(of: &Body) -> TagCondition {
    let text = |name: &str| of.get(name).and_then(|it| it.as_str()).unwrap_or_default();
    TagCondition {
        tag: text("tag").to_owned(),
        operator: match text("operator") {
            "1" => TagOperator::NotEqual,
            "2" => TagOperator::Like,
            "3" => TagOperator::NotLike,
            "12" => TagOperator::Exists,
            "13" => TagOperator::NotExists,
            _ => TagOperator::Equal,
        },
        value: text("value").to_owned(),
    }
}
