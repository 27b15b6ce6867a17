// Secrets in everything that the server of a source says, and everything asked of it that can be.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { META } from '../fuzz/fuzz.ts';
import { KINDS } from './kinds.ts';
import { markOf, type Planted } from './plant.ts';

const SCRIPT = join(import.meta.dirname, 'source.mjs');
/** What the script says stands in it by name: one that is added there is planted here. */
const FIELDS = [
  ...new Set(
    Array.from(readFileSync(SCRIPT, 'utf8').matchAll(/(?:said\[|text\()'([^']+)'/g), ([, name]) => name!),
  ),
];
/** Names are one word. */
const IS_NAME = /name|uri|version/;

/** The entry of such a source, and where its texts were planted. */
export function plantInSource(folder: string, from: number): Readonly<{ entry: object; planted: Planted[] }> {
  const texts = FIELDS.map((field, i) => {
    const of = (kind: number) => KINDS[kind]!.make(markOf(from + i, kind));
    const github = KINDS.findIndex(({ name }) => name === 'github');
    if (IS_NAME.test(field)) return [field, `${field.includes('uri') ? 'x:' : ''}${of(github)}`];
    return [field, KINDS.map((_, kind) => `a ${of(kind)} b`).join('\n')];
  });
  const file = join(folder, 'said.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(texts)));
  const entry = { command: [process.execPath, SCRIPT, file], trust: 'all' };
  return { entry, planted: FIELDS.map((field) => ({ target: 'a source', field, status: 200 })) };
}

type Ask = (method: string, params: object) => Promise<string>;

/** Every question that a client has for it, with what was answered. */
export async function askSource(ask: Ask): Promise<string[]> {
  const answers: string[] = [];
  const meta = { ...META, 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 1 };
  const say = async (method: string, params: object = {}) =>
    void answers.push(await ask(method, { ...params, _meta: meta }));
  for (const method of [
    'server/discover',
    'tools/list',
    'resources/list',
    'resources/templates/list',
    'prompts/list',
  ])
    await say(method);
  await say('resources/read', { uri: 'x:one', name: 'x:one' });
  await say('prompts/get', { name: 'p', arguments: {} });
  await say('completion/complete', {
    ref: { type: 'ref/prompt', name: 'p' },
    argument: { name: 'a', value: 'x' },
  });
  for (const name of ['say', 'fail', 'refuse', 'end']) await say('tools/call', { name, arguments: {} });
  return answers;
}
