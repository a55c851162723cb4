//! Names of SNMP objects: from MIB files, and common ones.
//!
//! An OID may be written with a name in front, `IF-MIB::ifDescr.1`, `ifDescr.1` or from the root
//! on, `.iso.org.dod.internet.mgmt.mib-2.system.sysDescr.0`. Files are read at the start and when
//! the operator asks for it. A mistake is logged with file and line, and the rest of the file
//! counts.
//!
//! For the texts of traps, OIDs get names as well ([`Mibs::open_with_reverse_names`]): that of the nearest
//! object above, followed by numbers.
//!
//! Bounds: files, their size, and names of all of them.

mod known;
mod parse;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use model::map::{Map, Set};
use tracing::{info, warn};
use wire::snmp::{Oid, OidRef};

/// Files that are read in all directories.
const FILES_MAX: usize = 10_000;
/// The largest ones of vendors have some MB.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Names of all files; some 100 bytes each. Further ones are left out.
const NAMES_MAX: usize = 500_000;
/// Faults that are logged in one reading; the others are counted.
const FAULTS_LOGGED_MAX: usize = 50;
/// Numbers in an OID, by RFC 3416.
const ARCS_MAX: usize = 128;
/// Modules with the same name; each look-up goes through them.
const HOLDERS_MAX: usize = 64;

/// The current names.
#[derive(Debug)]
pub(crate) struct Mibs {
    directories: Vec<PathBuf>,
    /// Makes an empty set of names.
    empty: fn() -> Names,
    names: RwLock<Arc<Names>>,
}

impl Mibs {
    /// Reads all files of these directories.
    pub(crate) fn open(directories: Vec<PathBuf>) -> Self {
        Self::begin(directories, Names::default)
    }

    /// As [`Self::open`], and OIDs have names: that takes about as much memory again.
    pub(crate) fn open_with_reverse_names(directories: Vec<PathBuf>) -> Self {
        Self::begin(directories, Names::both_ways)
    }

    fn begin(directories: Vec<PathBuf>, empty: fn() -> Names) -> Self {
        let names = RwLock::new(Arc::new(empty().with_known()));
        let mibs = Self { directories, empty, names };
        mibs.reload();
        mibs
    }

    /// Reads the files again.
    pub(crate) fn reload(&self) {
        if self.directories.is_empty() {
            return;
        }
        let reading = Reading::of(&self.directories, (self.empty)());
        let Reading { n_files, n_names, n_faults, .. } = reading;
        info!(n_files, n_names, n_faults, "names of SNMP objects were loaded");
        let names = Arc::new(reading.names);
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// The object in a text, by numbers or by names.
    ///
    /// # Errors
    /// In words for the user.
    pub(crate) fn oid(&self, text: &str) -> Result<Oid, String> {
        let text = text.trim();
        // Most are numbers.
        Oid::parse(text).or_else(|_no_numbers| self.names().named(text))
    }

    /// Returns the names of objects by the present files, `IF-MIB::ifIndex.3`. None has a name
    /// unless names were opened with reverse names.
    pub(crate) fn name_of(&self) -> impl Fn(OidRef<'_>) -> Option<String> + use<> {
        let names = self.names();
        move |oid: OidRef<'_>| names.name_of(oid)
    }

    fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// In order of their names, so that the result depends on nothing else. Hidden files are left out.
fn files(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && fs::metadata(entry.path()).is_ok_and(|it| it.is_file()) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if FILE_BYTES_MAX < bytes.len() as u64 {
        return Err(std::io::Error::other("it is too large"));
    }
    // Names are ASCII; other characters are in texts and comments.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A module with a name, and its object.
type Holder = (Arc<str>, Arc<[u32]>);
/// Objects, in order, with module and name of each.
type ByOid = BTreeMap<Arc<[u32]>, (Arc<str>, Box<str>)>;

/// Names with their objects.
#[derive(Debug, Default)]
struct Names {
    /// Each with its modules, the first ones first.
    by_name: Map<Box<str>, Vec<Holder>>,
    /// `None`: names of OIDs are not needed.
    by_oid: Option<ByOid>,
    /// Whether files were read.
    has_files: bool,
}

impl Names {
    fn both_ways() -> Self {
        Self { by_oid: Some(ByOid::new()), ..Self::default() }
    }

    /// With the names that need no file.
    fn with_known(mut self) -> Self {
        for (module, name, arcs) in known::each() {
            self.insert(&Arc::from(module), name, arcs.into());
        }
        self
    }

    /// The first definition of a name in a module stays: the file may be there twice.
    fn insert(&mut self, module: &Arc<str>, name: &str, arcs: Arc<[u32]>) {
        let holders = self.by_name.entry(name.into()).or_default();
        if holders.len() < HOLDERS_MAX && holders.iter().all(|it| it.0 != *module) {
            // The roots, `iso` and two more, are of no module: an OID with no other name above it
            // is more readable as numbers.
            if let Some(by_oid) = self.by_oid.as_mut().filter(|_| 1 < arcs.len()) {
                let called = || (Arc::clone(module), name.into());
                by_oid.entry(Arc::clone(&arcs)).or_insert_with(called);
            }
            holders.push((Arc::clone(module), arcs));
        }
    }

    fn find(&self, module: Option<&str>, name: &str) -> Option<&[u32]> {
        let holders = self.by_name.get(name)?;
        let holder = match module {
            Some(module) => holders.iter().find(|it| *it.0 == *module),
            None => holders.first(),
        };
        holder.map(|it| &*it.1)
    }

    /// Common names of an object precede those of files, unless files give them to another object:
    /// old modules have the objects of newer ones under their own name.
    fn prefer_known(&mut self) {
        let Some(mut by_oid) = self.by_oid.take() else { return };
        for (module, name, arcs) in known::each() {
            if 1 < arcs.len() && self.find(Some(module), name) == Some(&*arcs) {
                by_oid.insert(arcs.into(), (module.into(), name.into()));
            }
        }
        self.by_oid = Some(by_oid);
    }

    /// An object by the nearest name above it, followed by the remaining numbers.
    fn name_of(&self, oid: OidRef<'_>) -> Option<String> {
        let by_oid = self.by_oid.as_ref()?;
        let arcs: Vec<u32> = oid.arcs().collect();
        let mut sought: &[u32] = &arcs;
        loop {
            let up_to: (Bound<&[u32]>, Bound<&[u32]>) = (Bound::Unbounded, Bound::Included(sought));
            let (found, (module, name)) = by_oid.range::<[u32], _>(up_to).next_back()?;
            if sought.starts_with(found) {
                let mut text = format!("{module}::{name}");
                for arc in &arcs[found.len()..] {
                    write!(text, ".{arc}").expect("to memory");
                }
                return Some(text);
            }
            // In this order only objects below a name stand between it and others below it. Every
            // name above the object is therefore above the found one, too, and so above their
            // common prefix, which is shorter.
            let n_common = sought.iter().zip(&**found).take_while(|(a, b)| a == b).count();
            sought = &sought[..n_common];
        }
    }

    fn named(&self, text: &str) -> Result<Oid, String> {
        let cannot = |why: String| Err(format!("Cannot parse OID \"{text}\": {why}."));
        let (module, path) = match text.split_once("::") {
            Some((module, path)) => (Some(module), path),
            None => (None, text),
        };
        let mut arcs: Vec<u32> = Vec::new();
        for (n_before, part) in path.strip_prefix('.').unwrap_or(path).split('.').enumerate() {
            if part.starts_with(|it: char| it.is_ascii_digit()) {
                match part.parse() {
                    Ok(arc) => arcs.push(arc),
                    Err(_too_large) => return cannot(format!("\"{part}\" is no number of it")),
                }
            } else if n_before == 0 {
                match self.find(module, part) {
                    Some(found) => arcs.extend(found),
                    None => return cannot(self.unknown(module, part)),
                }
            } else {
                match self.child(&arcs, part) {
                    Some(arc) => arcs.push(arc),
                    None => return cannot(format!("there is no \"{part}\" at this place of it")),
                }
            }
        }
        match Oid::from_arcs(&arcs) {
            Ok(oid) => Ok(oid),
            Err(_wrong) => cannot("it is too short or too long".to_owned()),
        }
    }

    /// The number of a name directly below an object.
    fn child(&self, arcs: &[u32], name: &str) -> Option<u32> {
        let holders = self.by_name.get(name)?;
        holders.iter().find_map(|(_, found)| match found.split_last() {
            Some((arc, above)) if above == arcs => Some(*arc),
            _ => None,
        })
    }

    fn unknown(&self, module: Option<&str>, name: &str) -> String {
        match (self.has_files, module) {
            (false, _) => "only numbers and a few names are known".to_owned(),
            (true, None) => format!("no MIB file has the name \"{name}\""),
            (true, Some(module)) => {
                format!("no MIB file has the name \"{name}\" of the module \"{module}\"")
            }
        }
    }
}

/// Names while files are read.
#[derive(Default)]
struct Reading {
    names: Names,
    /// Objects whose parent is not known yet.
    open: Vec<Open>,
    /// The importing modules of each symbol, with the module that they import it from.
    imports: Map<(Arc<str>, Box<str>), Arc<str>>,
    modules: Map<Box<str>, Arc<str>>,
    n_files: usize,
    n_names: usize,
    n_faults: usize,
}

struct Open {
    module: Arc<str>,
    name: Box<str>,
    parent: Box<str>,
    arcs: Vec<u32>,
    path: Arc<Path>,
    line: u32,
}

impl Reading {
    /// Adds the names of all files to `names`.
    fn of(directories: &[PathBuf], names: Names) -> Self {
        let mut reading = Self { names, ..Self::default() };
        for directory in directories {
            match files(directory) {
                Ok(found) => found.iter().for_each(|it| reading.read(it)),
                Err(error) => reading.fault(directory, 0, error.to_string()),
            }
        }
        reading.link();
        reading
    }

    fn read(&mut self, path: &Path) {
        self.n_files += 1;
        if FILES_MAX < self.n_files {
            self.fault(path, 0, format!("not read: it is one of more than {FILES_MAX}"));
            return;
        }
        match read(path) {
            Ok(text) => self.add(path, &text),
            Err(error) => self.fault(path, 0, error.to_string()),
        }
    }

    fn fault(&mut self, path: &Path, line: u32, what: String) {
        self.n_faults += 1;
        if self.n_faults <= FAULTS_LOGGED_MAX {
            warn!(file = %path.display(), line, "in a MIB file: {what}");
        }
    }

    fn module(&mut self, name: &str) -> Arc<str> {
        let module = self.modules.entry(name.into()).or_insert_with(|| Arc::from(name));
        Arc::clone(module)
    }

    fn add(&mut self, path: &Path, text: &str) {
        let parsed = parse::parse(text);
        for fault in parsed.faults {
            self.fault(path, fault.line, fault.what);
        }
        let path: Arc<Path> = path.into();
        for read in parsed.modules {
            let module = self.module(read.name);
            for (symbol, from) in read.imports {
                let from = self.module(from);
                self.imports.insert((Arc::clone(&module), symbol.into()), from);
            }
            for it in read.names {
                if NAMES_MAX <= self.n_names {
                    self.fault(&path, it.line, format!("more than {NAMES_MAX} names"));
                    return;
                }
                self.n_names += 1;
                match it.parent {
                    None => self.names.insert(&module, it.name, it.arcs.into()),
                    Some(parent) => self.open.push(Open {
                        module: Arc::clone(&module),
                        name: it.name.into(),
                        parent: parent.into(),
                        arcs: it.arcs,
                        path: Arc::clone(&path),
                        line: it.line,
                    }),
                }
            }
        }
    }

    /// Gives each name its whole OID. Names below those of other modules wait for these.
    fn link(&mut self) {
        self.names.has_files = true;
        let known = Names::default().with_known();
        loop {
            let n_before = self.open.len();
            let of = |it: &Open| (Arc::clone(&it.module), it.name.clone());
            let coming: Set<(Arc<str>, Box<str>)> = self.open.iter().map(of).collect();
            for it in std::mem::take(&mut self.open) {
                let from = self.imports.get(&(Arc::clone(&it.module), it.parent.clone()));
                let from = Arc::clone(from.unwrap_or(&it.module));
                let found = self.names.find(Some(&from), &it.parent);
                // Missing modules are mostly those of the RFCs, whose names are known.
                let is_coming = coming.contains(&(from, it.parent.clone()));
                let found = found.or_else(|| known.find(None, &it.parent).filter(|_| !is_coming));
                match found.map(|above| [above, &it.arcs].concat()) {
                    Some(arcs) if arcs.len() <= ARCS_MAX => {
                        self.names.insert(&it.module, &it.name, arcs.into());
                    }
                    _ => self.open.push(it),
                }
            }
            if self.open.len() == n_before {
                break;
            }
        }
        for it in std::mem::take(&mut self.open) {
            let what = format!("{}: its parent {} is not defined", it.name, it.parent);
            self.fault(&it.path, it.line, what);
        }
        for (name, holders) in known.by_name {
            for (module, arcs) in holders {
                if self.names.find(Some(&module), &name).is_none() {
                    // The common meaning of a name precedes that of a file.
                    let known = self.names.by_name.entry(name.clone()).or_default();
                    known.insert(0, (module, arcs));
                }
            }
        }
        self.names.prefer_known();
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    fn shown(names: &Names, text: &str) -> String {
        names.named(text.trim()).map_or_else(|it| it, |it| it.to_string())
    }

    #[test]
    fn names_that_everybody_uses_need_no_file() {
        let names = Names::default().with_known();
        for (text, oid) in [
            ("1.3.6.1", ".1.3.6.1"),
            (" .1.3.6.1.2 ", ".1.3.6.1.2"),
            ("sysDescr.0", ".1.3.6.1.2.1.1.1.0"),
            ("SNMPv2-MIB::sysUpTime.0", ".1.3.6.1.2.1.1.3.0"),
            ("IF-MIB::ifHCInOctets.10101", ".1.3.6.1.2.1.31.1.1.1.6.10101"),
            ("ifAlias", ".1.3.6.1.2.1.31.1.1.1.18"),
            (".iso.org.dod.internet.mgmt.mib-2.system.sysName.0", ".1.3.6.1.2.1.1.5.0"),
            (".iso.3.dod.1.private.enterprises.9", ".1.3.6.1.4.1.9"),
            ("mib-2.25.3.hrProcessorTable", ".1.3.6.1.2.1.25.3.3"),
            ("HOST-RESOURCES-MIB::hrStorageUsed.1", ".1.3.6.1.2.1.25.2.3.1.6.1"),
            ("ENTITY-MIB::entPhysicalSerialNum.1", ".1.3.6.1.2.1.47.1.1.1.1.11.1"),
            ("acme.1", "Cannot parse OID \"acme.1\": only numbers and a few names are known."),
            ("IF-MIB::", "Cannot parse OID \"IF-MIB::\": only numbers and a few names are known."),
            (
                "mib-2.sysName",
                "Cannot parse OID \"mib-2.sysName\": there is no \"sysName\" at this place of it.",
            ),
            (
                "sysName.5000000000",
                "Cannot parse OID \"sysName.5000000000\": \"5000000000\" is no number of it.",
            ),
        ] {
            assert_eq!(shown(&names, text), oid);
        }
    }

    #[test]
    fn files_define_names_and_are_reloaded() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        // Not in the order of their dependencies, and with a name that is known with another
        // object.
        let text = "A-MIB DEFINITIONS ::= BEGIN IMPORTS acme FROM B-MIB;\n\
                    system OBJECT IDENTIFIER ::= { acme 1 }\n\
                    load OBJECT-TYPE SYNTAX INTEGER ::= { system 2 }\n\
                    lost OBJECT-TYPE SYNTAX INTEGER ::= { nowhere 2 } END";
        write("a.txt", text).expect("written");
        let text = "B-MIB DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI;\n\
                    acme OBJECT IDENTIFIER ::= { enterprises 99999 } END";
        write("b.txt", text).expect("written");
        write(
            "round.txt",
            "R DEFINITIONS ::= BEGIN a OBJECT IDENTIFIER ::= { b 1 }\n\
                            b OBJECT IDENTIFIER ::= { a 1 } END",
        )
        .expect("written");
        write("readme", "this is \"no MIB").expect("written");
        fs::create_dir(folder.path().join("folder")).expect("made");
        let mibs = Mibs::open(vec![folder.path().to_owned(), folder.path().join("absent")]);
        let names = mibs.names();
        for (text, oid) in [
            ("A-MIB::load.0", ".1.3.6.1.4.1.99999.1.2.0"),
            ("acme.system.load", ".1.3.6.1.4.1.99999.1.2"),
            ("system.sysDescr", ".1.3.6.1.2.1.1.1"),
            ("lost", "Cannot parse OID \"lost\": no MIB file has the name \"lost\"."),
            ("a.1", "Cannot parse OID \"a.1\": no MIB file has the name \"a\"."),
            (
                "B-MIB::load",
                "Cannot parse OID \"B-MIB::load\": no MIB file has the name \"load\" of the module \"B-MIB\".",
            ),
        ] {
            assert_eq!(shown(&names, text), oid);
        }
        fs::remove_file(folder.path().join("b.txt")).expect("removed");
        mibs.reload();
        assert!(mibs.oid("A-MIB::load.0").is_err());
        assert!(mibs.oid("1.3.6.1").is_ok());
    }

    #[test]
    fn objects_have_the_names_of_net_snmp() {
        let folder = tempfile::tempdir().expect("a folder");
        let of_peer = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        // net-snmp knows these from files alone.
        let text = "SNMPv2-SMI DEFINITIONS ::= BEGIN org OBJECT IDENTIFIER ::= { iso 3 }\n\
                    dod OBJECT IDENTIFIER ::= { org 6 } internet OBJECT IDENTIFIER ::= { dod 1 }\n\
                    mgmt OBJECT IDENTIFIER ::= { internet 2 } mib-2 OBJECT IDENTIFIER ::= { mgmt 1 }\n\
                    private OBJECT IDENTIFIER ::= { internet 4 }\n\
                    enterprises OBJECT IDENTIFIER ::= { private 1 }\n\
                    snmpV2 OBJECT IDENTIFIER ::= { internet 6 }\n\
                    snmpModules OBJECT IDENTIFIER ::= { snmpV2 3 } END";
        write("SNMPv2-SMI.txt", text).expect("written");
        let text = "ACME-MIB DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI;\n\
                    acme OBJECT IDENTIFIER ::= { enterprises 99999 }\n\
                    acmeTraps OBJECT IDENTIFIER ::= { acme 0 }\n\
                    acmeDoor OBJECT IDENTIFIER ::= { acme 1 }\n\
                    acmeDoor300 OBJECT IDENTIFIER ::= { acmeDoor 300 }\n\
                    acmeOpened NOTIFICATION-TYPE STATUS current DESCRIPTION \"a door\"\n\
                    ::= { acmeTraps 1 } END";
        write("ACME-MIB.txt", text).expect("written");
        let mibs = Mibs::open_with_reverse_names(vec![folder.path().to_owned()]);
        let name_of = mibs.name_of();
        let snmptranslate = peers::program("snmptranslate");
        for (oid, name) in [
            (".1.3.6.1.4.1.99999", "ACME-MIB::acme"),
            (".1.3.6.1.4.1.99999.0.1", "ACME-MIB::acmeOpened"),
            (".1.3.6.1.4.1.99999.0.2", "ACME-MIB::acmeTraps.2"),
            (".1.3.6.1.4.1.99999.1.7", "ACME-MIB::acmeDoor.7"),
            // The next name before it belongs to another object.
            (".1.3.6.1.4.1.99999.1.301.4294967295", "ACME-MIB::acmeDoor.301.4294967295"),
            (".1.3.6.1.4.1.99999.1.300.0", "ACME-MIB::acmeDoor300.0"),
            (".1.3.6.1.4.1.99999.2", "ACME-MIB::acme.2"),
            (".1.3.6.1.4.1.100000.1", "SNMPv2-SMI::enterprises.100000.1"),
            (".1.3.6.1.6.3.18.1.3.0", "SNMPv2-SMI::snmpModules.18.1.3.0"),
        ] {
            let read = Oid::parse(oid).expect("numbers");
            assert_eq!(name_of(read.as_ref()).as_deref(), Some(name), "{oid}");
            assert_eq!(mibs.oid(name).expect("it is found again"), read);
            let Some(snmptranslate) = &snmptranslate else { continue };
            let mut command = Command::new(snmptranslate);
            command.env("SNMP_PERSISTENT_DIR", of_peer.path());
            command.arg("-M").arg(folder.path()).args(["-m", "ALL", oid]);
            let printed = command.output().expect("it runs");
            assert_eq!(String::from_utf8_lossy(&printed.stdout).trim(), name, "{printed:?}");
        }
        for oid in ["1.0.8802.1", "2.5.4"] {
            let read = Oid::parse(oid).expect("numbers");
            assert_eq!(name_of(read.as_ref()), None, "nothing but a root is above {oid}");
        }
    }

    #[test]
    fn common_names_precede_those_of_old_modules() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        let text = "RFC1213-MIB DEFINITIONS ::= BEGIN system OBJECT IDENTIFIER ::= { mib-2 1 }\n\
                    sysDescr OBJECT-TYPE SYNTAX INTEGER ::= { system 1 }\n\
                    sysOld OBJECT-TYPE SYNTAX INTEGER ::= { system 99 } END";
        write("1.txt", text).expect("written");
        // This file gives a known name another meaning.
        let text = "IF-MIB DEFINITIONS ::= BEGIN ifMIB OBJECT IDENTIFIER ::= { mib-2 131 } END";
        write("2.txt", text).expect("written");
        let directories = vec![folder.path().to_owned()];
        let mibs = Mibs::open_with_reverse_names(directories.clone());
        let shown = |mibs: &Mibs, oid: &str| {
            let oid = Oid::parse(oid).expect("numbers");
            mibs.name_of()(oid.as_ref()).unwrap_or_default()
        };
        for (oid, name) in [
            ("1.3.6.1.2.1.1.1.0", "SNMPv2-MIB::sysDescr.0"),
            ("1.3.6.1.2.1.1.99.0", "RFC1213-MIB::sysOld.0"),
            ("1.3.6.1.2.1.31", "SNMPv2-SMI::mib-2.31"),
            ("1.3.6.1.2.1.131", "IF-MIB::ifMIB"),
        ] {
            assert_eq!(shown(&mibs, oid), name);
        }
        fs::remove_file(folder.path().join("1.txt")).expect("removed");
        mibs.reload();
        assert_eq!(shown(&mibs, "1.3.6.1.2.1.1.99.0"), "SNMPv2-MIB::system.99.0");
        let without_files = Mibs::open_with_reverse_names(Vec::new());
        assert_eq!(shown(&without_files, "1.3.6.1.2.1.2.2.1.1.3"), "IF-MIB::ifIndex.3");
        assert_eq!(shown(&Mibs::open(directories), "1.3.6.1.2.1.1.1.0"), "", "nobody asked");
    }

    proptest! {
        /// Compared with a search through all names.
        #[test]
        fn the_nearest_name_above_is_found(
            objects in prop::collection::btree_set(prop::collection::vec(0..3_u32, 2..6), 0..20),
            asked in prop::collection::vec(0..3_u32, 2..8),
        ) {
            let mut names = Names::both_ways();
            for (at, object) in objects.iter().enumerate() {
                names.insert(&Arc::from("M"), &format!("n{at}"), object.as_slice().into());
            }
            let above = objects.iter().enumerate().filter(|it| asked.starts_with(it.1));
            let expected = above.max_by_key(|it| it.1.len()).map(|(at, object)| {
                let rest: Vec<_> = asked[object.len()..].iter().map(|it| format!(".{it}")).collect();
                format!("M::n{at}{}", rest.concat())
            });
            let asked = Oid::from_arcs(&asked).expect("small numbers");
            prop_assert_eq!(names.name_of(asked.as_ref()), expected);
        }
    }

    /// The files of net-snmp itself, without the modules of the RFCs.
    #[test]
    fn files_of_net_snmp_are_read_whole() {
        let directory = PathBuf::from("/usr/share/snmp/mibs");
        if !directory.join("UCD-SNMP-MIB.txt").is_file() {
            assert!(std::env::var_os("SAKER_REQUIRE_PEERS").is_none(), "libsnmp-base is not there");
            return;
        }
        let reading = Reading::of(&[directory], Names::default());
        assert_eq!(reading.n_faults, 0);
        assert!(400 < reading.n_names, "{}", reading.n_names);
        for (text, oid) in [
            ("UCD-SNMP-MIB::memAvailReal.0", ".1.3.6.1.4.1.2021.4.6.0"),
            ("UCD-DISKIO-MIB::diskIONReadX.1", ".1.3.6.1.4.1.2021.13.15.1.1.12.1"),
            ("laLoad.1", ".1.3.6.1.4.1.2021.10.1.3.1"),
            ("NET-SNMP-EXTEND-MIB::nsExtendOutput1Line", ".1.3.6.1.4.1.8072.1.3.2.3.1.1"),
            ("NET-SNMP-MIB::netSnmp.1", ".1.3.6.1.4.1.8072.1"),
            ("sysDescr.0", ".1.3.6.1.2.1.1.1.0"),
        ] {
            assert_eq!(shown(&reading.names, text), oid);
        }
    }
}
