import { expect, it } from 'vitest';
import { openTerminal } from '../fixtures/terminal.ts';

type Saved = Readonly<{ id: string }>;

async function withFacts(columns?: number) {
  const terminal = openTerminal(columns);
  const save = async (title: string, content: string) =>
    (await terminal.json<{ fact: Saved }>('memory', 'save', title, content)).fact.id;
  const found = async (...words: string[]) => (await terminal.run('memory', 'search', ...words)).out;
  return { ...terminal, save, found };
}

it('supersedes a fact: the new one is found, the old one is history', async () => {
  const { run, save, found } = await withFacts();
  const id = await save('Release day', 'We release on Tuesdays.');
  const { code, out } = await run('memory', 'supersede', id.slice(-8), 'We', 'release', 'on', 'Fridays.');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^saved [0-9a-f]{8} in the place of ${id.slice(-8)}$`)),
  ]);
  const answer = await found('when', 'release');
  expect(answer).toContain('Fridays');
  expect(answer).not.toContain('Tuesdays');
});

it('supersedes a fact by one that is saved already, and a search tells what held and who confirmed it', async () => {
  const { run, save, found } = await withFacts();
  const old = await save('Port', 'The gate listens on port 8080.');
  const newer = await save('Port, moved', 'The gate listens on port 9090 since v3.');
  expect((await run('memory', 'supersede', old, '--by', newer.slice(-8))).out).toBe(
    `saved ${newer.slice(-8)} in the place of ${old.slice(-8)}`,
  );
  expect((await run('memory', 'list', '--all')).out.match(/listens/g)).toHaveLength(1);
  expect(await found('gate')).toMatch(/STANDS[^]*9090.* since v3$/m);
  await run('memory', 'confirm', newer);
  expect(await found('gate')).toMatch(/says you, \d{4}-\d\d-\d\d; since v3$/m);
  // Nothing held yesterday, and both are known of today.
  expect((await run('memory', 'search', 'gate', '--as-of', 'yesterday')).err).toContain('No fact in sight');
  expect(await found('gate', '--as-of', 'today')).not.toContain('8080');
  const { code, err } = await run('memory', 'search', 'gate', '--as-of', 'long ago');
  expect([code, err]).toEqual([2, expect.stringContaining('--as-of must be a day')]);
});

it('merges facts into one that holds what all of them say', async () => {
  const { run, save, found } = await withFacts();
  const facts = [
    await save('Staging', 'Staging is at stage.example.'),
    await save('Staging', 'Staging is down on Sundays.'),
  ];
  expect((await run('memory', 'merge', facts[0]!)).code).toBe(2);
  const { out } = await run('memory', 'merge', ...facts.map((id) => id.slice(-8)));
  expect(out).toMatch(/^saved .* in the place of 2 facts$/);
  const answer = await found('staging');
  expect(answer).toContain('down on Sundays');
  expect(answer.match(/Staging/g)).not.toBeNull();
});

it('a forgetting is taken back within a day, and final when it is said to be', async () => {
  const { run, save, found, json } = await withFacts(100);
  const id = await save('Lighthouse', 'The lamp is green.');
  expect((await run('memory', 'withheld')).err).toBe('Nothing was forgotten in the last day.');
  const asked = await run('memory', 'forget', id);
  expect(asked.out).toBe('Forget “Lighthouse”, it can be taken back for a day? [Y/n]');
  expect(asked.err).toBe('Nothing was changed.');
  expect(await found('lamp')).toContain('green');
  const forgotten = await run('memory', 'forget', id, '--yes');
  expect([forgotten.code, forgotten.out]).toEqual([0, `forgotten: ${id.slice(-8)}`]);
  expect(forgotten.err).toContain(`holdfast memory restore ${id.slice(-8)}`);
  expect(await found('lamp')).not.toContain('green');
  expect((await json<{ withheld: Saved[] }>('memory', 'withheld')).withheld).toMatchObject([{ id }]);
  expect((await run('memory', 'restore', id.slice(-8))).out).toBe(`restored: ${id.slice(-8)}`);
  expect(await found('lamp')).toContain('green');
  await run('memory', 'forget', id, '--yes');
  expect((await run('memory', 'forget', id.slice(-8), '--yes', '--now')).code).toBe(0);
  expect((await run('memory', 'restore', id)).code).toBe(3);
  expect(await found('lamp')).not.toContain('green');
});

it('who is at no terminal is not asked', async () => {
  const { run, save, found } = await withFacts();
  const id = await save('Lighthouse', 'The lamp is green.');
  expect((await run('memory', 'forget', id)).code).toBe(0);
  expect(await found('lamp')).not.toContain('green');
});

it('lists facts before one that is named by the end of its id, and procedures after a name', async () => {
  const { run, json, save } = await withFacts();
  const ids: string[] = [];
  for (const title of ['Ebb', 'Flood', 'Slack']) ids.push(await save(title, `${title} water.`));
  for (const name of ['moor', 'sail & row']) await run('memory', 'save', name, 'As ever.', '--procedure');
  const shown = ['memory', 'list', '--limit', '1', '--before', ids[2]!.slice(-8)];
  const page = await json<{ facts: { title: string }[] }>(...shown);
  expect(page.facts.map(({ title }) => title)).toEqual(['Flood']);
  const { out } = await run('memory', 'list', '--procedures', '--after', 'moor');
  expect(out).toContain('sail & row (version 1)');
  expect(out).not.toContain('moor (');
  expect((await run('memory', 'list', '--procedures', '--after', 'sail & row')).out).toBe('');
  const strange = `no/such?fact#${'x'.repeat(30)}`;
  expect((await run('memory', 'show', strange)).err).toContain(`not found: ${strange}`);
});
