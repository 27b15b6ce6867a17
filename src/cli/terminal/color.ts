import { randomBytes } from 'node:crypto';

/**
 * Colour for terminals. A painted text carries a mark that nobody who writes text into the hub can know; only the line
 * writer turns it into an escape sequence, after everything else that could steer a screen has been made harmless.
 */
const MARK = `\u{f0000}${randomBytes(12).toString('hex')}`;
const MARKED = new RegExp(`${MARK}(\\d{1,2});`, 'gu');

const CODES = { red: 31, green: 32, yellow: 33, blue: 34, cyan: 36, dim: 2, bold: 1 } as const;
export type Style = keyof typeof CODES;

export function paint(style: Style | undefined, text: string): string {
  return style === undefined || text === '' ? text : `${MARK}${CODES[style]};${text}${MARK}0;`;
}

/** The marks as escape sequences, or without them. */
export function withColor(text: string, isColored: boolean): string {
  return text.includes(MARK) ? text.replace(MARKED, isColored ? '\u001b[$1m' : '') : text;
}

export type When = 'auto' | 'always' | 'never';
type Surroundings = Readonly<{ isTTY: boolean; env: Readonly<Record<string, string | undefined>> }>;

/** What was asked for on the line counts most, then NO_COLOR and FORCE_COLOR, then what the output is. */
export function isColored(when: When, { isTTY, env }: Surroundings): boolean {
  if (when !== 'auto') return when === 'always';
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return isTTY && env['TERM'] !== 'dumb';
}

/** `--color`, `--color=always|auto|never` and `--no-color` may stand anywhere before a lone `--`. */
export function takeColor(
  args: readonly string[],
): Readonly<{ when: When; rest: readonly string[]; problem?: string }> {
  const end = args.indexOf('--');
  const own = end < 0 ? args : args.slice(0, end);
  const isColorFlag = (arg: string) =>
    arg === '--color' || arg === '--no-color' || arg.startsWith('--color=');
  const flags = own.filter(isColorFlag);
  const rest = [...own.filter((arg) => !isColorFlag(arg)), ...(end < 0 ? [] : args.slice(end))];
  const last = flags.at(-1);
  if (last === undefined) return { when: 'auto', rest };
  const said =
    last === '--no-color' ? 'never' : last === '--color' ? 'always' : last.slice('--color='.length);
  if (said === 'auto' || said === 'always' || said === 'never') return { when: said, rest };
  return {
    when: 'auto',
    rest,
    problem: `--color must be always, auto or never; got ${JSON.stringify(said)}.`,
  };
}
