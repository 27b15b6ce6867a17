// Claude Code: one line per block of a message, in the shape of the Messages API, linked by uuid; between them bookkeeping.
import {
  fieldsOf,
  filesIn,
  listOf,
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
  type ReaderState,
  type ReadTurn,
  type SessionFacts,
  unknown,
  withCall,
  withoutCall,
} from './reader.ts';

/** Lines that tell nothing that was said: prompts of the client itself, snapshots, requests as they were sent. */
const BOOKKEEPING = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attachment',
  'content-replacement',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'pr-link',
  'progress',
  'queue-operation',
  'summary',
  'system',
  'tag',
  'task-summary',
  'tools-used',
  'worktree-state',
]);

export const readClaudeCode: LineReader = (given, before, name) => {
  const line = fieldsOf(given);
  const type = textOf(line['type']);
  const state: ReaderState = { ...before, clientId: textOf(line['sessionId']) ?? before.clientId ?? name };
  if (type === 'user' || type === 'assistant') return messageOf(line, state);
  if (type === 'cost-state') return nothing(state, { costUsd: numberOf(line['totalCostUSD']) });
  if (type === 'custom-title' || type === 'ai-title')
    return nothing(state, {
      title: textOf(line['customTitle']) ?? textOf(line['aiTitle']) ?? textOf(line['title']),
    });
  if (type === 'summary') return nothing(before, { title: textOf(line['summary']) });
  if (type === 'system' && line['subtype'] === 'compact_boundary') return nothing(state);
  return type !== undefined && BOOKKEEPING.has(type) ? nothing(state) : unknown(before);
};

function messageOf(line: LooseFields, before: ReaderState): ReturnType<LineReader> {
  const message = fieldsOf(line['message']);
  const { content } = message;
  const key = textOf(line['uuid']);
  if (key === undefined || content === undefined) return unknown(before);
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  const at = timeOf(line['timestamp']);
  const role = line['type'] === 'user' ? 'person' : 'agent';
  // What the client itself says in the person's name is no turn of a person.
  const isOfClient = line['isMeta'] === true || line['isCompactSummary'] === true;
  let state = counted(before, message);
  const turns: ReadTurn[] = [];
  let isKnown = true;
  for (const [i, given] of blocks.entries()) {
    const block = fieldsOf(given);
    const own = { key: blocks.length === 1 ? key : `${key}:${i}`, at };
    const id = textOf(block['tool_use_id']);
    if (block['type'] === 'text') {
      const text = textOf(block['text']);
      if (text !== undefined && !isOfClient) turns.push({ ...own, kind: role, text });
    } else if (block['type'] === 'thinking') {
      const text = textOf(block['thinking']);
      if (text !== undefined) turns.push({ ...own, kind: 'thought', text });
    } else if (block['type'] === 'tool_use') {
      const tool = textOf(block['name']) ?? 'tool';
      state = withCall(state, textOf(block['id']), tool);
      const args = block['input'];
      turns.push({ ...own, kind: 'call', tool, args, text: summaryOf(tool, args), files: filesIn(args) });
    } else if (block['type'] === 'tool_result') {
      const tool = id === undefined ? undefined : state.calls?.[id];
      const isError = block['is_error'] === true;
      turns.push({ ...own, kind: 'result', tool, isError, text: wordsIn(block['content']) });
      turns.push(...diffOf(line['toolUseResult'], { ...own, tool }));
      state = withoutCall(state, id);
    } else if (
      block['type'] !== 'image' &&
      block['type'] !== 'document' &&
      block['type'] !== 'redacted_thinking'
    )
      isKnown = false;
  }
  return { state, turns, isKnown, facts: factsOf(line, message, state) };
}

/** The use of a message is told with each of its blocks, and counts once. */
function counted(state: ReaderState, message: LooseFields): ReaderState {
  const usage = fieldsOf(message['usage']);
  const id = textOf(message['id']);
  if (id === undefined || id === state.counted || message['usage'] === undefined) return state;
  const sum = (...names: readonly string[]) =>
    names.reduce((total, name) => total + (numberOf(usage[name]) ?? 0), 0);
  return {
    ...state,
    counted: id,
    tokensIn:
      (state.tokensIn ?? 0) + sum('input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'),
    tokensOut: (state.tokensOut ?? 0) + sum('output_tokens'),
  };
}

function factsOf(
  line: LooseFields,
  message: LooseFields,
  { tokensIn, tokensOut }: ReaderState,
): SessionFacts {
  const model = textOf(message['model']);
  return {
    folder: textOf(line['cwd']),
    branch: textOf(line['gitBranch']),
    version: textOf(line['version']),
    model: model?.startsWith('<') ? undefined : model,
    tokensIn,
    tokensOut,
  };
}

/** What an edit changed, as the client shows it. */
function diffOf(
  result: unknown,
  { key, at, tool }: Pick<ReadTurn, 'key' | 'at' | 'tool'>,
): readonly ReadTurn[] {
  const { filePath, structuredPatch } = fieldsOf(result);
  const file = textOf(filePath);
  const hunks = listOf(structuredPatch).map(fieldsOf);
  if (file === undefined || hunks.length === 0) return [];
  const text = hunks.map(
    ({ oldStart, oldLines, newStart, newLines, lines }) =>
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${listOf(lines).join('\n')}`,
  );
  return [{ key: `${key}:diff`, at, kind: 'diff', tool, text: `${file}\n${text.join('\n')}`, files: [file] }];
}

const range = (start: unknown, lines: unknown): string => `${numberOf(start) ?? 0},${numberOf(lines) ?? 0}`;
