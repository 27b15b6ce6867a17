// Who was given a fact hears that it was refuted with the next answer, whichever way it comes: stdio, both eras of HTTP, any
// server of the hub, the command line. Built processes, as people run them.
import { expect, it } from 'vitest';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { legacyClient, modernClient } from '../fixtures/server-hosts.ts';
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
