//! Names and versions of the system.

use nix::sys::utsname::uname;
use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::small("system.hostname", 2, hostname),
    Key::small("system.uname", 0, system_name),
    Key::small("system.sw.arch", 0, |_| arch().map(Into::into)),
    Key::small("system.sw.os", 1, version),
    Key::small("system.sw.os.get", 0, details),
];

pub(super) fn kernel_hostname(root: &Root) -> Result<String, Refusal> {
    kernel_parameter(root, "hostname")
}

fn kernel_parameter(root: &Root, name: &str) -> Result<String, Refusal> {
    let text = root.read_or_refuse(&format!("/proc/sys/kernel/{name}"))?;
    Ok(text.trim_end_matches('\n').to_owned())
}

fn hostname(ask: &Ask<'_>) -> Outcome {
    let kind = ask.params.get_or(0, "host");
    let transform = ask.params.get_or(1, "none");
    if kind == "netbios" {
        return Err(Refusal::from("NetBIOS is not supported on the current platform."));
    }
    if !matches!(kind, "host" | "shorthost" | "fqdn") {
        return Err(invalid(0));
    }
    let name = kernel_hostname(ask.root)?;
    let name = match kind {
        "shorthost" => name.split('.').next().unwrap_or_default().to_owned(),
        "fqdn" => qualified(ask.root, name),
        _ => name,
    };
    match transform {
        "none" => Ok(name.into()),
        "lower" => Ok(name.to_lowercase().into()),
        _ => Err(invalid(1)),
    }
}

/// The canonical name by /etc/hosts, which has a machine's own full name by custom; the resolver is
/// not asked, since it may hang. Without an entry: the name itself.
fn qualified(root: &Root, name: String) -> String {
    if name.contains('.') {
        return name;
    }
    let hosts = root.read("/etc/hosts").unwrap_or_default();
    let canonical = hosts.lines().find_map(|line| {
        let entry = line.split('#').next().unwrap_or_default();
        let mut names = entry.split_whitespace().skip(1);
        let first = names.next()?;
        let ours = first == name || names.any(|alias| alias == name);
        (ours && first.contains('.')).then(|| first.to_owned())
    });
    canonical.unwrap_or(name)
}

fn system_name(ask: &Ask<'_>) -> Outcome {
    let kernel = |name| kernel_parameter(ask.root, name);
    let text = format!(
        "{} {} {} {} {}",
        kernel("ostype")?,
        kernel("hostname")?,
        kernel("osrelease")?,
        kernel("version")?,
        arch()?
    );
    Ok(text.into())
}

/// The only value that /proc does not have on every kernel.
fn arch() -> Result<String, Refusal> {
    let name = uname()
        .map_err(|it| Refusal::from(format!("Cannot obtain system information: {}", it.desc())))?;
    Ok(name.machine().to_string_lossy().into_owned())
}

fn version(ask: &Ask<'_>) -> Outcome {
    let text = match ask.params.get_or(0, "full") {
        "full" => ask.root.read_or_refuse("/proc/version")?,
        "short" => ask.root.read_or_refuse("/proc/version_signature")?,
        "name" => pretty_name(ask.root)?,
        _ => return Err(invalid(0)),
    };
    Ok(text.trim_end().into())
}

/// In Zabbix's names and order.
#[derive(Debug, Serialize)]
struct System {
    os_type: &'static str,
    product_name: String,
    architecture: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_major: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_minor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel_patch: Option<String>,
    kernel: String,
    version_pretty: String,
    version_full: String,
}

fn details(ask: &Ask<'_>) -> Outcome {
    let kernel = kernel_parameter(ask.root, "osrelease")?;
    let mut numbers = kernel.split(|it: char| !it.is_ascii_digit());
    let mut number = || numbers.next().filter(|it| !it.is_empty()).map(str::to_owned);
    let release = ask.root.read("/etc/os-release").unwrap_or_default();
    let field = |name: &str| {
        let line = release.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix('='));
        line.map(|it| it.trim_matches(['"', '\'']).to_owned()).unwrap_or_default()
    };
    json(&System {
        os_type: "linux",
        product_name: field("NAME"),
        architecture: arch()?,
        kernel_major: number(),
        kernel_minor: number(),
        kernel_patch: number(),
        version_pretty: field("PRETTY_NAME"),
        version_full: ask.root.read_or_refuse("/proc/version")?.trim_end().to_owned(),
        kernel,
    })
}

fn pretty_name(root: &Root) -> Result<String, Refusal> {
    let release = root.read("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match name {
        Some(name) => Ok(name.trim_matches(['"', '\'']).to_owned()),
        None => root.read_or_refuse("/etc/issue.net"),
    }
}
