//! Real-world files: valid ones are taken, invalid ones are refused with a reason.

use db::{Actor, Db, DbSettings, ImportFormat, ImportRules, Location};

/// The `description` of the one template `T` in a file.
fn read(text: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let db = Db::open(&DbSettings::new(Location::Sqlite(folder.path().join("a.db")))).unwrap();
    let format = ImportFormat::guess(text);
    db.import(Actor::System, text, format, &ImportRules::ALL).map_err(|it| it.text())?;
    let snapshot = db.snapshot();
    let template = snapshot.template_named("T").ok_or("there is no template")?;
    Ok(template.description.to_string())
}

const YAML: &str = "zabbix_export:\n  version: '7.0'\n  template_groups:\n    - name: Own\n  templates:\n    - template: T\n      description: text\n      groups:\n        - name: Own\n";

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<zabbix_export>\n<version>7.0</version>\n<template_groups>\n<template_group>\n<name>Own</name>\n</template_group>\n</template_groups>\n<templates>\n<template>\n<template>T</template>\n<description>text</description>\n<groups>\n<group>\n<name>Own</name>\n</group>\n</groups>\n</template>\n</templates>\n</zabbix_export>\n";

#[test]
fn files_of_people_are_taken() {
    let yaml = |old: &str, new: &str| YAML.replace(old, new);
    let xml = |old: &str, new: &str| XML.replace(old, new);
    for (what, text, expected) in [
        ("a byte order mark", format!("\u{feff}{YAML}"), "text"),
        ("line ends of Windows", yaml("\n", "\r\n"), "text"),
        ("a start and an end", format!("---\n{YAML}...\n"), "text"),
        ("a directive", format!("%YAML 1.2\n---\n{YAML}"), "text"),
        ("comments", yaml("description: text", "description: text # said\n      # more"), "text"),
        (
            "lists that are not indented",
            yaml(
                "\n    - template: T\n      description: text\n      groups:\n        - name: Own\n",
                "\n  - template: T\n    description: text\n    groups:\n    - name: Own\n",
            ),
            "text",
        ),
        (
            "deep indentation",
            yaml("        - name: Own", "                    -    name:    Own"),
            "text",
        ),
        ("flow style", yaml("groups:\n        - name: Own", "groups: [{name: Own}]"), "text"),
        ("a word for yes", yaml("text", "yes"), "yes"),
        ("a word for no in quotes", yaml("text", "'no'"), "no"),
        ("a number", yaml("text", "0010"), "0010"),
        ("a date", yaml("text", "2024-02-30"), "2024-02-30"),
        ("a colon and a hash", yaml("text", "'a: b #c'"), "a: b #c"),
        ("literal text", yaml("text", "|-\n        a\n          b\n\n        c"), "a\n  b\n\nc"),
        ("folded text", yaml("text", ">-\n        a\n        b\n\n        c"), "a b\nc"),
        ("escapes", yaml("text", "\"a\\tb\\u00e9\\n\""), "a\tbé\n"),
        (
            "an anchor and an alias",
            format!("x_group: &g\n  name: Own\n{YAML}")
                .replace("        - name: Own", "        - *g")
                .replace("x_group: &g\n  name: Own\n", "")
                .replace("    - name: Own\n  templates", "    - &g\n      name: Own\n  templates"),
            "text",
        ),
        (
            "a merged object",
            yaml("    - name: Own\n  templates", "    - &g\n      name: Own\n  templates")
                .replace("        - name: Own", "        - <<: *g"),
            "text",
        ),
        (
            "nothing for an empty list",
            yaml("description: text", "description: text\n      items: []\n      tags: {}"),
            "text",
        ),
        ("a tag of YAML", yaml("text", "!!str 12"), "12"),
        ("XML in one line", xml("\n", ""), "text"),
        ("XML with line ends of Windows", xml("\n", "\r\n"), "text"),
        ("XML with a byte order mark", format!("\u{feff}{XML}"), "text"),
        ("XML indented by tabs", xml("\n<", "\n\t\t<"), "text"),
        (
            "XML with comments",
            xml("<templates>", "<!-- all of them --><templates><!-- one -->"),
            "text",
        ),
        ("XML with character data", xml(">text<", "><![CDATA[a <b> & c]]><"), "a <b> & c"),
        ("XML with references", xml(">text<", ">a &lt;b&gt; &amp; &#233;&#x2713;<"), "a <b> & é✓"),
        (
            "XML without a declaration",
            xml("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", ""),
            "text",
        ),
        (
            "XML with an empty list",
            xml("<description>", "<items/><tags></tags><description>"),
            "text",
        ),
    ] {
        assert_eq!(read(&text).as_deref(), Ok(expected), "{what}:\n{text}");
    }
}

#[test]
fn files_that_are_wrong_are_refused_with_the_reason() {
    let yaml = |old: &str, new: &str| YAML.replace(old, new);
    let xml = |old: &str, new: &str| XML.replace(old, new);
    let aliases = |n: usize| {
        let more = (1..n).map(|at| format!("a{at}: &a{at} [*a{0}, *a{0}]\n", at - 1));
        format!("a0: &a0 [xxxxxxxxxx]\n{}{YAML}", more.collect::<String>())
    };
    for (what, text, reason) in [
        ("nothing", String::new(), "Cannot read YAML: File is empty."),
        ("blanks", " \n\n".to_owned(), "Cannot read YAML: File is empty."),
        ("a text", "hello".to_owned(), "Invalid tag \"/\": an array is expected."),
        ("a page of the web", "<!DOCTYPE html>\n<html><body><p>Not found</body></html>".to_owned(), "Cannot read XML: "),
        ("something else", "a: 1\n".to_owned(), "Invalid tag \"/\": unexpected tag \"a\"."),
        ("no version", yaml("  version: '7.0'\n", ""), "the tag \"version\" is missing"),
        ("4.4 in XML", xml(">7.0<", ">4.4<"), "files of version 4.4 are not read; 6.0 is the oldest"),
        ("5.0 in YAML", yaml("'7.0'", "5.0"), "files of version 5.0 are not read; 6.0 is the oldest"),
        ("8.0", yaml("'7.0'", "'8.0'"), "Invalid tag \"/zabbix_export/version\": unsupported version number."),
        ("tabs", yaml("\n    - ", "\n\t- "), "Cannot read YAML: "),
        ("two documents", format!("{YAML}---\n{YAML}"), "Cannot read YAML: a file is one document."),
        ("a field twice", yaml("description: text", "description: text\n      description: more"), "Cannot read YAML: a key stands twice in one object."),
        ("an unknown alias", yaml("text", "*nobody"), "Cannot read YAML: "),
        ("aliases of aliases", aliases(40), "Cannot read YAML: a"),
        ("deep lists", format!("{YAML}x: {}", "[".repeat(100_000)), "Cannot read YAML: "),
        ("deep objects", format!("{YAML}x: {}", "{a: ".repeat(100_000)), "Cannot read YAML: "),
        ("a text for a list", yaml("groups:\n        - name: Own", "groups: Own"), "/template(1)/groups\": an array is expected."),
        ("a list for a text", yaml("text", "[a]"), "/template(1)/description\": a character string is expected."),
        ("a word for yes where a constant is", yaml("description: text", "items:\n        - name: i\n          key: i\n          allow_traps: yes"), "/item(1)/allow_traps\": unexpected constant \"yes\"."),
        ("an unknown field", yaml("description", "descripton"), "/template(1)\": unexpected tag \"descripton\"."),
        ("JSON that is cut off", "{\"zabbix_export\": {".to_owned(), "Cannot read JSON: EOF while parsing an object"),
        ("deep JSON", format!("{{\"zabbix_export\": {}", "[".repeat(100_000)), "Cannot read JSON: recursion limit exceeded"),
        ("XML that is cut off", XML.replace("</zabbix_export>", ""), "Cannot read XML: "),
        ("deep XML", "<a>".repeat(100_000), "Cannot read XML: "),
        ("entities of entities", "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c \"&b;&b;\">]><zabbix_export>&c;</zabbix_export>".to_owned(), "Cannot read XML: "),
        ("a file of the machine", "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><zabbix_export>&b;</zabbix_export>".to_owned(), "Cannot read XML: "),
        ("XML with another name in a list", xml("<group>\n", "<grup>\n").replace("</group>", "</grup>"), "/groups\": an array is expected."),
        ("XML with a field twice", xml("<description>", "<description>a</description><description>"), "/template(1)/description\": a character string is expected."),
    ] {
        let error = read(&text).expect_err(what);
        assert!(error.contains(reason), "{what}: {error}");
        assert!(error.len() < 1_000, "{what}: {} bytes", error.len());
    }
}
