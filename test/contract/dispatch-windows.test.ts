import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { limitedAgent } from '../fixtures/limited-agent.ts';

const windowsOf = async (hub: DispatchHub) => (await hub.ask('GET', '/api/budget')).body.windows as any[];
const show = async (hub: DispatchHub, id: string) => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;

eachEngine('budgets by the hour, the day and the week', (engine) => {
  it('tell what was used and what may be, for people all of it', async () => {
    const agent = limitedAgent('ok');
    const budget = { '5h': { tokens: '1k' }, week: { dollars: 5 } };
    const hub = await dispatchHub(engine, {
      thrifty: { ...agent.settings, budget },
      free: limitedAgent('ok').settings,
    });
    expect(await windowsOf(hub)).toEqual([
      {
        agent: 'thrifty',
        window: '5h',
        tokens: 0,
        dollars: 0,
        limit: { tokens: 1000, dollars: null },
        resetsAt: null,
        from: 'hub',
      },
      { agent: 'thrifty', window: 'day', tokens: 0, dollars: 0, limit: null, resetsAt: null, from: 'hub' },
      {
        agent: 'thrifty',
        window: 'week',
        tokens: 0,
        dollars: 0,
        limit: { tokens: null, dollars: 5 },
        resetsAt: null,
        from: 'hub',
      },
    ]);
    await hub.run('Say hello.', 'thrifty');
    await hub.run('Say hello.', 'free');
    const after = await windowsOf(hub);
    expect(after.map((each) => each.agent)).toEqual([
      'free',
      'free',
      'free',
      'thrifty',
      'thrifty',
      'thrifty',
    ]);
    expect(after[3]).toMatchObject({ window: '5h', tokens: 15, dollars: 0.01 });
    const inFiveHours = Date.parse(after[3].resetsAt) - Date.now();
    expect(inFiveHours).toBeGreaterThan(4.9 * 3_600_000);
    expect(inFiveHours).toBeLessThanOrEqual(5 * 3_600_000);
    const me = await hub.tool('whoami', {});
    expect(me.structuredContent.budget).toEqual([
      { agent: 'thrifty', window: '5h', tokens: 985, dollars: null, resetsAt: after[3].resetsAt },
      { agent: 'thrifty', window: 'week', tokens: null, dollars: 4.99, resetsAt: after[5].resetsAt },
    ]);
  });

  it('one that is spent makes the next run wait and not fail; a budget of 0 starts nothing', async () => {
    const agent = limitedAgent('ok');
    const none = limitedAgent('ok');
    const hub = await dispatchHub(engine, {
      thrifty: { ...agent.settings, budget: { '5h': { tokens: 10 } } },
      none: { ...none.settings, budget: { day: { dollars: 0 } } },
    });
    expect(await hub.run('Say hello.', 'thrifty')).toMatchObject({ status: 'done' });
    const id = await hub.start('Say it again.', 'thrifty');
    await expect
      .poll(() => show(hub, id), PATIENCE)
      .toMatchObject({
        status: 'active',
        phase: 'waiting_quota',
        waits_for: { kind: 'budget', text: 'thrifty has used 15 of 10 tokens within five hours.' },
      });
    expect(agent.starts()).toHaveLength(1);
    const window = (await windowsOf(hub)).find((each) => each.agent === 'thrifty' && each.window === '5h');
    expect((await show(hub, id)).wait_until).toBe(window.resetsAt);
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
    expect(await hub.run('x', 'none')).toMatchObject({
      status: 'failed',
      error: { text: expect.stringContaining('never opens') },
    });
    expect(none.starts()).toHaveLength(0);
  });

  it('another agent goes on where a budget is spent and a fallback is set', async () => {
    const [first, second] = [limitedAgent('ok'), limitedAgent('ok')];
    const hub = await dispatchHub(engine, {
      thrifty: { ...first.settings, budget: { day: { tokens: 10 } }, fallback: ['rich'] },
      rich: second.settings,
    });
    await hub.run('Say hello.', 'thrifty');
    expect(await hub.run('Say it again.', 'thrifty')).toMatchObject({ status: 'done', instance: 'rich' });
    expect(second.starts().map(({ input }) => input)).toEqual(['Say it again.']);
  });

  it('a chain in a circle is refused when the hub reads it', async () => {
    const agents = {
      one: { family: 'command', command: ['true'], fallback: ['two'] },
      two: { family: 'command', command: ['true'], fallback: ['one'] },
    };
    await expect(dispatchHub(engine, agents)).rejects.toThrow('one → two → one');
  });
});
