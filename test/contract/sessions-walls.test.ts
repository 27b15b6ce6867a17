import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ClientSessions } from '../../src/features/sessions/sessions.ts';
import { sessionOperations } from '../../src/features/sessions/operations.ts';
import { hasScope, localPrincipal, operatorPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { behindService, toolsOf } from '../../src/operation/faces.ts';
import { createActing } from '../../src/store/calls.ts';
import { backupSqlite } from '../../src/store/dialects/sqlite/backup.ts';
import { dumpAll, type DumpPart } from '../../src/store/whole/dump.ts';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { person, projectsOn, sessionsOn } from '../fixtures/sessions-host.ts';

/** Made once: git takes its time, and nothing here writes into them. */
let home: string;
let folders: readonly string[];
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sessions-'));
  folders = tenProjects(home);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const TEN = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const canary = (i: number): string => `canary${'abcdefghij'[i]}xq`;

/** Sessions of ten repositories; five of them are known as projects. */
function tenProjects(home: string): string[] {
  return TEN.map((i) => {
    const folder = newRepositoryWithCommit(join(home, 'work', `project-${i}`));
    const at = join(home, '.claude/projects', `-work-project-${i}`);
    mkdirSync(at, { recursive: true });
    const say = (text: string, role: 'user' | 'assistant') =>
      claudeLine({ session: `session-${i}`, folder, text, role });
    writeFileSync(
      join(at, `session-${i}.jsonl`),
      say(`the word is ${canary(i)}`, 'user') + say(`noted ${canary(i)} anchor`, 'assistant'),
    );
    return folder;
  });
}

const seated = (folder: string): Principal => ({ ...localPrincipal(`seat of ${folder}`), folder });

async function everyWay(sessions: ClientSessions, who: Principal, ids: readonly string[]): Promise<string> {
  const told: unknown[] = [];
  const look = async (work: () => Promise<unknown>) => {
    try {
      told.push(await work());
    } catch (error) {
      told.push(String(error));
    }
  };
  const queries = [
    'anchor',
    'word',
    '/canary[a-z]xq/',
    '"noted canary"',
    'agent:claude',
    'since:3d',
    ...TEN.map(canary),
  ];
  for (const via of ['tool', 'route'] as const) {
    const seeing = { who, via };
    for (const query of queries) await look(() => sessions.search(seeing, { query, limit: 100 }));
    for (const i of TEN) {
      await look(() => sessions.search(seeing, { query: 'anchor', project: `project-${i}`, limit: 100 }));
      await look(() => sessions.search(seeing, { query: `anchor project:project-${i}`, limit: 100 }));
    }
    await look(() => sessions.list(seeing, { limit: 200 }));
    for (const id of ids) await look(() => sessions.show(seeing, { id, from: 1, most: 10 }));
  }
  return JSON.stringify(told);
}

eachEngine('sessions of ten projects', (engine) => {
  const opened = async () => {
    const db = await freshDatabase(engine);
    const projects = projectsOn(db, join(home, '.holdfast'));
    for (const folder of folders.slice(0, 5)) await projects.locate(folder);
    const sessions = sessionsOn(db, home, { projects });
    await sessions.sync();
    const { sessions: all } = await sessions.list(person, { limit: 50 });
    return { db, projects, sessions, ids: all.map(({ id }) => id) };
  };

  it(
    'are the person’s, all of them, and an agent sees those of its own repository on no way any other',
    { timeout: 60_000 },
    async () => {
      const { sessions, ids, db } = await opened();
      expect(ids).toHaveLength(10);
      expect((await sessions.search(person, { query: 'anchor', limit: 100 })).moments).toHaveLength(10);
      for (const i of [0, 4, 5, 9]) {
        // A connection that names its agent is no person, over REST either.
        const who: Principal = { ...seated(folders[i]!), bound: { agent: 'claude' } };
        const told = await everyWay(sessions, who, ids);
        expect(told).toContain(canary(i));
        // What it asked for is told back in refusals; what others said never is.
        for (const other of TEN) if (other !== i) expect(told).not.toContain(`noted ${canary(other)}`);
        for (const other of TEN) if (other !== i) expect(told).not.toContain(`word is ${canary(other)}`);
      }
      // Nothing that was looked at became a project.
      expect((await db.read((q) => q.all({ text: 'select team_id from projects', params: [] }))).length).toBe(
        5,
      );
    },
  );

  it('are seen by a token only where its scopes name them, and in its own team', async () => {
    const { sessions, ids } = await opened();
    const token = (scopes: readonly string[], team?: string): Principal => ({
      kind: 'agent',
      id: 'codex',
      scopes: new Set(scopes),
      seat: '',
      credential: 'a token',
      bound: { agent: 'codex', ...(team !== undefined && { team }) },
    });
    expect(hasScope(token(['*']), 'sessions:read')).toBe(false);
    expect(hasScope(token(['*']), 'board:read')).toBe(true);
    expect(hasScope(token(['sessions:read']), 'sessions:read')).toBe(true);
    expect(hasScope(operatorPrincipal, 'sessions:read')).toBe(true);
    const told = await everyWay(sessions, token(['sessions:read'], 'project-1'), ids);
    expect(told).toContain(`noted ${canary(1)}`);
    for (const other of TEN) if (other !== 1) expect(told).not.toContain(`noted ${canary(other)}`);
    const nowhere = await sessions
      .search({ who: token(['sessions:read']), via: 'tool' }, { query: 'anchor', limit: 5 })
      .catch(String);
    expect(nowhere).toContain('no repository');
    const asked = await sessions.search(
      { who: token(['sessions:read']), via: 'tool' },
      { query: 'anchor', project: 'project-2', limit: 5 },
    );
    expect(asked.moments.map(({ text }) => text)).toEqual([`noted ${canary(2)} anchor`]);
    await expect(
      sessions.search(
        { who: seated(folders[0]!), via: 'tool' },
        { query: 'anchor', project: 'project-3', limit: 5 },
      ),
    ).rejects.toThrow('not of the repository');
  });

  it('belong to their owner: another user’s hub on the same database sees none', async () => {
    const { db, ids } = await opened();
    const other = sessionsOn(db, home, { own: { host: 'elsewhere', owner: 'bob-1001' } });
    expect((await other.list(person, { limit: 50 })).sessions).toEqual([]);
    expect(await everyWay(other, operatorPrincipal, ids)).not.toContain('noted canary');
    await other.sync();
    expect((await other.list(person, { limit: 50 })).sessions).toHaveLength(10);
    expect((await other.list(person, { limit: 50 })).sessions.some(({ id }) => ids.includes(id))).toBe(false);
  });

  it('mark what others said as data, and are not offered to whom the scope lacks', async () => {
    const { db, sessions } = await opened();
    const tools = toolsOf(behindService('sessions', createActing(db), sessions), sessionOperations);
    expect(tools.map(({ name, scope }) => [name, scope])).toEqual([
      ['session_search', 'sessions:read'],
      ['session_read', 'sessions:read'],
    ]);
    expect(tools.every(({ carries }) => carries?.includes('text'))).toBe(true);
  });

  it('are in no export unless that is asked for, and leave nothing that is excluded', async () => {
    const { db } = await opened();
    const dump = async (also?: 'sessions'): Promise<string> => {
      const parts: DumpPart[] = [];
      await db.read((q) => dumpAll(q, (part) => void parts.push(part), also));
      return JSON.stringify(parts);
    };
    expect(await dump()).not.toContain('canary');
    expect(await dump('sessions')).toContain(canary(3));
    const other = await freshDatabase(engine);
    const exclude = { folders: [join(home, 'work/project-1')], projects: [] };
    const few = sessionsOn(other, home, { yaml: { from: ['claude-code'], exclude } });
    await few.sync();
    expect((await few.list(person, { limit: 50 })).sessions).toHaveLength(9);
    expect((await few.search(person, { query: canary(1), limit: 5 })).moments).toEqual([]);
  });

  it('follow their folder when it becomes a project', async () => {
    const { projects, sessions, db } = await opened();
    await projects.locate(folders[7]!);
    await sessionsOn(db, home, { projects }).sync();
    const { sessions: found } = await sessions.list(person, { project: 'project-7', limit: 5 });
    expect(found).toHaveLength(1);
    expect(
      (await sessions.search(person, { query: 'anchor project:project-7', limit: 5 })).moments,
    ).toHaveLength(1);
  });
});

it('leave no byte in a backup that does not ask for them', async () => {
  const place = await freshPlace('sqlite');
  const db = await place.open();
  await sessionsOn(db, home).sync();
  const [plain, whole] = [join(home, 'plain.db'), join(home, 'whole.db')];
  backupSqlite(place.location, plain, { overwrite: false });
  backupSqlite(place.location, whole, { overwrite: false, also: 'sessions' });
  await db.close();
  expect(readFileSync(whole).includes('canary')).toBe(true);
  expect(readFileSync(plain).includes('canary')).toBe(false);
});
