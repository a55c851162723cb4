//! Images: icons and backgrounds of maps.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::content::UiElement;
use model::describe::{
    Field, FieldType, Gives, Nouns, Object, Params, RoleRule, Rule, RulesSee, Select, Unknown,
    Writes,
};
use model::document::{Body, Document};
use serde_json::Value as Json;

use super::{Edited, Stored};
use crate::error::{ConfigError, edited};

/// Of the image itself; in base64 it is a third longer.
const BYTES_MAX: usize = 1 << 20;

const OBJECT: Object = Object {
    name: "image",
    type_name: "Image",
    nouns: Nouns { one: "an image", several: "images" },
    resource: Some(16),
    role: RoleRule::one_of(&[UiElement::General]),
    writes: Some(Writes {
        unknown: Unknown::Refused,
        rules_see: RulesSee::Filled,
        unique: &[&["name"]],
    }),
    id: "imageid",
    ids: "imageids",
    fields: &[
        Field::new("imageid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("imagetype", FieldType::Code(&[1, 2]), Rule::Required, "1 icon, 2 background")
            .fixed(),
        Field::new("name", FieldType::Text { max: 64 }, Rule::Required, "Name"),
        Field::new(
            "image",
            FieldType::Text { max: usize::MAX },
            Rule::Required,
            "PNG, JPEG or GIF of at most 1 MB, in base64",
        )
        .blob()
        .tagged("encodedImage"),
    ],
    selects: &[Select::new("select_image", "image", Gives::Field)],
    params: Params::of(&["imageids", "sysmapids"]),
    sort: &["imageid", "name"],
    doc: "An icon or a background of maps",
};

const SAMPLE: &str = r#"{"name": "Dot", "imagetype": "1",
    "image": "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"}"#;

pub static IMAGE: Stored = Stored {
    tag: Some("images"),
    check: |_, body| check(body),
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Image \"{}\" already exists.", SAMPLE)
};

fn check(body: &mut Body) -> Result<(), ConfigError> {
    let wrong = |what: &str| Err(ConfigError::invalid(edited("image"), what));
    let mut text = body.get("image").and_then(Json::as_str).unwrap_or_default().to_owned();
    // Clients break the lines, as tools that write base64 do.
    text.retain(|it| !it.is_ascii_whitespace());
    // Only the next check decides: texts that are no base64 are no images either.
    let bytes = STANDARD.decode(&text).unwrap_or_default();
    if BYTES_MAX < bytes.len() {
        return wrong("image size must be less than 1 MB");
    }
    if !is_image(&bytes) {
        return wrong("file format is unsupported");
    }
    body.insert("image".to_owned(), Json::from(text));
    Ok(())
}

/// Of one that was checked: its bytes.
#[must_use]
pub fn bytes(document: &Document) -> Vec<u8> {
    STANDARD.decode(document.text("image")).unwrap_or_default()
}

/// The media type of a file's head.
#[must_use]
pub fn media_type(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, ..] => "image/png",
        [b'G', ..] => "image/gif",
        _ => "image/jpeg",
    }
}

/// Width and height in pixels of one that was checked.
#[must_use]
pub fn size(document: &Document) -> Option<(u32, u32)> {
    // Of most files the head says it; to decode all of a photograph costs a millisecond.
    const HEAD: usize = 64;
    let text = document.text("image");
    let head = STANDARD.decode(text.get(..HEAD).unwrap_or(text)).unwrap_or_default();
    match head.as_slice() {
        [0xff, ..] => size_of(&bytes(document)),
        head => size_of(head),
    }
}

fn size_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let size = match bytes {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, rest @ ..] => {
            let [0, 0, 0, 13, b'I', b'H', b'D', b'R', size @ ..] = rest else { return None };
            let number = |at: usize| {
                let four = size.get(at..at + 4)?.try_into().ok()?;
                Some(u32::from_be_bytes(four))
            };
            (number(0)?, number(4)?)
        }
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', w, x, h, y, ..] => {
            (u32::from(u16::from_le_bytes([*w, *x])), u32::from(u16::from_le_bytes([*h, *y])))
        }
        [0xff, 0xd8, 0xff, rest @ ..] => size_of_jpeg(rest)?,
        _ => return None,
    };
    (size.0 != 0 && size.1 != 0).then_some(size)
}

/// By the file's head, by a size that is not empty, and by an end that says that it is whole.
fn is_image(bytes: &[u8]) -> bool {
    const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
    let is_whole = match bytes {
        [0x89, ..] => bytes.ends_with(END),
        [b'G', ..] => bytes.ends_with(&[0x3b]),
        _ => true,
    };
    is_whole && size_of(bytes).is_some()
}

/// A frame with a size among the segments. `segments` starts after the first `0xff`.
fn size_of_jpeg(mut segments: &[u8]) -> Option<(u32, u32)> {
    loop {
        let (marker, length, rest) = match segments {
            // Any number of these may stand in front of a marker.
            [0xff, rest @ ..] => {
                segments = rest;
                continue;
            }
            [marker, high, low, rest @ ..] => {
                (*marker, usize::from(u16::from_be_bytes([*high, *low])), rest)
            }
            _ => return None,
        };
        // Precision, height, width; 0xc4, 0xc8 and 0xcc are no frames.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let [_, h, y, w, x, ..] = rest else { return None };
            let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
            return Some((number(*w, *x), number(*h, *y)));
        }
        let Some([0xff, next @ ..]) = length.checked_sub(2).and_then(|it| rest.get(it..)) else {
            return None;
        };
        segments = next;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    fn message(image: &str) -> String {
        let mut body = Body::new();
        body.insert("image".to_owned(), json!(image));
        check(&mut body).map_or_else(|it| it.text(), |()| String::new())
    }

    #[test]
    fn images_of_three_formats_are_taken() {
        // A JPEG up to its frame: SOI, APP0 of four bytes, SOF0.
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xc0, 0, 8, 8, 0, 1, 0, 2, 0];
        let gif: Json = serde_json::from_str(SAMPLE).expect("an example");
        for it in [PNG, &STANDARD.encode(jpeg), gif["image"].as_str().expect("a text")] {
            assert_eq!(message(it), "", "{it}");
            let (start, rest) = it.split_at(8);
            assert_eq!(message(&format!("{start}\n{rest}")), "", "lines are broken");
        }
    }

    #[test]
    fn image_size_is_read_from_its_bytes() {
        let gif: Json = serde_json::from_str(SAMPLE).expect("an example");
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xff, 0xc0, 0, 8, 8, 0, 1, 1, 2, 0];
        let jpeg = STANDARD.encode(jpeg);
        for (text, expected, kind) in [
            (PNG, (1, 1), "image/png"),
            (gif["image"].as_str().expect("a text"), (1, 1), "image/gif"),
            (&jpeg, (258, 1), "image/jpeg"),
        ] {
            let body = Body::from_iter([("image".to_owned(), json!(text))]);
            let document = Document { id: 1, key: "".into(), body };
            assert_eq!(size(&document), Some(expected), "{text}");
            assert_eq!(media_type(&bytes(&document)), kind);
        }
    }

    #[test]
    fn invalid_images_are_refused_with_zabbix_texts() {
        let unsupported = "Invalid parameter \"/1/image\": file format is unsupported.";
        let png = STANDARD.decode(PNG).expect("it is base64");
        let cut = &png[..png.len() - 1];
        let mut empty = png.clone();
        empty[16..20].fill(0);
        let svg = STANDARD.encode("<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
        let endless = STANDARD.encode([&[0xff_u8, 0xd8][..], &[0xff; 40]].concat());
        for it in ["", "%%", &svg, &STANDARD.encode(cut), &STANDARD.encode(&empty), &endless] {
            assert_eq!(message(it), unsupported, "{it}");
        }
        let large = STANDARD.encode(vec![0_u8; BYTES_MAX + 1]);
        let what = "image size must be less than 1 MB";
        assert_eq!(message(&large), format!("Invalid parameter \"/1/image\": {what}."));
    }
}
