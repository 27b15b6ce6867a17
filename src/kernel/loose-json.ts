// JSON that somebody else wrote: it may be none, and nothing is known of its shape.

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** JSON has no undefined, so undefined says that this is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined where it is anything but an object. */
export function readJsonObject(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return isObject(value) ? value : undefined;
}
