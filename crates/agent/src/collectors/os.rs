//! Names and versions of the system.

use nix::sys::utsname::uname;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::small("system.hostname", 2, hostname),
    Key::small("system.uname", 0, system_name),
    Key::small("system.sw.arch", 0, |_| arch().map(Into::into)),
    Key::small("system.sw.os", 1, version),
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

/// The canonical name by /etc/hosts, which is where a machine's own full name stands by custom;
/// the resolver is not asked, since it may hang. Without an entry: the name itself.
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

/// The only thing that /proc does not tell on every kernel.
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

fn pretty_name(root: &Root) -> Result<String, Refusal> {
    let release = root.read("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    match name {
        Some(name) => Ok(name.trim_matches(['"', '\'']).to_owned()),
        None => root.read_or_refuse("/etc/issue.net"),
    }
}
