import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readEntries, entrySchema } from '../src/features/sources/config/settings.ts';
import { resolveConfig } from '../src/kernel/config.ts';
import { freshFolder } from './fixtures/databases.ts';
import { npmServer } from './fixtures/sources.ts';
import { openTerminal } from './fixtures/terminal.ts';

const guide = readFileSync(new URL('../docs/guides/sources.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, text]) => text!);

/** What the guide shows is run as it stands; only what is not on this machine is put in its place. */
it('the commands of the guide do what it says', { timeout: 120_000 }, async () => {
  const { run, env } = openTerminal();
  const here = freshFolder();
  writeFileSync(join(here, '.mcp.json'), JSON.stringify({ mcpServers: { old: { command: 'old-server' } } }));
  const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));
  expect(commands.length).toBeGreaterThanOrEqual(8);
  const printed: string[] = [];
  for (const line of commands.filter((each) => !each.includes('source login'))) {
    const words = [...line.matchAll(/(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ''));
    expect(words.shift()).toBe('holdfast');
    const npx = words.indexOf('npx');
    if (npx >= 0) words.splice(npx, 3, ...npmServer('memory'));
    const { code, out, err } = await run(
      ...words.map((word) => (word === '.mcp.json' ? join(here, word) : word)),
    );
    expect(code, `${line}\n${err}`).toBe(0);
    printed.push(out);
  }
  expect(printed[0]).toBe(blocks('text')[0]!.trim());
  expect(printed.join('\n')).toMatch(/notes is ready: \d+ tools/);
  expect(printed.join('\n')).toContain('notes__create_entities');
  expect(readFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), 'utf8')).toContain('${secrets.docs}');
});

it('the settings of the guide are those there are, and its examples are right', async () => {
  const [sources = '', , views = ''] = blocks('yaml');
  expect(readEntries(parse(sources)).every((read) => 'entry' in read)).toBe(true);
  const rows = [...guide.matchAll(/^\| (`[a-z`, ]+) \|/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/`([a-z]+)`/g)].map(([, name]) => name!),
  );
  expect(rows.toSorted()).toEqual(Object.keys(entrySchema.shape).toSorted());
  const home = freshFolder();
  writeFileSync(join(home, 'config.yaml'), views);
  expect((await resolveConfig({ env: {}, home })).profiles['reviewer']).toMatchObject({
    rename: { notes__search_nodes: 'search' },
  });
});
