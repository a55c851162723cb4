//! The sample file and the manual, from the table of settings.

use std::fmt::Write;

use super::schema::{Key, Schema};

/// The settings file with every default, explained: it can be used as it is.
#[must_use]
pub fn sample<T: Schema>(title: &str) -> String {
    let mut out = format!("# {title}\n");
    let mut write = |line: &str| {
        out.push_str(line);
        out.push('\n');
    };
    write("#");
    write("# Every line shows the default. The environment overrides this file, flags override");
    write("# the environment: http.listen is also SAKER_HTTP_LISTEN and --http-listen.");
    for section in sections::<T>() {
        if let Some((name, docs)) = section.head {
            write("");
            comment(docs, &mut write);
            write(&format!("[{name}]"));
        }
        for key in section.keys {
            write("");
            comment(key.docs, &mut write);
            let mark = if key.has_default { "" } else { "# " };
            write(&format!("{mark}{} = {}", key.name, key.toml));
        }
    }
    out
}

fn comment(docs: &[&str], write: &mut impl FnMut(&str)) {
    for line in docs {
        write(format!("# {}", line.trim()).trim_end());
    }
}

/// The manual page: one entry a setting, in Markdown.
#[must_use]
pub fn manual<T: Schema>(title: &str) -> String {
    let mut out = format!("# {title}\n");
    for section in sections::<T>() {
        if let Some((name, docs)) = section.head {
            let docs: Vec<&str> = docs.iter().map(|it| it.trim()).collect();
            write_to(&mut out, format_args!("\n## [{name}]\n\n{}\n", docs.join("\n")));
        }
        for key in section.keys {
            let default = if key.has_default { "default" } else { "no default; for example" };
            write_to(
                &mut out,
                format_args!(
                    "\n### `{}`\n\n{}\n\n- {default}: `{}`\n- environment: `{}`\n- flag: `--{}`\n",
                    key.path(),
                    key.help(),
                    key.toml,
                    key.env(),
                    key.flag(),
                ),
            );
        }
    }
    out
}

/// The defaults alone, as a TOML document with every section.
pub(super) fn defaults<T: Schema>() -> String {
    let mut out = String::new();
    for section in sections::<T>() {
        if let Some((name, _)) = section.head {
            write_to(&mut out, format_args!("[{name}]\n"));
        }
        for key in section.keys.iter().filter(|it| it.has_default) {
            write_to(&mut out, format_args!("{} = {}\n", key.name, key.toml));
        }
    }
    out
}

fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to a string does not fail");
}

struct SectionKeys {
    /// None for the top level.
    head: Option<(&'static str, &'static [&'static str])>,
    keys: Vec<&'static Key>,
}

fn sections<T: Schema>() -> impl Iterator<Item = SectionKeys> {
    let keys_of = |name: &str| T::KEYS.iter().filter(|it| it.section == name).collect();
    let top = SectionKeys { head: None, keys: keys_of("") };
    let sections = T::SECTIONS.iter().map(move |section| SectionKeys {
        head: Some((section.name, section.docs)),
        keys: keys_of(section.name),
    });
    std::iter::once(top).chain(sections)
}
