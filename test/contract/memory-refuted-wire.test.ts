// Who was given a fact hears that it was refuted with the next answer, whichever way it comes: stdio, both eras of HTTP, any
// server of the hub, the command line. Built processes, as people run them.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { legacyClient, modernClient } from '../fixtures/server-hosts.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const FACT = { title: 'Release day', content: 'Releases are made on Tuesdays' };
const SAID = /What you read on .* about Release day was refuted by .*: it is Thursday/;

it('comes with the next answer over stdio, HTTP and the command line', { timeout: 120_000 }, async () => {
  const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
  const { address } = await startHub(env);
  const urlOf = (server: string, agent: string, team = 'red'): string =>
    `${address}/api/mcp/${server}?scopeTeamId=${team}&scopeAgentId=${agent}&profile=extended`;
  const saver = modernClient(urlOf('memory', 'ann'));
  const { fact } = (await saver.call('memory_save', FACT)).value;
  const readers = {
    legacy: await legacyClient(urlOf('memory', 'bob')),
    modern: modernClient(urlOf('memory', 'cid')),
  };
  const other = modernClient(urlOf('memory', 'mallory', 'blue'));
  const stdio = await startStdio(env, 'clawboo-mcp-memory');
  for (const client of Object.values(readers))
    expect((await client.call('memory_search', { query: 'release' })).value.results).toHaveLength(1);
  expect((await stdio.call('memory_search', { query: 'release' })).structuredContent['results']).toHaveLength(
    1,
  );
  expect((await other.call('memory_search', { query: 'release' })).value.results).toEqual([]);
  expect(runHoldfast(env, ['memory', 'search', 'release']).out).toContain('Tuesdays');
  const { value } = await saver.call('memory_refute', { id: fact.id, reason: 'it is Thursday' });
  expect(value.told).toBe(4);
  const heard = { _refuted: [{ id: fact.id, text: expect.stringMatching(SAID) }] };
  expect((await readers.legacy.call('memory_search', { query: 'harbour' })).value).toMatchObject(heard);
  // Another server answers first: it says it, and memory no longer does.
  const board = modernClient(urlOf('tasks', 'cid'));
  expect((await board.call('create_task', { title: 'Ship it' })).value).toMatchObject(heard);
  expect((await stdio.call('memory_search', { query: 'harbour' })).structuredContent).toMatchObject(heard);
  expect(runHoldfast(env, ['memory', 'search', 'harbour']).err).toMatch(SAID);
  for (const client of [...Object.values(readers), other, saver])
    expect((await client.call('memory_search', { query: 'harbour' })).value).not.toHaveProperty('_refuted');
});

it('reaches a person who does not search memory again, and a session that only its hook had told', async () => {
  const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
  const { address } = await startHub(env);
  const folder = newRepositoryWithCommit(join(freshFolder(), 'boat'));
  const run = (...args: string[]) => runHoldfast(env, args, undefined, folder);
  expect(run('board', 'add', 'Ship it').code).toBe(0);
  const save = (title: string): string =>
    JSON.parse(run('memory', 'save', title, `${title} is on Tuesdays`, '--json').out).fact.id;
  const saver = modernClient(`${address}/api/mcp/memory?scopeTeamId=boat&scopeAgentId=ann&profile=extended`);
  const refute = async (id: string) =>
    expect((await saver.call('memory_refute', { id, reason: 'it is Thursday' })).value).toMatchObject({
      fact: { id },
    });

  const [listed, found] = [save('Release day'), save('Sailing day')];
  expect(run('memory', 'list').out).toContain('Release day');
  await refute(listed);
  const heard = run('memory', 'list');
  expect([heard.code, heard.err]).toEqual([0, expect.stringMatching(SAID)]);
  expect(run('memory', 'list').err).not.toMatch(SAID);
  expect(run('search', 'sailing').out).toContain('Sailing day');
  await refute(found);
  // Who does not look for memory is not told there, and loses nothing by it.
  expect(run('search', 'status:todo').err).not.toContain('What you read on');
  expect(run('search', 'anything').err).toContain('What you read on');
  expect(run('search', 'anything').err).not.toContain('What you read on');

  const [prompted, told] = [save('Feast day'), save('Market day')];
  const hook = (event: string): string => {
    const said = { hook_event_name: event, session_id: 'today', cwd: folder };
    return runHoldfast(env, ['hooks', 'run', 'claude-code'], JSON.stringify(said), folder).out;
  };
  const started = hook('SessionStart');
  for (const day of ['Feast day', 'Market day']) expect(started).toContain(`${day} is on Tuesdays`);
  await refute(prompted);
  expect(hook('UserPromptSubmit')).toMatch(/about Feast day was refuted by ann: it is Thursday/);
  expect(hook('UserPromptSubmit')).toBe('');
  await refute(told);
  const session = await startStdio(env, 'holdfast', ['mcp', 'hub'], folder, 'claude-code');
  expect(await session.call('tasks__list_tasks')).toMatchObject({
    structuredContent: { _refuted: [{ id: told }] },
  });
}, 120_000);
