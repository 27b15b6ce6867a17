// Pulse: what the rooms count of their days, the same on both engines.
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { landingHub } from '../fixtures/landing-hub.ts';

const DAY = 86_400_000;

eachEngine('the pulse of a hub', (engine) => {
  it(
    'counts work, cost, waiting, calls, memory and landings by day, of all or of one project',
    { timeout: 60_000 },
    async () => {
      const at = await landingHub(engine);
      const { hub, project } = at;
      const pulse = async (more = '') => (await hub.ask('GET', `/api/pulse?days=3${more}`)).body;
      const empty = await pulse();
      expect(empty).toMatchObject({ days: 3, finished: [], spent: [], waited: [], lanes: [], landed: [] });
      const today = Math.floor(empty.now / DAY);
      expect(empty.first).toBe(today - 2);
      await at.landed(await at.branch('good', { 'a.txt': 'a\n' }));
      await at.landed(await at.branch('bad', { 'bad-b.txt': 'b\n' }));
      await hub.run('hello');
      await hub.ask('POST', '/api/memory', { title: 'tide', content: 'The tide turns twice.' });
      const token = await at.token('mate');
      const { body: open } = await hub.ask('POST', '/api/board/tasks', { title: 'row', teamId: project });
      await hub.ask('POST', `/api/board/tasks/${open.id}/claim`, {}, token);
      const seen = await pulse();
      const { day } = seen.finished[0];
      expect([today, today + 1]).toContain(day);
      expect(seen).toMatchObject({
        finished: [{ day, done: 1, leadMs: expect.any(Number) }],
        spent: [{ day, agent: 'script', runs: 1, tokens: 0, costUsd: 0 }],
        landed: [{ day, landed: 1, failed: 1, batches: expect.any(Number), waitMs: expect.any(Number) }],
        lanes: [{ agent: 'mate', task: 'row', to: null, end: null }],
        remembered: [{ day, saved: 1, retired: 0 }],
        credit: [],
      });
      // Who was given what is written down a moment later.
      await hub.ask('POST', '/api/memory/search', { query: 'tide' }, token);
      await expect.poll(async () => (await pulse()).remembered[0].given).toBe(1);
      expect(seen.calls[0]).toMatchObject({ calls: expect.any(Number), refused: 0 });
      expect(await pulse(`&project=${project}`)).toMatchObject({
        finished: [{ done: 1 }],
        landed: [{ landed: 1 }],
      });
      expect(await pulse('&project=elsewhere')).toMatchObject({
        finished: [],
        landed: [],
        lanes: [],
        spent: [],
      });
      // Days are those of who asks.
      expect((await pulse('&offset=840')).finished[0].day).toBe(Math.floor((seen.now + 840 * 60_000) / DAY));
      expect((await hub.ask('GET', '/api/pulse', undefined, token)).body).toMatchObject({
        code: 'forbidden',
      });
      expect((await hub.ask('GET', '/api/pulse?days=9999')).body).toMatchObject({ code: 'invalid' });
    },
  );
});
