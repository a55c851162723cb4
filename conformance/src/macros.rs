//! Macros.

use lang::functions::params;
use lang::macros::{
    self as m, FuncEnv, Layer, Layers, MacroToken, Resolution as Resolved, Search, TokenKind,
};
use model::content::{HostMacro, MacroType};
use model::{HostId, Time};
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::times::zone;

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("macros/fmttime", fmttime),
    ("macros/functions", functions),
    ("macros/in_text", in_text),
    ("macros/regrepl", functions),
    ("macros/substitute", substitute),
    ("macros/substitute_value", substitute_value),
    ("macros/tokens", tokens),
    ("macros/tr", functions),
    ("macros/user_macro_in_function_params", in_function_params),
    ("macros/user_macro_parse", user_macro_parse),
    ("macros/user_macro_quote_context", quote_context),
    ("macros/user_macro_resolve", resolve),
    ("macros/user_macro_secrets", secrets),
];

fn functions(case: &Case<'_>) -> Answer {
    applied(case, &FuncEnv::utc())
}

fn applied(case: &Case<'_>, env: &FuncEnv<'_>) -> Answer {
    let result =
        m::apply(case.text("function"), case.text("params"), case.text("macro_value"), env);
    let wanted = case.out();
    Answer::Checked(match result {
        Ok(it) if wanted["ok"] == true && wanted["value"] == it.as_str() => Ok(()),
        Err(_) if wanted["ok"] == false => Ok(()),
        other => Err(format!("{other:?}, expected {wanted}")),
    })
}

fn fmttime(case: &Case<'_>) -> Answer {
    let zone = zone(case.text("timezone"));
    let now: Option<jiff::civil::DateTime> = case.text("utc_time").parse().ok();
    let now = now.and_then(|it| it.to_zoned(jiff::tz::TimeZone::UTC).ok());
    let now = now.map_or(Time::ZERO, |it| Time::from_clock(it.timestamp().as_second(), 0));
    applied(case, &FuncEnv { now, ..FuncEnv::new(&zone) })
}

fn in_text(case: &Case<'_>) -> Answer {
    let zone = zone("Europe/Riga");
    let value = case.text("macro_value");
    let text =
        m::substitute(case.text("expression"), Search::TEXT, &FuncEnv::new(&zone), &mut |_, _| {
            Resolved::Value(value.to_owned())
        });
    Answer::Out(json!({"ok": text != m::UNKNOWN, "expression": text}))
}

fn substitute(case: &Case<'_>) -> Answer {
    let resolve = case.get("resolve");
    let empty = Vec::new();
    let known = resolve["macros"].as_array().unwrap_or(&empty);
    let value = |name: &str, idx: usize| {
        let mut found = known.iter().filter(|it| it["name"] == name);
        found.nth(idx - 1).and_then(|it| it["value"].as_str()).map(str::to_owned)
    };
    let env = FuncEnv::utc();
    let text = m::substitute(case.text("expression"), Search::TEXT, &env, &mut |token, inner| {
        if resolve.is_null() {
            return Resolved::Keep;
        }
        if matches!(token.kind, TokenKind::UserMacro | TokenKind::UserFuncMacro) {
            return value(inner, 1).into();
        }
        if let Some(it) = value(inner, 1) {
            return Resolved::Value(it);
        }
        let (name, idx) = m::split_index(inner.trim_matches(['{', '}']));
        // A resolver that did not fail and has no value leaves macros with functions as they are.
        let none = match resolve["resolver_ok"] == true && token.func.is_some() {
            true => Resolved::Keep,
            false => Resolved::Unknown,
        };
        value(&format!("{{{name}}}"), idx).map_or(none, Resolved::Value)
    });
    Answer::Out(json!({"ok": true, "result": text}))
}

fn substitute_value(case: &Case<'_>) -> Answer {
    let value = case.get("param1").as_str().unwrap_or("(null)");
    let env = FuncEnv::utc();
    let text =
        m::substitute(case.text("expression"), Search::TEXT, &env, &mut |_, inner| match inner {
            "{VALUE}" => Resolved::Value(value.to_owned()),
            _ => Resolved::Keep,
        });
    Answer::Out(json!({"ok": true, "result": text}))
}

fn token_type(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::ObjectId => "objectid",
        TokenKind::Macro => "macro",
        TokenKind::UserMacro => "user_macro",
        TokenKind::LldMacro => "lld_macro",
        TokenKind::FuncMacro => "func_macro",
        TokenKind::UserFuncMacro => "user_func_macro",
        TokenKind::LldFuncMacro => "lld_func_macro",
        TokenKind::Expression => "expression_macro",
        TokenKind::ExpressionFunc => "func_macro",
        TokenKind::Reference => "reference",
        TokenKind::Variable => "var_macro",
        TokenKind::VariableFunc => "var_func_macro",
    }
}

fn tokens(case: &Case<'_>) -> Answer {
    let switches = case.text("token_search");
    let names: Vec<&str> = switches.split(['|', ',', ' ']).map(str::trim).collect();
    let has = |it: &str| names.iter().any(|name| name.ends_with(it));
    if has("simple_macro") {
        return Answer::Skip("macros of old maps");
    }
    let text = case.text("expression");
    let search = Search {
        references: has("references"),
        expressions: true,
        object_ids: true,
        variables: has("var_macro"),
    };
    let wanted = case.out();
    let Some(token) = m::find(text, 0, search) else {
        return Answer::Checked(if wanted["ok"] == false {
            Ok(())
        } else {
            Err("no token".to_owned())
        });
    };
    if wanted["ok"] == false {
        return Answer::Checked(Err(format!("{token:?}")));
    }
    Answer::Checked(check_token(text, &token, wanted))
}

fn check_token(text: &str, token: &MacroToken, wanted: &Value) -> Result<(), String> {
    if wanted["token_type"] != token_type(token.kind) {
        return Err(format!("{token:?}"));
    }
    let inner = match token.kind {
        TokenKind::Macro | TokenKind::Variable => token.name.clone(),
        _ => token.macro_span.clone(),
    };
    let func = token.func.clone().zip(token.params.clone()).map(|(f, p)| f.start..p.end + 1);
    let params = token.params.clone().map(|it| it.start - 1..it.end + 1);
    let parts = [
        ("token", Some(token.span.clone())),
        ("macro", Some(inner)),
        ("func", func),
        ("param", params.clone()),
        ("func_param", params),
        ("name", Some(token.name.clone())),
        ("context", token.context.clone()),
        ("expression", Some(token.name.clone())),
    ];
    for (name, range) in parts {
        let written = range.clone().and_then(|it| text.get(it)).unwrap_or("");
        // One case gives the expression with the token's opening.
        let opened = text.get(token.span.start..token.span.end - 1).unwrap_or("");
        if let Some(expected) = wanted[name].as_str()
            && expected != written
            && !(name == "expression" && expected == opened)
        {
            return Err(format!("{name}: {written:?}, expected {expected:?}"));
        }
        let expected =
            wanted[format!("{name}_l")].as_u64().zip(wanted[format!("{name}_r")].as_u64());
        let found = range.map(|it| (it.start as u64, it.end as u64 - 1));
        if expected.is_some() && expected != found {
            return Err(format!("{name}: {found:?}, expected {expected:?}"));
        }
    }
    Ok(())
}

fn user_macro_parse(case: &Case<'_>) -> Answer {
    let text = case.text("macro");
    let spans = m::user_macro_at(text.as_bytes(), !case.get("match").is_null());
    Answer::Out(match spans {
        None => json!({"ok": false}),
        Some(it) => {
            let (left, right) = it.context.map_or((0, 0), |it| (it.start, it.end - 1));
            json!({"ok": true, "macro_r": it.len - 1, "context_l": left, "context_r": right})
        }
    })
}

fn quote_context(case: &Case<'_>) -> Answer {
    Answer::Out(match m::quote_context(case.text("context"), case.int("force_quote") == 1) {
        Ok(it) => json!({"exp_result": it}),
        Err(error) => json!({"exp_error": error.to_string()}),
    })
}

/// A host of a case: id, macros, linked templates.
type Host = (HostId, Layer, Vec<HostId>);

fn hosts(case: &Case<'_>) -> Vec<Host> {
    let id = |it: &Value| HostId(it.as_u64().unwrap());
    let vault = case.get("config")["vault"].as_array();
    let secret = |path: &str| {
        let (path, key) = path.split_once(':')?;
        let values = vault?.iter().find(|it| it["path"] == path)?["values"].as_array()?;
        values.iter().find(|it| it["key"] == key)?["value"].as_str().map(str::to_owned)
    };
    let user_macro = |it: &Value| {
        let kind = match it["type"].as_str() {
            Some("secret") => MacroType::Secret,
            Some("vault") => MacroType::Vault,
            _ => MacroType::Text,
        };
        let value = it["value"].as_str().unwrap().to_owned();
        let value = if kind == MacroType::Vault { secret(&value).unwrap_or(value) } else { value };
        HostMacro {
            hostmacroid: model::HostMacroId(0),
            name: it["macro"].as_str().unwrap().to_owned(),
            value,
            description: String::new(),
            kind,
        }
    };
    // Ids are unique: of two macros with one id the first counts.
    let mut seen = std::collections::BTreeSet::new();
    case.get("config")["hosts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            let macros: Vec<HostMacro> = it["macros"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|it| seen.insert(it["macroid"].to_string()))
                .map(user_macro)
                .collect();
            let templates = it["templates"].as_array().unwrap().iter().map(id).collect();
            (id(&it["hostid"]), Layer::new(&macros), templates)
        })
        .collect()
}

fn with_layers<T>(hosts: &[Host], ids: &[HostId], run: impl FnOnce(Layers<'_>) -> T) -> T {
    let find = |id: HostId| hosts.iter().find(|it| it.0 == id);
    let order = m::breadth_first(ids, &mut |id| find(id).map_or(Vec::new(), |it| it.2.clone()));
    let layers: Vec<&Layer> =
        order.iter().filter(|it| it.is_some()).filter_map(|it| find(*it)).map(|it| &it.1).collect();
    let none = Layer::default();
    let global = find(HostId(0)).map_or(&none, |it| &it.1);
    run(Layers { host: &layers, global })
}

fn resolve(case: &Case<'_>) -> Answer {
    let ids: Vec<HostId> =
        case.list("hostids").iter().map(|it| HostId(it.as_u64().unwrap())).collect();
    let found = with_layers(&hosts(case), &ids, |layers| {
        layers.resolve(case.text("macro")).map(|it| it.value.to_string())
    });
    Answer::Out(match found {
        Some(it) => json!({"ok": true, "value": it}),
        None => json!({"ok": false}),
    })
}

fn secrets(case: &Case<'_>) -> Answer {
    let shows_secrets = case.int("user_macro") == 1;
    let ids = [HostId(u64::try_from(case.int("hostid")).unwrap())];
    let text = with_layers(&hosts(case), &ids, |layers| {
        m::substitute_user(case.text("expression"), &FuncEnv::utc(), &mut |written| {
            let found = layers.resolve(written)?;
            Some(match found.kind {
                MacroType::Text => found.value.to_string(),
                _ if shows_secrets => found.value.to_string(),
                _ => m::SECRET.to_owned(),
            })
        })
    });
    Answer::Out(json!({"ok": true, "result": text}))
}

fn in_function_params(case: &Case<'_>) -> Answer {
    let macros = case.list("macros");
    let env = FuncEnv::utc();
    let text = params::substitute(case.text("params"), &mut |value| {
        let replaced = m::substitute_user(value, &env, &mut |written| {
            let found = macros.iter().find(|it| it["name"] == written)?;
            found["value"].as_str().map(str::to_owned)
        });
        (replaced != value).then_some(replaced)
    });
    Answer::Out(json!({"params": text}))
}
