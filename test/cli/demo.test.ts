import { describe, expect, it } from 'vitest';
import { startBin } from '../fixtures/started-bin.ts';

const POLL = { timeout: 60_000, interval: 500 };

describe('holdfast demo', () => {
  it(
    'has work of every kind, and somebody who waits for as long as one looks',
    { timeout: 150_000 },
    async () => {
      const { PATH, HOME } = process.env;
      const demo = await startBin(['holdfast', 'demo', '--json', '--port', '0'], { PATH, HOME });
      try {
        const { address } = demo;
        const { headers } = await fetch(demo.url!, { redirect: 'manual' });
        const cookie = headers
          .getSetCookie()
          .map((each) => each.split(';')[0])
          .join('; ');
        const ask = async (path: string, body?: unknown) => {
          const json = { cookie, 'content-type': 'application/json', origin: address };
          const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
          return (await (await fetch(`${address}${path}`, { headers: json, ...post })).json()) as any;
        };
        const states = async () =>
          (await ask('/v1/biam/tasks')).tasks
            .map((run: any) => `${run.status} ${run.phase ?? ''}`.trim())
            .sort();
        // Six of their own, and two that try one task.
        const done = Array.from({ length: 5 }, () => 'done');
        await expect
          .poll(states, POLL)
          .toEqual(['active running', 'active waiting_quota', ...done, 'failed']);
        await expect
          .poll(async () => (await ask('/v1/runners')).runners, POLL)
          .toMatchObject([{ name: 'desktop', state: 'ready', slots: 3, labels: ['gpu'] }]);
        await expect
          .poll(async () => (await ask('/api/sources')).sources, POLL)
          .toMatchObject([{ name: 'tides', state: 'ready', tools: 2 }]);
        await expect
          .poll(async () => (await ask('/v1/beings')).beings.map(({ name }: any) => name).sort(), POLL)
          .toEqual(['Ada', 'Marina']);
        const landings = async () =>
          (await ask('/api/landings')).landings.map(({ state }: any) => state).sort();
        await expect.poll(landings, POLL).toEqual(['failed', 'landed', 'waiting_person']);
        await expect.poll(async () => (await ask('/api/collisions')).collisions.length, POLL).toBe(1);
        expect((await ask('/api/tools/grants')).grants).toHaveLength(1);
        await expect.poll(async () => (await ask('/api/sessions')).sessions.length, POLL).toBeGreaterThan(0);
        expect((await ask('/api/schedules')).schedules.map((each: any) => each.paused).sort()).toEqual([
          false,
          true,
        ]);

        const before = (await ask('/api/tools/approvals')).approvals;
        expect(before).toHaveLength(2);
        for (const { id } of before) await ask(`/api/tools/approvals/${id}/resolve`, { decision: 'deny' });
        await expect
          .poll(async () => {
            const { approvals } = await ask('/api/tools/approvals');
            return approvals.filter(({ id }: any) => before.every((old: any) => old.id !== id)).length;
          }, POLL)
          .toBeGreaterThan(0);
      } finally {
        await demo.stop();
      }
    },
  );
});
