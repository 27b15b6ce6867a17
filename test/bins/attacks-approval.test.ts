// What stands between an approval and what runs, tried from outside on a real hub in a real process.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ASK, openVictim, within } from '../fixtures/victim.ts';

const NEVER = 'version: 1\nrules:\n  - { tool: Write, decide: deny }\n';

it('what a rule forbids while a call waits does not run, although somebody allows it', async () => {
  const { call, agent, waiting, decide, workspace, home } = await openVictim({ policy: ASK });
  const running = call('Write', { path: 'late.md', content: 'x' }, await agent('ada'));
  const { id } = await waiting();
  writeFileSync(join(home, 'policy.yaml'), NEVER);
  await sleep(500);
  await decide(id, 'allow_once');
  expect(await running).toContain('policy:rule 1');
  expect(existsSync(join(workspace, 'late.md'))).toBe(false);
});

it('a tool that is switched off while a call waits does not run', async () => {
  const { call, agent, rest, waiting, decide, workspace } = await openVictim({ policy: ASK });
  const running = call('Write', { path: 'late.md', content: 'x' }, await agent('ada'));
  const { id } = await waiting();
  expect((await rest('POST', '/api/tools/switches/Write', { enabled: false })).status).toBe(200);
  await decide(id, 'allow_once');
  expect(await running).toContain('disabled:Write');
  expect(existsSync(join(workspace, 'late.md'))).toBe(false);
});

it('an approval hides nothing: neither in its reason nor in what "always" would allow', async () => {
  const { call, agent, waiting, decide, workspace } = await openVictim({ policy: ASK });
  const folder = 'notes\u202etxt\u200b';
  mkdirSync(join(workspace, folder));
  const running = call('Write', { path: `./${folder}/x`, content: 'x' }, await agent('ada'));
  const row = await waiting();
  await decide(row.id, 'deny');
  await running;
  expect(JSON.stringify([row.reason, row.shape, row.argsSummary])).not.toMatch(/[\u202e\u200b]/);
  expect(row.shape).toContain(String.raw`notes\u202etxt`);
});

it('an approval asked by one agent is of no use to another, nor to itself twice', async () => {
  const { call, agent, waiting, decide, workspace } = await openVictim({ policy: ASK });
  const [ada, bob] = [await agent('ada'), await agent('bob')];
  const args = { command: 'echo x >> once.txt; wc -l < once.txt' };
  const first = call('Bash', args, ada);
  await decide((await waiting()).id, 'allow_once');
  expect(await first).toContain('1\\n');
  expect(existsSync(join(workspace, 'once.txt'))).toBe(true);
  for (const who of [bob, ada]) {
    const again = call('Bash', args, who).catch(() => '');
    expect(await within(1_000, again)).toBe('nothing');
  }
});

it('"always" for a note reaches nothing hidden beside it: what other programs run is asked for', async () => {
  const { call, agent, waiting, decide, workspace } = await openVictim({ policy: ASK });
  const ada = await agent('ada');
  const first = call('Write', { path: 'notes.md', content: 'x' }, ada);
  await decide((await waiting()).id, 'allow_always', { covers: 'shape' });
  await first;
  expect(await call('Write', { path: 'more.md', content: 'x' }, ada)).not.toContain('"isError":true');
  for (const path of ['.mcp.json', '.envrc', './.npmrc']) {
    const hidden = call('Write', { path, content: 'x' }, ada).catch(() => '');
    expect(await within(700, hidden)).toBe('nothing');
  }
  expect(
    ['notes.md', 'more.md', '.mcp.json', '.envrc', '.npmrc'].map((name) => existsSync(join(workspace, name))),
  ).toEqual([true, true, false, false, false]);
});
