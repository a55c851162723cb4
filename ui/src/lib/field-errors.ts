// What the server says of one field: `Invalid parameter "/1/filter/conditions/2/value": cannot be empty.`

const OF_FIELD = /^Invalid parameter "([^"]+)": (.*?)\.?$/s;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

export function fieldError(text: string): FieldError | undefined {
  const [, path, message] = OF_FIELD.exec(text) ?? [];
  return path === undefined || message === undefined ? undefined : { path, message };
}
