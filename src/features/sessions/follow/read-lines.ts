// From the lines of a slice to turns by session. What is not understood is kept as it is.
import { digestOf } from '../digest.ts';
import {
  type LineReader,
  type LineReading,
  type ReaderState,
  type ReadTurn,
  type SessionFacts,
  unknown,
} from '../readers/reader.ts';
import type { Line } from './slice.ts';

export type SessionPart = { facts: SessionFacts; readonly turns: ReadTurn[] };

export type ToldLines = Readonly<{
  sessions: ReadonlyMap<string, SessionPart>;
  state: ReaderState;
  lines: number;
  unknown: number;
  version: string | undefined;
}>;

type Source = Readonly<{ read: LineReader; state: ReaderState; name: string }>;

export function readLines(lines: readonly Line[], { read, state: before, name }: Source): ToldLines {
  const sessions = new Map<string, SessionPart>();
  let state = before;
  let odd = 0;
  let version: string | undefined;
  for (const line of lines) {
    const reading = readOne(line, { read, state, name });
    const clientId = reading.state.clientId ?? name;
    const part = sessions.get(clientId) ?? { facts: {}, turns: [] };
    sessions.set(clientId, part);
    part.turns.push(...reading.turns);
    part.facts = told(part.facts, reading.facts);
    const folder = reading.facts?.folder ?? reading.state.folder;
    state = { ...reading.state, ...(folder !== undefined && { folder }) };
    version = reading.facts?.version ?? version;
    if (reading.isKnown) continue;
    odd += 1;
    part.turns.push({ key: digestOf(`${clientId} ${line.text}`), kind: 'unknown', text: line.text });
  }
  return { sessions, state, lines: lines.length, unknown: odd, version };
}

/** A reader does not throw; whatever it may have overlooked must not stop the reading. */
function readOne({ text, isWhole }: Line, { read, state, name }: Source): LineReading {
  if (!isWhole) return unknown(state);
  try {
    return read(JSON.parse(text), state, name);
  } catch {
    return unknown(state);
  }
}

export function told(before: SessionFacts, facts: SessionFacts = {}): SessionFacts {
  const all: { -readonly [Fact in keyof SessionFacts]: SessionFacts[Fact] } = { ...before };
  for (const fact in facts) {
    const value = facts[fact as keyof SessionFacts];
    if (value !== undefined) Object.assign(all, { [fact]: value });
  }
  return all;
}
