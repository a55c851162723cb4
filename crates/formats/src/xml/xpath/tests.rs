use super::*;

const DOC: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<shop xml:lang="en-GB" xmlns:p="urn:p"><book id="1" price="10.5"><title>One &amp; only</title></book>
<book id="2" price="7"><title>Two</title><!-- c --><?go now?></book><p:book id="3"/>
<note><![CDATA[<raw>]]></note></shop>"#;

fn query(path: &str) -> String {
    crate::xml::xpath(DOC, path).unwrap_or_else(|error| format!("error: {error}"))
}

#[test]
fn paths_select_nodes() {
    for (path, expected) in [
        ("/shop/book[2]/title", "<title>Two</title>"),
        ("/shop/book/title/text()", "One &amp; onlyTwo"),
        ("//book[@id=2]/@price", " price=\"7\""),
        ("string(//book[@id='1']/title)", "One & only"),
        ("//book[last()]/@id", " id=\"2\""),
        ("//title[contains(., 'Tw')]/../@id", " id=\"2\""),
        ("//note/text()", "<![CDATA[<raw>]]>"),
        ("string(//note)", "<raw>"),
        ("//comment()", "<!-- c -->"),
        ("//processing-instruction('go')", "<?go now?>"),
        ("//*[local-name()='book' and namespace-uri()='urn:p']/@id", " id=\"3\""),
        ("name(//*[@id=3])", "p:book"),
        ("count(//book)", "2"),
        ("count(//*)", "7"),
        ("sum(//book/@price)", "17.5"),
        ("//book[title='Two']/preceding-sibling::*[1]/@id", " id=\"1\""),
        ("//book[1]/following-sibling::*[2]/@id", " id=\"3\""),
        ("count(//title/ancestor::*)", "3"),
        ("count(//book[2]/preceding::node())", "4"),
        ("count(//book[1]/following::*)", "4"),
        ("(//title)[2]", "<title>Two</title>"),
        (
            "//book[@price>8]/title | //note",
            "<title>One &amp; only</title><note><![CDATA[<raw>]]></note>",
        ),
        ("//nothing", ""),
        ("count(/shop/namespace::*)", "2"),
        ("boolean(//book[lang('en')])", "1"),
        ("//book/@id = 2", "1"),
        ("not(//book)", "0"),
    ] {
        assert_eq!(query(path), expected, "{path}");
    }
}

#[test]
fn operators_and_functions_calculate() {
    for (path, expected) in [
        ("1 div 3", "0.333333"),
        ("2 div 3", "0.666667"),
        ("0.0000001", "0"),
        ("-1 div 8", "-0.125"),
        ("1000000 * 1000000", "1000000000000"),
        ("1 + 2 * 3 - -4 div 2", "9"),
        ("5 mod -2", "1"),
        ("1.5e3 + number(' -2E-1 ')", "1499.8"),
        ("string(number('1e'))", "NaN"),
        ("1 = 1 and 2 != 2 or true()", "1"),
        ("concat('a', 1 div 3, true())", "a0.333333333333333true"),
        ("substring('12345', 2, 3)", "234"),
        ("substring('12345', 1.5, 2.6)", "234"),
        ("substring('12345', 0 div 0, 3)", ""),
        ("substring('12345', -1 div 0)", "12345"),
        ("substring-before('1999/04/01','/')", "1999"),
        ("substring-after('1999/04/01','/')", "04/01"),
        ("translate('--aaa--','abc-','ABC')", "AAA"),
        ("normalize-space('  a  b ')", "a b"),
        ("string-length('äß')", "2"),
        ("string(1000000000000)", "1000000000000"),
        ("string(0.1 + 0.2)", "0.3"),
        ("string(1 div 0)", "Infinity"),
        ("string(-0)", "0"),
        ("round(-2.5)", "-2"),
        ("floor(-1.5) + ceiling(1.2)", "0"),
        ("'b' > 'a'", "0"),
        ("number('12a') = number('12a')", "0"),
        ("starts-with('abc', '')", "1"),
    ] {
        let found = query(path);
        let is_large = path.contains("1000000000000");
        assert!(found == expected || (is_large && found == "1e+12"), "{path}: {found}");
    }
}

#[test]
fn malformed_paths_are_refused() {
    for path in [
        "", " ", "/a[\"]", "//text(", "a b", "//", "a[", "a]", "(a", "a)", "@", "foo()", "count()",
        "count(1)", "$x", "p:book", "child::", "up::a", "1 +", "a | 1", "a/", "text(1)", "'a",
        "1 div 0", "-a", "..[1]",
    ] {
        assert!(query(path).starts_with("error"), "{path}: {}", query(path));
    }
    let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
    assert!(query(&deep).contains("nested too deeply"));
    assert_eq!(query(&format!("1{}", "+1".repeat(9_999))), "10000");
    assert_eq!(query(&format!("{}1", "-".repeat(10_000))), "1");
}

#[test]
fn expensive_queries_end() {
    let text = format!("<a>{}</a>", "<b/>".repeat(5_000));
    let path = "count(//*[count(//*[count(//*) > 1]) > 1])";
    let doc = Doc::parse(&text).unwrap();
    let found = XPath::parse(path).unwrap().query_text(&doc);
    assert_eq!(found, Err(XPathError::TooExpensive));
}

#[test]
fn hostile_documents_are_refused() {
    let bomb = r#"<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><a>&z;</a>"#;
    let external = r#"<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>"#;
    for text in [bomb, external] {
        let error = crate::xml::xpath(text, "/a").unwrap_err().to_string();
        assert!(error.contains("Entity declarations are not allowed"), "{error}");
    }
    assert_eq!(crate::xml::xpath("<!DOCTYPE a SYSTEM \"a.dtd\"><a/>", "/a").unwrap(), "<a/>");
    assert!(Doc::parse(&"<a>".repeat(100_000)).is_err());
    for text in [
        "",
        "x",
        "<a",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a/>x",
        "<a b=1/>",
        "<a b='1' b='2'/>",
        "<a b='<'/>",
        "<a>&x;</a>",
        "<a>&</a>",
        "<a>]]></a>",
        "<1/>",
        "<a>\u{1}</a>",
        "<!--x-->",
        "<a><!-- -- --></a>",
        "<a>&#0;</a>",
        " <?xml version='1.0'?><a/>",
        "<a b='1'c='2'/>",
    ] {
        assert!(Doc::parse(text).is_err(), "{text}");
    }
}
