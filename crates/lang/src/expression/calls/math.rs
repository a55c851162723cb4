//! Functions of mathematics.

use super::super::value::{Env, Val};
use super::args::{exactly, number_of, uint_of, wrong_number};

type Answer<'v> = Result<Val<'v>, String>;

pub(super) fn unary<'v>(name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    let x = number_of(&arg)?;
    let in_domain = match name {
        "log" | "log10" => x > 0.0,
        "sqrt" => x >= 0.0,
        "cot" => x != 0.0,
        _ => true,
    };
    if !in_domain {
        return Err("invalid argument for function".to_owned());
    }
    Ok(Val::Number(match name {
        "abs" => x.abs(),
        "acos" => x.acos(),
        "asin" => x.asin(),
        "atan" => x.atan(),
        "cbrt" => x.cbrt(),
        "ceil" => x.ceil(),
        "cos" => x.cos(),
        "cosh" => x.cosh(),
        "cot" => x.cos() / x.sin(),
        "degrees" => x.to_degrees(),
        "exp" => x.exp(),
        "expm1" => x.exp_m1(),
        "floor" => x.floor(),
        "log" => x.ln(),
        "log10" => x.log10(),
        "radians" => x.to_radians(),
        "signum" if x == 0.0 => 0.0,
        "signum" => x.signum(),
        "sin" => x.sin(),
        "sinh" => x.sinh(),
        "sqrt" => x.sqrt(),
        "tan" => x.tan(),
        _ => return Err(format!("unknown function \"{name}\"")),
    }))
}

pub(super) fn binary<'v>(name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [left, right] = exactly::<2>(args)?;
    let (x, y) = (number_of(&left)?, number_of(&right)?);
    Ok(Val::Number(match name {
        "atan2" if x == 0.0 && y == 0.0 => {
            return Err("undefined result for arguments (0,0) for function 'atan2'".to_owned());
        }
        "atan2" => x.atan2(y),
        "mod" if y == 0.0 => return Err("invalid second argument for function".to_owned()),
        "mod" => x % y,
        _ => x.powf(y),
    }))
}

/// Rounding and cutting to a number of decimals.
pub(super) fn to_places<'v>(name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [value, places] = exactly::<2>(args)?;
    let (x, places) = (number_of(&value)?, number_of(&places)?);
    if places < 0.0 || places.fract() != 0.0 {
        return Err("invalid second argument for function".to_owned());
    }
    let scale = 10_f64.powf(places);
    let scaled = x * scale;
    // A number too large to scale has no decimals to lose.
    if !scaled.is_finite() {
        return Ok(Val::Number(x));
    }
    Ok(Val::Number(if name == "round" { scaled.round() } else { scaled.trunc() } / scale))
}

pub(super) fn constant<'v>(name: &'static str, args: Vec<Val<'v>>, env: &Env<'_>) -> Answer<'v> {
    if !args.is_empty() {
        return Err(wrong_number());
    }
    Ok(match name {
        "e" => Val::Number(std::f64::consts::E),
        "pi" => Val::Number(std::f64::consts::PI),
        _ => Val::UInt(uint_of(&Val::UInt(u64::from(env.random)))?),
    })
}
