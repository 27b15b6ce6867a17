import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resumeLine } from '../../src/features/sessions/resume.ts';
import { readSessionSettings } from '../../src/features/sessions/settings.ts';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { person, sessionsOn } from '../fixtures/sessions-host.ts';

const KEY = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}-AAAAAA`;

eachEngine('what a client, or somebody else, may have written', (engine) => {
  const opened = async (yaml: object = { from: ['claude-code'] }) => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const sessions = sessionsOn(await freshDatabase(engine), home, { yaml });
    const file = join(folder, 's1.jsonl');
    const turns = async () => {
      const { sessions: all } = await sessions.list(person, { limit: 200 });
      const pages = all.map(
        async ({ id }) => (await sessions.show(person, { id, from: 1, most: 1000 })).turns,
      );
      return (await Promise.all(pages)).flat();
    };
    const line = (text: string, session = 's1') => claudeLine({ session, folder: '/x', text });
    return { home, folder, sessions, file, turns, line };
  };

  it('a line of 200 MB, in a file of which nothing else is lost', { timeout: 120_000 }, async () => {
    const { sessions, file, turns, line } = await opened();
    const out = openSync(file, 'w');
    writeSync(out, line('before'));
    const part = Buffer.alloc(20 * 1024 * 1024, 'x');
    writeSync(out, `{"type":"user","key":"${KEY}","text":"`);
    for (let i = 0; i < 10; i += 1) writeSync(out, part);
    writeSync(out, '"}\n');
    writeSync(out, line('after'));
    closeSync(out);
    const before = process.memoryUsage.rss();
    const [state] = await sessions.sync();
    expect(state).toMatchObject({ unknown: 1, error: null, turns: 3 });
    expect(process.memoryUsage.rss() - before).toBeLessThan(250 * 1024 * 1024);
    const [first, odd, last] = await turns();
    expect([first!.text, last!.text]).toEqual(['before', 'after']);
    expect(odd).toMatchObject({ kind: 'unknown', cut: true });
    expect(odd!.text.length).toBeLessThanOrEqual(16 * 1024);
    expect(odd!.text).not.toContain(KEY.slice(0, 30));
  });

  it('two gigabytes without a line end, most of them holes', { timeout: 120_000 }, async () => {
    const { sessions, file, turns, line } = await opened();
    writeFileSync(file, line('before'));
    const out = openSync(file, 'r+');
    ftruncateSync(out, engine === 'sqlite' ? 2 * 1024 ** 3 : 64 * 1024 ** 2);
    closeSync(out);
    expect((await sessions.sync())[0]).toMatchObject({ unknown: 1, error: null });
    appendFileSync(file, `\n${line('after')}`);
    await sessions.sync();
    expect((await turns()).map(({ kind, text }) => (kind === 'unknown' ? kind : text))).toEqual([
      'before',
      'unknown',
      'after',
    ]);
  });

  it('half a line, two clients in one file, broken UTF-8, NUL, no JSON, deep JSON, a clock that goes back', async () => {
    const { sessions, file, turns, line } = await opened();
    const day = 86_400_000;
    writeFileSync(file, line('one') + line('of another', 's2') + line('two'));
    appendFileSync(
      file,
      Buffer.from([
        ...Buffer.from('{"type":"user","uuid":"u","message":{"content":"bro'),
        0xff,
        0xfe,
        0xc3,
        ...Buffer.from('ken"}}\n'),
      ]),
    );
    appendFileSync(file, line('with \0 nul \ud800 half'));
    appendFileSync(file, 'this is no JSON\n[1,2]\nnull\n"text"\n');
    appendFileSync(file, `${'['.repeat(50_000)}${']'.repeat(50_000)}\n`);
    appendFileSync(
      file,
      `{"type":"assistant","uuid":"deep","sessionId":"s1","message":{"content":[{"type":"tool_use","name":"T","input":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}]}}\n`,
    );
    appendFileSync(
      file,
      claudeLine({ session: 's1', folder: '/x', text: 'yesterday', at: Date.now() - day }),
    );
    appendFileSync(file, '{"type":"user","uu');
    const [state] = await sessions.sync();
    expect(state).toMatchObject({ error: null });
    const all = await turns();
    const texts = all.map(({ text }) => text);
    for (const text of ['one', 'two', 'of another', 'bro\ufffd\ufffd\ufffdken', 'yesterday'])
      expect(texts).toContain(text);
    expect(texts.some((text) => text.includes('nul'))).toBe(true);
    expect(all.filter(({ kind }) => kind === 'unknown').length).toBe(state!.unknown);
    expect(texts).toContain('this is no JSON');
    expect(texts.some((text) => text.includes('"uu'))).toBe(false);
    const { sessions: both } = await sessions.list(person, { limit: 5 });
    expect(both.map(({ clientId }) => clientId).toSorted()).toEqual(['s1', 's2']);
    for (const { startedAt, endedAt } of both) expect(endedAt).toBeGreaterThanOrEqual(startedAt);
  });

  it('links out of the folder, pipes, folders that may not be read', async () => {
    const { home, folder, sessions, turns, line } = await opened();
    mkdirSync(join(home, 'outside'));
    writeFileSync(join(home, 'outside/secret.jsonl'), line('from outside'));
    symlinkSync(join(home, 'outside/secret.jsonl'), join(folder, 'linked.jsonl'));
    symlinkSync(join(home, 'outside'), join(home, '.claude/projects/linked'));
    execFileSync('mkfifo', [join(folder, 'pipe.jsonl')]);
    const shut = join(home, '.claude/projects/-shut');
    mkdirSync(shut);
    chmodSync(shut, 0);
    writeFileSync(join(folder, 's1.jsonl'), line('inside'));
    const [state] = await sessions.sync();
    chmodSync(shut, 0o700);
    expect((await turns()).map(({ text }) => text)).toEqual(['inside']);
    if (process.getuid?.() !== 0) expect(state!.error).toContain('-shut');
  });

  it.runIf(process.getuid?.() === 0)('files of another user are left alone and told', async () => {
    const { sessions, file, turns, line } = await opened();
    writeFileSync(file, line('of somebody else'));
    execFileSync('chown', ['12345', file]);
    expect((await sessions.sync())[0]!.error).toContain('another user');
    expect(await turns()).toEqual([]);
  });

  it('keys and tokens, in every kind of turn and in an export', async () => {
    const { home, sessions, file, turns } = await opened();
    const block = (content: object, role = 'assistant') =>
      `${JSON.stringify({ type: role, uuid: JSON.stringify(content).slice(0, 60), sessionId: 's1', cwd: `/x/${KEY}`, gitBranch: KEY, timestamp: '2026-11-17T10:00:00Z', message: { role, content: [content] }, toolUseResult: { filePath: `/x/${KEY}`, structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`+${KEY}`] }] } })}\n`;
    writeFileSync(
      file,
      block({ type: 'text', text: `use ${KEY}` }) +
        block({ type: 'thinking', thinking: `the key ${KEY}` }) +
        block({
          type: 'tool_use',
          id: 'c',
          name: `T ${KEY}`,
          input: { command: `curl -H "x-api-key: ${KEY}"`, password: 'hunter2hunter2' },
        }) +
        block(
          { type: 'tool_result', tool_use_id: 'c', content: `${'y'.repeat(16 * 1024 - 20)}${KEY}` },
          'user',
        ) +
        `{"type":"new","key":"${KEY}"}\nsome ${KEY} text\n`,
    );
    await sessions.sync();
    const told = JSON.stringify([await turns(), await sessions.list(person, { limit: 5 })]);
    expect(told).not.toContain(KEY.slice(0, 24));
    expect(told).not.toContain('hunter2');
    expect(told.split('[REDACTED]').length).toBeGreaterThan(8);
    expect((await sessions.search(person, { query: KEY, limit: 5 })).moments).toEqual([]);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    expect(home).toBeDefined();
  });

  it('a format that changes overnight: kept, counted and told', async () => {
    const { folder, sessions, turns, line } = await opened();
    writeFileSync(join(folder, 'old.jsonl'), Array.from({ length: 30 }, (_, i) => line(`old ${i}`)).join(''));
    expect((await sessions.sync())[0]).toMatchObject({ format: 'known', unknown: 0 });
    writeFileSync(
      join(folder, 'new.jsonl'),
      Array.from(
        { length: 30 },
        (_, i) => `${JSON.stringify({ v: 3, say: { who: 'me', what: `new words ${i}` } })}\n`,
      ).join(''),
    );
    expect((await sessions.sync())[0]).toMatchObject({ format: 'moved', unknown: 30 });
    expect((await sessions.states())[0]).toMatchObject({ format: 'moved' });
    expect((await turns()).filter(({ kind }) => kind === 'unknown')).toHaveLength(30);
    expect((await sessions.search(person, { query: '"new words 7"', limit: 5 })).moments).toHaveLength(1);
  });

  it('a folder of thousands of sessions, of which one goes on', { timeout: 120_000 }, async () => {
    const { folder, sessions, line } = await opened();
    const many = engine === 'sqlite' ? 2_000 : 400;
    for (let i = 0; i < many; i += 1) writeFileSync(join(folder, `s${i}.jsonl`), line(`word ${i}`, `s${i}`));
    expect((await sessions.sync())[0]).toMatchObject({ files: many, turns: many, unknown: 0, error: null });
    appendFileSync(join(folder, 's7.jsonl'), line('one more', 's7'));
    const begun = performance.now();
    expect((await sessions.sync())[0]).toMatchObject({ files: many, turns: many + 1 });
    // Only what changed is opened.
    expect(performance.now() - begun).toBeLessThan(10_000);
    let [pages, cursor] = [0, undefined as string | undefined];
    const ids = new Set<string>();
    do {
      const page = await sessions.list(person, { limit: 200, cursor });
      for (const { id } of page.sessions) ids.add(id);
      cursor = page.nextCursor ?? undefined;
      pages += 1;
    } while (cursor !== undefined);
    expect([pages, ids.size]).toEqual([many / 200, many]);
  });

  it('a session in a repository that is gone', async () => {
    const { sessions, file } = await opened();
    writeFileSync(file, claudeLine({ session: 's1', folder: '/gone/for/good', text: 'still here' }));
    await sessions.sync();
    const { sessions: found } = await sessions.list(person, { folder: '/gone/for/good', limit: 5 });
    expect(found).toMatchObject([{ folder: '/gone/for/good', project: null }]);
  });
});

describe('a line that resumes a session', () => {
  const of = (clientId: string, folder: string | null, client = 'claude-code') =>
    resumeLine({ client, clientId, folder });

  it('is quoted for a shell, and there is none where that would not be enough', () => {
    const folder = `/tmp/a b'; touch $(pwned) \`x\` "q" & #`;
    const line = of('abc-1', folder)!;
    const words = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${line.replace('&&', '')}`], {
      encoding: 'utf8',
    });
    expect(words.split('\n').slice(0, 5)).toEqual(['cd', '--', folder, 'claude', '--resume']);
    for (const id of ['-rf', '--help', 'a b', 'a;b', '$(x)', '`x`', "a'b", '../x', '', 'a\nb'])
      expect(of(id, '/x')).toBeNull();
    for (const odd of ['/x\nrm -rf /', '/x\u001b[2J', 'relative', null]) expect(of('abc', odd)).toBeNull();
    expect(of('abc', '/x', 'somebody')).toBeNull();
  });
});

describe('the settings', () => {
  it('are off unless said, and say what is wrong with them', () => {
    expect(readSessionSettings(undefined)).toBeUndefined();
    expect(readSessionSettings({ from: ['codex'] })).toEqual({
      from: ['codex'],
      exclude: { folders: [], projects: [] },
      keepMs: 365 * 86_400_000,
      resultBytes: 16 * 1024,
    });
    expect(readSessionSettings({ from: ['codex'], keep: '30d', result: '4KB' })).toMatchObject({
      keepMs: 30 * 86_400_000,
      resultBytes: 4096,
    });
    for (const bad of [
      true,
      [],
      { form: [] },
      { from: 'codex' },
      { from: ['cursor'] },
      { keep: 'long' },
      { result: '9GB' },
      { exclude: [] },
      { exclude: { folders: ['here'] } },
    ])
      expect(() => readSessionSettings(bad)).toThrow('sessions');
  });
});
