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

export function lineWriter(screen: Screen, isColored: () => boolean = () => false): (line: string) => void {
  return (line) => void screen.write(`${withColor(screen.isTTY ? forScreen(line) : line, isColored())}\n`);
}

type Pipe = Readonly<{ on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown }>;

/** Whoever reads may stop reading (`| head`): that is no error, and there is nobody left to tell. */
export function onBrokenPipe(pipe: Pipe, left: () => void): void {
  pipe.on('error', (error) => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error;
    left();
  });
}
