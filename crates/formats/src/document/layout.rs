//! How documents that are laid out for people are indented.

/// A new line and four spaces a level.
pub(super) fn indent(level: usize, out: &mut String) {
    out.push('\n');
    for _ in 0..level {
        out.push_str("    ");
    }
}
