//! Event names: can their expression macros, `{?…}`, be read?

use thiserror::Error;

use super::ast::Rules;
use super::parse::braced_len;
use crate::macros::params_len;

/// An expression macro that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EventNameError {
    /// The text at this place is no expression.
    #[error("incorrect expression starting from \"{0}\"")]
    Syntax(String),
    /// The name ends before the macro does.
    #[error("unexpected end of expression macro")]
    End,
}

/// Checks the expression macros of an event name, with functions, `{{?…}.func()}`, and without. All other
/// macros are left until the event is named.
///
/// # Errors
/// The first expression macro that cannot be read.
pub fn check_event_name(name: &str) -> Result<(), EventNameError> {
    let mut at = 0;
    while let Some(found) = name.get(at..).and_then(|it| it.find("{?")) {
        let start = at + found;
        let end = start + macro_len(name.get(start..).unwrap_or_default())?;
        let has_brace = start > at && name.as_bytes()[start - 1] == b'{';
        let function = name.get(end..).filter(|_| has_brace).and_then(function_len);
        at = end + function.unwrap_or(0);
    }
    Ok(())
}

/// Length of the expression macro at the start of `text`.
fn macro_len(text: &str) -> Result<usize, EventNameError> {
    let inner = text.get(2..).unwrap_or_default();
    let syntax = |at: usize| EventNameError::Syntax(inner.get(at..).unwrap_or_default().to_owned());
    let len = braced_len(inner, Rules::EVENT_NAME).map_err(syntax)?;
    if len == inner.len() {
        return Err(EventNameError::End);
    }
    Ok(2 + len + 1)
}

/// Length of `.func(parameters)}` at the start of `text`.
fn function_len(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('.')?;
    let name = rest.bytes().take_while(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'_')).count();
    let parameters = rest.get(name..)?.strip_prefix('(').filter(|_| name > 0)?;
    let end = params_len(parameters.as_bytes())? + 1;
    parameters.get(end..)?.starts_with('}').then_some(1 + name + 1 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str) -> String {
        check_event_name(name).map_or_else(|it| it.to_string(), |()| String::new())
    }

    #[test]
    fn names_that_can_be_read() {
        for name in [
            "",
            "{ANY_MACRO} {ANY_ {} {$M:\"}\"} {",
            "{?100+1} {{?100+1}} {{?100+1-(2)}.anyfunc(2)}",
            "{{?1}.regsub(\"{?\", \"}\")}{{?1}.f({?2})}",
            "{?last(/{HOST.HOST}/k)} {?last(/{HOST.HOST9}/k[{$M}])} {?last(//k,{#PERIOD}) > 5K }",
            "{?last(/{HOST.HOST2}/{ITEM.KEY2})}",
            "{?{TRIGGER.VALUE}=1 and not ({FUNCTION.VALUE}+{FUNCTION.VALUE9}>{$M}) or \"}\"={{#X}.f(1)}}",
            "{?nothing(/h/k)}",
        ] {
            assert_eq!(error(name), "", "{name}");
        }
    }

    #[test]
    fn the_first_wrong_part_is_reported() {
        for (name, rest) in [
            ("is {?123++321}", "+321}"),
            ("{?Expression without an end", "Expression without an end"),
            ("at the end {?", ""),
            ("{?100+{?20+1}}", "{?20+1}}"),
            ("{?}", "}"),
            ("{?1}{{?2 x}.f()}", "x}.f()}"),
            ("{?(1+2}", "}"),
            ("{?(1+2", ""),
            ("{?1+2)}", ")}"),
            ("{?1+last(/h/k}", "last(/h/k}"),
            ("{?abs(min(1,last(/h/k,)))+\"x}", "\"x}"),
            ("{?last(/{HOST.HOST10}/k)}", "last(/{HOST.HOST10}/k)}"),
            ("{?avg(/*/k,5m)}", "avg(/*/k,5m)}"),
            ("{?avg(/h/k?[tag=\"x\"],5m)}", "avg(/h/k?[tag=\"x\"],5m)}"),
            ("{?1 and}", "}"),
            ("{?(1) or2}", "2}"),
            ("{?{ITEM.VALUE}*2}", "{ITEM.VALUE}*2}"),
            ("{?{TRIGGER.VALUE2}}", "{TRIGGER.VALUE2}}"),
            ("{?{$M}5m}", "5m}"),
            ("é {?é}", "é}"),
        ] {
            assert_eq!(
                error(name),
                format!("incorrect expression starting from \"{rest}\""),
                "{name}"
            );
        }
    }

    #[test]
    fn a_name_ends_behind_its_macros() {
        assert_eq!(error("{?123+321"), "unexpected end of expression macro");
        assert_eq!(error("{{?last(//k)  "), "unexpected end of expression macro");
    }
}
