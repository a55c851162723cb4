//! No circles between the files of a crate: a reader of one file of a circle has to read them all.
//!
//! A file uses another one if it names something of it: by `use`, or by a path in its code, from
//! the crate's root or from itself. A name that a folder's `mod.rs` re-exports with `pub use`
//! counts as used where it comes from, and a re-export is no use by itself, nor is `pub(in …)`.
//! Tests do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::Tree;

/// Files that may use each other: a parser and its callback are a pair for good. Paths are below
/// the crate's `src`, without `.rs` and `/mod`.
const ALLOWED: &[(&str, &str)] = &[("formats", "jsonpath/parse jsonpath/parse_filter")];

pub(super) fn circles(tree: &Tree) -> Vec<String> {
    let roots: Vec<&str> =
        tree.texts(&["/src/lib.rs", "/src/main.rs"]).map(|(path, _)| path).collect();
    let mut errors = Vec::new();
    for folder in folders_of(&roots) {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let allowed = ALLOWED.iter().filter(|(of, _)| *of == name);
        let allowed: Vec<Vec<&str>> = allowed.map(|(_, it)| it.split(' ').collect()).collect();
        errors.extend(errors_of(folder, &found_in(tree, folder), &allowed));
    }
    errors
}

/// The folders of crates, libraries and binaries alike.
fn folders_of<'t>(roots: &[&'t str]) -> BTreeSet<&'t str> {
    let folder_of =
        |path: &&'t str| path.strip_suffix("/src/lib.rs").or(path.strip_suffix("/src/main.rs"));
    roots.iter().filter_map(folder_of).collect()
}

/// The circles of a crate, as paths of files.
fn found_in(tree: &Tree, folder: &str) -> Vec<Vec<String>> {
    let source = format!("{folder}/src/");
    let files = tree
        .texts(&[".rs"])
        .filter_map(|(path, text)| Some((path.strip_prefix(&source)?.strip_suffix(".rs")?, text)));
    Sources::read(files).circles()
}

fn errors_of(folder: &str, found: &[Vec<String>], allowed: &[Vec<&str>]) -> Vec<String> {
    let is_allowed = |circle: &[String]| {
        allowed.iter().any(|files| circle.iter().all(|file| files.contains(&file.as_str())))
    };
    let mut errors: Vec<String> = found
        .iter()
        .filter(|circle| !is_allowed(circle))
        .map(|circle| format!("{folder}/src: a circle of files: {}", circle.join(", ")))
        .collect();
    for files in allowed {
        let is_open = |file: &&&str| !found.iter().flatten().any(|it| it == **file);
        let open: Vec<&str> = files.iter().filter(is_open).copied().collect();
        if !open.is_empty() {
            let open = open.join(", ");
            errors
                .push(format!("{folder}/src: {open}: in no circle any more; strike the exception"));
        }
    }
    errors
}

/// A module: the names on the way to it.
type Module = Vec<String>;

/// The files of a crate, by module, with the names that each uses.
struct Sources {
    by_module: BTreeMap<Module, Source>,
}

#[derive(Default)]
struct Source {
    imports: Vec<Named>,
    /// Paths that stand in the code itself.
    paths: Vec<Vec<String>>,
}

/// A path of a `use`.
struct Named {
    path: Vec<String>,
    /// Its name here.
    name: String,
    is_public: bool,
}

impl Sources {
    fn read<'t>(files: impl Iterator<Item = (&'t str, &'t str)>) -> Self {
        let mut by_module = BTreeMap::new();
        for (path, text) in files {
            let mut module: Module = path.split('/').map(str::to_owned).collect();
            if module.iter().any(|part| part == "tests") {
                continue;
            }
            if module.last().is_some_and(|part| part == "mod") || matches!(path, "lib" | "main") {
                module.pop();
            }
            by_module.insert(module, Source::parse(text));
        }
        Self { by_module }
    }

    /// The module of which a path in `from` names something.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Module> {
        let (mut module, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), path.get(1..)?),
            "self" => (from.to_vec(), path.get(1..)?),
            "super" => {
                let n_up = path.iter().take_while(|part| *part == "super").count();
                (from.get(..from.len().checked_sub(n_up)?)?.to_vec(), path.get(n_up..)?)
            }
            first => {
                let child = [from, &[first.to_owned()]].concat();
                if !self.by_module.contains_key(&child) {
                    return None;
                }
                (from.to_vec(), path)
            }
        };
        while let [first, others @ ..] = rest {
            let child = [module.as_slice(), std::slice::from_ref(first)].concat();
            if !self.by_module.contains_key(&child) {
                break;
            }
            (module, rest) = (child, others);
        }
        // A name that the module has from elsewhere is used where it comes from.
        if let [name, ..] = rest
            && module != from
            && depth < 8
            && let Some(import) =
                self.by_module.get(&module)?.imports.iter().find(|it| it.name == *name)
            && let Some(origin) = self.resolve(&module, &import.path, depth + 1)
        {
            return Some(origin);
        }
        Some(module)
    }

    fn used_by(&self, module: &[String], source: &Source) -> BTreeSet<Module> {
        let mut used = BTreeSet::new();
        let imports = source.imports.iter().map(|it| (&it.path, it.is_public));
        let paths = source.paths.iter().map(|path| (path, false));
        for (path, is_public) in imports.chain(paths) {
            let Some(target) = self.resolve(module, path, 0) else { continue };
            let is_passed_on = is_public && target.starts_with(module);
            if target != module && !is_passed_on && self.by_module.contains_key(&target) {
                used.insert(target);
            }
        }
        used
    }

    /// Files of which each uses all others of its circle, by way of some of them.
    fn circles(&self) -> Vec<Vec<String>> {
        let uses: BTreeMap<&Module, BTreeSet<Module>> = self
            .by_module
            .iter()
            .map(|(module, source)| (module, self.used_by(module, source)))
            .collect();
        let reach: BTreeMap<&Module, BTreeSet<&Module>> =
            uses.keys().map(|module| (*module, reached(&uses, module))).collect();
        let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (module, reached) in &reach {
            let is_both_ways = |other: &&&Module| reach[**other].contains(*module);
            let circle: Vec<String> =
                reached.iter().filter(is_both_ways).map(|it| file_of(it)).collect();
            if circle.len() > 1 {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }
}

fn file_of(module: &[String]) -> String {
    if module.is_empty() { "the root".to_owned() } else { module.join("/") }
}

/// All that a module uses, however indirectly.
fn reached<'u>(
    uses: &'u BTreeMap<&Module, BTreeSet<Module>>,
    from: &Module,
) -> BTreeSet<&'u Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = uses.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(uses.get(module).into_iter().flatten());
        }
    }
    reached
}

impl Source {
    fn parse(text: &str) -> Self {
        let code = code_of(text);
        let mut source = Self::default();
        let mut rest = code.as_str();
        while let Some((before, behind)) = rest.split_once("use ") {
            let is_word = before.chars().last().is_none_or(|it| it.is_whitespace());
            let Some((tree, after)) = behind.split_once(';').filter(|_| is_word) else {
                source.paths.extend(paths_in(before));
                rest = behind;
                continue;
            };
            let line = before.rsplit(['\n', ';', '}']).next().unwrap_or_default();
            let is_public = line.trim_start().starts_with("pub");
            source.paths.extend(paths_in(before));
            for path in expand(tree) {
                source.imports.extend(named(&path, is_public));
            }
            rest = after;
        }
        source.paths.extend(paths_in(rest));
        source
    }
}

/// The text without comments and texts, up to its tests.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Paths of more than one part, except those of visibility, which are no use.
fn paths_in(code: &str) -> Vec<Vec<String>> {
    let is_name = |it: char| it.is_alphanumeric() || it == '_';
    let mut paths = Vec::new();
    let mut at = 0;
    while let Some(begin) = code.get(at..).and_then(|it| it.find(is_name)).map(|it| at + it) {
        let (before, from) = code.split_at(begin);
        let path = from.split(|it| !is_name(it) && it != ':').next().unwrap_or_default();
        at = begin + path.len();
        let parts = path.split("::").filter(|it| !it.is_empty());
        if path.contains("::") && !before.ends_with("::") && !before.ends_with("pub(in ") {
            paths.push(parts.map(str::to_owned).collect());
        }
    }
    paths
}

/// The single paths of a tree of imports.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, inner)) =
        tree.split_once('{').and_then(|(prefix, rest)| Some((prefix, rest.rsplit_once('}')?.0)))
    else {
        return vec![tree.to_owned()];
    };
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for letter in inner.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("one at least").push(letter);
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expand(part)).map(|part| format!("{}{part}", prefix.trim())).collect()
}

fn named(path: &str, is_public: bool) -> Option<Named> {
    let (path, alias) = match path.split_once(" as ") {
        Some((path, alias)) => (path, Some(alias.trim())),
        None => (path, None),
    };
    let mut parts: Vec<String> =
        path.split("::").map(|part| part.trim().to_owned()).filter(|it| !it.is_empty()).collect();
    if parts.len() > 1 && parts.last().is_some_and(|last| last == "self") {
        parts.pop();
    }
    let name = alias.map_or_else(|| parts.last().cloned(), |it| Some(it.to_owned()))?;
    Some(Named { path: parts, name, is_public })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        Sources::read(files.iter().copied()).circles()
    }

    #[test]
    fn files_that_use_each_other_are_a_circle_by_whatever_path() {
        let files = [
            ("lib", "mod a; mod b; mod c;\npub use a::A;\n"),
            ("a", "use crate::b::{self, B};\nstruct A;\n"),
            ("b/mod", "mod inner;\npub use inner::B;\n"),
            ("b/inner", "fn f() -> super::super::c::C { todo() }\nstruct B;\n"),
            ("c", "// use crate::b::B;\npub(crate) struct C;\nfn f(_: crate::A) {}\n"),
        ];
        assert_eq!(circles_of(&files), [["a", "b/inner", "c"]]);
        let opened = files.map(|(path, text)| (path, text.replace("fn f(_: crate::A) {}", "")));
        let opened = opened.each_ref().map(|(path, text)| (*path, text.as_str()));
        assert_eq!(circles_of(&opened), Vec::<Vec<String>>::new());
    }

    #[test]
    fn binaries_are_crates_and_their_root_is_not_imported() {
        let roots = ["crates/x/src/lib.rs", "apps/y/src/main.rs", "z/src/lib.rs", "z/src/main.rs"];
        let folders: Vec<&str> = folders_of(&roots).into_iter().collect();
        assert_eq!(folders, ["apps/y", "crates/x", "z"]);
        let files = [
            ("main", "mod a;\nuse a::A;\npub(crate) fn say() {}\n"),
            ("a", "pub(crate) struct A;\nfn f() { crate::say() }\n"),
        ];
        assert_eq!(circles_of(&files), [["the root", "a"]]);
    }

    #[test]
    fn paths_from_a_file_itself_count() {
        let files = [
            ("lib", "mod a;\n"),
            ("a/mod", "mod b;\nuse self::c::C;\nmod c;\npub struct Base;\nfn f() { b::work() }\n"),
            ("a/b", "pub(in crate::a) fn work(_: super::Base) {}\n"),
            ("a/c", "pub struct C;\nfn g() -> u8 { std::mem::take(&mut 1) }\n"),
        ];
        assert_eq!(circles_of(&files), [["a", "a/b"]]);
    }

    #[test]
    fn passing_on_visibility_and_tests_are_no_use() {
        let files = [
            ("lib", "mod a;\n"),
            ("a/mod", "mod b;\npub(crate) use b::B;\npub struct Base;\n"),
            ("a/b", "use super::Base;\npub struct B(Base);\n"),
            ("b/mod", "mod c;\nuse c::C;\n"),
            ("b/c", "pub(in super::super) struct C;\npub(in crate::b) struct D;\n"),
            ("a/tests", "use super::*;\nuse crate::a::b::B;\n"),
        ];
        assert_eq!(circles_of(&files), Vec::<Vec<String>>::new());
        let used = files.map(|(path, text)| (path, text.replace("pub(crate) use b", "use b")));
        let used = used.each_ref().map(|(path, text)| (*path, text.as_str()));
        assert_eq!(circles_of(&used), [["a", "a/b"]]);
    }

    #[test]
    fn new_circles_are_refused_and_old_exceptions_too() {
        let found = [vec!["a".to_owned(), "b".to_owned()]];
        let errors = |allowed: &[&str]| errors_of("crates/x", &found, &[allowed.to_vec()]);
        let expected = ["crates/x/src: a circle of files: a, b"];
        assert_eq!(errors_of("crates/x", &found, &[]), expected);
        assert_eq!(errors(&["a", "b"]), Vec::<String>::new());
        let expected = ["crates/x/src: c: in no circle any more; strike the exception"];
        assert_eq!(errors(&["a", "b", "c"]), expected);
    }
}
