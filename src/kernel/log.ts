import { redact } from './redact.ts';
import { replaceUnseen, spell } from './unseen.ts';

/** One line per entry on stderr, because stdout belongs to the protocol in a stdio server. */
export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
}

type Facts = Readonly<Record<string, unknown>>;

const LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LEVELS)[number];

export function isLogLevel(value: string): value is LogLevel {
  return (LEVELS as readonly string[]).includes(value);
}

export function createLog(
  level: LogLevel,
  write: (line: string) => void = (line) => void process.stderr.write(line),
): Log {
  const floor = LEVELS.indexOf(level);
  const at = (name: (typeof LEVELS)[number]) => (message: string, facts?: Facts) => {
    if (LEVELS.indexOf(name) < floor) return;
    // An entry is a line, and callers are quoted in it: nothing of theirs ends it or hides in it.
    const said = replaceUnseen(`${redact(message)}${facts ? ` ${redact(render(facts))}` : ''}`, spell);
    write(`${new Date().toISOString()} ${name.padEnd(5)} ${said}\n`);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = createLog('silent');

function render(facts: Facts): string {
  // Each text by itself: an escaped line end would stick to the word after it.
  return JSON.stringify(facts, (_key, value: unknown) => {
    if (typeof value === 'string') return redact(value);
    return value instanceof Error
      ? { message: value.message, stack: value.stack, cause: value.cause }
      : value;
  });
}
