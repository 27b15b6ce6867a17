// OpenCode: rows of a database. A part is written again while it grows; its id makes it one.
import {
  fieldsIn,
  fieldsOf,
  filesIn,
  filesOfPatch,
  summaryOf,
  textOf,
  timeOf,
  type LooseFields,
} from './fields.ts';
import { nothing, type LineReading, type ReadTurn, unknown } from './reader.ts';

export type PartRow = Readonly<{
  id: string;
  /** JSON, as it is stored. */
  data: string;
  message: string;
  time_created: number;
}>;

const SILENT = new Set([
  'step-start',
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'compaction',
  'retry',
  'subtask',
  'file',
]);

export function readPart(row: PartRow): LineReading {
  const part = fieldsIn(row.data);
  const message = fieldsIn(row.message);
  const type = textOf(part['type']);
  const own = { key: row.id, at: timeOf(fieldsOf(part['time'])['start']) ?? timeOf(row.time_created) };
  const isPerson = message['role'] === 'user';
  const facts = { model: isPerson ? undefined : textOf(message['modelID']) };
  const said = (turns: readonly ReadTurn[]): LineReading => ({ state: {}, turns, isKnown: true, facts });
  if (type === 'text') {
    const text = textOf(part['text']);
    // What the client adds to a message is nobody's word.
    if (text === undefined || part['synthetic'] === true) return nothing({});
    return said([{ ...own, kind: isPerson ? 'person' : 'agent', text }]);
  }
  if (type === 'reasoning') {
    const text = textOf(part['text']);
    return text === undefined ? nothing({}) : said([{ ...own, kind: 'thought', text }]);
  }
  if (type === 'tool') return said(callOf(part, own));
  return type !== undefined && SILENT.has(type) ? nothing({}) : unknown({});
}

function callOf(
  part: LooseFields,
  { key, at }: Readonly<{ key: string; at: number | undefined }>,
): readonly ReadTurn[] {
  const tool = textOf(part['tool']) ?? 'tool';
  const state = fieldsOf(part['state']);
  const args = state['input'];
  const begun = timeOf(fieldsOf(state['time'])['start']) ?? at;
  const call: ReadTurn = {
    key,
    at: begun,
    kind: 'call',
    tool,
    args,
    text: summaryOf(tool, args),
    files: filesIn(args),
  };
  if (state['status'] !== 'completed' && state['status'] !== 'error') return [call];
  const then = timeOf(fieldsOf(state['time'])['end']) ?? begun;
  const metadata = fieldsOf(state['metadata']);
  const exit = metadata['exit'];
  const isError = state['status'] === 'error' || (typeof exit === 'number' && exit !== 0);
  const text = textOf(state['output']) ?? textOf(state['error']) ?? '';
  const result: ReadTurn = { key: `${key}:result`, at: then, kind: 'result', tool, text, isError };
  const diff = textOf(metadata['diff']);
  if (diff === undefined) return [call, result];
  const files = [...new Set([...filesIn(args), ...filesOfPatch(diff)])];
  return [call, result, { key: `${key}:diff`, at: then, kind: 'diff', tool, text: diff, files }];
}
