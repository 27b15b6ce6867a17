import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import type { ClientState, ClientSession, SessionMoment } from '../../src/features/sessions/session.ts';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { git, newRepository } from '../fixtures/repositories.ts';
import { homeWithRecordings } from '../fixtures/sessions-host.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Listed = Readonly<{ sessions: ClientSession[]; nextCursor: string | null }>;
type Found = Readonly<{ moments: SessionMoment[] }>;

it(
  'reads, lists, searches, shows, resumes, exports and forgets, as a script sees it',
  { timeout: 180_000 },
  async () => {
    const home = freshFolder();
    const folder = newRepository(join(home, 'boat'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src/keel.js'), "export const zero = 'waterline';\n");
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'Count from the waterline');
    const commit = git(folder, 'rev-parse', 'HEAD');
    homeWithRecordings(home, folder);
    // A session that told of the commit, as git tells it.
    const at = join(home, '.claude/projects/-commit');
    mkdirSync(at, { recursive: true });
    const result = {
      type: 'tool_result',
      tool_use_id: 'c',
      content: `[main ${commit.slice(0, 7)}] Count from the waterline\n 1 file changed`,
    };
    const line = JSON.parse(claudeLine({ session: 'committer', folder, text: 'x' })) as object;
    writeFileSync(
      join(at, 'committer.jsonl'),
      `${JSON.stringify({ ...line, message: { role: 'user', content: [result] } })}\n`,
    );

    const env = freshHome({ HOME: home });
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'config.yaml'),
      'sessions:\n  from: [claude-code, codex, gemini, opencode]\n',
    );
    await startHub(env);
    const terminal = openTerminal(undefined, env, folder);

    const { clients } = await terminal.json<{ clients: ClientState[] }>('sessions', 'sync');
    expect(clients).toEqual(
      [
        { client: 'claude-code', files: 2, turns: 15 },
        { client: 'codex', files: 1, turns: 12 },
        { client: 'gemini', files: 2, turns: 12 },
        { client: 'opencode', files: 1, turns: 12 },
      ].map((each) => ({ ...each, unknown: 0, format: 'known', error: null })),
    );

    const { sessions, nextCursor } = await terminal.json<Listed>('sessions', 'list');
    expect(nextCursor).toBeNull();
    expect(sessions).toHaveLength(5);
    expect(sessions.find(({ client }) => client === 'codex')).toMatchObject({
      clientId: '01a1e91a-f64e-7e72-8d3a-e008b72a7b57',
      project: null,
      folder,
      branch: 'main',
      model: 'mock-model',
      turns: 12,
      tokens: { input: 5, output: 5 },
      costUsd: null,
    });
    const SESSION =
      'id client clientId project folder branch model title startedAt endedAt turns tokens costUsd runId taskId';
    for (const each of sessions) expect(Object.keys(each)).toEqual(SESSION.split(' '));
    const elsewhere = openTerminal(undefined, env, freshFolder());
    expect((await elsewhere.json<Listed>('sessions', 'list')).sessions).toEqual([]);
    expect(
      (await elsewhere.json<Listed>('sessions', 'list', '--all', '--client', 'codex')).sessions,
    ).toHaveLength(1);

    const { moments } = await terminal.json<Found>('sessions', 'search', 'error:', 'agent:codex');
    expect(Object.keys(moments[0]!)).toEqual(
      expect.arrayContaining(['sessionId', 'turn', 'kind', 'at', 'text', 'before', 'after', 'resume']),
    );
    for (const { before, after } of moments)
      for (const around of [...before, ...after])
        expect(around).toMatchObject({
          turn: expect.any(Number),
          kind: expect.any(String),
          text: expect.any(String),
        });
    expect((await elsewhere.json<Found>('sessions', 'search', 'keel')).moments).toEqual([]);
    expect((await terminal.run('sessions', 'search', '/(/')).code).toBe(2);
    expect((await terminal.run('sessions', 'search')).code).toBe(2);
    expect((await terminal.run('sessions', 'list', '--since', 'sometimes')).code).toBe(2);
    expect((await terminal.run('sessions', 'list', '--limit', '0')).code).toBe(2);

    const { id } = sessions.find(({ client }) => client === 'codex')!;
    const shown = await terminal.run('sessions', 'show', id.slice(0, 8), '--json');
    const lines = shown.out.split('\n').map((each) => JSON.parse(each) as { turn: number; kind: string });
    expect(lines.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(lines[3]).toMatchObject({ kind: 'result', tool: 'exec_command', isError: true });
    const LINE = ['turn', 'at', 'kind', 'text', 'tool', 'args', 'isError', 'cut'];
    for (const each of lines) {
      expect(LINE).toEqual(expect.arrayContaining(Object.keys(each)));
      expect(Object.keys(each)).toEqual(expect.arrayContaining(LINE.slice(0, 4)));
    }
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(
      new Set(['person', 'thought', 'agent', 'call', 'result', 'diff']),
    );
    const print = await terminal.run('sessions', 'resume', id, '--print');
    expect(print.out).toBe(`cd -- ${folder} && codex resume 01a1e91a-f64e-7e72-8d3a-e008b72a7b57`);
    expect((await terminal.run('sessions', 'export', id)).out.split('\n')).toHaveLength(13);

    const why = await terminal.json<{ commit: { id: string }; moments: SessionMoment[] }>(
      'why',
      'src/keel.js:1',
    );
    expect(Object.keys(why)).toEqual(['commit', 'text', 'moments']);
    expect(why.commit.id).toBe(commit);
    expect(why.moments.some(({ text }) => text.includes(commit.slice(0, 7)))).toBe(true);
    expect(why.moments.some(({ kind }) => kind === 'diff')).toBe(true);
    writeFileSync(join(folder, 'other.txt'), 'nobody\n');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'By hand');
    expect((await terminal.run('why', 'other.txt:1', '--json')).code).toBe(3);
    expect((await terminal.run('why', 'other.txt')).code).toBe(2);
    expect((await terminal.run('why', 'nothing.txt:1')).code).toBe(3);

    expect((await terminal.run('sessions', 'forget', id)).code).toBe(2);
    expect(await terminal.json('sessions', 'forget', id, '--yes')).toEqual({ forgotten: [id] });
    await terminal.json('sessions', 'sync');
    expect(
      (await terminal.json<Found>('sessions', 'search', 'keel', 'agent:codex', '--all')).moments,
    ).toEqual([]);
    expect((await terminal.run('sessions', 'show', id)).code).toBe(3);

    const key = `sk-ant-api03-${'aB3dE6gH9j'.repeat(9)}-AAAAAA`;
    writeFileSync(
      join(at, 'keyed.jsonl'),
      claudeLine({ session: 'keyed', folder, text: `the key is ${key}, use it` }),
    );
    await terminal.json('sessions', 'sync');
    const after = await terminal.json<Listed>('sessions', 'list');
    const keyed = after.sessions.find(({ clientId }) => clientId === 'keyed')!;
    const exported = (await terminal.run('sessions', 'export', keyed.id)).out;
    expect(exported).toContain('the key is [REDACTED]');
    expect(exported).not.toContain(key.slice(0, 30));

    writeFileSync(join(at, 'moved.jsonl'), '{"v":9}\n{"v":10}\n{"v":11}\n'.repeat(9));
    await terminal.json('sessions', 'sync');
    const { findings } = await terminal.json<{ findings: Finding[] }>('doctor');
    expect(findings.find(({ check, state }) => check === 'sessions' && state === 'warn')?.found).toContain(
      'claude-code moved',
    );
  },
);

it('reads nothing until a person says yes, which setup writes down', { timeout: 120_000 }, async () => {
  const home = freshFolder();
  homeWithRecordings(home);
  const env = freshHome({ HOME: home, PATH: '/nowhere' });
  const terminal = openTerminal(undefined, env, home);
  const off = await terminal.run('sessions', 'sync');
  expect(off.code).toBe(6);
  expect(off.err).toContain('nobody has said yes');
  const setup = ['setup', '--client', 'claude-code', 'codex', '--sessions'];
  expect((await terminal.run(...setup, '--dry-run')).out).toContain('from: [claude-code, codex]');
  await terminal.run(...setup, '--yes');
  const file = join(env['HOLDFAST_HOME']!, 'config.yaml');
  expect(readFileSync(file, 'utf8')).toContain('sessions:\n  from: [claude-code, codex]\n');
  expect((await terminal.run('sessions', 'sync')).code).toBe(0);
});
