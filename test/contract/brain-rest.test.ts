import { describe, expect, it } from 'vitest';
import { ALICE } from '../fixtures/brain-host.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { callRest } from '../fixtures/rest-call.ts';

/** `/api/brain` of a real hub. What the command line uses is proven in test/cli/brain.test.ts; here is the rest. */
async function open() {
  const { address } = await startHub(freshHome());
  return async (method: string, path: string, body?: unknown) => {
    const answer = await callRest({ at: `${address}/api/brain` }, [method, path], body);
    return { status: answer.status, value: answer.body };
  };
}

describe('/api/brain', () => {
  it('stores, replaces, archives and restores', async () => {
    const call = await open();
    const { status, value } = await call('POST', '/memories', ALICE);
    expect([status, value.created]).toEqual([201, true]);
    expect((await call('POST', '/memories', ALICE)).status).toBe(409);
    const path = `/memories/${value.id}`;
    expect((await call('PUT', path, { content: 'Promoted.' })).value).toMatchObject({
      updated: true,
      contradictions: [],
    });
    expect((await call('GET', path)).value).toMatchObject({ content: 'Promoted.', access_count: 0 });
    expect((await call('DELETE', path)).value.archive_path).toBe('archive/entities/people/alice-chen.md');
    expect((await call('GET', path)).status).toBe(404);
    expect((await call('POST', `${path}/restore`)).value).toMatchObject({ restored: true });
    expect(
      (await call('GET', '/log')).value.entries.map((entry: { action: string }) => entry.action),
    ).toEqual(['restore', 'archive']);
  });

  it('counts nothing when a person looks', async () => {
    const call = await open();
    const { value } = await call('POST', '/memories', ALICE);
    await call('GET', '/memories?query=alice');
    expect((await call('POST', '/feedback', { outcome: 'good' })).value).toMatchObject({ applied: false });
    expect(
      (await call('POST', '/feedback', { outcome: 'good', ids: [value.id], signal: 'a' })).value.applied,
    ).toBe(true);
    expect(
      (await call('POST', '/feedback', { outcome: 'good', ids: [value.id], signal: 'a' })).value.applied,
    ).toBe(false);
    const { events } = (await call('GET', `/memories/${value.id}/credit`)).value;
    expect(events.map((event: { event_type: string }) => event.event_type)).toEqual([
      'positive_feedback',
      'created',
    ]);
  });

  it('refuses bad requests with a status and a sentence', async () => {
    const call = await open();
    for (const [method, path, body, status] of [
      ['POST', '/memories', { ...ALICE, name: '../x' }, 400],
      ['POST', '/memories', { ...ALICE, category: 'x' }, 400],
      ['POST', '/import', { path: '../../etc/passwd', text: 'x' }, 400],
      ['POST', '/import', { path: 'entities/people/con.md', text: 'x' }, 400],
      ['POST', '/import', { path: 'elsewhere/2026-01/x.md', text: 'x' }, 400],
      ['POST', '/import', { path: 'constructor/2026-01/x.md', text: 'x' }, 400],
      ['GET', '/memories', undefined, 400],
      ['GET', '/memories?query=x&limit=1000', undefined, 400],
      ['DELETE', '/memories/entity-people-nobody', undefined, 404],
      ['POST', '/feedback', { outcome: 'good', ids: ['entity-people-nobody'] }, 404],
      ['POST', '/undo', undefined, 404],
    ] as const) {
      const answer = await call(method, path, body);
      expect([answer.status, typeof answer.value.error], `${method} ${path}`).toEqual([status, 'string']);
    }
  });

  it('tells who sends five megabytes that this is too much, and does not cut them off while they are sending', async () => {
    const call = await open();
    for (let i = 0; i < 8; i++) {
      const { status, value } = await call('POST', '/memories', { ...ALICE, content: 'x'.repeat(5_000_000) });
      expect([status, value.code]).toEqual([413, 'too_large']);
    }
  });
});
