import { A2aError } from './errors.ts';

/** Of somebody else's making: what stands in there keeps its names. */
const FREE_FORM: ReadonlySet<string> = new Set(['metadata', 'data']);

/**
 * The JSON of protocol buffers: a field may be named as its schema spells it (`task_id`) or in lower camel
 * case (`taskId`), in every message. Inside we know the second only.
 */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (value === null || typeof value !== 'object') return value;
  const named = new Map<string, unknown>();
  for (const [given, field] of Object.entries(value)) {
    const name = given.replaceAll(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (named.has(name)) throw new A2aError('invalid', `${name} is given in both of its spellings.`);
    named.set(name, FREE_FORM.has(name) ? field : inCamelCase(field));
  }
  return Object.fromEntries(named);
}
