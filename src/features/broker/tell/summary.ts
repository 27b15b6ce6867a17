import { redact, redactValue } from '../../../kernel/redact.ts';
import { replaceUnseen, spell } from '../../../kernel/unseen.ts';
import { maskArgs, maskForApproval } from './masks.ts';

/** Room for one summary in an audit row, and for the content an approver has to judge. */
export const AUDIT_SUMMARY = 4_000;
const APPROVAL_CONTENT = 64_000;
/** What will be done is shown whole or not asked for at all. */
const APPROVAL_ORDERS = 400_000;

type Bounds = Readonly<{ text: number; items: number; depth: number }>;

/**
 * A value as JSON text: without secrets, within a length, always valid. Secrets go first, since half a secret
 * is no longer recognised as one; then the bounds tighten until the whole fits.
 */
export function summarise(value: unknown, max: number): string {
  return fit(redactValue(value), max);
}

/** Arguments: nothing that could run is hidden behind a secret. */
export function summariseArgs(args: unknown, max: number): string {
  return fit(maskArgs(args), max);
}

/** The same for whoever decides, or looks at what was decided. */
export function summariseShown(args: unknown, max: number): string {
  return fit(maskForApproval(args), max);
}

/**
 * What a person decides on: every argument that says what will be done, whole and with nothing invisible in
 * it; what is only carried (`content`) may be cut. Undefined when it is too much for a person to be shown.
 */
export function summariseForApproval(
  args: Readonly<Record<string, unknown>>,
  content: readonly string[] = [],
): string | undefined {
  const shown = Object.entries(args).map(([name, value]) => {
    const masked = maskForApproval(value, name);
    return [
      name,
      content.includes(name) ? shrink(masked, { text: APPROVAL_CONTENT, items: 200, depth: 12 }) : masked,
    ] as const;
  });
  const text = visible(JSON.stringify(Object.fromEntries(shown)));
  return text.length > APPROVAL_ORDERS ? undefined : text;
}

/** Characters that cannot be seen are spelled out; JSON is still the same JSON. */
export function visible(json: string): string {
  return replaceUnseen(json, spell);
}

function fit(clean: unknown, max: number): string {
  let bounds: Bounds = { text: max, items: 200, depth: 12 };
  for (let round = 0; round < 12; round += 1) {
    const text = JSON.stringify(shrink(clean, bounds)) ?? 'null';
    if (text.length <= max) return text;
    bounds = {
      text: Math.max(16, bounds.text >> 1),
      items: Math.max(4, bounds.items >> 1),
      depth: Math.max(2, bounds.depth - 1),
    };
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
  const kept = entries
    .slice(0, bounds.items)
    .map(([key, item]) => [cut(key, 128), shrink(item, inner)] as const);
  if (entries.length > bounds.items) kept.push(['…', `${entries.length - bounds.items} more`]);
  return Object.fromEntries(kept);
}

/** Cuts between characters, never inside one: half a surrogate pair is not valid text. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text.isWellFormed() ? text : text.toWellFormed();
  return `${text.slice(0, max).toWellFormed()}… (${text.length - max} more characters)`;
}

/**
 * Masks stored JSON text once more where it is shown, in case a rule for secrets came after it was written.
 */
export function maskJson(text: string | null): string | null {
  return remask(text, (value) => redactValue(value));
}

export function maskArgsJson(text: string | null): string | null {
  return remask(text, (value) => maskArgs(value));
}

export function maskApprovalJson(text: string | null): string | null {
  return remask(text, (value) => maskForApproval(value));
}

function remask(text: string | null, mask: (value: unknown) => unknown): string | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    const masked = JSON.stringify(mask(value));
    return masked === JSON.stringify(value) ? text : visible(masked);
  } catch {
    return JSON.stringify(redact(text));
  }
}
