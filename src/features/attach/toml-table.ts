/** How a value is written so that a TOML reader or a JSON reader gets back exactly that value. */

/** TOML's basic strings are JSON's, except that DEL has to be escaped and half a surrogate pair cannot be written. */
function tomlString(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll('\u007f', '\\u007f');
}

function tomlKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : tomlString(key);
}

/** Values as our entries have them: text, numbers, booleans, lists of those, and one table inside. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlValue(item)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return typeof value === 'string' ? tomlString(value) : String(value);
}

export function tomlTable(path: readonly string[], entry: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`);
  return [`[${path.map(tomlKey).join('.')}]`, ...lines].join('\n');
}
