import { redact, redactValue } from '../../kernel/redact.ts';

/** Room for one summary in an audit row, and for the arguments an approver has to judge. */
export const AUDIT_SUMMARY = 4_000;
export const APPROVAL_SUMMARY = 64_000;

type Bounds = Readonly<{ text: number; items: number; depth: number }>;

/**
 * A value as JSON text: without secrets, within a length, always valid. Secrets go first, since half a secret
 * is no longer recognised as one; then the bounds tighten until the whole fits.
 */
export function summarise(value: unknown, max: number): string {
  const clean = redactValue(value);
  let bounds: Bounds = { text: max, items: 200, depth: 12 };
  for (let round = 0; round < 12; round += 1) {
    const text = JSON.stringify(shrink(clean, bounds)) ?? 'null';
    if (text.length <= max) return text;
    bounds = { text: Math.max(16, bounds.text >> 1), items: Math.max(4, bounds.items >> 1), depth: Math.max(2, bounds.depth - 1) };
  }
  return JSON.stringify({ omitted: `${(JSON.stringify(clean) ?? '').length} characters` });
}

function shrink(value: unknown, bounds: Bounds): unknown {
  if (typeof value === 'string') return cut(value, bounds.text);
  if (value === null || typeof value !== 'object') return value;
  if (bounds.depth === 0) return '…';
  const inner = { ...bounds, depth: bounds.depth - 1 };
  if (Array.isArray(value)) {
    const kept = value.slice(0, bounds.items).map((item) => shrink(item, inner));
    return value.length > bounds.items ? [...kept, `… ${value.length - bounds.items} more`] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, bounds.items).map(([key, item]) => [cut(key, 128), shrink(item, inner)] as const);
  if (entries.length > bounds.items) kept.push(['…', `${entries.length - bounds.items} more`]);
  return Object.fromEntries(kept);
}

/** Cuts between characters, never inside one: half a surrogate pair is not valid text. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text.isWellFormed() ? text : text.toWellFormed();
  return `${text.slice(0, max).toWellFormed()}… (${text.length - max} more characters)`;
}

/** Masks stored JSON text once more where it is shown, in case a rule for secrets came after it was written. */
export function maskJson(text: string | null): string | null {
  if (text === null) return null;
  try {
    return JSON.stringify(redactValue(JSON.parse(text)));
  } catch {
    return JSON.stringify(redact(text));
  }
}
