//! Maps, and the images and icon maps that they are drawn with: the rules that their descriptions do not
//! have.

pub(crate) mod images;
mod judge;
pub(crate) mod map;
pub(crate) mod rights;
pub(crate) mod urls;
