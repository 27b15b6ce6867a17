// The hub's own runs as sessions: found like any other, once, and never another project's.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import type { ClientSession, SessionTurn } from '../../src/features/sessions/session.ts';

eachEngine('a run of the hub', (engine) => {
  it('is a session with its prompt and what it said, read once', { timeout: 60_000 }, async () => {
    const hub = await dispatchHub(engine, {}, { sessions: { from: [] } });
    const cwd = newRepositoryWithCommit(join(freshFolder(), 'boat'));
    const first = await hub.run('say the keel is dry', 'script', { opts: { cwd } });
    const second = await hub.run('say the mast is up', 'script', { opts: { cwd } });
    for (let i = 0; i < 2; i += 1)
      expect(await hub.ask('POST', '/api/sessions/sync', {})).toMatchObject({
        status: 200,
        body: { clients: [] },
      });
    const { body } = await hub.ask('GET', '/api/sessions');
    const listed = body.sessions as ClientSession[];
    expect(listed.map(({ client, runId }) => [client, runId]).toSorted()).toEqual(
      [first.task_id, second.task_id].toSorted().map((id) => ['holdfast', id]),
    );
    const { id } = listed.find(({ runId }) => runId === first.task_id)!;
    const shown = (await hub.ask('GET', `/api/sessions/${id}`)).body.turns as SessionTurn[];
    expect(shown[0]).toMatchObject({ turn: 1, kind: 'person', text: 'say the keel is dry' });
    expect(shown.at(-1)).toMatchObject({ kind: 'agent', text: expect.stringContaining('the keel is dry') });
    const found = await hub.ask('POST', '/api/sessions/search', { query: 'mast agent:holdfast' });
    expect(found.body.moments[0]).toMatchObject({ client: 'holdfast', resume: null });
    expect(
      (await hub.ask('POST', '/api/sessions/search', { query: 'keel agent:codex' })).body.moments,
    ).toEqual([]);
  });
});
