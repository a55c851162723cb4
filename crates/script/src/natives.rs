//! The native functions that the prelude calls.

use std::rc::Rc;
use std::time::Duration;

use rquickjs::{Array, Ctx, Error, Function, IntoJs, Object, Result, Value};

use super::exchange;
use super::shared::RunContext;
use super::{bytes, errors, key};
use formats::xml::{self, Doc, XPath, XPathError};
use wire::http::{Asked, Response, codes};

/// The result of a native function: a text, nothing, or an error as a text in a list.
enum Answer {
    Text(String),
    Nothing,
    Error(String),
}

impl From<std::result::Result<String, String>> for Answer {
    fn from(result: std::result::Result<String, String>) -> Self {
        match result {
            Ok(text) => Self::Text(text),
            Err(error) => Self::Error(error),
        }
    }
}

impl<'js> IntoJs<'js> for Answer {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match self {
            Self::Text(it) => it.into_js(ctx),
            Self::Nothing => Ok(Value::new_undefined(ctx.clone())),
            Self::Error(it) => {
                let list = Array::new(ctx.clone())?;
                list.set(0, it)?;
                list.into_js(ctx)
            }
        }
    }
}

/// The object that the prelude takes.
pub(super) fn object<'js>(ctx: &Ctx<'js>, shared: &Rc<RunContext>) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    world(ctx, &natives, shared)?;
    functions(ctx, &natives, shared)?;
    natives.set("describe", Function::new(ctx.clone(), describe)?)?;
    let of = Rc::clone(shared);
    natives.set("spoil", Function::new(ctx.clone(), move || of.spoil())?)?;
    Ok(natives)
}

fn describe(message: String, stack: String) -> String {
    errors::with_place(&message, &stack)
}

/// Log, sleep and requests.
fn world<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, shared: &Rc<RunContext>) -> Result<()> {
    let of = Rc::clone(shared);
    let log = move |level: i32, text: String| match of.log(level, &text) {
        Ok(()) => Answer::Nothing,
        Err(error) => Answer::Error(error),
    };
    natives.set("log", Function::new(ctx.clone(), log)?)?;
    let of = Rc::clone(shared);
    let sleep = move |ms: f64| match of.sleep(Duration::from_secs_f64((ms / 1e3).clamp(0.0, 1e6))) {
        Ok(()) => Answer::Nothing,
        Err(error) => Answer::Error(error),
    };
    natives.set("sleep", Function::new(ctx.clone(), sleep)?)?;
    let of = Rc::clone(shared);
    natives.set("newRequest", Function::new(ctx.clone(), move || of.new_request())?)?;
    let of = Rc::clone(shared);
    let request = move |ctx: Ctx<'js>, asked: Object<'js>| request(&ctx, &of, &asked);
    natives.set("request", Function::new(ctx.clone(), request)?)?;
    if shared.drives_browsers { browsers(ctx, natives, shared) } else { Ok(()) }
}

/// Sessions of browsers and their commands.
fn browsers<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, shared: &Rc<RunContext>) -> Result<()> {
    let of = Rc::clone(shared);
    let open = move |ctx: Ctx<'js>, wanted: String| match of.open_browser(&wanted) {
        Err(error) => Answer::Error(error).into_js(&ctx),
        Ok(opened) => {
            let out = driven(&ctx, opened.answer)?;
            out.set("place", opened.place)?;
            out.set("left", opened.left.as_secs_f64() * 1e3)?;
            out.into_js(&ctx)
        }
    };
    natives.set("openBrowser", Function::new(ctx.clone(), open)?)?;
    let of = Rc::clone(shared);
    let drive =
        move |ctx: Ctx<'js>, place: i32, method: String, path: String, body: Option<String>| {
            match of.drive(place, (&method, &path), body) {
                Err(error) => Answer::Error(error).into_js(&ctx),
                Ok(answer) => driven(&ctx, answer)?.into_js(&ctx),
            }
        };
    natives.set("drive", Function::new(ctx.clone(), drive)?)
}

/// A driver's answer.
fn driven<'js>(ctx: &Ctx<'js>, answer: Response) -> Result<Object<'js>> {
    let out = Object::new(ctx.clone())?;
    out.set("status", answer.status)?;
    out.set("body", bytes::as_text(answer.body))?;
    Ok(out)
}

fn request<'js>(ctx: &Ctx<'js>, shared: &RunContext, asked: &Object<'js>) -> Result<Value<'js>> {
    let body: Option<String> = asked.get("body")?;
    let is_binary: bool = asked.get("isBinary")?;
    let (jar, proxy): (usize, String) = (asked.get("jar")?, asked.get("proxy")?);
    let asked = Asked {
        method: asked.get("method")?,
        url: asked.get("url")?,
        headers: asked.get("headers")?,
        body: body.map(|it| bytes::given(is_binary, it)),
        auth: asked.get("auth")?,
        user: asked.get("user")?,
        password: asked.get("password")?,
        stays: false,
    };
    let answer = shared.with_exchange(|host, jars, left| {
        exchange::run(host, jars.get_mut(jar), left, (&asked, &proxy))
    });
    match answer {
        Err(error) => error.into_js(ctx),
        Ok(answer) => {
            let out = Object::new(ctx.clone())?;
            out.set("status", answer.status)?;
            let body = answer.named_text();
            let body = body.unwrap_or_else(|| bytes::as_text(answer.body));
            let flat: Vec<String> =
                answer.headers.into_iter().flat_map(|(name, value)| [name, value]).collect();
            out.set("headers", flat)?;
            out.set("body", body)?;
            out.into_js(ctx)
        }
    }
}

/// Functions of texts and bytes.
fn functions<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, shared: &Rc<RunContext>) -> Result<()> {
    let encode = |is_binary: bool, text: String| codes::base64(&bytes::given(is_binary, text));
    natives.set("encode", Function::new(ctx.clone(), encode)?)?;
    let decode = |text: String| bytes::as_chars(&bytes::decode(&text));
    natives.set("decode", Function::new(ctx.clone(), decode)?)?;
    let hash = |kind: String, is_binary: bool, text: String| {
        let data = bytes::given(is_binary, text);
        if kind == "md5" { codes::md5_hex(&data) } else { codes::sha256_hex(&data) }
    };
    natives.set("hash", Function::new(ctx.clone(), hash)?)?;
    let hmac = |kind: String, is_key_binary: bool, key: String, is_binary: bool, text: String| {
        let (key, data) = (bytes::given(is_key_binary, key), bytes::given(is_binary, text));
        Answer::from(bytes::hmac_hex(&kind, &key, &data))
    };
    natives.set("hmac", Function::new(ctx.clone(), hmac)?)?;
    let of = Rc::clone(shared);
    let sign = move |pem: String, is_binary: bool, text: String| {
        let data = bytes::given(is_binary, text);
        let signed = key::der(&pem).and_then(|der| of.sign(&der, &data));
        Answer::from(signed.map(|it| codes::hex(&it)))
    };
    natives.set("sign", Function::new(ctx.clone(), sign)?)?;
    xml(ctx, natives)
}

fn xml<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    let query = |text: String, path: String| match content(&text, &path) {
        Ok(Some(found)) => Answer::Text(found),
        Ok(None) => Answer::Nothing,
        Err(error) => Answer::Error(error.to_string()),
    };
    natives.set("xmlQuery", Function::new(ctx.clone(), query)?)?;
    let to_json = |text: String| Answer::from(xml::to_json(&text).map_err(|it| it.to_string()));
    natives.set("xmlToJson", Function::new(ctx.clone(), to_json)?)?;
    let from_json = |text: String| match xml::from_json(&text) {
        Ok(made) => Answer::Text(format!("{DECLARATION}\n{made}\n")),
        Err(error) => Answer::Error(error.to_string()),
    };
    natives.set("xmlFromJson", Function::new(ctx.clone(), from_json)?)
}

const DECLARATION: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";

/// Text of the first node that an XPath finds, or its number or text; `None`: there is no node.
fn content(text: &str, path: &str) -> std::result::Result<Option<String>, XPathError> {
    let doc = Doc::parse(text)?;
    XPath::parse(path)?;
    let found = XPath::parse(&format!("string({path})"))?.query_text(&doc)?;
    if !found.is_empty() {
        return Ok(Some(found));
    }
    // Counting fails for results that are no nodes.
    let count = XPath::parse(&format!("count({path})")).and_then(|it| it.query_text(&doc));
    Ok(if count.is_ok_and(|it| it == "0") { None } else { Some(found) })
}

/// The text of an error of the engine itself.
pub(super) fn error_text(error: &Error) -> String {
    match error {
        Error::Allocation => "InternalError: out of memory".to_owned(),
        other => format!("InternalError: {other}"),
    }
}
