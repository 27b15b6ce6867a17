import { replaceUnseenInText, spell } from '../../kernel/unseen.ts';
import { withColor } from './color.ts';

/**
 * The last net before a terminal: whatever a command prints, text from agents must not steer the screen it is
 * read on. What would is written as the escape JSON has for it, so that `--json` stays JSON. A pipe gets
 * every character as it is.
 */
export function forScreen(text: string): string {
  return replaceUnseenInText(text, (char) => (WRITTEN.test(char) ? char : spell(char)));
}

/** A record in one line. The same JSON, and a file or a pipe of it can be looked at without harm. */
export function jsonLine(record: unknown): string {
  return forScreen(JSON.stringify(record));
}

/** Marks of direction that Arabic and Hebrew are written with turn nothing but the word beside them. */
const WRITTEN = /[\u200e\u200f]/;

type Screen = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;

type Looks = Readonly<{ isColored?(): boolean; isUtf8?: boolean }>;

export function lineWriter(screen: Screen, looks: Looks = {}): (line: string) => void {
  const { isColored = () => false, isUtf8 = true } = looks;
  const show = (line: string) => {
    const text = withColor(screen.isTTY ? forScreen(line) : line, isColored());
    return screen.isTTY && !isUtf8 ? inAscii(text) : text;
  };
  return (line) => void screen.write(`${show(line)}\n`);
}

/**
 * A terminal that was said to know no UTF-8 would show noise. Where nothing is said, it is taken to know it.
 */
export function knowsUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  return /utf-?8/i.test(locale);
}

/** Our own signs in as many columns; letters of others as JSON writes them. */
function inAscii(text: string): string {
  return text.replace(/[^\u0000-\u007f]+/g, (run) =>
    Array.from({ length: run.length }, (_, i) => SIGNS[run[i]!] ?? spell(run[i]!)).join(''),
  );
}

const SIGNS: Readonly<Record<string, string>> = {
  '…': '~',
  '→': '>',
  '←': '<',
  '−': '-',
  '×': 'x',
  ...Object.fromEntries(Array.from('█▉▊▋▌▍▎▏', (bar) => [bar, '#'])),
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
