import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { hookListener } from '../fixtures/hook-listener.ts';

eachEngine('webhooks of runs', (engine) => {
  it('post the events of a run, signed, and come again after a failure', async () => {
    const hub = await dispatchHub(engine, {}, { dispatch: { 'local-webhooks': true } });
    const { heard, url } = await hookListener(1);
    const { body: hook } = await hub.ask('POST', '/v1/webhooks', {
      url,
      events: ['task', 'frame', 'terminal'],
    });
    const { task_id: id } = await hub.run('say hooked');
    const events = () => heard.flatMap(({ body }) => body.events).toSorted((a: any, b: any) => a.id - b.id);
    await expect
      .poll(() => events().some(({ event }: any) => event === 'terminal') && events()[0].id === 1, PATIENCE)
      .toBe(true);
    expect(events().map(({ id: number }: any) => number)).toEqual(
      events().map((_: unknown, i: number) => i + 1),
    );
    expect(events().find(({ event }: any) => event === 'frame').data).toMatchObject({
      task_id: id,
      line: 'hooked',
    });
    for (const { headers, text } of heard) {
      const expected = createHmac('sha256', hook.secret)
        .update(`${String(headers['x-holdfast-timestamp'])}.${text}`)
        .digest('hex');
      expect(headers['x-holdfast-signature']).toBe(`sha256=${expected}`);
    }
    const { webhooks } = (await hub.ask('GET', '/v1/webhooks')).body;
    expect(webhooks).toEqual([{ id: hook.id, url, events: ['task', 'frame', 'terminal'] }]);
    expect((await hub.ask('DELETE', `/v1/webhooks/${hook.id}`)).status).toBe(200);
    const before = heard.length;
    await hub.run('say unheard');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard).toHaveLength(before);
  });

  it('go to public addresses only, and are for persons', async () => {
    const hub = await dispatchHub(engine);
    for (const url of [
      'http://127.0.0.1:1/x',
      'http://[::1]/',
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
    ])
      expect(await hub.ask('POST', '/v1/webhooks', { url })).toMatchObject({ status: 403 });
    for (const url of ['file:///etc/passwd', 'nonsense', 'http://user:pass@example.com/'])
      expect(await hub.ask('POST', '/v1/webhooks', { url })).toMatchObject({ status: 400 });
    const { token } = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body;
    expect(await hub.ask('POST', '/v1/webhooks', { url: 'https://example.com/' }, token)).toMatchObject({
      status: 403,
    });
    expect(
      await hub.ask('POST', '/v1/webhooks', { url: 'https://example.com/', task_id: 'nope' }),
    ).toMatchObject({ status: 404 });
  });
});
