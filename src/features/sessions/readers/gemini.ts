// Gemini CLI: a head, then messages. A message is written again when its calls have results, and all of them when a session is
// resumed; keys make each of them once. Earlier versions keep one JSON document: it is read as a head with all messages.
import {
  fieldsOf,
  filesIn,
  filesOfPatch,
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
  type LineReading,
  type ReaderState,
  type ReadTurn,
  type SessionFacts,
  unknown,
} from './reader.ts';

const OF_CLIENT = new Set(['info', 'warning', 'error', 'about', 'help', 'stats', 'quit', 'compression']);

export const readGemini: LineReader = (given, before, name) => {
  const line = fieldsOf(given);
  const state: ReaderState = {
    ...before,
    clientId:
      textOf(line['sessionId']) ?? textOf(fieldsOf(line['$set'])['sessionId']) ?? before.clientId ?? name,
  };
  const set = line['$set'] === undefined ? undefined : fieldsOf(line['$set']);
  if (set) return manyOf(listOf(set['messages']), state, { title: textOf(set['summary']) });
  if (textOf(line['sessionId']) !== undefined)
    return manyOf(listOf(line['messages']), state, {
      startedAt: timeOf(line['startTime']),
      title: textOf(line['summary']),
      folder: state.folder,
    });
  if (textOf(line['id']) === undefined || textOf(line['type']) === undefined) return unknown(before);
  return messageOf(line, counted(state, line));
};

function manyOf(messages: readonly unknown[], state: ReaderState, facts: SessionFacts): LineReading {
  const read = messages.map((each) => messageOf(fieldsOf(each), state));
  const model = read.findLast(({ facts: own }) => own?.model !== undefined)?.facts?.model;
  return {
    state,
    turns: read.flatMap(({ turns }) => turns),
    isKnown: read.every(({ isKnown }) => isKnown),
    facts: { ...facts, model },
  };
}

function messageOf(message: LooseFields, state: ReaderState): LineReading {
  const id = textOf(message['id']);
  const type = textOf(message['type']);
  const at = timeOf(message['timestamp']);
  if (id === undefined || type === undefined) return unknown(state);
  if (OF_CLIENT.has(type)) return nothing(state);
  if (type === 'user')
    return {
      state,
      turns: personsOf(message, { key: id, at }),
      isKnown: true,
      facts: { folder: state.folder },
    };
  if (type !== 'gemini') return unknown(state);
  const text = wordsIn(message['content']);
  const turns: ReadTurn[] = [
    ...listOf(message['thoughts']).flatMap((each, i) => thoughtOf(fieldsOf(each), `${id}:thought:${i}`, at)),
    ...(text === '' ? [] : [{ key: id, at, kind: 'agent', text } as const]),
    ...listOf(message['toolCalls']).flatMap((each, i) => callOf(fieldsOf(each), `${id}:${i}`, at)),
  ];
  const facts = { model: textOf(message['model']), tokensIn: state.tokensIn, tokensOut: state.tokensOut };
  return { state, turns, isKnown: true, facts };
}

/** A person's message; the first one of a session, and answers of tools, are the client's. */
function personsOf(message: LooseFields, own: Pick<ReadTurn, 'key' | 'at'>): readonly ReadTurn[] {
  const parts = listOf(message['content']);
  if (parts.some((part) => fieldsOf(part)['functionResponse'] !== undefined)) return [];
  const text = wordsIn(message['content']);
  return text === '' || text.startsWith('<session_context>') ? [] : [{ ...own, kind: 'person', text }];
}

function thoughtOf(thought: LooseFields, key: string, at: number | undefined): readonly ReadTurn[] {
  const text = [thought['subject'], thought['description']].flatMap((part) => textOf(part) ?? []).join('\n');
  return text === '' ? [] : [{ key, at, kind: 'thought', text }];
}

function callOf(call: LooseFields, key: string, at: number | undefined): readonly ReadTurn[] {
  const tool = textOf(call['name']) ?? 'tool';
  const args = call['args'];
  const turns: ReadTurn[] = [
    { key: `${key}:call`, at, kind: 'call', tool, args, text: summaryOf(tool, args), files: filesIn(args) },
  ];
  const responses = listOf(call['result']).map((each) =>
    fieldsOf(fieldsOf(fieldsOf(each)['functionResponse'])['response']),
  );
  if (responses.length === 0) return turns;
  const text = responses.map((each) => textOf(each['output']) ?? textOf(each['error']) ?? '').join('\n');
  const isError = call['status'] === 'error' || /^Exit Code: [1-9]/m.test(text);
  const then = timeOf(call['timestamp']) ?? at;
  turns.push({ key: `${key}:result`, at: then, kind: 'result', tool, text, isError });
  const { fileDiff, fileName } = fieldsOf(call['resultDisplay']);
  const diff = textOf(fileDiff);
  if (diff === undefined) return turns;
  const files = [...filesIn(args), ...(textOf(fileName) === undefined ? filesOfPatch(diff) : [])];
  turns.push({ key: `${key}:diff`, at: then, kind: 'diff', tool, text: diff, files });
  return turns;
}

function counted(state: ReaderState, message: LooseFields): ReaderState {
  const id = textOf(message['id']);
  const tokens = fieldsOf(message['tokens']);
  if (id === undefined || id === state.counted || message['tokens'] === undefined) return state;
  return {
    ...state,
    counted: id,
    tokensIn: (state.tokensIn ?? 0) + (numberOf(tokens['input']) ?? 0),
    tokensOut: (state.tokensOut ?? 0) + (numberOf(tokens['output']) ?? 0),
  };
}
