// Written by `cargo xtask docs` from the descriptions in crates/api: do not edit.

import type { GetParams } from "./get";

/** An icon or a background of maps. */
export interface Image {
  /** Id. */
  readonly imageid: string;
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** The properties of `select…` parameters. */
export interface ImageSelects {
  /** `select_image`. */
  readonly image: string;
}

/** Parameters of `image.get`. */
export interface ImageGet extends GetParams<keyof Image> {
  readonly select_image?: boolean | undefined;
}

/** Parameters of `image.create`. */
export interface ImageCreate {
  /** 1 icon, 2 background. Not changed later. */
  readonly imagetype: string | number;
  /** Name. */
  readonly name: string;
  /** PNG, JPEG or GIF of at most 1 MB, in base64. */
  readonly image: string;
}

/** Parameters of `image.update`: omitted fields keep their values. */
export type ImageUpdate = Partial<Omit<ImageCreate, "imagetype">> & { readonly imageid: string };

/** What forms and readers of answers have to know of it. */
export const IMAGE = {
  object: "image",
  id: "imageid",
  ids: "imageids",
  fields: {
    imageid: { type: "id", readOnly: true },
    imagetype: { type: "code", codes: ["1", "2"], fixed: true, required: true },
    name: { type: "text", max: 64, required: true },
    image: { type: "text", max: 18446744073709551615, required: true },
  },
  selects: { image: { param: "select_image", text: true } },
} as const;
