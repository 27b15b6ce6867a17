export type Value = Readonly<Record<string, unknown>>;

/** What a call answered, where the raw line says it; each family has its own place for it. */
export function answerOf(value: Value): string {
  const line = lineOf(value);
  const texts =
    value['kind'] === 'acp'
      ? listOf(objectOf(objectOf(line['params'])['update'])['content']).map(pieceOf)
      : [
          ...claudeAnswers(line),
          ...codexAnswers(objectOf(line['item'])),
          opencodeAnswer(line),
          word(line['output']),
        ];
  return texts.filter((text) => text !== '').join('\n');
}

/** A call that is told of when it is over says itself when it began. */
export function timesOf(value: Value): Readonly<{ at?: number; until?: number }> {
  if (value['kind'] === 'acp') return {};
  const { start, end } = objectOf(stateOf(lineOf(value))['time']);
  return typeof start === 'number' && typeof end === 'number'
    ? { at: start, until: Math.max(start, end) }
    : {};
}

function lineOf(value: Value): Value {
  return objectOf(parse(word(value['line'])));
}

/** Texts and files of a session update. */
function pieceOf(each: unknown): string {
  const piece = objectOf(each);
  if (piece['type'] === 'diff') return `${word(piece['path'])}\n${word(piece['newText'])}`;
  return word(objectOf(piece['content'])['text']);
}

function claudeAnswers(line: Value): readonly string[] {
  if (line['type'] !== 'user') return [];
  return listOf(objectOf(line['message'])['content']).flatMap((each) => {
    const { content } = objectOf(each);
    return typeof content === 'string' ? [content] : textsOf(content);
  });
}

function codexAnswers(item: Value): readonly string[] {
  return [word(item['aggregated_output']), ...textsOf(objectOf(item['result'])['content'])];
}

const stateOf = (line: Value): Value => objectOf(objectOf(line['part'])['state']);
const opencodeAnswer = (line: Value): string => word(stateOf(line)['output'], word(stateOf(line)['error']));
const textsOf = (content: unknown): readonly string[] =>
  listOf(content).map((each) => word(objectOf(each)['text']));
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export function objectOf(value: unknown): Value {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Value) : {};
}

export function word(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
