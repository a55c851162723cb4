//! Rules about crates: their dependencies on each other, and dependencies that the pure ones must
//! not have.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, Metadata, PackageId};

use crate::source::Tree;

/// Which of our crates may use which, bottom to top.
/// A change here is an architectural decision: record it in docs/decisions/.
const MAY_USE: &[(&str, &[&str])] = &[
    ("varint", &[]),
    ("model", &["varint"]),
    ("wire", &[]),
    ("disk", &[]),
    ("journal", &["disk"]),
    ("tsdb", &["disk", "varint"]),
    ("rt", &["model"]),
    ("postgres_tls", &[]),
    ("odbc", &[]),
    ("gssapi", &[]),
    ("http_client", &["gssapi", "model", "rt", "wire"]),
    ("ingress", &["model", "rt"]),
    ("formats", &["model"]),
    ("script", &["formats", "model", "wire"]),
    ("preprocess", &["formats", "model", "script"]),
    ("lang", &["formats", "model"]),
    ("window", &["formats", "lang", "model"]),
    ("directory", &["formats", "lang", "model", "preprocess", "window"]),
    ("pipeline", &["directory", "formats", "lang", "model", "preprocess", "script", "window"]),
    ("history", &["disk", "journal", "model", "rt", "tsdb", "varint"]),
    ("stores", &["history", "journal", "model", "postgres_tls", "rt"]),
    ("export", &["formats", "journal", "lang", "model", "rt"]),
    ("alert", &["formats", "lang", "model"]),
    (
        "engine",
        &[
            "directory",
            "disk",
            "history",
            "ingress",
            "journal",
            "model",
            "pipeline",
            "preprocess",
            "rt",
            "script",
            "window",
        ],
    ),
    ("db", &["alert", "formats", "lang", "model", "postgres_tls", "rt"]),
    ("collect", &["formats", "ingress", "lang", "model", "odbc", "rt", "wire"]),
    ("agent", &["formats", "model", "rt", "wire"]),
    ("agentd", &["agent", "formats", "lang", "model", "rt", "wire"]),
    (
        "followers",
        &[
            "collect", "db", "engine", "export", "history", "ingress", "journal", "lang", "model",
            "pipeline", "rt",
        ],
    ),
    ("alerting", &["alert", "db", "formats", "history", "lang", "model", "rt", "script", "wire"]),
    (
        "api",
        &[
            "alert",
            "alerting",
            "db",
            "formats",
            "history",
            "lang",
            "model",
            "preprocess",
            "rt",
            "script",
        ],
    ),
    ("tools", &["rt", "wire"]),
    ("outgoing", &["collect", "export", "http_client", "model", "rt", "script", "wire"]),
    ("script_host", &["collect", "engine", "lang", "outgoing", "rt", "script", "wire"]),
    ("vault", &["collect", "http_client", "model", "outgoing", "rt", "script"]),
    (
        "remote",
        &["alert", "alerting", "collect", "engine", "lang", "model", "rt", "script", "wire"],
    ),
    ("internals", &["collect", "engine", "journal", "model", "rt"]),
    (
        "server_ports",
        &[
            "api",
            "collect",
            "db",
            "directory",
            "engine",
            "formats",
            "history",
            "ingress",
            "internals",
            "journal",
            "lang",
            "model",
            "pipeline",
            "rt",
            "script",
            "window",
            "wire",
        ],
    ),
    ("data_dir", &[]),
    ("backup", &["data_dir", "db", "disk", "engine", "rt"]),
    (
        "history_tools",
        &[
            "data_dir", "db", "disk", "formats", "history", "journal", "model", "rt", "stores",
            "tools",
        ],
    ),
    ("saker", ALL),
    ("bench", &["export", "rt", "wire"]),
    ("conformance", ALL),
    ("sim", ALL),
    ("peers", &[]),
    ("corpora", &[]),
    ("xtask", &[]),
];

const ALL: &[&str] = &[
    "agent",
    "agentd",
    "alert",
    "alerting",
    "api",
    "backup",
    "collect",
    "data_dir",
    "db",
    "directory",
    "disk",
    "engine",
    "export",
    "followers",
    "formats",
    "history",
    "history_tools",
    "http_client",
    "ingress",
    "internals",
    "journal",
    "lang",
    "model",
    "odbc",
    "outgoing",
    "pipeline",
    "postgres_tls",
    "preprocess",
    "remote",
    "rt",
    "script",
    "script_host",
    "server_ports",
    "stores",
    "tools",
    "tsdb",
    "varint",
    "vault",
    "window",
    "wire",
];

/// Crates that compute and never wait: nothing below may enter them, however indirectly.
const PURE: &[&str] = &[
    "varint",
    "model",
    "wire",
    "formats",
    "script",
    "preprocess",
    "lang",
    "window",
    "directory",
    "pipeline",
    "alert",
];

/// Not listed: `getrandom`, which cargo shows below `rand_core` because tests of other crates
/// switch a feature on.
const IMPURE: &[&str] = &[
    "tokio",
    "hyper",
    "reqwest",
    "rusqlite",
    "tokio-postgres",
    "socket2",
    "mio",
    "nix",
    "rustix",
    "rand",
    "tempfile",
    "rt",
];

pub(super) fn edges(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    let packages = tree.metadata.workspace_packages();
    let ours: BTreeSet<&str> = packages.iter().map(|it| it.name.as_str()).collect();
    for package in packages {
        let user = package.name.as_str();
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == user) else {
            errors.push(format!("{user}: missing in MAY_USE"));
            continue;
        };
        let normal = package.dependencies.iter().filter(|it| it.kind == DependencyKind::Normal);
        for used in normal.map(|it| it.name.as_str()) {
            if ours.contains(used) && !allowed.contains(&used) {
                errors.push(format!("{user} must not use {used}"));
            }
        }
    }
    errors
}

pub(super) fn purity(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    let packages = tree.metadata.workspace_packages();
    for package in packages.into_iter().filter(|it| PURE.contains(&it.name.as_str())) {
        for id in normal_closure(&tree.metadata, &package.id) {
            let name = tree.metadata[&id].name.as_str();
            if IMPURE.contains(&name) {
                errors.push(format!("{} is pure, but reaches {name}", package.name));
            }
        }
    }
    errors
}

/// Everything that `root` links, itself excluded; build and test dependencies do not count.
fn normal_closure(metadata: &Metadata, root: &PackageId) -> BTreeSet<PackageId> {
    let nodes = &metadata.resolve.as_ref().expect("metadata is resolved").nodes;
    let mut found = BTreeSet::new();
    let mut pending = vec![root.clone()];
    while let Some(id) = pending.pop() {
        let node = nodes.iter().find(|it| it.id == id).expect("every package has a node");
        for dep in &node.deps {
            let is_normal = dep.dep_kinds.iter().any(|it| it.kind == DependencyKind::Normal);
            if is_normal && found.insert(dep.pkg.clone()) {
                pending.push(dep.pkg.clone());
            }
        }
    }
    found
}

/// Every crate takes the lints of the workspace.
pub(super) fn lints(tree: &Tree) -> Vec<String> {
    let manifests = tree.texts(&["/Cargo.toml"]);
    manifests
        .filter(|(path, text)| {
            !path.contains("/fuzz/") && !text.contains("[lints]\nworkspace = true")
        })
        .map(|(path, _)| format!("{path}: [lints] workspace = true is missing"))
        .collect()
}
