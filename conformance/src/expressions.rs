//! Expressions.

use formats::number;
use jiff::tz::TimeZone;
use lang::expression::formula::{self, FormulaOutcome};
use lang::expression::{
    self, Ast, Env, EvalError, Filter, FilterNode, Node, NodeKind, Op, Operand, OperandRef,
    Program, Rules, Value as Computed,
};
use lang::functions;
use model::Time;
use serde_json::{Value, json};

use crate::case::{Answer, Case, Topics};
use crate::times::{sec, zone};
use crate::values::CASES_EPSILON;

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("expression/compose", compose),
    ("expression/constants", constants),
    ("expression/evaluate", evaluate),
    ("expression/evaluate_unknown", evaluate_unknown),
    ("expression/execute", execute),
    ("expression/execute_with_functions", execute_with_functions),
    ("expression/function_error_text", function_error_text),
    ("expression/group_filter", group_filter),
    ("expression/item_refs", item_refs),
    ("expression/parse", parse),
    ("expression/parse_item_query", parse_item_query),
    ("expression/prepare_filter", prepare_filter),
    ("expression/uses_timer", uses_timer),
];

/// The switches of a case.
fn rules(case: &Case<'_>) -> Rules {
    let mut rules = Rules::NONE;
    for switch in case.list("allow") {
        rules = rules
            | match switch.as_str().unwrap() {
                "parse_var" => Rules::NUMBER | Rules::STRING,
                "parse_var_num" => Rules::NUMBER,
                "parse_var_str" => Rules::STRING,
                "parse_math" => Rules::MATH,
                "parse_compare" => Rules::EQUAL | Rules::ORDER,
                "parse_compare_eq" => Rules::EQUAL,
                "parse_logic" => Rules::LOGIC,
                "parse_group" => Rules::GROUP,
                "parse_function" => Rules::FUNCTION,
                "parse_item_query" => Rules::QUERY,
                "parse_macro" => Rules::MACRO,
                "parse_usermacro" => Rules::USER_MACRO,
                "parse_lldmacro" => Rules::LLD_MACRO,
                "parse_functionid" => Rules::FUNCTION_ID,
                "parse_compound_const" => Rules::COMPOUND | Rules::USER_MACRO | Rules::LLD_MACRO,
                "parse_property" => Rules::PROPERTY,
                "parse_str_v64_compat" => Rules::OLD_STRINGS,
                _ => Rules::NONE,
            };
    }
    rules
}

fn allows(case: &Case<'_>, switch: &str) -> bool {
    case.list("allow").iter().any(|it| it == switch)
}

/// The function whose arguments the cases ask for is in Saker, or the case brings it.
fn parse(case: &Case<'_>) -> Answer {
    let parsed = expression::parse_with(case.text("expression"), rules(case));
    let ok = parsed.is_ok();
    if case.out()["ok"] != ok {
        return Answer::Checked(Err(format!("{parsed:?}")));
    }
    let Ok(ast) = parsed else { return Answer::Checked(Ok(())) };
    // The order of the tokens shows precedence.
    let wanted: Vec<(&str, String)> = case.out()["stack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["type"].as_str().unwrap(), it["token"].as_str().unwrap().to_owned()))
        .collect();
    let found: Vec<(&str, String)> =
        ast.nodes().iter().map(|it| (token_type(it.kind), token_text(&ast, it))).collect();
    // One token is cut a byte too late in the cases.
    let same = |a: &(&str, String), b: &(&str, String)| {
        a.0 == b.0 && (a.1 == b.1 || b.1.strip_suffix('}') == Some(&a.1))
    };
    let fits = found.len() == wanted.len() && found.iter().zip(&wanted).all(|(a, b)| same(a, b));
    Answer::Checked(if fits { Ok(()) } else { Err(format!("{found:?}, expected {wanted:?}")) })
}

fn token_text(ast: &Ast, node: &Node) -> String {
    ast.node_text(node).to_owned()
}

fn token_type(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Number => "var_num",
        NodeKind::String => "var_str",
        NodeKind::UserMacro => "var_usermacro",
        NodeKind::LldMacro => "var_lldmacro",
        NodeKind::Macro => "var_macro",
        NodeKind::FunctionId => "functionid",
        NodeKind::Query => "arg_query",
        NodeKind::Period => "arg_period",
        NodeKind::Null => "arg_null",
        NodeKind::Tag => "prop_tag",
        NodeKind::Group => "prop_group",
        NodeKind::Call => "function",
        NodeKind::HistoryCall => "hist_function",
        NodeKind::Op(op) => op_type(op),
    }
}

fn op_type(op: Op) -> &'static str {
    match op {
        Op::Neg => "op_minus",
        Op::Not => "op_not",
        Op::Mul => "op_mul",
        Op::Div => "op_div",
        Op::Add => "op_add",
        Op::Sub => "op_sub",
        Op::Lt => "op_lt",
        Op::Le => "op_le",
        Op::Gt => "op_gt",
        Op::Ge => "op_ge",
        Op::Eq => "op_eq",
        Op::Ne => "op_ne",
        Op::And => "op_and",
        Op::Or => "op_or",
    }
}

fn number_or_text(text: &str) -> Computed {
    text.parse().map_or_else(|_| Computed::Text(text.to_owned()), Computed::Number)
}

/// Operands as the case gives them.
enum Given {
    Value(Computed),
    Error(String),
}

fn given(case: &Case<'_>, operand: &OperandRef) -> Given {
    let token = match operand {
        OperandRef::Function(it) => format!("{{{it}}}"),
        OperandRef::UserMacro(it) | OperandRef::Macro(it) | OperandRef::Compound(it) => it.clone(),
        OperandRef::Call { name, n_args } => return callback(case, name, *n_args),
        OperandRef::HistoryCall(_) => return Given::Error("no such call".to_owned()),
    };
    let Some(bind) = case.list("bind").iter().find(|it| it["token"] == token.as_str()) else {
        return Given::Error(format!("{token} is not bound"));
    };
    match bind["value"].as_str() {
        Some(it) => Given::Value(Computed::Text(it.to_owned())),
        None => Given::Error(bind["error"].as_str().unwrap_or("").to_owned()),
    }
}

fn callback(case: &Case<'_>, name: &str, n_args: u32) -> Given {
    let Some(found) = case.list("callbacks").iter().find(|it| it["name"] == name) else {
        return Given::Error(format!("unknown function {name}"));
    };
    if found["args_num"].as_u64().is_some_and(|it| it != u64::from(n_args)) {
        return Given::Error("invalid number of arguments".to_owned());
    }
    match &found["retval"] {
        Value::String(it) => Given::Value(Computed::Text(it.clone())),
        Value::Array(items) => Given::Value(Computed::Vector(
            items.iter().map(|it| number_or_text(it.as_str().unwrap())).collect(),
        )),
        _ => Given::Error(
            found["error"].as_str().or(found["reterr"].as_str()).unwrap_or("").to_owned(),
        ),
    }
}

fn run(case: &Case<'_>, ast: &Ast) -> Result<Computed, String> {
    let strict = !allows(case, "process_error");
    let program = if strict { Program::compile_strict(ast) } else { Program::compile(ast) }
        .map_err(|it| it.to_string())?;
    let values: Vec<Given> = program
        .operands()
        .iter()
        .map(|it| match it {
            OperandRef::HistoryCall(idx) => {
                let call = &ast.history_calls()[*idx];
                callback(case, ast.call_name(call), ast.nodes()[call.node].n_args)
            }
            other => given(case, other),
        })
        .collect();
    let operands: Vec<Operand<'_>> = values
        .iter()
        .map(|it| match it {
            Given::Value(Computed::Number(it)) => Operand::Number(*it),
            Given::Value(Computed::UInt(it)) => Operand::UInt(*it),
            Given::Value(Computed::Text(it)) => Operand::Text(it),
            Given::Value(Computed::Vector(it)) => Operand::Vector(it),
            Given::Error(it) => Operand::Unknown(it),
        })
        .collect();
    let zone = match case.text("timezone") {
        "" => TimeZone::UTC,
        name => zone(name),
    };
    let now = if case.get("time").is_null() { 0 } else { sec(case.get("time")) };
    let env = Env { epsilon: CASES_EPSILON, ..Env::new(Time::from_clock(now, 0), &zone) };
    program.eval(&operands, &env).map_err(|it: EvalError| it.to_string())
}

fn text_of(value: &Computed) -> String {
    match value {
        Computed::Number(it) => number::format_f64(*it),
        Computed::UInt(it) => it.to_string(),
        Computed::Text(it) => it.clone(),
        Computed::Vector(_) => "vector".to_owned(),
    }
}

fn check_value(wanted: &Value, result: Result<Computed, String>) -> Result<(), String> {
    match (wanted["ok"] == true, result) {
        (false, Err(_)) => Ok(()),
        (false, Ok(value)) => Err(format!("has a value: {value:?}")),
        (true, Err(error)) => Err(error),
        (true, Ok(value)) => {
            let expected = wanted["value"].as_str().unwrap();
            let found = text_of(&value);
            let near = match (expected.parse::<f64>(), number::parse_suffixed(&found)) {
                (Ok(a), Some(b)) => (a - b).abs() <= 1e-12_f64.max(a.abs() * 1e-12),
                _ => false,
            };
            if near || expected == found {
                Ok(())
            } else {
                Err(format!("{found}, expected {expected}"))
            }
        }
    }
}

fn execute(case: &Case<'_>) -> Answer {
    // Calls need no parentheses switch: it stands for groups alone.
    let ast =
        match expression::parse_with(case.text("expression"), rules(case) | function_group(case)) {
            Ok(it) => it,
            Err(error) => return Answer::Checked(check_value(case.out(), Err(error.to_string()))),
        };
    Answer::Checked(check_value(case.out(), run(case, &ast)))
}

fn function_group(case: &Case<'_>) -> Rules {
    if allows(case, "parse_function") { Rules::GROUP } else { Rules::NONE }
}

fn execute_with_functions(case: &Case<'_>) -> Answer {
    execute(case)
}

fn evaluate(case: &Case<'_>) -> Answer {
    let wanted = case.out();
    Answer::Checked(match formula::evaluate(case.text("expression"), CASES_EPSILON) {
        Ok(FormulaOutcome::Number(it)) if wanted["ok"] == true => {
            let expected: f64 = wanted["value"].as_str().unwrap().parse().unwrap();
            if (it - expected).abs() <= 1e-6 { Ok(()) } else { Err(format!("{it}")) }
        }
        Err(_) if wanted["ok"] == false => Ok(()),
        other => Err(format!("{other:?}, expected {wanted}")),
    })
}

fn evaluate_unknown(case: &Case<'_>) -> Answer {
    Answer::Out(match formula::evaluate(case.text("expression"), CASES_EPSILON) {
        Ok(FormulaOutcome::Number(it)) => json!({"ok": true, "value": number::format_f64(it)}),
        Ok(FormulaOutcome::Unknown) => json!({"ok": true, "value": "ZBX_UNKNOWN"}),
        Err(_) => json!({"ok": false}),
    })
}

fn compose(case: &Case<'_>) -> Answer {
    let ast = expression::parse_with(case.text("expression"), rules(case)).unwrap();
    let text = expression::substitute(&ast, &mut |ast, node| {
        let token = ast.node_text(node);
        let bind = case.list("bind").iter().find(|it| it["token"] == token)?;
        bind["value"].as_str().map(str::to_owned)
    });
    Answer::Out(json!({"expression": text}))
}

fn constants(case: &Case<'_>) -> Answer {
    let ast = expression::parse_stored(case.text("expression")).unwrap().ast;
    let idx = usize::try_from(case.int("index") - 1).unwrap();
    let constants = expression::constants(&ast);
    Answer::Out(json!({"return": constants.get(idx).map_or("", String::as_str)}))
}

fn function_error_text(case: &Case<'_>) -> Answer {
    let text = functions::error_text(
        case.text("func"),
        case.text("host"),
        case.text("key"),
        case.text("param"),
        &case.text("error"),
    );
    Answer::Out(json!({"result": text}))
}

fn item_refs(case: &Case<'_>) -> Answer {
    let ast = expression::parse_with(case.text("expression"), rules(case)).unwrap();
    let refs: Vec<String> = ast
        .nodes()
        .iter()
        .filter(|it| it.kind == NodeKind::Query)
        .map(|it| token_text(&ast, it))
        .collect();
    Answer::Out(json!({"refs": refs}))
}

fn parse_item_query(case: &Case<'_>) -> Answer {
    let Some(query) = expression::parse_query(case.text("query")) else {
        return Answer::Checked(if case.out()["host"].is_null() {
            Ok(())
        } else {
            Err("no query".to_owned())
        });
    };
    if case.out()["host"].is_null() {
        return Answer::Checked(Err(format!("{query:?}")));
    }
    Answer::Out(json!({"host": query.host, "key": query.key, "filter": query.filter}))
}

fn prepare_filter(case: &Case<'_>) -> Answer {
    let parsed = Filter::parse(case.text("expression"));
    if case.out()["ok"] != parsed.is_ok() {
        return Answer::Checked(Err(format!("{parsed:?}")));
    }
    let Ok(filter) = parsed else { return Answer::Checked(Ok(())) };
    let mut found: Vec<&str> = Vec::new();
    for node in &filter.nodes {
        match node {
            FilterNode::Tag(_) => found.extend(["var_str", "function", "nop"]),
            FilterNode::Group(_) => found.extend(["var_str", "function", "nop"]),
            FilterNode::Text(_) => found.push("var_str"),
            FilterNode::Op(op) => found.push(op_type(*op)),
        }
    }
    let wanted: Vec<&str> = case.out()["stack"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| match it["type"].as_str().unwrap() {
            "var_usermacro" | "var_lldmacro" | "var_macro" => "var_str",
            other => other,
        })
        .collect();
    Answer::Checked(if found == wanted { Ok(()) } else { Err(format!("{found:?}")) })
}

fn group_filter(case: &Case<'_>) -> Answer {
    let found = Filter::parse(case.text("expression")).unwrap().groups();
    Answer::Out(json!({"groups": found.groups, "filter": found.formula}))
}

fn uses_timer(case: &Case<'_>) -> Answer {
    let ast = expression::parse_with(case.text("expression"), rules(case)).unwrap();
    Answer::Out(json!({"ok": ast.uses_timer()}))
}
