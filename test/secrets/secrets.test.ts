import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { exportHub } from '../../src/cli/files/hub-file.ts';
import { createLog } from '../../src/kernel/log.ts';
import { redact } from '../../src/kernel/redact.ts';
import { backupSqlite } from '../../src/store/dialects/sqlite/backup.ts';
import { freshFolder, freshPlace } from '../fixtures/databases.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { rpc } from '../fuzz/fuzz.ts';
import { openFuzzHub } from '../fuzz/fuzz-hub.ts';
import { KINDS } from './kinds.ts';
import { MARK, markOf, type Planted, plantEverywhere } from './plant.ts';
import { askSource, plantInSource } from './plant-source.ts';

/**
 * Where a secret may be told after all, and why. A file of the workspace is read byte for byte, so that an edit finds
 * what it is to change: what an agent wrote there it sees again. Nothing of it is kept. The id of a JSON-RPC request comes
 * back with its answer, as the protocol wants it, and is kept nowhere.
 */
const EXCEPTIONS: readonly Readonly<{ target: RegExp; where: RegExp }>[] = [
  { target: / (?:Write|Edit) \S+$/, where: /profile=\w+ (?:Read|Grep)$/ },
  { target: /^POST \/a2a body\.id$/, where: /^the answer of POST \/a2a$/ },
];

it('sixty kinds of secrets are known, and nothing of them is left', () => {
  expect(KINDS.length).toBeGreaterThanOrEqual(60);
  const left = KINDS.filter(({ make }) => redact(`a ${make('7e57c0000100')} b`).match(MARK));
  expect(left.map(({ name }) => name)).toEqual([]);
});

describe.each(['sqlite', 'postgres'] as const)(
  'a secret in any field of any route or tool, on %s',
  (engine) => {
    it('is in no table, log, export or backup', { timeout: 180_000 }, async () => {
      const folder = freshFolder();
      const logged: string[] = [];
      const place = engine === 'postgres' ? await freshPlace(engine) : undefined;
      const agents = { script: { family: 'command', command: [process.execPath, AGENT] } };
      const { hub, token, config } = await openFuzzHub(
        folder,
        place && { url: place.location, schema: place.schema! },
        { log: createLog('debug', (line) => logged.push(line)), config: stringify({ agents }) },
      );
      const { planted: first, told } = await plantEverywhere(hub.address, token);
      const planted = [...first];
      const answers = [...told];
      const source = plantInSource(folder, planted.length);
      planted.push(...source.planted);
      await putSource(hub.address, token, source.entry);
      const heard = await askSource(async (method, params) => {
        const { path, headers, body } = rpc('/mcp/source/planted', token, method, params);
        return (await fetch(hub.address + path, { method: 'POST', headers, body: body! })).text();
      });
      // It was heard: everything it says has something to hide.
      expect(heard.filter((text) => !text.includes('[REDACTED]'))).toEqual([]);
      answers.push({ where: 'what a source answers', text: heard.join('\n') });
      for (const path of [
        '/api/sources',
        '/api/sources/planted',
        '/api/events?limit=500',
        '/api/tools/audit',
      ])
        answers.push({ where: path, text: await (await fetch(hub.address + path, withToken(token))).text() });
      planted.push({
        target: 'a run',
        field: 'what it says',
        status: await runWith(hub.address, token, planted.length),
      });
      const home = join(folder, 'home');
      const kept = contentsOf(home);
      await hub.close();
      await exportHub(config, { target: join(folder, 'home', 'export.jsonl'), onProgress: () => undefined });
      if (engine === 'sqlite') backupSqlite(config.database, join(home, 'backup.db'), { overwrite: false });
      const places = [...answers, ...kept, ...contentsOf(home), { where: 'the log', text: logged.join('') }];
      const leaks = places.flatMap(({ where, text }) => leaksIn(text, planted, where));
      expect([...new Set(leaks)]).toEqual([]);
      expect(planted.at(-1)!.status).toBe(200);
      // Most of them were taken: refusals prove nothing.
      expect(planted.filter(({ status }) => status < 300).length).toBeGreaterThan(planted.length / 2);
    });
  },
);

const withToken = (token: string) => ({
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
});

/** Adds the source and waits until it was listed. */
async function putSource(address: string, token: string, entry: object): Promise<void> {
  const body = JSON.stringify(entry);
  await fetch(`${address}/api/sources/planted`, { method: 'PUT', ...withToken(token), body });
  await expect
    .poll(async () => (await fetch(`${address}/api/sources/planted`, withToken(token))).text(), {
      timeout: 20_000,
    })
    .toContain('"state":"ready"');
}

/** A run that is sent all kinds, and says them, whole and broken in two. */
async function runWith(address: string, token: string, number: number): Promise<number> {
  const secrets = KINDS.map(({ make }, kind) => make(markOf(number, kind)));
  const whole = secrets.flatMap((secret) => secret.split('\n').map((line) => `say here: ${line}`));
  const broken = secrets
    .filter((secret) => /^\S{24,}$/.test(secret) && !secret.includes('://'))
    .map(
      (secret) =>
        `raw ${Buffer.from(`half: ${secret.slice(0, 18)}\n${secret.slice(18)} end\n`).toString('hex')}`,
    );
  const prompt = [...whole, ...broken, ...whole.map((line) => line.replace('say', 'complain'))].join('\n');
  const response = await fetch(`${address}/v1/send_message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ instance: 'script', prompt, async: false }),
  });
  await response.text();
  return response.status;
}

function leaksIn(text: string, planted: readonly Planted[], where: string): string[] {
  return Array.from(text.matchAll(MARK), ([, number, kind]) => ({
    one: planted[Number.parseInt(number!, 16)],
    kind: KINDS[Number.parseInt(kind!, 16)]?.name ?? '',
  }))
    .filter(
      ({ one }) =>
        !EXCEPTIONS.some(
          (each) => each.where.test(where) && each.target.test(`${one?.target} ${one?.field}`),
        ),
    )
    .map(({ one, kind }) => `${one?.target} ${one?.field}: ${kind} in ${where}`);
}

function contentsOf(folder: string): { where: string; text: string }[] {
  return filesBelow(folder).map((path) => ({
    where: relative(folder, path),
    text: readFileSync(path, 'latin1'),
  }));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return filesBelow(path);
    return found?.isFile() ? [path] : [];
  });
}
