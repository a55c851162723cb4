//! Rules beyond the grammar: the names of functions, their parameters, and the places of functions over many
//! items.

use super::ast::{Ast, HistoryCall, Node, NodeKind};
use super::bind_error::BindError;
use super::calls;
use crate::functions::{self, FunctionKind, ParamError};

/// The use of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// A trigger: functions over one item each, at least one of them.
    Trigger,
    /// A calculated item: functions over many items as well.
    Formula,
}

/// Functions that make one value of a vector.
const AGGREGATES: &[&str] = &[
    "avg",
    "bucket_percentile",
    "count",
    "histogram_quantile",
    "kurtosis",
    "mad",
    "max",
    "min",
    "skewness",
    "stddevpop",
    "stddevsamp",
    "sum",
    "sumofsquares",
    "varpop",
    "varsamp",
];

/// Functions over values that triggers do not know.
const FORMULAS_ONLY: &[&str] = &["count", "histogram_quantile"];

/// Checks the functions of an expression. Parameters that hold macros are left to run time.
///
/// # Errors
/// The first function that does not exist, is in a wrong place, or does not take its parameters.
pub fn check(ast: &Ast, usage: Usage) -> Result<(), BindError> {
    if usage == Usage::Trigger && ast.history_calls().is_empty() {
        return Err(BindError::NoItem);
    }
    for node in ast.nodes().iter().filter(|it| it.kind == NodeKind::Call) {
        let name = ast.node_text(node);
        let is_formulas_own = usage == Usage::Trigger && FORMULAS_ONLY.contains(&name);
        match calls::find(name).filter(|_| !is_formulas_own) {
            Some(it) if it.takes(node.n_args) => {}
            Some(_) => {
                return Err(BindError::Parameters {
                    function: name.to_owned(),
                    reason: "invalid number of parameters".to_owned(),
                });
            }
            None if functions::find(name).is_some() => {
                return Err(BindError::Usage(name.to_owned()));
            }
            None => return Err(BindError::UnknownFunction(name.to_owned())),
        }
    }
    for call in ast.history_calls() {
        check_call(ast, call, usage)?;
    }
    match vector_astray(ast) {
        Some(node) => Err(BindError::Usage(ast.node_text(node).to_owned())),
        None => Ok(()),
    }
}

/// Checks one function of an item's history.
fn check_call(ast: &Ast, call: &HistoryCall, usage: Usage) -> Result<(), BindError> {
    let name = ast.call_name(call);
    let query = ast.query(call).ok_or(BindError::NoItem)?;
    let wrong = |error: &ParamError| BindError::Parameters {
        function: name.to_owned(),
        reason: error.to_string(),
    };
    match functions::find(name).map(|it| it.kind) {
        None if calls::find(name).is_some() => return Err(BindError::Usage(name.to_owned())),
        None => return Err(BindError::UnknownFunction(name.to_owned())),
        Some(FunctionKind::Foreach) if usage == Usage::Trigger => {
            return Err(BindError::Usage(name.to_owned()));
        }
        Some(FunctionKind::Foreach) => {}
        // Many items at once are for functions that take them.
        Some(_) if query.host == "*" || query.key == "*" || !query.filter.is_empty() => {
            return Err(wrong(&ParamError::Invalid { position: 0 }));
        }
        Some(_) => {}
    }
    if !query.filter.is_empty() && super::Filter::parse(query.filter).is_err() {
        return Err(wrong(&ParamError::Invalid { position: 0 }));
    }
    let args: Vec<&str> = ast.call_args(call).collect();
    functions::check_parameters(name, &args.join(",")).map_err(|it| wrong(&it))
}

/// A function that gives a vector and is no argument of a function that takes one.
fn vector_astray(ast: &Ast) -> Option<&Node> {
    let is_vector = |node: &Node| {
        node.kind == NodeKind::HistoryCall && ast.node_text(node).ends_with("_foreach")
    };
    let mut stack: Vec<&Node> = Vec::new();
    for node in ast.nodes() {
        let n_taken = match node.kind {
            NodeKind::Op(op) => 1 + usize::from(!op.is_unary()),
            NodeKind::Call | NodeKind::HistoryCall => {
                usize::try_from(node.n_args).unwrap_or(usize::MAX)
            }
            _ => 0,
        };
        let taken = stack.split_off(stack.len().saturating_sub(n_taken));
        let takes_vectors =
            node.kind == NodeKind::Call && AGGREGATES.contains(&ast.node_text(node));
        if !takes_vectors && let Some(astray) = taken.into_iter().find(|it| is_vector(it)) {
            return Some(astray);
        }
        stack.push(node);
    }
    stack.pop().filter(|it| is_vector(it))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::parse;

    fn error(text: &str, usage: Usage) -> Option<String> {
        check(&parse(text).unwrap(), usage).err().map(|it| it.to_string())
    }

    #[test]
    fn functions_are_refused_in_wrong_places() {
        let formula = |text| error(text, Usage::Formula);
        assert_eq!(formula("avg(last_foreach(/*/k?[tag=\"a\"],5m))+item_count(/*/k)"), None);
        assert_eq!(formula("bucket_percentile(//k[*],5m,95)>now()"), None);
        let wrong = "incorrect usage of function \"last_foreach\"";
        assert_eq!(formula("last_foreach(/*/k)").as_deref(), Some(wrong));
        assert_eq!(formula("1+last_foreach(/*/k)").as_deref(), Some(wrong));
        assert_eq!(formula("abs(last_foreach(/*/k))").as_deref(), Some(wrong));
        assert_eq!(error("sum(last_foreach(/*/k))", Usage::Trigger).as_deref(), Some(wrong));
        assert_eq!(formula("last(5)").as_deref(), Some("incorrect usage of function \"last\""));
        assert_eq!(formula("lst(/h/k)").as_deref(), Some("unknown function \"lst\""));
    }

    #[test]
    fn parameters_are_named() {
        let trigger = |text| error(text, Usage::Trigger).unwrap_or_default();
        assert_eq!(trigger("avg(/h/k)"), "invalid number of parameters in function \"avg\"");
        assert_eq!(trigger("avg(/h/k,5q)"), "invalid second parameter in function \"avg\"");
        assert_eq!(trigger("avg(/*/k,5m)"), "invalid first parameter in function \"avg\"");
        assert_eq!(
            trigger("forecast(/h/k,1h,1h,\"cubic\")"),
            "invalid fourth parameter in function \"forecast\""
        );
        assert_eq!(trigger("forecast(/h/k,{$P},{$H},\"cubic\")"), "");
        assert_eq!(trigger("1>2"), BindError::NoItem.to_string());
    }

    #[test]
    fn functions_of_values_check_their_number_of_parameters() {
        let last = "last(/h/k)";
        for (function, arguments) in [
            ("abs", ["1,2", "1"]),
            ("between", ["1", "1,2,3"]),
            ("bitand", ["", "1,2"]),
            ("atan2", ["", "1,2"]),
            ("count", ["1,2,3", "1,2,3,4"]),
            ("histogram_quantile", ["1,2", "1,2,3"]),
            ("concat", ["", ""]),
            ("jsonpath", ["", "\"a\",\"b\",\"c\""]),
            ("trim", ["1,2", "1,2,3"]),
        ] {
            for rest in arguments {
                let comma = if rest.is_empty() { "" } else { "," };
                let text = format!("{function}({last}{comma}{rest})=0");
                let wrong = format!("invalid number of parameters in function \"{function}\"");
                assert_eq!(error(&text, Usage::Formula), Some(wrong), "{text}");
            }
        }
        for text in [
            "pi()>last(/h/k)",
            "between(last(/h/k),1,2)",
            "histogram_quantile(0.9,1,last(/h/k),2,last(/h/k))>0",
            "trim(last(/h/k))=trim(last(/h/k),\"a\")",
            "in(last(/h/k),1,2,3)",
            "jsonpath(last(/h/k),\"$.a\")=jsonpath(last(/h/k),\"$.a\",1)",
            "min(last(/h/k))>0",
        ] {
            assert_eq!(error(text, Usage::Formula), None, "{text}");
        }
        for (name, why) in [("count", "incorrect usage of"), ("histogram_quantile", "unknown")] {
            let text = format!("{name}(last(/h/k),1)>0");
            let wrong = format!("{why} function \"{name}\"");
            assert_eq!(error(&text, Usage::Trigger), Some(wrong));
        }
        let wrong = error("pi(1)>last(/h/k)", Usage::Trigger);
        assert_eq!(wrong.as_deref(), Some("invalid number of parameters in function \"pi\""));
    }
}
