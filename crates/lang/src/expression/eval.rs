//! Evaluation of programs: Zabbix's arithmetic, comparison and three-valued logic.
//!
//! Numbers are compared with a tolerance ([`number::EPSILON`]). A text is a number where one is needed, with
//! suffix (`"1m" = 60`). An unknown operand makes the result unknown, except that `0 and unknown` is 0 and `1
//! or unknown` is 1. A value that cannot be calculated, such as a division by zero, is an error of the whole
//! expression.
//!
//! Three ways, fastest first, with one meaning: a threshold, operators over numbers on a small fixed
//! stack, everything.

use std::borrow::Cow;

use thiserror::Error;

use super::ast::Op;
use super::calls;
use super::operators::{known, truth};
use super::program::{Inst, OperandRef, Program};
use super::value::{Env, Operand, Val, Value};
use formats::number;

/// The deepest stack that the numeric way keeps without allocating.
const NUMERIC_DEPTH_MAX: usize = 16;

/// Where the values of a program's operands come from.
pub trait Operands {
    /// The value of operand `idx` of [`Program::operands`].
    fn operand(&self, idx: usize) -> Operand<'_>;
}

impl Operands for [Operand<'_>] {
    fn operand(&self, idx: usize) -> Operand<'_> {
        self.get(idx).copied().unwrap_or(Operand::Unknown("no such operand"))
    }
}

impl<const N: usize> Operands for [Operand<'_>; N] {
    fn operand(&self, idx: usize) -> Operand<'_> {
        self.as_slice().operand(idx)
    }
}

impl Operands for Vec<Operand<'_>> {
    fn operand(&self, idx: usize) -> Operand<'_> {
        self.as_slice().operand(idx)
    }
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvalError {
    /// The result depends on an operand without value; the text says why.
    #[error("{0}")]
    Unknown(String),
    /// The whole expression is a text where a number is needed.
    #[error("Cannot evaluate expression: value \"{0}\" is not a numeric value")]
    NotNumeric(String),
    /// An operand is a text that is no number.
    #[error(
        "Cannot evaluate expression: {side} \"{value}\" is not a numeric value {place} \"{near}\""
    )]
    Operand {
        /// Which operand.
        side: &'static str,
        /// Its text.
        value: String,
        /// The place of the operand in the expression.
        place: &'static str,
        /// The expression from the operator on.
        near: String,
    },
    /// A division by zero, even where its result would not count.
    #[error("Cannot evaluate expression: division by zero at \"{0}\"")]
    DivisionByZero(String),
    /// A number left the range of floating point numbers.
    #[error("Cannot evaluate expression: calculation resulted in NaN or Infinity at \"{0}\"")]
    Overflow(String),
    /// A function refused its arguments.
    #[error("Cannot evaluate expression: {reason} at \"{near}\"")]
    Call {
        /// The error.
        reason: String,
        /// The expression from the function on.
        near: String,
    },
    /// A function cannot use the values that were found.
    #[error("Cannot evaluate expression: {0}")]
    Values(String),
    /// A function can't be evaluated by this product yet.
    #[error("Cannot evaluate function \"{0}\": not supported yet")]
    Unsupported(String),
}

impl Program {
    /// The value with these operands.
    ///
    /// # Errors
    /// If the result is unknown or the operands don't fit.
    pub fn eval<O: Operands + ?Sized>(
        &self,
        operands: &O,
        env: &Env<'_>,
    ) -> Result<Value, EvalError> {
        if let Some(number) = self.eval_fast(operands, env) {
            return Ok(Value::Number(number));
        }
        self.eval_all(operands, env)
    }

    /// Is the value of a trigger's expression true, i.e. not 0?
    ///
    /// # Errors
    /// If the result is unknown or no number.
    pub fn eval_truth<O: Operands + ?Sized>(
        &self,
        operands: &O,
        env: &Env<'_>,
    ) -> Result<bool, EvalError> {
        self.eval_number(operands, env).map(|it| it.abs() > env.epsilon)
    }

    /// The value as a number.
    ///
    /// # Errors
    /// If the result is unknown or no number.
    pub fn eval_number<O: Operands + ?Sized>(
        &self,
        operands: &O,
        env: &Env<'_>,
    ) -> Result<f64, EvalError> {
        if let Some(number) = self.eval_fast(operands, env) {
            return Ok(number);
        }
        match self.eval_all(operands, env)? {
            Value::Number(it) => Ok(it),
            Value::UInt(it) => Ok(number::u64_to_f64(it)),
            Value::Text(it) => number::parse_suffixed(&it).ok_or(EvalError::NotNumeric(it)),
            Value::Vector(_) => Err(EvalError::NotNumeric("vector".to_owned())),
        }
    }

    /// The usual cases without allocating; `None` sends the caller the full way, which then finds
    /// the value or words the error.
    #[inline]
    fn eval_fast<O: Operands + ?Sized>(&self, operands: &O, env: &Env<'_>) -> Option<f64> {
        if let Some((idx, op, right)) = self.threshold {
            let left = as_number(operands.operand(usize::from(idx)))?;
            return known(op, left, right, env.epsilon);
        }
        match self.numeric_depth {
            Some(depth) if depth <= NUMERIC_DEPTH_MAX && depth > 0 => {
                self.eval_numeric(operands, env)
            }
            _ => None,
        }
    }

    fn eval_numeric<O: Operands + ?Sized>(&self, operands: &O, env: &Env<'_>) -> Option<f64> {
        // NaN is the mark of an unknown value: no operation on known numbers may give it.
        let mut stack = [0.0_f64; NUMERIC_DEPTH_MAX];
        let mut len = 0;
        for inst in &self.insts {
            match *inst {
                Inst::Number(it) => {
                    stack[len] = it;
                    len += 1;
                }
                Inst::Operand(idx) => {
                    stack[len] = match operands.operand(usize::from(idx)) {
                        Operand::Unknown(_) => f64::NAN,
                        operand => as_number(operand)?,
                    };
                    len += 1;
                }
                Inst::Op(op, _) if op.is_unary() => {
                    let value = stack[len - 1];
                    stack[len - 1] = match op {
                        Op::Neg => -value,
                        _ if value.is_nan() => value,
                        _ => truth(value.abs() <= env.epsilon),
                    };
                }
                Inst::Op(op, _) => {
                    let (left, right) = (stack[len - 2], stack[len - 1]);
                    len -= 1;
                    stack[len - 1] = three_valued(op, left, right, env.epsilon)?;
                }
                Inst::Const(_) | Inst::Call(..) | Inst::Null => return None,
            }
        }
        let result = stack[0];
        result.is_finite().then_some(result)
    }

    fn eval_all<O: Operands + ?Sized>(
        &self,
        operands: &O,
        env: &Env<'_>,
    ) -> Result<Value, EvalError> {
        let mut stack: Vec<Val<'_>> = Vec::with_capacity(8);
        for inst in &self.insts {
            let value = match *inst {
                Inst::Number(it) => Val::Number(it),
                Inst::Null => Val::Null,
                Inst::Const(idx) => Val::from(&self.consts[usize::from(idx)]),
                Inst::Operand(idx) => match operands.operand(usize::from(idx)) {
                    Operand::Unknown(why) if self.strict => {
                        return Err(EvalError::Unknown(why.to_owned()));
                    }
                    Operand::Text(text) => self.text_operand(usize::from(idx), text),
                    operand => Val::from(operand),
                },
                Inst::Op(op, at) => {
                    let right = stack.pop().unwrap_or(Val::Null);
                    if op.is_unary() {
                        unary(op, right, env).map_err(|value| EvalError::Operand {
                            side: "unary operator operand",
                            value,
                            place: "at",
                            near: self.near(at),
                        })?
                    } else {
                        let left = stack.pop().unwrap_or(Val::Null);
                        self.binary(op, at, (left, right), env)?
                    }
                }
                Inst::Call(builtin, n_args, at) => {
                    let args = stack.split_off(stack.len().saturating_sub(usize::from(n_args)));
                    self.call(builtin, args, at, env)?
                }
            };
            stack.push(value);
        }
        self.result(stack.pop().unwrap_or(Val::Null))
    }

    /// The value of a user macro is a number wherever it can be one, also for functions over texts.
    fn text_operand<'v>(&self, idx: usize, text: &'v str) -> Val<'v> {
        let operand = self.operands.get(idx);
        let may_be_number =
            matches!(operand, Some(OperandRef::UserMacro(_) | OperandRef::Compound(_)));
        match number::parse_suffixed(text).filter(|_| may_be_number) {
            Some(number) => Val::Number(number),
            None => Val::Text(Cow::Borrowed(text)),
        }
    }

    fn call<'v>(
        &self,
        builtin: &calls::Builtin,
        args: Vec<Val<'v>>,
        at: u32,
        env: &Env<'_>,
    ) -> Result<Val<'v>, EvalError> {
        if let Some(Val::Unknown(why)) = args.iter().find(|it| matches!(it, Val::Unknown(_))) {
            return Ok(Val::Unknown(why));
        }
        let value =
            (builtin.run)(builtin.name, args, env).map_err(
                |reason| match calls::is_about_values(&reason) {
                    true => EvalError::Values(reason),
                    false => EvalError::Call { reason, near: self.near(at) },
                },
            )?;
        match value {
            Val::Number(it) if !it.is_finite() => Err(EvalError::Overflow(self.near(at))),
            value => Ok(value),
        }
    }

    fn binary<'v>(
        &self,
        op: Op,
        at: u32,
        (left, right): (Val<'v>, Val<'v>),
        env: &Env<'_>,
    ) -> Result<Val<'v>, EvalError> {
        if let (Val::Unknown(why), other) | (other, Val::Unknown(why)) = (&left, &right)
            && (!matches!(op, Op::And | Op::Or) || numeric(other.clone()).is_err())
        {
            return Ok(Val::Unknown(why));
        }
        if let (Op::Eq | Op::Ne, Val::Text(left), Val::Text(right)) = (op, &left, &right)
            && (number::parse_suffixed(left).is_none() || number::parse_suffixed(right).is_none())
        {
            return Ok(Val::Number(truth((left == right) == (op == Op::Eq))));
        }
        if let (Op::Eq | Op::Ne, Some(equal)) = (op, text_against_number(&left, &right)) {
            return Ok(Val::Number(truth(equal == (op == Op::Eq))));
        }
        let wrong = |side, value| EvalError::Operand {
            side,
            value,
            place: "for operator at",
            near: self.near(at),
        };
        let left = numeric(left).map_err(|it| wrong("left operand", it))?;
        let right = numeric(right).map_err(|it| wrong("right operand", it))?;
        match (left, right) {
            (Ok(left), Ok(right)) => {
                if op == Op::Div && right.abs() <= env.epsilon {
                    return Err(EvalError::DivisionByZero(self.near(at)));
                }
                let value = known(op, left, right, env.epsilon)
                    .ok_or_else(|| EvalError::Overflow(self.near(at)))?;
                Ok(Val::Number(value))
            }
            (Ok(number), Err(why)) | (Err(why), Ok(number)) => {
                let is_true = number.abs() > env.epsilon;
                Ok(match op {
                    Op::And if !is_true => Val::Number(0.0),
                    Op::Or if is_true => Val::Number(1.0),
                    _ => Val::Unknown(why),
                })
            }
            (Err(why), Err(_)) => Ok(Val::Unknown(why)),
        }
    }

    fn result(&self, value: Val<'_>) -> Result<Value, EvalError> {
        match value {
            Val::Number(it) if it.is_finite() => Ok(Value::Number(it)),
            Val::Number(_) => Err(EvalError::Overflow(self.near(0))),
            Val::UInt(it) => Ok(Value::UInt(it)),
            Val::Text(it) => Ok(Value::Text(it.into_owned())),
            Val::Vector(it) => Ok(Value::Vector(it.to_vec())),
            Val::Null => Err(EvalError::Unknown("Cannot evaluate expression: no value".to_owned())),
            Val::Unknown(why) => Err(EvalError::Unknown(why.to_owned())),
        }
    }

    fn near(&self, at: u32) -> String {
        let at = usize::try_from(at).unwrap_or(0);
        self.text.get(at..).unwrap_or("").to_owned()
    }
}

fn as_number(operand: Operand<'_>) -> Option<f64> {
    match operand {
        Operand::Number(it) => Some(it),
        Operand::UInt(it) => Some(number::u64_to_f64(it)),
        _ => None,
    }
}

/// The number of a value, or why it is unknown; a text that is no number is the error.
fn numeric(value: Val<'_>) -> Result<Result<f64, &str>, String> {
    match value {
        Val::Number(it) => Ok(Ok(it)),
        Val::UInt(it) => Ok(Ok(number::u64_to_f64(it))),
        Val::Text(it) => number::parse_suffixed(&it).map(Ok).ok_or_else(|| it.into_owned()),
        Val::Unknown(why) => Ok(Err(why)),
        Val::Vector(_) => Err("vector".to_owned()),
        Val::Null => Err(String::new()),
    }
}

/// Equality of a number and a text that is none: never.
fn text_against_number(left: &Val<'_>, right: &Val<'_>) -> Option<bool> {
    let ((Val::Text(text), other) | (other, Val::Text(text))) = (left, right) else {
        return None;
    };
    let is_number = matches!(other, Val::Number(_) | Val::UInt(_));
    (is_number && number::parse_suffixed(text).is_none()).then_some(false)
}

fn unary<'v>(op: Op, value: Val<'v>, env: &Env<'_>) -> Result<Val<'v>, String> {
    Ok(match numeric(value)? {
        Err(why) => Val::Unknown(why),
        Ok(number) if op == Op::Neg => Val::Number(-number),
        Ok(number) => Val::Number(truth(number.abs() <= env.epsilon)),
    })
}

/// As [`known`], NaN being unknown.
#[inline]
fn three_valued(op: Op, left: f64, right: f64, epsilon: f64) -> Option<f64> {
    if !left.is_nan() && !right.is_nan() {
        return known(op, left, right, epsilon);
    }
    let number = if left.is_nan() { right } else { left };
    Some(match op {
        Op::And if number.abs() <= epsilon => 0.0,
        Op::Or if number.abs() > epsilon => 1.0,
        _ => f64::NAN,
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use model::Time;

    use super::*;
    use crate::expression::parse;

    /// The value with each operand being this; `None`: an error.
    fn value(text: &str, operand: Operand<'_>) -> Option<Value> {
        let program = Program::compile(&parse(text).unwrap()).unwrap();
        let operands = vec![operand; program.operands().len()];
        program.eval(&operands, &Env::new(Time::ZERO, &TimeZone::UTC)).ok()
    }

    #[test]
    fn whole_numbers_stay_exact() {
        let none = Operand::Unknown("none");
        assert_eq!(value("bitnot(18446744073709551614)", none), Some(Value::UInt(1)));
        assert_eq!(value("length(1000000000000000)", none), Some(Value::UInt(16)));
        assert_eq!(value("18446744073709551615", none), Some(Value::UInt(u64::MAX)));
    }

    #[test]
    fn user_macros_are_numbers_where_they_can_be() {
        let text = |it: &str| Some(Value::Text(it.to_owned()));
        assert_eq!(value("left(\"Zabbix\",{$N})", Operand::Text("3s")), text("Zab"));
        assert_eq!(value("left(\"Zabbix\",{$N}s)", Operand::Text("3s")), text("Zab"));
        assert_eq!(value("left(\"Zabbix\",last(/h/k))", Operand::Text("3s")), None);
    }

    #[test]
    fn an_unknown_operand_with_a_text_is_no_error() {
        let why = Operand::Unknown("why");
        assert_eq!(value("({$M} and \"a\") or 1", why), Some(Value::Number(1.0)));
        assert_eq!(value("{$M} or \"a\"", why), None);
        assert_eq!(value("1/0 or 1", why), None);
    }
}
