// OpenCode before it had a database: a file for each session, message and part. What changed is read as a whole; ids make it once.
import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readJson } from '../../../kernel/loose-json.ts';
import { digestOf } from '../digest.ts';
import { fieldsIn, fieldsOf, numberOf, textOf, timeOf, type LooseFields } from '../readers/fields.ts';
import { readPart } from '../readers/opencode.ts';
import type { ReadTurn, SessionFacts } from '../readers/reader.ts';
import { told, type ToldLines } from './read-lines.ts';

const MOST_FILE = 16 * 1024 * 1024;
const MOST_PARTS = 50_000;
const ID = /^[\w-]{1,120}$/;

/** `path` is that of the session: `storage/session/<project>/<id>.json`. */
export async function readTree(path: string): Promise<ToldLines & Readonly<{ hasMore: boolean }>> {
  const storage = dirname(dirname(dirname(path)));
  const id = basename(path, '.json');
  const session = fieldsIn(await readOwn(path));
  let facts = factsOf(session);
  const turns: ReadTurn[] = [];
  let [lines, odd] = [0, 0];
  for (const message of await idsIn(join(storage, 'message', id))) {
    const said = (await readOwn(join(storage, 'message', id, `${message}.json`))) ?? '{}';
    const info = fieldsIn(said);
    facts = told(facts, usedBy(facts, info));
    for (const part of await idsIn(join(storage, 'part', message))) {
      const data = await readOwn(join(storage, 'part', message, `${part}.json`));
      // Half a file is being written; it is read when the session changes again.
      if (data === undefined || lines >= MOST_PARTS || readJson(data) === undefined) continue;
      lines += 1;
      const at = timeOf(fieldsOf(info['time'])['created']) ?? 0;
      const reading = readPart({ id: part, data, message: said, time_created: at });
      turns.push(...reading.turns);
      facts = told(facts, reading.facts);
      if (reading.isKnown) continue;
      odd += 1;
      turns.push({ key: digestOf(`${part} ${data}`), at, kind: 'unknown', text: data });
    }
  }
  const sessions = new Map([[textOf(session['id']) ?? id, { facts, turns }]]);
  return { sessions, state: {}, lines, unknown: odd, version: facts.version, hasMore: false };
}

function factsOf(session: LooseFields): SessionFacts {
  const title = textOf(session['title']);
  return {
    folder: textOf(session['directory']),
    title: title?.startsWith('New session') ? undefined : title,
    parent: textOf(session['parentID']),
    version: textOf(session['version']),
    startedAt: timeOf(fieldsOf(session['time'])['created']),
  };
}

/** Every message of an agent tells what it took. */
function usedBy(
  { tokensIn = 0, tokensOut = 0, costUsd = 0 }: SessionFacts,
  message: LooseFields,
): SessionFacts {
  if (message['tokens'] === undefined) return {};
  const { input, output, cache } = fieldsOf(message['tokens']);
  const { read, write } = fieldsOf(cache);
  const sum = (...all: readonly unknown[]) =>
    all.reduce<number>((total, each) => total + (numberOf(each) ?? 0), 0);
  return {
    tokensIn: sum(tokensIn, input, read, write),
    tokensOut: sum(tokensOut, output),
    costUsd: sum(costUsd, message['cost']),
  };
}

/** Ids grow with time, so their order is that of what was said. A name that is none is not ours to follow. */
async function idsIn(folder: string): Promise<readonly string[]> {
  for (const each of [dirname(folder), folder])
    if ((await lstat(each).catch(() => undefined))?.isDirectory() !== true) return [];
  const names = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return names
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map(({ name }) => basename(name, '.json'))
    .filter((name) => ID.test(name))
    .toSorted();
}

/** Regular files of this user only, and never through a link. Undefined: there is nothing to read there. */
async function readOwn(path: string): Promise<string | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    const user = process.getuid?.();
    if (!stats.isFile() || stats.size > MOST_FILE || (user !== undefined && stats.uid !== user))
      return undefined;
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
