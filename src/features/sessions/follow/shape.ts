// From a turn as it was read to a row: masked, then bounded, then marked.
import { sha256 } from '../../../kernel/digest.ts';
import { redact, redactValue } from '../../../kernel/redact.ts';
import { commitsIn, marks } from '../marks.ts';
import type { Owner } from '../owner.ts';
import type { ReadTurn } from '../readers/reader.ts';
import type { TurnRow } from '../rows/tables.ts';

export type Shaped = Omit<TurnRow, 'no' | 'session' | 'turn' | 'at'> & Readonly<{ at: number | undefined }>;

const MOST_TEXT = 256 * 1024;
const MOST_ARGS = 64 * 1024;
const MOST_FILES = 50;
/** What could begin before the cut and end after it: the longest secret there is, a private key. */
const BEYOND = 20_000;

export type Shaping = Readonly<{ own: Owner; client: string; resultBytes: number }>;

export function shapeTurn(turn: ReadTurn, { own, client, resultBytes }: Shaping): Shaped {
  const { kind, isError = false } = turn;
  const most = kind === 'result' || kind === 'unknown' ? resultBytes : MOST_TEXT;
  const { text, isCut } = bounded(storable(turn.text), most);
  const tool = turn.tool === undefined ? null : redact(storable(turn.tool)).slice(0, 200);
  const files = [...new Set((turn.files ?? []).map((file) => redact(storable(file)).slice(0, 1000)))];
  const named = files.filter((file) => !file.includes('\n')).slice(0, MOST_FILES);
  const args = argsOf(turn.args);
  const all = [
    marks.client(client),
    ...(tool === null ? [] : [marks.tool(tool)]),
    ...(isError ? [marks.error] : []),
    ...named.map(marks.file),
    ...(kind === 'result' ? commitsIn(text).map(marks.commit) : []),
  ];
  return {
    key: keyOf(own, client, turn.key),
    at: turn.at,
    kind,
    tool,
    text,
    args: args.text,
    isError,
    isCut: isCut || args.isCut,
    files: named.length === 0 ? null : named.join('\n'),
    marks: [...new Set(all)].join(' '),
  };
}

/** One owner's turn of one client, whatever session it was copied into. */
function keyOf({ host, owner }: Owner, client: string, key: string): string {
  return sha256(JSON.stringify([host, owner, client, key]), 'base64url').slice(0, 16);
}

/** PostgreSQL has no NUL in text, and neither engine half of a character. */
function storable(text: string): string {
  return (text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text).toWellFormed();
}

/** Masked before it is cut: half a secret looks like none. `most` is in bytes. */
function bounded(text: string, most: number): Readonly<{ text: string; isCut: boolean }> {
  const masked = redact(text.length > most + BEYOND ? text.slice(0, most + BEYOND).toWellFormed() : text);
  if (masked.length * 3 <= most || Buffer.byteLength(masked) <= most)
    return { text: masked, isCut: text.length > most + BEYOND };
  let kept = Buffer.from(masked).subarray(0, most).toString('utf8');
  if (kept.endsWith('\uFFFD')) kept = kept.slice(0, -1);
  return { text: kept, isCut: true };
}

/** Whoever nests a value thousands deep has nothing to say in it. */
function written(value: unknown): string {
  try {
    return JSON.stringify(redactValue(value));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify({ cut: 'nested too deeply' });
  }
}

function argsOf(args: unknown): Readonly<{ text: string | null; isCut: boolean }> {
  if (args === undefined || args === null) return { text: null, isCut: false };
  const text = storable(written(args));
  if (text.length <= MOST_ARGS) return { text, isCut: false };
  return { text: JSON.stringify({ cut: text.slice(0, MOST_ARGS).toWellFormed() }), isCut: true };
}
