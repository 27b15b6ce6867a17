import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { AGENT, dispatchHub, type DispatchHub, isAlive, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';

async function childOf(hub: DispatchHub, id: string): Promise<number> {
  const stream = await hub.subscribe(id);
  await expect
    .poll(() => stream.events.some(({ data }) => data.line?.startsWith('child ')), PATIENCE)
    .toBe(true);
  stream.hangUp();
  return Number(stream.events.map(({ data }) => /^child (\d+)/.exec(data.line ?? '')?.[1]).find(Boolean));
}

eachEngine('process trees', (engine) => {
  it.each(['plain', 'stubborn', 'hidden'])(
    'a %s child that left the group dies with a cancelled run',
    async (how) => {
      const hub = await dispatchHub(engine);
      const id = await hub.start(`fork ${how}\nforever`);
      const child = await childOf(hub, id);
      expect(isAlive(child)).toBe(true);
      await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
      expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
      expect(isAlive(child)).toBe(false);
    },
  );

  it.each(['plain', 'stubborn'])('a %s child dies when its parent simply exits', async (how) => {
    const hub = await dispatchHub(engine);
    const run = await hub.run(`fork ${how}\nsay bye\nexit 0`);
    expect(run).toMatchObject({ status: 'done' });
    expect(isAlive(Number(/child (\d+)/.exec(run.result)![1]))).toBe(false);
  });

  it('a process that ignores TERM is killed three seconds later, and its run is cancelled', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('ignore-term\nsay ready\nforever');
    const stream = await hub.subscribe(id);
    await expect.poll(() => stream.events.some(({ data }) => data.line === 'ready'), PATIENCE).toBe(true);
    const before = Date.now();
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    expect(await hub.over(id)).toMatchObject({
      status: 'cancelled',
      exit: { code: null, signal: 'SIGKILL' },
    });
    expect(Date.now() - before).toBeGreaterThan(2_500);
  });

  it('end with the hub that runs them', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('fork stubborn\nforever');
    const child = await childOf(hub, id);
    await hub.hub.close();
    expect(isAlive(child)).toBe(false);
    const again = await openAt(hub.place, hub.home);
    expect(await again.over(id)).toMatchObject({
      status: 'expired',
      error: { text: 'the hub stopped while it ran' },
    });
  });

  it('say anything: broken UTF-8, NUL, lines without end, far too much', async () => {
    const limits = { output: '200KB' };
    const hub = await dispatchHub(engine, {
      loud: { family: 'command', command: [process.execPath, AGENT, '{prompt}'], limits },
    });
    const odd = await hub.run('raw 6f6bff00fe0a\nraw c3\nsleep 20\nraw a90a\nlong 200000\nsay end', 'loud');
    const lines = await linesOf(hub, odd.task_id);
    expect(lines[0]).toBe('ok\uFFFD\uFFFD\uFFFD');
    expect(lines[1]).toBe('é');
    expect(lines[2]!.length).toBeLessThan(66_000);
    expect(lines[2]).toMatch(/\[… 134464 bytes cut\]$/);
    expect(lines.at(-1)).toBe('end');
    const flood = await hub.run('say first\nflood 20000000\nsay last', 'loud');
    expect(flood.status).toBe('done');
    const kept = await linesOf(hub, flood.task_id);
    expect(kept.join('').length).toBeLessThan(400_000);
    expect(kept[0]).toBe('first');
    expect(kept.at(-1)).toBe('last');
    expect(kept.find((line) => line.includes('left out'))).toMatch(
      /\d+ lines, \d+ bytes left out: the output limit of 204800 bytes/,
    );
  });

  it('read stdin for ever, or close it, as they like', async () => {
    const hub = await dispatchHub(engine, {
      cat: { family: 'command', command: ['cat'] },
      deaf: { family: 'command', command: ['sh', '-c', 'exec <&-; echo heard nothing'] },
    });
    expect(await hub.run('what goes in\ncomes out', 'cat')).toMatchObject({
      status: 'done',
      result: 'what goes in\ncomes out',
    });
    expect(await hub.run('x'.repeat(500_000), 'deaf')).toMatchObject({
      status: 'done',
      result: 'heard nothing',
    });
  });
});

async function linesOf(hub: DispatchHub, id: string): Promise<string[]> {
  const { events, ended } = await hub.subscribe(id);
  await ended;
  return events.filter(({ event }) => event === 'frame').map(({ data }) => data.line as string);
}
