import { expect, it } from 'vitest';
import { createDenials } from '../../src/features/notices/denials.ts';
import { brokerHost } from '../fixtures/broker-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

const KEY = Buffer.from('a key');

eachEngine('a link that says no', (engine) => {
  async function open() {
    const host = brokerHost(await freshDatabase(engine));
    const denials = createDenials({ ...host, key: KEY });
    const calling = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a' });
    const { id } = await host.pending();
    return { host, denials, calling, id };
  }
  const GONE = { code: 'not_found' };

  it('denies its request once, and the audit says that it came from a notice', async () => {
    const { host, denials, calling, id } = await open();
    const ticket = (await denials.ticketFor(id))!;
    await denials.deny(ticket);
    expect((await calling).meta.denied).toBe('approval:deny');
    await expect(denials.deny(ticket)).rejects.toMatchObject(GONE);
    const { body } = await host.rest('GET', '/api/tools/audit?phase=decision');
    expect(body.audit[0]).toMatchObject({ decision: 'deny' });
    expect(JSON.stringify(body.audit[0])).toContain('system:notice');
    // The same call again is another request: an old link is nothing to it.
    const again = host.connect({ agent: 'ada' }).call('delete_path', { path: '/tmp/a' });
    const next = await host.pending();
    expect(next.id).not.toBe(id);
    await expect(denials.deny(ticket)).rejects.toMatchObject(GONE);
    await host.rest('POST', `/api/tools/approvals/${next.id}/resolve`, { decision: 'allow_once' });
    expect((await again).isError).toBe(false);
  });

  it('is nothing once a person has decided, and no other text is one', async () => {
    const { host, denials, calling, id } = await open();
    const ticket = (await denials.ticketFor(id))!;
    await host.rest('POST', `/api/tools/approvals/${id}/resolve`, { decision: 'allow_once' });
    expect((await calling).isError).toBe(false);
    await expect(denials.deny(ticket)).rejects.toMatchObject(GONE);
    for (const wrong of ['', id, ticket.slice(0, -1), 'x'.repeat(32)])
      await expect(denials.deny(wrong)).rejects.toMatchObject(GONE);
    expect(await denials.ticketFor(id)).toBeUndefined();
  });

  it('is good for another hub with the same key, and worthless once anything of it is changed', async () => {
    const { host, denials, calling, id } = await open();
    const ticket = (await denials.ticketFor(id))!;
    const other = createDenials({ ...host, key: Buffer.from('another key') });
    await expect(other.deny(ticket)).rejects.toMatchObject(GONE);
    const [, seal] = ticket.split('.');
    const foreign = Buffer.from(JSON.stringify('another')).toString('base64url');
    await expect(denials.deny(`${foreign}.${seal}`)).rejects.toMatchObject(GONE);
    expect(Buffer.from(ticket.split('.')[0]!, 'base64url').toString()).toBe(JSON.stringify(id));
    await createDenials({ ...host, key: KEY }).deny(ticket);
    expect((await calling).meta.denied).toBe('approval:deny');
  });
});
