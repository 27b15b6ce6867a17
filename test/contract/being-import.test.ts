import { expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { openBeingHost, scene } from '../fixtures/being-host.ts';
import { eachEngine } from '../fixtures/databases.ts';

const times = { createdAt: 1, updatedAt: 1 };
const doc = {
  kind: 'doc',
  target: 'knowledge',
  key: 'k',
  content: 'c',
  location: null,
  meta: null,
  sort: 1,
  ...times,
};
const merge = { kind: 'merge', runId: null, absorbed: '[]', before: '[]', createdAt: 1, isUndone: false };
const run = { kind: 'run', state: 'done', stats: '{}', steps: [] };
const step = { step: 'ingest', outcome: 'done', details: '{}' };
const note = { kind: 'note', type: 'scene', state: 'open', ...times };

/** Each is broken in one text that holds JSON; from then on a route would fail for good. */
const BROKEN: readonly (readonly [string, object])[] = [
  ['stats', { ...run, id: newId(), stats: '3' }],
  ['stats', { ...run, id: newId(), stats: '{' }],
  ['stats', { ...run, id: newId(), stats: '{"merged":"many"}' }],
  ['steps.0.details', { ...run, id: newId(), steps: [{ ...step, details: 'null' }] }],
  ['steps.0.details', { ...run, id: newId(), steps: [{ ...step, details: '[]' }] }],
  ['meta', { ...doc, meta: 'null' }],
  ['meta', { ...doc, meta: '"a title"' }],
  ['absorbed', { ...merge, id: newId(), survivor: newId(), absorbed: '{}' }],
  ['absorbed', { ...merge, id: newId(), survivor: newId(), absorbed: '[1]' }],
  ['before', { ...merge, id: newId(), survivor: newId(), before: '[{}]' }],
  ['content', { ...note, id: newId(), content: 'not a scene' }],
  ['content', { ...note, id: newId(), content: JSON.stringify({ ...scene('x'), feelings: 'y' }) }],
];

/** Longer than a call may say them, and than PostgreSQL can look them up. */
const TALL = Array.from({ length: 3_000 }, (_, i) => (i * 7919).toString(36))
  .join('')
  .slice(0, 3_000);
const relation = { kind: 'relation', type: 'friend', name: 'Ada', content: 'c', ...times };
const TOO_LONG: readonly (readonly [string, object])[] = [
  ['type', { ...relation, type: TALL }],
  ['name', { ...relation, name: TALL }],
  ['key', { ...doc, key: TALL }],
  ['role', { kind: 'message', id: newId(), role: TALL, content: 'c', at: 1, isExtracted: false }],
  ['steps.0.step', { ...run, id: newId(), steps: [{ ...step, step: TALL }] }],
];

eachEngine('the import of a Being', (engine) => {
  it('refuses a name that no call could have given', async () => {
    const host = await openBeingHost(engine);
    const { id } = await host.create('Luna');
    const send = (record: object) => host.rest('POST', `/v1/beings/${id}/import`, { records: [record] });
    for (const [field, record] of TOO_LONG) {
      const { status, body } = await send(record);
      expect([field, status]).toEqual([field, 400]);
      expect(JSON.stringify(body), field).toContain(`records.0.${field}`);
    }
    expect((await send(relation)).status).toBe(200);
  });

  it('refuses every record that nobody could read again, names it, and keeps nothing of the request', async () => {
    const host = await openBeingHost(engine);
    const { id } = await host.create('Luna');
    const good = { ...doc, key: 'good' };
    for (const [field, record] of BROKEN) {
      const { status, body } = await host.rest('POST', `/v1/beings/${id}/import`, {
        records: [good, record],
      });
      expect([field, status]).toEqual([field, 400]);
      expect(JSON.stringify(body), field).toContain(`records.1.${field}: must be the JSON text of`);
    }
    for (const path of ['patrol', 'documents', 'merges', 'export', 'documents/history'])
      expect((await host.rest('GET', `/v1/beings/${id}/${path}`)).status, path).toBe(200);
    const { body } = await host.rest('GET', `/v1/beings/${id}/documents`);
    expect(body.documents).toEqual([]);
  });

  it('takes what is whole, without the secrets no call could have brought', async () => {
    const host = await openBeingHost(engine);
    const { id, ...being } = await host.create('Luna');
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const tool = { ...doc, target: 'partner_tools', key: 'door', content: secret };
    const records = [
      { ...doc, content: `the key is ${secret}` },
      tool,
      { ...run, id: newId(), steps: [{ ...step, details: JSON.stringify({ why: secret }) }] },
    ];
    expect((await host.rest('POST', `/v1/beings/${id}/import`, { records })).status).toBe(200);
    const runs = await host.rest('GET', `/v1/beings/${id}/patrol`);
    expect(runs.status).toBe(200);
    const documents = await host.rest('GET', `/v1/beings/${id}/documents`);
    expect(JSON.stringify([documents.body, runs.body])).not.toContain(secret);
    const got = await host.call({ id, ...being }, 'update_memory', {
      target: 'partner_tools',
      action: 'get',
    });
    expect(got.value.entries).toMatchObject([{ key: 'door', content: secret }]);
  });
});
