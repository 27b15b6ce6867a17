/**
 * The same facts in another order are the same facts: RFC 8785, members sorted by UTF-16 code units, numbers and strings
 * as ECMAScript writes them. Built by hand because an object lists keys such as "10" before all others.
 */
export function canonicalJson(value: unknown): string {
  return write(value) ?? 'null';
}

/** Undefined for what JSON cannot say, as JSON.stringify has it. */
function write(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) as string | undefined;
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return write((value as { toJSON(): unknown }).toJSON());
  if (Array.isArray(value)) return `[${value.map((each) => write(each) ?? 'null').join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .flatMap((name) => {
      const member = write((value as Record<string, unknown>)[name]);
      return member === undefined ? [] : [`${JSON.stringify(name)}:${member}`];
    });
  return `{${members.join(',')}}`;
}
