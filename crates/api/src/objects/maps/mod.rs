//! Maps, and the images and icon maps that they are drawn with: what their descriptions do not say.

pub(crate) mod images;
mod judge;
pub(crate) mod map;
pub(crate) mod rights;
pub(crate) mod urls;
