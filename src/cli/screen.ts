import { withColor } from './color.ts';

/**
 * The last net before a terminal: whatever a command prints, text from agents must not steer the screen it is read on. What
 * would is written as the escape JSON has for it, so that `--json` stays JSON. A pipe gets every character as it is.
 */
export function forScreen(text: string): string {
  return text.replace(STEERING, escaped);
}

/** A record in one line. The same JSON, and a file or a pipe of it can be looked at without harm. */
export function jsonLine(record: unknown): string {
  return forScreen(JSON.stringify(record));
}

function escaped(text: string): string {
  return Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Controls but tab and newline, what turns the direction of writing, and invisible tags. Marks that Arabic and Hebrew need are left alone. */
const STEERING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

type Screen = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;

type Looks = Readonly<{ isColored?(): boolean; isUtf8?: boolean }>;

export function lineWriter(screen: Screen, looks: Looks = {}): (line: string) => void {
  const { isColored = () => false, isUtf8 = true } = looks;
  return (line) => {
    if (!screen.isTTY) return void screen.write(`${withColor(line, isColored())}\n`);
    const text = withColor(forScreen(line), isColored());
    screen.write(`${isUtf8 ? text : inAscii(text)}\n`);
  };
}

/** A terminal that was said to know no UTF-8 would show noise. Where nothing is said, it is taken to know it. */
export function knowsUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}

/** Our own signs in as many columns; letters of others as JSON writes them. */
function inAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]+/g, (run) =>
    Array.from({ length: run.length }, (_, i) => SIGNS[run[i]!] ?? escaped(run[i]!)).join(''),
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  '…': '~',
  '→': '>',
  '←': '<',
  '−': '-',
  '×': 'x',
  ...Object.fromEntries([...'█▉▊▋▌▍▎▏'].map((bar) => [bar, '#'])),
  '–': '-',
  '’': "'",
  '·': '.',
  '✓': '+',
  '─': '-',
  '│': '|',
  '├': '|',
  '└': '`',
};

type Pipe = Readonly<{ on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown }>;

/** Whoever reads may stop reading (`| head`): that is no error, and there is nobody left to tell. */
export function onBrokenPipe(pipe: Pipe, left: () => void): void {
  pipe.on('error', (error) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    left();
  });
}
