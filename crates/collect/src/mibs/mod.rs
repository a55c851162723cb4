//! Names of SNMP objects: from MIB files, and of the objects that everybody uses.
//!
//! An OID may be written with a name in front, `IF-MIB::ifDescr.1`, `ifDescr.1` or from the root on,
//! `.iso.org.dod.internet.mgmt.mib-2.system.sysDescr.0`. Files are read at the start and when the operator asks for it. What is
//! wrong with one is told with file and line, and everything else counts.
//!
//! Bounds: files, their size, and names of all of them.

mod known;
mod parse;

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use model::map::{Map, Set};
use tracing::{info, warn};
use wire::snmp::Oid;

/// Files that are read of all directories.
const FILES_MAX: usize = 10_000;
/// The largest ones of vendors have some MB.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Names of all files; some 100 bytes each.
const NAMES_MAX: usize = 500_000;
/// Faults that are logged of one reading; the others are counted.
const FAULTS_LOGGED_MAX: usize = 50;
/// Numbers in an OID, by RFC 3416.
const ARCS_MAX: usize = 128;
/// Modules that name the same name; each look-up goes through them.
const HOLDERS_MAX: usize = 64;

/// The names that count now.
#[derive(Debug)]
pub(crate) struct Mibs {
    directories: Vec<PathBuf>,
    names: RwLock<Arc<Names>>,
}

impl Mibs {
    /// Reads all files of these directories.
    pub(crate) fn open(directories: Vec<PathBuf>) -> Self {
        let mibs = Self { directories, names: RwLock::new(Arc::new(Names::known())) };
        mibs.reload();
        mibs
    }

    /// Reads the files anew.
    pub(crate) fn reload(&self) {
        if self.directories.is_empty() {
            return;
        }
        let reading = Reading::of(&self.directories);
        let Reading { n_files, n_names, n_faults, .. } = reading;
        info!(n_files, n_names, n_faults, "names of SNMP objects were read");
        let names = Arc::new(reading.names);
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = names;
    }

    /// The object that a text names, by numbers or by names.
    ///
    /// # Errors
    /// In words for the user.
    pub(crate) fn oid(&self, text: &str) -> Result<Oid, String> {
        let text = text.trim();
        // Most are numbers.
        Oid::parse(text).or_else(|_no_numbers| self.names().named(text))
    }

    fn names(&self) -> Arc<Names> {
        Arc::clone(&self.names.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// In order of their names, so that which one counts depends on nothing else. Hidden files are none.
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
    // Names are ASCII; what else there is stands in texts and comments.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A module that has a name, and the object that it means by it.
type Holder = (Arc<str>, Arc<[u32]>);

/// Names with their objects.
#[derive(Debug, Default)]
struct Names {
    /// Each with the modules that have it, the first ones first.
    by_name: Map<Box<str>, Vec<Holder>>,
    /// Whether files were read.
    has_files: bool,
}

impl Names {
    /// Those that need no file.
    fn known() -> Self {
        let mut names = Self::default();
        for (module, name, arcs) in known::each() {
            names.insert(&Arc::from(module), name, arcs.into());
        }
        names
    }

    /// A name that a module has already stays what it is: the file may be there twice.
    fn insert(&mut self, module: &Arc<str>, name: &str, arcs: Arc<[u32]>) {
        let holders = self.by_name.entry(name.into()).or_default();
        if holders.len() < HOLDERS_MAX && holders.iter().all(|it| it.0 != *module) {
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

    /// The number of a name right below an object.
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

/// Names on the way from files.
#[derive(Default)]
struct Reading {
    names: Names,
    /// Those whose parent is looked for.
    open: Vec<Open>,
    /// By symbol, the modules that others take it from, by the module that does.
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
    fn of(directories: &[PathBuf]) -> Self {
        let mut reading = Self::default();
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

    /// Gives each name its whole OID. What hangs on names of others waits for them.
    fn link(&mut self) {
        self.names.has_files = true;
        let known = Names::known();
        loop {
            let n_before = self.open.len();
            let of = |it: &Open| (Arc::clone(&it.module), it.name.clone());
            let coming: Set<(Arc<str>, Box<str>)> = self.open.iter().map(of).collect();
            for it in std::mem::take(&mut self.open) {
                let from = self.imports.get(&(Arc::clone(&it.module), it.parent.clone()));
                let from = Arc::clone(from.unwrap_or(&it.module));
                let found = self.names.find(Some(&from), &it.parent);
                // Modules that are not there are mostly those of the RFCs, whose names are known.
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
            let what = format!("{}: nobody says what {} is", it.name, it.parent);
            self.fault(&it.path, it.line, what);
        }
        for (name, holders) in known.by_name {
            for (module, arcs) in holders {
                if self.names.find(Some(&module), &name).is_none() {
                    // What everybody means by a name counts before what a file makes of it.
                    let known = self.names.by_name.entry(name.clone()).or_default();
                    known.insert(0, (module, arcs));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &Names, text: &str) -> String {
        names.named(text.trim()).map_or_else(|it| it, |it| it.to_string())
    }

    #[test]
    fn names_that_everybody_uses_need_no_file() {
        let names = Names::known();
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
    fn files_say_what_names_are_and_are_read_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text);
        // Not in the order in which they need each other, and with a name that is known as another one.
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

    /// What net-snmp itself brings along, without the modules of the RFCs.
    #[test]
    fn files_of_net_snmp_are_read_whole() {
        let directory = PathBuf::from("/usr/share/snmp/mibs");
        if !directory.join("UCD-SNMP-MIB.txt").is_file() {
            assert!(std::env::var_os("SAKER_REQUIRE_PEERS").is_none(), "libsnmp-base is not there");
            return;
        }
        let reading = Reading::of(&[directory]);
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
