//! Installed packages: of dpkg, of pacman and of Slackware from their own files; rpm, whose
//! database is no text, is called without a shell.

use std::process::{Command, Stdio};

use serde::Serialize;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal, json};
use crate::params::invalid;
use crate::regex;
use crate::root::Root;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("system.sw.packages", 3, list),
    Key::may_block("system.sw.packages.get", 2, get),
];

/// The packages of a package manager; `None` if the machine does not have it.
type List = fn(&Root) -> Option<Vec<Package>>;

const MANAGERS: [(&str, List); 4] =
    [("dpkg", dpkg), ("pkgtools", pkgtools), ("rpm", rpm), ("pacman", pacman)];

/// One row of `system.sw.packages.get`, in Zabbix's names.
#[derive(Debug, Default, Serialize)]
struct Package {
    /// As its manager shows it: packages of dpkg with their architecture where there may be
    /// several.
    #[serde(skip)]
    shown: String,
    name: String,
    manager: &'static str,
    version: String,
    size: u64,
    arch: String,
    buildtime: Timestamp,
    installtime: Timestamp,
}

#[derive(Debug, Default, Serialize)]
struct Timestamp {
    timestamp: u64,
    value: String,
}

impl Timestamp {
    fn of(seconds: u64) -> Self {
        let at = i64::try_from(seconds).ok().and_then(|it| jiff::Timestamp::from_second(it).ok());
        let value =
            at.filter(|_| seconds != 0).map(|it| it.strftime("%a %b %e %H:%M:%S %Y").to_string());
        Self { timestamp: seconds, value: value.unwrap_or_default() }
    }
}

/// The installed package managers, with their packages.
fn managers(ask: &Ask<'_>, idx: usize) -> Result<Vec<(&'static str, Vec<Package>)>, Refusal> {
    let wanted = ask.params.get_or(idx, "all");
    let chosen = MANAGERS.iter().filter(|it| wanted == "all" || wanted == it.0);
    let found: Vec<_> = chosen.filter_map(|it| Some((it.0, it.1(ask.root)?))).collect();
    if found.is_empty() {
        return Err(Refusal::from("Cannot obtain package information."));
    }
    Ok(found)
}

fn list(ask: &Ask<'_>) -> Outcome {
    let shows_managers = match ask.params.get_or(2, "full") {
        "full" => true,
        "short" => false,
        _ => return Err(invalid(2)),
    };
    // An invalid pattern matches nothing, as in Zabbix.
    let pattern = match ask.params.get_or(0, "all") {
        "all" => Ok(None),
        _ => regex::compile(&ask.params, 0).map(Some),
    };
    let mut lines = Vec::new();
    for (manager, packages) in managers(ask, 1)? {
        let fits = |it: &&str| match &pattern {
            Ok(None) => true,
            Ok(Some(pattern)) => regex::is_match(pattern, it),
            Err(_) => false,
        };
        let name =
            |it: &Package| if it.shown.is_empty() { it.name.clone() } else { it.shown.clone() };
        let all: Vec<String> = packages.iter().map(name).collect();
        let mut names: Vec<&str> = all.iter().map(String::as_str).filter(fits).collect();
        names.sort_unstable();
        let names = names.join(", ");
        lines.push(match (shows_managers, names.as_str()) {
            (true, "") => format!("[{manager}]"),
            (true, names) => format!("[{manager}] {names}"),
            (false, names) => names.to_owned(),
        });
    }
    Ok(lines.join("\n").into())
}

fn get(ask: &Ask<'_>) -> Outcome {
    let pattern = match ask.params.get(0) {
        "" | "all" => None,
        _ => Some(regex::compile(&ask.params, 0)?),
    };
    let mut rows = Vec::new();
    for (manager, packages) in managers(ask, 1)? {
        let fits = |it: &Package| {
            pattern.as_ref().is_none_or(|pattern| regex::is_match(pattern, &it.name))
        };
        rows.extend(packages.into_iter().filter(fits).map(|it| Package { manager, ..it }));
    }
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    json(&rows)
}

fn dpkg(root: &Root) -> Option<Vec<Package>> {
    let text = root.read("/var/lib/dpkg/status").ok()?;
    let package = |paragraph: &str| {
        let field =
            |name: &str| paragraph.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(": "));
        let is_installed = field("Status")?.split(' ').nth(2) == Some("installed");
        let shown = match (field("Package"), field("Multi-Arch"), field("Architecture")) {
            (Some(name), Some("same"), Some(arch)) => format!("{name}:{arch}"),
            _ => String::new(),
        };
        is_installed.then(|| Package {
            shown,
            name: field("Package").unwrap_or_default().to_owned(),
            version: field("Version").unwrap_or_default().to_owned(),
            size: field("Installed-Size").and_then(|it| it.parse::<u64>().ok()).unwrap_or(0) << 10,
            arch: field("Architecture").unwrap_or_default().to_owned(),
            ..Package::default()
        })
    };
    Some(text.split("\n\n").filter_map(package).collect())
}

/// Name, version and build of `name-1.2-x86_64-1`.
fn pkgtools(root: &Root) -> Option<Vec<Package>> {
    let names = root.names("/var/log/packages").ok()?;
    let package = |name: &String| {
        let mut parts = name.rsplitn(4, '-');
        let (_build, arch, version) = (parts.next()?, parts.next()?, parts.next()?);
        parts.next()?;
        Some(Package {
            name: name.clone(),
            version: version.to_owned(),
            arch: arch.to_owned(),
            ..Package::default()
        })
    };
    Some(names.iter().filter_map(package).collect())
}

fn rpm(root: &Root) -> Option<Vec<Package>> {
    root.metadata("/var/lib/rpm").ok()?;
    let format =
        "%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{SIZE}\\t%{ARCH}\\t%{BUILDTIME}\\t%{INSTALLTIME}\\n";
    let output = Command::new("rpm")
        .args(["-qa", "--queryformat", format])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let package = |line: &str| {
        let mut fields = line.split('\t');
        let mut field = || fields.next().map(str::to_owned);
        let (name, version) = (field()?, field()?);
        let size = field()?.parse().unwrap_or(0);
        let arch = field()?;
        let mut time = || Some(Timestamp::of(field()?.parse().unwrap_or(0)));
        let (buildtime, installtime) = (time()?, time()?);
        Some(Package { name, version, size, arch, buildtime, installtime, ..Package::default() })
    };
    Some(text.lines().filter_map(package).collect())
}

fn pacman(root: &Root) -> Option<Vec<Package>> {
    let folder = "/var/lib/pacman/local";
    let names = root.names(folder).ok()?;
    let package = |name: &String| {
        let text = root.read(&format!("{folder}/{name}/desc")).ok()?;
        let field = |name: &str| {
            let mut lines = text.lines();
            lines.find(|it| *it == format!("%{name}%"))?;
            lines.next().map(str::to_owned)
        };
        let number = |name| field(name).and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        Some(Package {
            name: field("NAME")?,
            version: field("VERSION").unwrap_or_default(),
            size: number("SIZE"),
            arch: field("ARCH").unwrap_or_default(),
            buildtime: Timestamp::of(number("BUILDDATE")),
            installtime: Timestamp::of(number("INSTALLDATE")),
            ..Package::default()
        })
    };
    Some(names.iter().filter_map(package).collect())
}
