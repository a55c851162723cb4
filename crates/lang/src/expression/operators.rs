//! Operators over known numbers.

use super::ast::Op;

pub(super) fn truth(is_true: bool) -> f64 {
    f64::from(u8::from(is_true))
}

/// An operator over known numbers; `None` where the result is no number.
#[inline]
pub(super) fn known(op: Op, left: f64, right: f64, epsilon: f64) -> Option<f64> {
    let result = match op {
        Op::Add => left + right,
        Op::Sub => left - right,
        Op::Mul => left * right,
        Op::Div => {
            if right.abs() <= epsilon {
                return None;
            }
            left / right
        }
        Op::Lt => truth(left < right - epsilon),
        Op::Le => truth(left <= right + epsilon),
        Op::Gt => truth(left > right + epsilon),
        Op::Ge => truth(left >= right - epsilon),
        Op::Eq => truth((left - right).abs() <= epsilon),
        Op::Ne => truth((left - right).abs() > epsilon),
        Op::And => truth(left.abs() > epsilon && right.abs() > epsilon),
        Op::Or => truth(left.abs() > epsilon || right.abs() > epsilon),
        Op::Neg | Op::Not => return None,
    };
    result.is_finite().then_some(result)
}
