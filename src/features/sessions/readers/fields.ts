// Looking at what somebody else wrote: every field may be missing or something else.
import { isObject, readJsonObject } from '../../../kernel/loose-json.ts';
export type LooseFields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): LooseFields {
  return isObject(value) ? value : {};
}

/** Of one text; it has none where it is no object. */
export function fieldsIn(text: string | undefined): LooseFields {
  return readJsonObject(text ?? '') ?? {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** A time as text or as milliseconds. */
export function timeOf(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : value;
  return typeof at === 'number' && Number.isFinite(at) && at > 0 && at < 8.64e15 ? Math.floor(at) : undefined;
}

/** The words in a list of blocks: `[{ text }, 'plain', { type: 'image' }]`. */
export function wordsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => (typeof block === 'string' ? block : wordsOfBlock(fieldsOf(block))))
    .filter((text) => text !== '')
    .join('\n');
}

function wordsOfBlock(block: LooseFields): string {
  // Gemini keeps a thought among the words when it writes a session again.
  if (block['thought'] === true) return '';
  const text = textOf(block['text']) ?? textOf(block['content']);
  if (text !== undefined) return text;
  const kind = textOf(block['type']);
  return kind === undefined || kind.endsWith('text') ? '' : `[${kind}]`;
}

const FILE_FIELDS = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path'] as const;

/** The files that the arguments of a call name. */
export function filesIn(args: unknown): readonly string[] {
  const fields = fieldsOf(args);
  const named = FILE_FIELDS.flatMap((field) => textOf(fields[field]) ?? []);
  const patch = [fields['input'], fields['patch'], fields['cmd'], fields['command']].flatMap(
    (each) => textOf(each) ?? [],
  );
  return [...new Set([...named, ...patch.flatMap(filesOfPatch)])];
}

/** `*** Update File: src/a.ts` and `+++ b/src/a.ts`. */
export function filesOfPatch(text: string): readonly string[] {
  if (!text.includes('*** ') && !text.includes('+++ ')) return [];
  const found = text.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)([^\t\n]{1,1000})/gm);
  return [...new Set([...found].map(([, file]) => file!.trim()).filter((file) => file !== '/dev/null'))];
}

/** What a call is about, in a line: the command, the file, the question. */
export function summaryOf(tool: string, args: unknown): string {
  const fields = fieldsOf(args);
  const told = [
    'command',
    'cmd',
    ...FILE_FIELDS,
    'pattern',
    'query',
    'url',
    'prompt',
    'description',
  ] as const;
  return told.map((field) => textOf(fields[field])).find((text) => text !== undefined) ?? tool;
}
