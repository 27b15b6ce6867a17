import {
  flag,
  json,
  number,
  numberOrNull,
  type RecordOf,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { ReaderState, TurnKind } from '../readers/reader.ts';

export const transcripts = table('transcripts', {
  id: text(),
  host: text(),
  owner: text(),
  client: text(),
  clientId: text(),
  ground: text(),
  folder: textOrNull(),
  project: textOrNull(),
  branch: textOrNull(),
  model: textOrNull(),
  title: textOrNull(),
  parent: textOrNull(),
  run: textOrNull(),
  task: textOrNull(),
  startedAt: number(),
  endedAt: number(),
  turns: number(),
  tokensIn: numberOrNull(),
  tokensOut: numberOrNull(),
  costUsd: numberOrNull(),
});
export type StoredSession = Readonly<RecordOf<typeof transcripts.fields>>;

const turnFields = {
  no: number(),
  session: text(),
  turn: number(),
  key: text(),
  at: number(),
  kind: text<TurnKind>(),
  tool: textOrNull(),
  text: text(),
  args: textOrNull(),
  isError: flag(),
  isCut: flag(),
  files: textOrNull(),
  marks: text(),
};
export const turnRows = table('transcript_turns', turnFields);
/** As it is written: with what only the index reads. */
export const indexedTurns = table('transcript_turns', { ...turnFields, parts: text() });
export type TurnRow = Readonly<RecordOf<typeof turnRows.fields>>;

export const files = table('transcript_files', {
  host: text(),
  owner: text(),
  client: text(),
  path: text(),
  identity: text(),
  position: number(),
  size: number(),
  changedAt: number(),
  digest: text(),
  state: json<ReaderState>(),
  lines: number(),
  unknown: number(),
  turns: number(),
  version: textOrNull(),
  error: textOrNull(),
  seenAt: number(),
});
export type StoredFile = Readonly<RecordOf<typeof files.fields>>;

export const forgotten = table('transcript_forgotten', {
  host: text(),
  owner: text(),
  digest: text(),
  at: number(),
});
