// Whom a grant belongs to, on both engines: a local client in its project, or a credential; and what became of grants
// from before that was kept.
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createLocator } from '../../src/features/projects/locate.ts';
import { createProjects } from '../../src/features/projects/projects.ts';
import { createWorkplaces } from '../../src/features/projects/workplaces.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { grantHolders } from '../../src/store/migrations/0030-grant-holders.ts';
import { spell } from '../../src/store/migrations/spell.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { eachEngine, freshFolder, freshPlace, type Place } from '../fixtures/databases.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';

const ASK = 'version: 1\nrules:\n  - { tool: note, decide: ask }\n';
const NOTE = { note: 'hello' };

const seat = (client: string, folder?: string): Principal => ({
  ...localPrincipal(`test:${Math.random()}`),
  client,
  ...(folder !== undefined && { folder }),
});
const token = (agent: string, credential: string, team?: string): Principal => ({
  ...localPrincipal(''),
  kind: 'agent',
  id: agent,
  credential,
  bound: { agent, ...(team !== undefined && { team }) },
});

eachEngine('whom a grant belongs to', (engine) => {
  async function open(place?: Place) {
    const at = freshFolder();
    const db = await (place ?? (await freshPlace(engine))).open();
    const locator = createLocator({ db, projects: createProjects(), log: silentLog });
    onTestFinished(() => locator.close());
    const [api, web] = [newRepositoryWithCommit(join(at, 'api')), newRepositoryWithCommit(join(at, 'web'))];
    await locator.locate(api);
    await locator.locate(web);
    const workplaces = createWorkplaces({
      home: freshFolder(),
      workspace: undefined,
      find: (folder) => locator.find(folder),
    });
    const host = brokerHost(db, { policy: ASK, workplaces, terms: { waitMs: 10_000 } });
    const quick = brokerHost(db, { policy: ASK, workplaces, terms: { waitMs: 60, lifeMs: 40 } });
    const always = async (who: Principal, more: object = {}) => {
      const calling = host.connect({ who }).call('note', NOTE);
      const asked = await host.pending();
      const answer = await host.resolve(asked.id, 'allow_always', { ...more });
      if (answer.status !== 200) await host.resolve(asked.id, 'deny');
      await calling;
      return { asked, answer };
    };
    const isGranted = async (who: Principal) => !(await quick.connect({ who }).call('note', NOTE)).isError;
    const holders = async () =>
      (await host.rest('GET', '/api/tools/grants')).body.grants.map(({ holder }: any) => holder);
    return { at, api, web, db, host, always, isGranted, holders };
  }

  it('a local client in its project', async () => {
    const { at, api, web, always, isGranted, holders } = await open();
    const { asked } = await always(seat('codex', api));
    expect(asked).toMatchObject({ teamId: 'api', folder: api, client: 'codex', holder: 'codex in api' });
    expect(await holders()).toEqual(['codex in api']);
    expect(await isGranted(seat('codex', join(api, '.')))).toBe(true);
    for (const other of [
      seat('claude-code', api),
      seat('codex', web),
      seat('codex', at),
      seat('codex'),
      { ...seat('codex'), default: { team: 'api' } },
      { ...seat('codex', web), default: { team: 'api' } },
      { ...seat('codex', api), bound: { agent: 'ada' } },
      token('codex', 't1', 'api'),
    ])
      expect(await isGranted(other)).toBe(false);
  });

  it('without a project only outside projects', async () => {
    const { at, api, always, isGranted, holders } = await open();
    await always(seat('codex', at));
    expect(await holders()).toEqual(['codex outside projects']);
    expect(await isGranted(seat('codex'))).toBe(true);
    expect(await isGranted(seat('codex', api))).toBe(false);
    expect(await isGranted(seat('codex', newRepositoryWithCommit(join(at, 'unknown'))))).toBe(false);
  });

  it('a repository that is no project yet is nobody else’s', async () => {
    const { at, always, isGranted } = await open();
    const [one, two] = ['one', 'two'].map((name) => newRepositoryWithCommit(join(at, name))) as [
      string,
      string,
    ];
    await always(seat('codex', one));
    expect([await isGranted(seat('codex', one)), await isGranted(seat('codex', two))]).toEqual([true, false]);
  });

  it('more than that only by name, by a person, and of no credential', async () => {
    const { api, web, host, always, isGranted, holders } = await open();
    await always(seat('codex', api), { wider: ['every_client'] });
    expect(await isGranted(seat('claude-code', api))).toBe(true);
    expect(await isGranted(seat('codex', web))).toBe(false);
    await always(seat('codex', web), { wider: ['every_project'] });
    expect(await isGranted(seat('codex'))).toBe(true);
    expect(await holders()).toEqual(['codex in every project', 'every client here in api']);
    const { answer } = await always(token('ada', 't1', 'red'), { wider: ['every_project'] });
    expect(answer).toMatchObject({ status: 400 });
    expect((await host.rest('GET', '/api/tools/grants')).body.grants[1].wider).toEqual(['every_client']);
  });

  it('a credential as ever: its own, its agent’s, its team’s', async () => {
    const { always, isGranted, holders } = await open();
    await always(token('ada', 't1', 'red'));
    expect(await holders()).toEqual(['ada in red']);
    expect(await isGranted({ ...token('ada', 't1', 'red'), client: 'other' })).toBe(true);
    for (const other of [token('ada', 't2', 'red'), token('ada', 't1', 'blue'), token('bob', 't1', 'red')])
      expect(await isGranted(other)).toBe(false);
  });

  it('nobody knows for whom a local grant of the version before was meant: it has ended', async () => {
    const place = await freshPlace(engine);
    const before = await open(place);
    await before.always(seat('codex', before.api));
    await before.always(token('ada', 't1', 'red'));
    await before.db.close();
    await downgrade(place);
    const { isGranted, holders, host } = await open(place);
    expect(await holders()).toEqual(['ada in red']);
    expect(await isGranted(token('ada', 't1', 'red'))).toBe(true);
    expect(await isGranted(seat('codex', before.api))).toBe(false);
    const { grants } = (await host.rest('GET', '/api/tools/grants?all=true')).body;
    expect(grants[1].revokedBy).toBe('holdfast: grants belong to one client in one project');
    expect((await host.rest('GET', '/api/tools/audit/verify')).body).toMatchObject({ problems: [] });
  });
});

const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  tool_approvals: ['client', 'project', 'folder', 'ground', 'holder'],
  tool_grants: ['client', 'project', 'ground', 'folder'],
};

/** As the version before had the rows of grants and requests, brought up by the migration itself; the audit stays. */
async function downgrade(place: Place): Promise<void> {
  const drops = Object.entries(COLUMNS).flatMap(([table, columns]) =>
    columns.map((column) => `alter table ${table} drop column ${column}`),
  );
  const up = (text: string) =>
    text
      .split(';')
      .filter((step) => !step.includes('tool_audit') && !step.includes('team_id') && step.trim() !== '');
  if (place.engine === 'sqlite') {
    const file = new BetterSqlite3(place.location);
    for (const step of [...drops, ...up(spell(grantHolders.schema, 'sqlite'))]) file.exec(step);
    file.close();
    return;
  }
  const client = new pg.Client(place.location);
  await client.connect();
  await client.query(`set search_path to ${place.schema}`);
  for (const step of [...drops, ...up(spell(grantHolders.schema, 'postgres'))]) await client.query(step);
  await client.end();
}
