import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportHub, importHub } from '../../src/cli/files/hub-file.ts';
import type { Config } from '../../src/kernel/config.ts';
import { openDatabase } from '../../src/store/open.ts';
import { dumpAll, type DumpPart } from '../../src/store/whole/dump.ts';
import { type Engine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { callRest } from '../fixtures/rest-call.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

const silent = () => undefined;
const SECRET = 'sk-canary-9f8e7d6c5b4a39281706f5e4d3c2b1a0';

async function openOn(engine: Engine, home = freshFolder()): Promise<TestHub & { home: string }> {
  const env: Record<string, string> = {};
  if (engine === 'postgres') {
    const { location, schema } = await freshPlace('postgres');
    Object.assign(env, { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema! });
  }
  return { ...(await openTestHub({ home, env })), home };
}

/** Something in every room a person would miss. */
async function fill(hub: TestHub): Promise<{ token: string; taskId: string }> {
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await callRest({ at: hub.fetch, token: hub.token }, [method, path], body);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.body;
  };
  const tool = async (server: string, name: string, args: object) => {
    const params = { _meta: MODERN_META, name, arguments: args };
    const { body } = await hub.rpc(`/api/mcp/${server}`, 'tools/call', params);
    expect(body.result.isError, JSON.stringify(body)).not.toBe(true);
  };
  const parent = await call('POST', '/api/board/tasks', { title: 'the parent', teamId: 'tide' });
  const task = await call('POST', '/api/board/tasks', {
    title: 'ünïcode “task” 🦀',
    parentTaskId: parent.id,
    dependsOn: [],
    description: 'line\nline',
  });
  const other = await call('POST', '/api/board/tasks', { title: 'waits', dependsOn: [task.id] });
  await call('PATCH', `/api/board/tasks/${task.id}/labels`, { add: ['docs', 'urgent'] });
  await call('POST', `/api/board/tasks/${task.id}/comments`, { body: 'a remark' });
  await call('POST', `/api/board/tasks/${other.id}/checks`, { title: 'tests pass' });
  const gone = await call('POST', '/api/board/tasks', { title: 'shelved' });
  await call('PATCH', `/api/board/tasks/${gone.id}`, { status: 'cancelled' });
  await call('PUT', `/api/board/tasks/${gone.id}/archived`, { archived: true });
  for (let i = 0; i < 70; i += 1)
    await call('POST', '/api/memory', {
      title: `Gauge ${i}`,
      content: `The gauge number ${i} reads in centimetres`,
    });
  await call('POST', '/api/memory', { procedureName: 'release', content: 'first tag, then wait' });
  await call('POST', '/api/memory', { procedureName: 'release', content: 'first tag, then wait an hour' });
  await call('POST', '/api/chat/rooms/main/posts', { text: 'hello room' });
  await call('POST', '/api/brain/memories', {
    type: 'episode',
    content: 'Tides follow the moon',
    name: 'tides',
  });
  const { being } = await call('POST', '/v1/beings', { name: 'Nora' });
  await call('PUT', `/v1/beings/${being.id}/llm-key`, { key: SECRET });
  await tool('tools', 'note', { note: 'governed and audited' });
  await tool('tools', 'echo', { message: 'again' });
  const made = await call('POST', '/api/tokens', { agent: 'ann' });
  return { token: made.token, taskId: task.id };
}

async function contentOf({ database, databaseSchema }: Config): Promise<string[]> {
  const db = await openDatabase(database, { schema: databaseSchema });
  try {
    const parts: DumpPart[] = [];
    await db.read((q) => dumpAll(q, (part) => void parts.push(part)));
    let table = '';
    return parts
      .map((part) => ('table' in part ? (table = part.table) : `${table} ${JSON.stringify(part)}`))
      .sort();
  } finally {
    await db.close();
  }
}

describe.each([
  ['sqlite', 'sqlite'],
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const)('a whole hub from %s to %s', (from, to) => {
  it('is the same there, can be used at once, and the audit still verifies', async () => {
    const source = await openOn(from);
    writeFileSync(join(source.home, 'policy.yaml'), 'version: 1\nrules: []\n');
    const { token, taskId } = await fill(source);
    await source.hub.close();
    const file = join(freshFolder(), 'hub.jsonl');
    const told: Record<string, number> = {};
    const onProgress = (done: number, what: string) => void (told[what] = done);
    const { rows, files } = await exportHub(source.config, { target: file, onProgress });
    expect(rows).toBeGreaterThan(100);
    expect(files).toBeGreaterThan(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(token);
    expect(text).not.toContain(createHash('sha256').update(token).digest('hex'));

    const target = await openOn(to);
    await target.hub.close();
    expect(await importHub(target.config, file, { isTrial: true, onProgress: silent })).toMatchObject({
      state: 'would import',
      rows,
      files,
    });
    expect(await importHub(target.config, file, { isTrial: false, onProgress })).toMatchObject({
      state: 'imported',
      rows,
      files,
      kept: [],
    });
    expect(told).toMatchObject({
      rows,
      [`of ${rows} rows`]: rows,
      'lines checked': expect.any(Number),
      files,
    });
    expect(await contentOf(target.config)).toEqual(await contentOf(source.config));
    expect(readFileSync(join(target.home, 'policy.yaml'), 'utf8')).toContain('version: 1');
    expect(await importHub(target.config, file, { isTrial: false, onProgress: silent })).toMatchObject({
      state: 'already there',
    });

    const { database, databaseSchema } = target.config;
    const env: Record<string, string> =
      to === 'postgres' ? { HOLDFAST_DATABASE_URL: database, HOLDFAST_DATABASE_SCHEMA: databaseSchema } : {};
    const again = await openTestHub({ home: target.home, env });
    const read = async (path: string): Promise<any> =>
      (await again.fetch(path, { headers: { authorization: `Bearer ${again.token}` } })).json();
    expect((await read(`/api/board/tasks/${taskId}/labels`)).labels).toEqual(['docs', 'urgent']);
    expect((await read('/api/memory/search?query=gauge+42+centimetres')).results[0]).toMatchObject({
      title: 'Gauge 42',
    });
    expect((await read('/api/memory/search?query=release+tag')).results[0].content).toContain('first tag');
    expect(await read('/api/tools/audit/verify')).toMatchObject({ ok: true, rows: 4, anchors: 4 });
    const saved = await again.fetch('/api/memory', {
      method: 'POST',
      headers: { authorization: `Bearer ${again.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        title: 'After the move',
        content: 'saving goes on',
        scopeTeamId: 'a-new-scope',
      }),
    });
    expect(saved.status).toBeLessThan(300);
    expect(
      (await again.fetch('/api/board/tasks', { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
    await expect
      .poll(async () => (await read('/api/brain/memories?query=moon')).results?.length ?? 0)
      .toBeGreaterThan(0);
  });
});

describe('a file of a whole hub', () => {
  async function exported() {
    const source = await openOn('sqlite');
    await fill(source);
    await source.hub.close();
    const file = join(freshFolder(), 'hub.jsonl');
    await exportHub(source.config, { target: file, onProgress: silent });
    const target = await openOn('sqlite');
    await target.hub.close();
    return { source, target, file };
  }
  const bytesOf = (config: Config) => readFileSync(config.database);

  it.each([
    ['cut in the middle of a line', (file: string) => truncateSync(file, statSync(file).size - 40)],
    [
      'without its last line',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(/\{"end".*\n$/, '')),
    ],
    [
      'with another word',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace('the parent', 'the parenT')),
    ],
    [
      'with a line less',
      (file: string) => writeFileSync(file, readFileSync(file, 'utf8').replace(/^\[.*\n/m, '')),
    ],
    [
      'with something after its end',
      (file: string) => writeFileSync(file, `${readFileSync(file, 'utf8')}[]\n`),
    ],
    [
      'that is not UTF-8',
      (file: string) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0xff, 10])])),
    ],
    ['with a row that nobody could read again', (file: string) => breakTags(file)],
    ['of nonsense', (file: string) => writeFileSync(file, '{"holdfast":"hub"}\n')],
  ])('%s is refused before anything is written', async (_what, spoil) => {
    const { target, file } = await exported();
    const before = bytesOf(target.config);
    spoil(file);
    await expect(
      importHub(target.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({ code: 'invalid' });
    expect(bytesOf(target.config).equals(before)).toBe(true);
    expect(existsSync(join(target.config.vault, 'tides.md'))).toBe(false);
  });

  it('is refused by a hub that is in use, which stays as it is', async () => {
    const { target, file, source } = await exported();
    const used = await openTestHub({ home: target.home });
    await used.fetch('/api/board/tasks', {
      method: 'POST',
      headers: { authorization: `Bearer ${used.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'mine' }),
    });
    await expect(
      importHub(target.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('A hub is running'),
    });
    await used.hub.close();
    const before = await contentOf(target.config);
    await expect(
      importHub(target.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('is in use already'),
    });
    expect(await contentOf(target.config)).toEqual(before);
    await expect(
      importHub(source.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('leaves the vault and the policy of somebody else alone', async () => {
    const { target, file } = await exported();
    mkdirSync(target.config.vault, { recursive: true });
    writeFileSync(join(target.config.vault, 'mine.md'), 'mine');
    await expect(
      importHub(target.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('mine.md'),
    });
    expect(readFileSync(join(target.config.vault, 'mine.md'), 'utf8')).toBe('mine');
  });

  it('that names a place outside the vault, or a way through a link, writes nothing', async () => {
    const { target, file } = await exported();
    const outside = freshFolder();
    const forge = (path: string) => {
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(0, -1);
      const kept = lines.filter((line) => !line.startsWith('{"file"'));
      const forged = [...kept, JSON.stringify({ file: path, data: 'aGk=' })]
        .map((line) => `${line}\n`)
        .join('');
      const rows = kept.filter((line) => line.startsWith('[')).length;
      const sha256 = createHash('sha256').update(forged).digest('hex');
      writeFileSync(file, `${forged}${JSON.stringify({ end: { rows, files: 1, sha256 } })}\n`);
    };
    for (const path of [
      'vault/../escaped',
      'vault//etc/x',
      'vault/a/../../b',
      '/etc/x',
      'token',
      'vault/a\\b',
    ]) {
      forge(path);
      await expect(
        importHub(target.config, file, { isTrial: false, onProgress: silent }),
        path,
      ).rejects.toMatchObject({ code: 'invalid' });
    }
    mkdirSync(target.config.vault, { recursive: true });
    symlinkSync(outside, join(target.config.vault, 'way'));
    forge('vault/way/x');
    await expect(
      importHub(target.config, file, { isTrial: false, onProgress: silent }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(existsSync(join(outside, 'x'))).toBe(false);
    expect(existsSync(join(target.home, 'escaped'))).toBe(false);
  });
});

/** A file whose digest is right and whose facts have tags that are no list. */
function breakTags(file: string): void {
  let columns: string[] = [];
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const part = JSON.parse(line) as { table?: string; columns: string[] } | unknown[];
      if (!Array.isArray(part) && part.table !== undefined)
        columns = part.table === 'memory_facts' ? part.columns : [];
      if (!Array.isArray(part) || columns.length === 0) return line;
      return JSON.stringify(part.map((cell, i) => (columns[i] === 'tags' ? '3' : cell)));
    });
  const text = lines.map((line) => `${line}\n`).join('');
  const rows = lines.filter((line) => line.startsWith('[')).length;
  const files = lines.filter((line) => line.startsWith('{"file"')).length;
  const sha256 = createHash('sha256').update(text).digest('hex');
  writeFileSync(file, `${text}${JSON.stringify({ end: { rows, files, sha256 } })}\n`);
}
