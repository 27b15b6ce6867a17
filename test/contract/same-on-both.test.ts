// The same input has the same answer on both engines: what one of them cannot store or look for is refused or
// left out before either of them sees it.
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { openBeingHost, scene } from '../fixtures/being-host.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';

const [HALF, NUL] = ['\ud800', '\0'];
/** A letter of two halves after one of one: cut anywhere, it is cut in the middle every other time. */
const TALL = `a${'𐐨'.repeat(60)}`;
/** One character that is eighteen once it is normalised. */
const UNFOLDING = `A${'ﷺ'.repeat(30)} A${'ﷺ'.repeat(30)} A${'ﷺ'.repeat(30)}`;

eachEngine('what comes in', (engine) => {
  it('may be a word as long as a page, in a question or in what is saved', async () => {
    const { hub, create, call } = await openBeingHost(engine);
    const being = await create('Luna');
    const words = ['x'.repeat(2_039), `X${'y'.repeat(3_000)}`, '1'.repeat(2_500), TALL, UNFOLDING];
    for (const word of [...words, `${UNFOLDING}: said so`]) {
      const saved = await hub.fetch(
        '/api/memory',
        post({ title: `about ${word}`.slice(0, 190), content: word }),
      );
      expect([201, 200]).toContain(saved.status);
      const found = await hub.fetch('/api/memory/search', post({ query: word }));
      expect(found.status).toBe(200);
      expect((await call(being, 'recall', { user_message: `Tell me of ${word}` })).isError).toBe(false);
      expect((await call(being, 'search_memory', { query: word })).isError).toBe(false);
    }
    await call(being, 'update_notes', { scenes: [scene(TALL)] });
  });

  it('may be a path longer than an index of PostgreSQL holds, and is found again by it', async () => {
    const { rest, hub } = await openBeingHost(engine);
    const [path, root, pattern] = [`/${tall(4_000)}`, tall(900), tall(450)];
    const register = async () =>
      (await rest('POST', '/v1/peers/register', { display_name: 'a', backend: 'b', path, session_id: 's' }))
        .body.peer_id as string;
    const peer = await register();
    expect(peer).toEqual(expect.any(String));
    expect(await register()).toBe(peer);

    const tool = async (name: string, args: object) => {
      const call = { name, arguments: args, _meta: MODERN_META };
      return (await hub.rpc('/api/mcp/tasks?profile=extended', 'tools/call', call)).body.result
        .structuredContent;
    };
    const { id: taskId } = await tool('create_task', { title: 'a' });
    const { fence } = await tool('claim_task', { taskId, assigneeAgentId: 'ada' });
    const reserve = (reason: string) =>
      tool('reserve_files', { taskId, fence, agentId: 'ada', patterns: [pattern], root, reason });
    const first = await reserve('once');
    expect(first.reserved).toHaveLength(1);
    const again = await reserve('again');
    expect(again.reserved).toMatchObject([{ id: first.reserved[0].id, reason: 'again' }]);
  });

  it.each([
    ['half a character', HALF, 'half of a character'],
    ['NUL', NUL, 'NUL'],
  ])('is refused with %s in it, wherever it stands', async (_, bad, word) => {
    const { hub } = await openBeingHost(engine);
    const bodies: [string, object][] = [
      ['/api/board/tasks', { title: 'a', teamId: `t${bad}` }],
      ['/api/board/tasks', { title: `a${bad}` }],
      ['/api/board/tasks', { title: 'a', assigneeAgentId: `a${bad}` }],
      ['/api/memory', { title: 'a', content: 'b', tags: [`t${bad}`] }],
      ['/api/memory', { title: 'a', content: `b${bad}` }],
    ];
    for (const [path, body] of bodies) {
      const response = await hub.fetch(path, post(body));
      expect([path, response.status, await response.text()]).toEqual([
        path,
        400,
        expect.stringContaining(word),
      ]);
    }
    const calls: [string, string, object][] = [
      ['tasks', 'create_task', { title: 'a', teamId: `t${bad}` }],
      ['tasks', 'claim_next_task', { assigneeAgentId: `a${bad}` }],
      ['tasks', 'list_tasks', { teamId: `t${bad}` }],
      ['memory', 'memory_save', { title: 'a', content: 'b', tags: [`t${bad}`] }],
      ['memory', 'memory_search', { query: `b${bad}` }],
      ['teamchat', 'team_chat_post', { roomId: `team:t${bad}`, text: 'hi' }],
    ];
    for (const [server, name, args] of calls) {
      const { body } = await hub.rpc(`/api/mcp/${server}?profile=extended`, 'tools/call', {
        name,
        arguments: args,
        _meta: MODERN_META,
      });
      const told = JSON.stringify(body);
      expect([name, body.result?.isError ?? body.error !== undefined, told]).toEqual([
        name,
        true,
        expect.stringContaining(word),
      ]);
      expect(told).not.toContain('internal');
    }
  });
});

/** Letters of three bytes, no two alike in a row: what cannot be packed. */
function tall(length: number): string {
  return Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7_919) % 20_000))).join('');
}

function post(body: object): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
