import { expect, it } from 'vitest';
import { restOfDesk } from '../fixtures/memory-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import type { Engine } from '../fixtures/databases.ts';

async function openApi(engine: Engine) {
  const rest = restOfDesk(await freshDatabase(engine));
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; value: any }> => {
    const { status, body: value } = await rest(method, `/api/memory${path}`, body);
    return { status, value };
  };
}

eachEngine('/api/memory', (engine) => {
  it('finds facts that say nearly the same and makes them one, of which the past stays readable', async () => {
    const call = await openApi(engine);
    const save = async (content: string, more = {}) =>
      (await call('POST', '', { title: 'Staging database', content, ...more })).value.fact.id as string;
    const a = await save('The staging database listens on port 5433 of the harbour machine.');
    const b = await save('The staging database is listening on port 5433 on the harbour machine.');
    await save('Tide tables are published every Monday by the office of the port.');
    const elsewhere = await save('The staging database listens on port 5433 of the harbour machine!', {
      scopeTeamId: 'red',
    });
    const { groups, compared } = (await call('GET', '/duplicates')).value;
    expect(compared).toBe(4);
    expect(groups.map((group: any[]) => group.map(({ id }) => id).sort())).toEqual([[a, b].sort()]);

    const content = 'The staging database listens on port 5433 of harbour, since May.';
    expect((await call('POST', `/facts/${a}/merge`, { with: [elsewhere], content })).status).toBe(400);
    expect((await call('POST', `/facts/${a}/merge`, { with: [a], content })).status).toBe(400);
    const merged = await call('POST', `/facts/${a}/merge`, { with: [b], content });
    expect(merged).toMatchObject({ status: 200, value: { fact: { content, supersedes: a } } });
    const { id } = merged.value.fact;
    expect((await call('GET', '/duplicates')).value.groups).toEqual([]);
    const texts = async (of: string) =>
      (await call('GET', `/facts/${of}/history`)).value.versions.map((version: any) => version.id);
    expect(await texts(id)).toEqual([b, a, id]);
    expect(await texts(b)).toEqual([b, id]);
    expect((await call('GET', `/facts/${b}`)).value).toMatchObject({ supersededBy: id });
    expect((await call('POST', `/facts/${id}/merge`, { with: [b], content })).status).toBe(409);
    expect((await call('DELETE', `/facts/${id}`)).value.forgotten.sort()).toEqual([a, b, id].sort());
    expect((await call('GET', `/facts/${b}`)).status).toBe(404);
  });

  it('saves, searches, browses, gets, supersedes, tells the history and forgets', async () => {
    const call = await openApi(engine);
    const saved = await call('POST', '', {
      title: 'Port',
      content: 'The port is 8080',
      tags: ['infra'],
      scopeTeamId: 'red',
    });
    expect(saved).toMatchObject({ status: 201, value: { saved: 'fact', fact: { scopeTeamId: 'red' } } });
    const { id } = saved.value.fact;
    const found = (await call('GET', '/search?query=which%20port&explain=true')).value;
    expect(found).toMatchObject({ mode: 'fts', results: [{ id, why: { item: expect.any(Number) } }] });
    const points = Object.values<number>(found.results[0].why);
    expect(points.reduce((sum, each) => sum + each, 0)).toBeCloseTo(found.results[0].score, 3);
    expect(
      (await call('POST', '/search', { query: `which port ${'東京の会議 '.repeat(400)}` })).value.results,
    ).toMatchObject([{ id }]);
    expect((await call('GET', '/search?query=port&scopeTeamId=blue')).value.results).toEqual([]);
    for (const path of ['', '/browse?limit=5'])
      expect((await call('GET', path)).value.facts).toMatchObject([{ id }]);
    expect((await call('GET', `/facts/${id}`)).value).toMatchObject({ id, source: 'rest', validTo: null });
    const newer = await call('POST', `/facts/${id}/supersede`, { content: 'The port is 9090' });
    expect(newer).toMatchObject({ status: 200, value: { fact: { supersedes: id }, superseded: { id } } });
    expect((await call('GET', `/facts/${id}/history`)).value.versions).toHaveLength(2);
    expect((await call('GET', '/stats')).value).toMatchObject({
      facts: { current: 1, past: 1 },
      procedures: 0,
      provider: { id: null },
    });
    for (const content of ['1. Sweep.', '1. Sweep.\n2. Lock up.'])
      await call('POST', '', { procedureName: 'close-the-shop', content });
    expect((await call('GET', '/stats')).value).toMatchObject({ procedures: 1 });
    expect((await call('DELETE', `/facts/${newer.value.fact.id}`)).value.forgotten).toHaveLength(2);
    expect(await call('GET', `/facts/${id}`)).toMatchObject({
      status: 404,
      value: { error: `not found: ${id}`, code: 'not_found' },
    });
  });

  it('keeps procedures, tells its provider, and moves records in and out', async () => {
    const call = await openApi(engine);
    await call('POST', '', { procedureName: 'deploy app', content: 'push the button' });
    expect((await call('GET', '/procedures/deploy%20app')).value).toMatchObject({
      procedure: { version: 1 },
      versions: [1],
    });
    expect((await call('GET', '/procedures')).value.procedures).toHaveLength(1);
    expect((await call('GET', '/provider')).value).toEqual({ id: null, available: false });
    const imported = await call('POST', '/import', {
      records: [
        { kind: 'fact', title: 'A', content: 'b' },
        { kind: 'fact', title: 'A', content: 'b' },
      ],
    });
    expect(imported.value).toEqual({ saved: 1, duplicates: 1, declined: 0 });
    const first = (await call('GET', '/export')).value;
    const second = (await call('GET', `/export?after=${encodeURIComponent(first.next)}`)).value;
    expect([...first.records, ...second.records].map((record: { title: string }) => record.title)).toEqual([
      'A',
      'deploy app',
    ]);
    expect(second.next).toBeNull();
  });

  it('knows its own export again, and takes a procedure that says something else as a new version', async () => {
    const call = await openApi(engine);
    await call('POST', '', { procedureName: 'deploy', content: 'push the button' });
    await call('POST', '', { procedureName: 'deploy', content: 'push it twice', scopeTeamId: 'red' });
    await call('POST', '', { title: 'Port', content: 'It is 9090.' });
    const { records, next } = (await call('GET', '/export')).value;
    const all = [
      ...records,
      ...(await call('GET', `/export?after=${encodeURIComponent(next)}`)).value.records,
    ];
    expect((await call('POST', '/import', { records: all })).value).toEqual({
      saved: 0,
      duplicates: 3,
      declined: 0,
    });
    const changed = all
      .filter(({ kind }) => kind === 'procedure')
      .map((record) => ({ ...record, content: 'push it twice' }));
    expect((await call('POST', '/import', { records: changed })).value).toEqual({
      saved: 1,
      duplicates: 1,
      declined: 0,
    });
    expect((await call('GET', '/procedures/deploy?scopeTeamId=')).value).toMatchObject({ versions: [2, 1] });
  });

  it.each([
    ['GET', '/search', undefined, 'query'],
    ['GET', '/search?query=x&limit=0', undefined, 'limit'],
    ['GET', '/search?query=x&limit=101', undefined, 'limit'],
    ['GET', '/search?query=x&mode=magic', undefined, 'mode'],
    ['GET', '/browse?limit=201', undefined, 'limit'],
    ['POST', '', { content: 'no title' }, 'a fact requires a title'],
    ['POST', '', { title: 'x', content: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789' }, 'nothing to save'],
    ['POST', '', { title: 'x', content: 'y', unknown: 1 }, 'unknown'],
    ['POST', '/import', { records: [] }, 'records'],
  ])('refuses %s %s %j with a sentence', async (method, path, body, mentioned) => {
    const call = await openApi(engine);
    const refused = await call(method, path, body);
    expect([refused.status, refused.value.code]).toEqual([400, 'invalid']);
    expect(JSON.stringify(refused.value)).toContain(mentioned);
  });
});
