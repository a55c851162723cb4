//! Browser items: scripts with a real browser, pages that hang, and drivers that do not answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use peers::{WebDriver, wait_up_to};
use serde_json::{Value, json};

use crate::support::{Server, wait_until};

/// Browsers start slowly on a machine that is busy with other tests.
const WAIT_MAX: Duration = Duration::from_secs(180);
/// Opens a browser. Its sandbox does not work for root, as whom tests may run.
const OPEN: &str = "var options = Browser.chromeOptions(); \
    options.capabilities.alwaysMatch['goog:chromeOptions'].args.push('--no-sandbox', '--disable-dev-shm-usage'); \
    var browser = new Browser(options); var url = JSON.parse(value).url;\n";

const SHOP: &str = r##"<!DOCTYPE html><title>Shop</title><link rel=stylesheet href="/style.css">
<p id=who class=note>nobody</p>
<form action="/account"><input name=user value=old><button id=go>Log in</button></form>
<a href="/account?user=link">An account</a>
<button id=ask onclick="alert('Sure?'); document.getElementById('who').textContent = 'asked'">Ask</button>
<iframe srcdoc="<p id=inner>within</p>"></iframe>
<script>performance.mark('ready')</script>"##;

/// A web server with a shop, and a page that never comes; its URL.
fn shop() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || answer(&stream.unwrap()));
        }
    });
    url
}

fn answer(stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    let cookie = lines
        .by_ref()
        .take_while(|it| !it.is_empty())
        .find_map(|it| it.to_ascii_lowercase().strip_prefix("cookie: ").map(str::to_owned));
    let path = first.split(' ').nth(1).unwrap_or("").to_owned();
    let (kind, body) = match path.split('?').next().unwrap_or("") {
        "/" => ("text/html", SHOP.to_owned()),
        "/style.css" => ("text/css", "p { color: red }".repeat(100)),
        "/account" => {
            let cookie = cookie.unwrap_or_default();
            ("text/html", format!("<title>Account</title><p>{path}</p><p>{cookie}</p>"))
        }
        // Until the browser goes away.
        "/hanging" => return drop(lines.next()),
        _ => ("text/plain", String::new()),
    };
    let n = body.len();
    let text = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {n}\r\nConnection: close\r\n\r\n{body}"
    );
    // A browser may have gone away.
    drop((&mut &*stream).write_all(text.as_bytes()));
}

fn with_driver(url: &str) -> Server {
    Server::start_with(&[("SAKER_COLLECTORS_BROWSER_WEBDRIVER_URL", url)])
}

fn item(
    server: &Server,
    host: &str,
    (key, script): (&str, &str),
    url: &str,
    timeout: &str,
) -> String {
    let item = json!({
        "hostid": host, "name": key, "key_": key, "type": 22, "value_type": 4, "delay": "1h",
        "params": script, "timeout": timeout, "parameters": [{ "name": "url", "value": url }],
    });
    server.create("item.create", &item).remove(0)
}

fn value(server: &Server, item: &str) -> Value {
    let mut last = None;
    let found = wait_up_to(WAIT_MAX, || {
        last = server.last(item);
        last.is_some()
    });
    assert!(found, "no value: {}", server.item(item));
    let last = last.unwrap();
    serde_json::from_str(&last).unwrap_or_else(|error| panic!("{error}: {last}"))
}

fn error(server: &Server, item: &str) -> String {
    wait_until("the item has an error", WAIT_MAX, || server.item(item)["error"] != "");
    server.item(item)["error"].as_str().unwrap().to_owned()
}

const USE: &str = r#"
var seen = {};
browser.setScreenSize(640, 480);
browser.setElementWaitTimeout(0);
browser.navigate(url);
browser.collectPerfEntries('shop');
seen.url = browser.getUrl();
seen.title = /<title>Shop/.test(browser.getPageSource());
seen.none = browser.findElement('css selector', '#nobody');
seen.noElements = browser.findElements('xpath', '//table').length;
seen.notes = browser.findElements('tag name', 'p').map((it) => it.getText());
browser.switchFrame(0);
seen.inner = browser.findElement('css selector', '#inner').getText();
browser.switchFrame();
seen.noAlert = browser.getAlert();
browser.findElement('css selector', '#ask').click();
var alert = browser.getAlert();
seen.alert = alert.text;
alert.accept();
seen.asked = browser.findElement('xpath', '//p[@id="who"]').getText();
browser.addCookie({ name: 'session', value: 's1' });
seen.cookies = browser.getCookies().map((it) => it.name + '=' + it.value);
var field = browser.findElement('CSS selector', 'input[name=user]');
seen.attribute = field.getAttribute('value');
field.clear();
field.sendKeys('ann');
seen.property = field.getProperty('value');
seen.marks = browser.getRawPerfEntriesByType('mark').map((it) => it.name);
seen.link = browser.findElement('link text', 'An account').getAttribute('href');
browser.findElement('css selector', '#go').click();
browser.collectPerfEntries();
seen.account = browser.findElements('tag name', 'p').map((it) => it.getText());
seen.screenshot = browser.getScreenshot().substring(0, 8);
seen.error = browser.getError();
try { browser.findElement('by magic', 'x') } catch (error) { seen.strategy = String(error) }
try { browser.switchFrame(7) } catch (error) {
    seen.thrown = error instanceof WebdriverError && error instanceof BrowserError && error instanceof Error;
    seen.frame = browser.getError().message.indexOf('frame');
}
browser.discardError();
browser.setError('not as it should be');
seen.result = browser.getResult();
return JSON.stringify(seen);
"#;

#[test]
fn a_script_uses_pages_as_a_person_does_and_measures_them() {
    let Some(driver) = WebDriver::start() else { return };
    let url = shop();
    let mut server = with_driver(&format!("http://{}/", driver.address));
    let host = server.host("shop");
    let item = item(&server, &host, ("shop", &format!("{OPEN}{USE}")), &format!("{url}/"), "170s");
    let mut seen = value(&server, &item);
    let result = seen["result"].take();
    let expected = json!({
        "url": format!("{url}/"), "title": true, "none": null, "noElements": 0, "notes": ["nobody"],
        "inner": "within", "noAlert": null, "alert": "Sure?", "asked": "asked",
        "cookies": ["session=s1"], "attribute": "old", "property": "ann", "marks": ["ready"],
        "link": "/account?user=link", "account": ["/account?user=ann", "session=s1"],
        // The beginning of all PNG files.
        "screenshot": "iVBORw0K", "error": null, "thrown": true,
        "strategy": "BrowserError: unsupported location strategy: by magic",
        "frame": 0, "result": null,
    });
    seen["frame"] = json!(if seen["frame"].as_i64() >= Some(0) { 0 } else { -1 });
    // Relative or whole, as the browser has it.
    seen["link"] = json!(seen["link"].as_str().unwrap().trim_start_matches(&*url));
    assert_eq!(seen, expected);
    let data = &result["performance_data"];
    assert_eq!(result["error"]["message"], "not as it should be");
    assert!(result["duration"].as_f64() > Some(0.0), "{result}");
    assert_eq!(data["marks"], json!([{ "name": "shop", "index": 0 }]));
    assert_eq!(data["details"][0]["mark"], "shop");
    assert_eq!(data["details"][0]["user"][0]["name"], "ready", "{data}");
    assert_eq!(data["details"].as_array().unwrap().len(), 2);
    // The style sheet of the first page; both pages.
    assert_eq!(data["details"][0]["resource"]["total_size"], 1_600, "{data}");
    let sizes = |it: &Value| it["navigation"]["total_size"].as_f64().unwrap();
    let both = sizes(&data["details"][0]) + sizes(&data["details"][1]);
    assert_eq!(data["summary"]["navigation"]["total_size"].as_f64(), Some(both), "{data}");
    for name in ["response_time", "load_finished", "dom_content_loading_time", "dns_lookup_time"] {
        assert!(data["summary"]["navigation"][name].is_number(), "{name}: {data}");
    }
    wait_until("the session is closed", WAIT_MAX, || driver.n_browsers() == 0);
    server.stop();
}

#[test]
fn pages_that_hang_and_scripts_without_end_leave_no_browser_behind() {
    let Some(driver) = WebDriver::start() else { return };
    let url = shop();
    let mut server = with_driver(&format!("http://{}", driver.address));
    let (a, b) = (server.host("a"), server.host("b"));
    let endless = format!("{OPEN}browser.navigate(url); Zabbix.log(3, 'it begins'); for (;;) {{}}");
    let endless = item(&server, &a, ("endless", &endless), &format!("{url}/"), "40s");
    let hanging = format!(
        "{OPEN}try {{ browser.navigate(url) }} catch (error) {{ return JSON.stringify(browser.getResult()) }}"
    );
    let hanging = item(&server, &b, ("hanging", &hanging), &format!("{url}/hanging"), "40s");
    let shown = value(&server, &hanging);
    assert_eq!(shown["error"]["error_code"], "timeout", "{shown}");
    let shown = error(&server, &endless);
    assert!(shown.starts_with("Cannot execute script: RangeError: execution timeout"), "{shown}");
    assert!(server.process().log().contains("it begins"));
    wait_until("all sessions are closed", WAIT_MAX, || driver.n_browsers() == 0);
    server.stop();
}

#[test]
fn a_driver_that_does_not_answer_costs_the_item_its_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap();
    let mut server = with_driver(&format!("http://{at}"));
    let host = server.host("a");
    let script = "new Browser(Browser.chromeOptions()); return 1";
    let waiting = item(&server, &host, ("silent", script), "", "2s");
    let shown = error(&server, &waiting);
    assert!(shown.contains("BrowserError: the WebDriver did not answer in time"), "{shown}");
    // Now nobody listens.
    drop(silent);
    let refused = item(&server, &host, ("refused", script), "", "30s");
    let shown = error(&server, &refused);
    let expected = "BrowserError: cannot ask the WebDriver: Could not connect to server";
    assert!(shown.contains(expected), "{shown}");
    // Scripts of other kinds have no browsers.
    let mut other = json!({
        "hostid": host, "name": "s", "key_": "s", "type": 21, "value_type": 4, "delay": "1h",
        "params": "return typeof Browser", "timeout": "10s",
    });
    other["parameters"] = json!([]);
    let other = server.create("item.create", &other).remove(0);
    wait_until("it has its value", WAIT_MAX, || {
        server.last(&other).as_deref() == Some("undefined")
    });
    server.stop();
}
