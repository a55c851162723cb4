// The stops that manifests name: the page of every feature, and its form of a new object.

import { FEATURES } from "../src/app/features";
import type { Feature } from "../src/ui/feature";

export interface TourStop {
  readonly name: string;
  readonly path: string;
  /** the page's heading */
  readonly title: string;
}

export function tour(): readonly TourStop[] {
  return FEATURES.flatMap(({ title, pages }: Feature) =>
    pages.flatMap(({ path, heading, create }, at) => {
      const shown = heading ?? (at === 0 ? title : undefined);
      return [
        ...(shown === undefined ? [] : [stop(path, shown)]),
        ...(create === undefined ? [] : [stop(path.replace(/\$\w+/, "new"), create.title)]),
      ];
    }),
  );
}

function stop(path: string, title: string): TourStop {
  const name = path === "/" ? "overview" : path.slice(1).replaceAll("/", "-");
  return { name, path, title };
}
