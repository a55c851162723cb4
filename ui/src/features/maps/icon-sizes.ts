// How large images are, as the browser finds out when it has loaded them.

import { useEffect, useState } from "react";
import { imageAddress } from "@/api/maps";
import type { Id } from "@/api/types";

export type Sizes = ReadonlyMap<Id, readonly [number, number]>;

export function useIconSizes(imageids: readonly Id[]): Sizes {
  const [sizes, setSizes] = useState<Sizes>(new Map());
  const missing = [...new Set(imageids)].filter((it) => it !== "0" && !sizes.has(it)).sort();
  const wanted = missing.join(",");
  useEffect(() => {
    let isOver = false;
    for (const imageid of wanted === "" ? [] : wanted.split(",")) {
      const image = new Image();
      image.onload = () => {
        if (isOver) return;
        const size = [image.naturalWidth, image.naturalHeight] as const;
        setSizes((before) => new Map(before).set(imageid, size));
      };
      image.src = imageAddress(imageid);
    }
    return () => {
      isOver = true;
    };
  }, [wanted]);
  return sizes;
}
