//! Functions over the bits of unsigned 64-bit numbers.

use super::super::value::{Env, Val};
use super::args::{exactly, uint_of};

type Answer<'v> = Result<Val<'v>, String>;

pub(super) fn binary<'v>(name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [left, right] = exactly::<2>(args)?;
    let (x, y) = (uint_of(&left)?, uint_of(&right)?);
    let shift = u32::try_from(y).unwrap_or(u32::MAX);
    Ok(Val::UInt(match name {
        "bitand" => x & y,
        "bitor" => x | y,
        "bitxor" => x ^ y,
        "bitlshift" => x.checked_shl(shift).unwrap_or(0),
        _ => x.checked_shr(shift).unwrap_or(0),
    }))
}

pub(super) fn not<'v>(_name: &'static str, args: Vec<Val<'v>>, _env: &Env<'_>) -> Answer<'v> {
    let [arg] = exactly::<1>(args)?;
    Ok(Val::UInt(!uint_of(&arg)?))
}
