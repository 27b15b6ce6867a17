import { expect, it } from 'vitest';
import { tasksServer } from '../../src/features/board/server.ts';
import { createPeers } from '../../src/features/peers/peers.ts';
import { mailPostscript } from '../../src/features/peers/mail/piggyback-mail.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { freshBoard, handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { directHostOf } from '../fixtures/direct-host.ts';
import { createActing } from '../../src/store/calls.ts';

eachEngine('mail that goes along with answers', (engine) => {
  const open = async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const [peers, board] = [createPeers(db), freshBoard(db)];
    const operator = { who: localPrincipal(''), via: 'route' } as const;
    await peers.change(operator, (desk) => desk.register({ displayName: 'bob', backend: 'codex' }));
    const host = directHostOf(tasksServer(createActing(db), board), {
      postscript: mailPostscript(peers.piggyback),
    });
    return {
      clock,
      host,
      sendTo: (agent: string, text: string) => peers.change(operator, (desk) => desk.send(agent, { text })),
      send: (text: string) => peers.change(operator, (desk) => desk.send('bob', { text })),
      receipt: (id: string) => peers.look(operator, (view) => view.message(id)),
    };
  };
  const bound = (agent: string) => ({ scopeTeamId: 'red', scopeAgentId: agent });

  it('is in content and under _inbox, wrapped as evidence, and nothing else changes', async () => {
    const { host, send, receipt } = await open();
    const sent = await send('lunch?');
    const { value, lines } = await (await host.connect(bound('bob'))).call('list_tasks');
    const wrapped =
      '[Inter-session message · from=user · kind=notification · seq=1 · isUser=false]\n| lunch?';
    expect(value).toEqual({
      tasks: [],
      total: 0,
      _inbox: [{ id: sent.id, fromAgent: 'user', threadId: sent.thread_id, wrapped }],
    });
    expect(JSON.parse(lines[0]!)).toEqual({ tasks: [], total: 0 });
    expect(lines[1]).toContain(wrapped);
    expect((await receipt(sent.id)).state).toBe('delivered');
  });

  it("is acked by the seat's next call, and offered once only", async () => {
    const { host, send, receipt } = await open();
    const { id } = await send('one');
    const bob = await host.connect(bound('bob'));
    await bob.call('list_tasks');
    expect((await bob.call('list_tasks')).value).not.toHaveProperty('_inbox');
    expect((await receipt(id)).state).toBe('acked');
  });

  it('comes again after its lease when the agent died before its next call, three times in all', async () => {
    const { host, send, receipt, clock } = await open();
    const { id } = await send('one');
    const offers: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      offers.push(((await (await host.connect(bound('bob'))).call('list_tasks')).value._inbox ?? []).length);
      clock.advance(61_000);
    }
    expect(offers).toEqual([1, 1, 1, 0]);
    expect(await receipt(id)).toMatchObject({ state: 'delivered', deliveries: 3 });
  });

  it('goes to its agent alone, not to unbound callers and not with refusals', async () => {
    const { host, send } = await open();
    await send('secret');
    expect((await (await host.connect(bound('eve'))).call('list_tasks')).value).not.toHaveProperty('_inbox');
    expect((await (await host.connect()).call('list_tasks')).value).not.toHaveProperty('_inbox');
    const refused = await (await host.connect(bound('bob'))).call('get_task', { taskId: 'nope' });
    expect([refused.isError, refused.value._inbox]).toEqual([true, undefined]);
  });

  it('can be sent to whoever has called before, registered or not', async () => {
    const { host, sendTo } = await open();
    await expect(sendTo('zoe', 'too early')).rejects.toThrow('unknown peer: zoe');
    const zoe = await host.connect(bound('zoe'));
    expect((await zoe.call('list_tasks')).value).not.toHaveProperty('_inbox');
    await sendTo('zoe', 'welcome');
    expect((await zoe.call('list_tasks')).value._inbox).toMatchObject([
      { wrapped: expect.stringContaining('| welcome') },
    ]);
  });

  it('stays away from a call that wants none, and waits', async () => {
    const { host, send } = await open();
    await send('later');
    const bob = await host.connect(bound('bob'));
    expect((await bob.callWith({ 'holdfast/postscript': false }, 'list_tasks')).value).not.toHaveProperty(
      '_inbox',
    );
    expect((await bob.call('list_tasks')).value._inbox).toHaveLength(1);
  });

  it('offers five at once and the rest with the next answer', async () => {
    const { host, send } = await open();
    for (let i = 0; i < 7; i += 1) await send(`m${i}`);
    const bob = await host.connect(bound('bob'));
    const counts = [];
    for (let i = 0; i < 3; i += 1) counts.push(((await bob.call('list_tasks')).value._inbox ?? []).length);
    expect(counts).toEqual([5, 2, 0]);
  });
});
