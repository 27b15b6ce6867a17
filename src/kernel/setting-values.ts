// Values of config.yaml that are no single setting: read by hand, because config is on the fast path of every stdio bin.
import { HubError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

export function bytesAt(at: string, value: unknown): number {
  const [, amount, unit] = /^(\d{1,9})\s?(B|KB|MB|GB)?$/i.exec(String(value)) ?? [];
  if (amount === undefined) throw bad(at, 'a size such as 500KB or 10MB', value);
  return Number(amount) * UNITS[(unit ?? 'B').toUpperCase()]!;
}

export function numberAt(at: string, value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw bad(at, 'a number from 0 on', value);
}

export function objectAt(at: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw bad(at, 'a block of settings', value);
}

export function textAt(at: string, value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text === 'string' && !text.includes('\0')) return text;
  throw bad(at, 'a text', value);
}

export function textsAt(at: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw bad(at, 'a list', value);
  return value.map((each) => textAt(at, each));
}

export function flagAt(at: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw bad(at, 'true or false', value);
}

export function oneOf<T extends string>(at: string, value: unknown, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found !== undefined) return found;
  throw bad(at, `one of ${known.join(', ')}`, value);
}

export function refuseUnknown(at: string, entry: Record<string, unknown>, known: readonly string[]): void {
  const unknown = Object.keys(entry).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw new HubError(
      'invalid',
      `config.yaml has an unknown key ${at}.${unknown}. Known: ${known.join(', ')}.`,
      { key: unknown },
    );
}

export function bad(at: string, expects: string, value: unknown): HubError {
  const got = value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 100);
  return new HubError('invalid', `${at} in config.yaml must be ${expects}; got ${got}.`, {
    source: at,
    hint: `Correct ${at} or remove it.`,
  });
}
