// What becomes of a letter to an agent in a run of a plain command, which has no next prompt.
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';

eachEngine('mail for a plain command', (engine) => {
  it('waits in the mailbox of its agent, and the run says so', { timeout: 30_000 }, async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('say ready\nforever', 'script');
    const to = `script-${id.slice(-6)}`;
    // As if it had called: from then on it can be written to.
    const { token } = (await hub.ask('POST', '/api/tokens', { agent: to })).body;
    await hub.tool('whoami', {}, token);
    const { events, ended } = await hub.subscribe(id);
    await expect.poll(() => JSON.stringify(events), PATIENCE).toContain('ready');
    const sent = await hub.ask('POST', '/api/mail', { to, text: 'mind the tide' });
    expect(sent.body).toMatchObject({ state: 'queued' });
    await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
    expect((await hub.over(id)).status).toBe('cancelled');
    await ended;
    const told = events.map(({ raw }) => raw).filter((raw) => raw.includes('unread'));
    expect(told).toHaveLength(1);
    expect(told[0]).toContain(`A letter waits for ${to}, unread`);
    expect(told[0]).not.toContain('tide');
    const { _inbox: inbox } = (await hub.tool('whoami', {}, token)).structuredContent;
    expect(JSON.stringify(inbox)).toContain('mind the tide');
    // Who got nothing is told nothing.
    const quiet = await hub.run('say all is well', 'script');
    expect(JSON.stringify(quiet)).not.toContain('unread');
  });
});
