// Names of values, as a value map gives them.

export interface Mapping {
  /** 0 equals, 1 at least, 2 at most, 3 in range, 4 regular expression, 5 default */
  readonly type: string;
  readonly value: string;
  readonly newvalue: string;
}

/** The name of a value: the first mapping that fits, else the default one. */
export function mapped(value: string, mappings: readonly Mapping[]): string | undefined {
  const found = mappings.find((it) => fits(value, it)) ?? mappings.find(({ type }) => type === "5");
  return found?.newvalue;
}

function fits(value: string, mapping: Mapping): boolean {
  const n = Number(value);
  const isNumber = value.trim() !== "" && Number.isFinite(n);
  switch (mapping.type) {
    case "0":
      return mapping.value === value || (isNumber && Number(mapping.value) === n);
    case "1":
      return isNumber && n >= Number(mapping.value);
    case "2":
      return isNumber && n <= Number(mapping.value);
    case "3":
      return isNumber && ranges(mapping.value).some(([low, high]) => low <= n && n <= high);
    case "4":
      return matches(value, mapping.value);
    default:
      return false;
  }
}

/** "1-5,7,-3--1" */
function ranges(text: string): readonly (readonly [number, number])[] {
  return text.split(",").flatMap((part) => {
    const match = /^\s*(-?\d+(?:\.\d+)?)(?:\s*-\s*(-?\d+(?:\.\d+)?))?\s*$/.exec(part);
    if (match === null) return [];
    const low = Number(match[1]);
    return [[low, match[2] === undefined ? low : Number(match[2])] as const];
  });
}

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    // what the server understands and browsers do not is shown without its name
    return false;
  }
}
