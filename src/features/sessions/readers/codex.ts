// Codex: `response_item` is what the model sees and is read; `event_msg` is what the screen shows of the same, read only for what
// it alone tells: changes of files, use of tokens.
import { digestOf } from '../digest.ts';
import {
  fieldsOf,
  filesIn,
  filesOfPatch,
  numberOf,
  summaryOf,
  textOf,
  timeOf,
  wordsIn,
  type LooseFields,
} from './fields.ts';
import {
  type LineReader,
  nothing,
  type LineReading,
  type ReaderState,
  type ReadTurn,
  unknown,
  withCall,
  withoutCall,
} from './reader.ts';

/** Lines of the screen, of the client's settings and of what it was told; what is said stands in `response_item`. */
const BOOKKEEPING = new Set([
  'turn_context',
  'world_state',
  'token_usage_record',
  'compacted',
  'session_state',
  'ghost_snapshot',
]);
const SILENT_ITEMS = new Set([
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'compaction_trigger',
  'other',
]);

export const readCodex: LineReader = (given, before, name) => {
  const line = fieldsOf(given);
  const payload = fieldsOf(line['payload']);
  const at = timeOf(line['timestamp']);
  const state: ReaderState = { ...before, clientId: before.clientId ?? idIn(name) };
  const type = line['type'];
  if (type === 'session_meta') return metaOf(payload, state);
  if (type === 'response_item') return itemOf(payload, at, state);
  if (type === 'event_msg') return eventOf(payload, at, state);
  if (type === 'turn_context')
    return nothing(state, { model: textOf(payload['model']), folder: textOf(payload['cwd']) });
  return typeof type === 'string' && BOOKKEEPING.has(type) ? nothing(state) : unknown(before);
};

/** `rollout-2026-11-17T10-35-02-<uuid>`. */
function idIn(name: string): string {
  return /[0-9a-f]{8}-[0-9a-f-]{27}$/.exec(name)?.[0] ?? name;
}

function metaOf(payload: LooseFields, state: ReaderState): LineReading {
  const id = textOf(payload['id']);
  const known = id === undefined ? state : { ...state, clientId: state.clientId ?? id };
  return nothing(known, {
    folder: textOf(payload['cwd']),
    version: textOf(payload['cli_version']),
    branch: textOf(fieldsOf(payload['git'])['branch']),
    startedAt: timeOf(payload['timestamp']),
    parent: textOf(payload['forked_from_id']) ?? textOf(payload['parent_thread_id']),
  });
}

function itemOf(item: LooseFields, at: number | undefined, before: ReaderState): LineReading {
  const type = textOf(item['type']);
  const key = digestOf([before.clientId, at, item]);
  const one = (turn: Omit<ReadTurn, 'key' | 'at'>, state = before): LineReading => ({
    state,
    turns: turn.text === '' && turn.kind !== 'result' ? [] : [{ key, at, ...turn }],
    isKnown: true,
  });
  if (type === 'message') return one(messageOf(item));
  if (type === 'reasoning') {
    const said = wordsIn(item['summary']) || wordsIn(item['content']);
    return one({ kind: 'thought', text: said });
  }
  if (type?.endsWith('_call') === true) {
    const tool = textOf(item['name']) ?? type.replace(/_call$/, '');
    const args = argsOf(item);
    const turn = { kind: 'call', tool, args, text: summaryOf(tool, args), files: filesIn(args) } as const;
    return one(turn, withCall(before, textOf(item['call_id']), tool));
  }
  if (type?.endsWith('_output') === true) {
    const id = textOf(item['call_id']);
    const tool = id === undefined ? undefined : before.calls?.[id];
    const text =
      typeof item['output'] === 'string'
        ? item['output']
        : wordsIn(fieldsOf(item['output'])['content'] ?? item['output']);
    return one(
      { kind: 'result', tool, text, isError: isFailure(item['output'], text) },
      withoutCall(before, id),
    );
  }
  return type !== undefined && SILENT_ITEMS.has(type) ? nothing(before) : unknown(before);
}

function messageOf(item: LooseFields): Omit<ReadTurn, 'key' | 'at'> {
  const text = wordsIn(item['content']);
  if (item['role'] === 'assistant') return { kind: 'agent', text };
  // What the client tells its model about itself and the machine is nobody's word.
  const isOfClient =
    item['role'] !== 'user' || /^<(environment_context|user_instructions|permissions|skills)/.test(text);
  return { kind: 'person', text: isOfClient ? '' : text };
}

function argsOf(item: LooseFields): unknown {
  const given = item['arguments'] ?? item['input'] ?? item['action'];
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return { input: given };
  }
}

function isFailure(output: unknown, text: string): boolean {
  if (fieldsOf(output)['success'] === false) return true;
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text.slice(0, 400))?.[1];
  return code !== undefined && code !== '0';
}

function eventOf(event: LooseFields, at: number | undefined, state: ReaderState): LineReading {
  if (event['type'] === 'token_count') {
    const total = fieldsOf(fieldsOf(event['info'])['total_token_usage']);
    return nothing(state, {
      tokensIn: numberOf(total['input_tokens']),
      tokensOut: numberOf(total['output_tokens']),
    });
  }
  const item = fieldsOf(event['item']);
  const changes =
    event['type'] === 'item_completed' && item['type'] === 'FileChange' ? item['changes'] : undefined;
  const patched = changes ?? (event['type'] === 'patch_apply_end' ? event['changes'] : undefined);
  if (patched === undefined) return nothing(state);
  const turns = Object.entries(fieldsOf(patched)).map(([file, change]) => diffOf(file, fieldsOf(change)));
  return {
    state,
    isKnown: true,
    turns: turns.map((turn, i) => ({ key: digestOf([state.clientId, at, event, i]), at, ...turn })),
  };
}

function diffOf(file: string, change: LooseFields): Omit<ReadTurn, 'key' | 'at'> {
  const diff = textOf(change['unified_diff']) ?? textOf(change['content']) ?? textOf(change['type']) ?? '';
  return { kind: 'diff', text: `${file}\n${diff}`, files: [file, ...filesOfPatch(diff)] };
}
