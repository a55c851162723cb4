//! Texts of errors with their places.

/// Frames that a text shows.
const FRAMES_MAX: usize = 10;
/// The engine's names for the code of a script.
const FILES: [&str; 2] = ["<evalScript>", "<input>"];

/// A message with the frames of `stack` that lie in the script, one a line, in Zabbix's form: `
/// at [anon] (function:3)`.
pub(super) fn with_place(message: &str, stack: &str) -> String {
    let mut out = message.to_owned();
    let frames: Vec<(&str, &str)> = stack.lines().filter_map(frame).take(FRAMES_MAX).collect();
    if message.starts_with("SyntaxError:")
        && let Some((_, line)) = frames.first()
    {
        out.push_str(&format!(" (line {line})"));
        return out;
    }
    for (name, line) in frames {
        out.push_str(&format!("\n    at {name} (function:{line})"));
    }
    out
}

/// Function and line of a frame such as `    at name (<evalScript>:3:14)`.
fn frame(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("at ")?;
    let (name, place) = match rest.split_once(" (") {
        Some((name, place)) => (name, place.trim_end_matches(')')),
        None => ("", rest),
    };
    let position = FILES.iter().find_map(|it| place.strip_prefix(it))?.strip_prefix(':')?;
    let number = position.split(':').next()?;
    let name =
        if name.is_empty() || name == "<anonymous>" || name == "<eval>" { "[anon]" } else { name };
    Some((name, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_script_are_shown() {
        let stack = "    at parse (native)\n    at inner (<evalScript>:3:14)\n    at <anonymous> \
                     (<evalScript>:5:2)\n    at run (prelude:200:1)\n";
        assert_eq!(
            with_place("TypeError: no", stack),
            "TypeError: no\n    at inner (function:3)\n    at [anon] (function:5)"
        );
        let stack = "    at <evalScript>:7:1\n    at compile (prelude:1:1)\n";
        assert_eq!(with_place("SyntaxError: bad", stack), "SyntaxError: bad (line 7)");
        assert_eq!(with_place("Error: x", ""), "Error: x");
    }
}
