import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attachLines } from '../src/cli/up/attach.ts';
import { httpAttachment } from '../src/features/attach/attach.ts';
import { snippetFor } from '../src/features/attach/snippets.ts';
import { freshFolder } from './fixtures/databases.ts';
import { freshHome } from './fixtures/hub-process.ts';
import { openTerminal } from './fixtures/terminal.ts';
import { openStage } from './fixtures/transcript.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const tour = linesOf(read('docs/guides/tour.md'));
const address = 'http://127.0.0.1:18790';
const isEndless = (line: string) => line.includes(' watch');

function linesOf(text: string): string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'));
}

/** The words of a line as a shell would have them; the pages need no more than quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  );
}

describe('the README', () => {
  it('is one screen and a half, and asks for four words', () => {
    const lines = readme.split('\n');
    expect(lines.length).toBeLessThanOrEqual(110);
    expect(lines.findIndex((line) => line.startsWith('## More'))).toBeLessThanOrEqual(95);
    const words = [...readme.matchAll(/(?<!\*)\*\*([a-z]+)\*\*(?!\*)/g)].map(([, word]) => word);
    expect(words).toEqual(['hub', 'task', 'claim', 'project']);
    const early = readme.slice(0, readme.indexOf('## Attach'));
    expect(early).not.toMatch(/clawboo|fence|lease|policy|broker|source|being|runtime|REST/i);
  });

  it('names commands and scripts that exist', () => {
    const { scripts, bin } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    expect(linesOf(readme)).toEqual(['npm start']);
    for (const name of ['start', 'test']) {
      expect(readme).toContain(`npm ${name}`);
      expect(existsSync(join(root, scripts![name]!.split(' ')[1]!))).toBe(true);
    }
    const names = read('docs/guides/names.md');
    for (const name of Object.keys(bin!)) expect(names).toContain(name);
  });
});

it('the page of names shows the attach lines that the hub prints', () => {
  const lines = linesOf(read('docs/guides/names.md'));
  for (const line of attachLines(address)) expect(lines).toContain(line);
  const door = httpAttachment({ address, asksToken: 'nothing' }, 'hub');
  expect(tour).toContain(snippetFor('claude-code', door).snippet);
  const asking = httpAttachment({ address, asksToken: 'hub' }, 'hub');
  expect(tour).toContain(snippetFor('claude-code', asking).snippet);
});

it('the tour shows commands that work, one after the other', { timeout: 60_000 }, async () => {
  const { run } = openTerminal(undefined, freshHome({ HOME: freshFolder() }));
  const commands = tour.filter((line) => line.startsWith('holdfast ') && !isEndless(line));
  for (const room of ['board', 'memory', 'policy', 'approvals', 'audit', 'chat', 'peer', 'brain', 'token'])
    expect(commands.some((command) => wordsOf(command)[1] === room)).toBe(true);
  for (const command of commands)
    expect(await run(...wordsOf(command).slice(1)), command).toMatchObject({ code: 0 });
});

const documents = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  ...['design', 'guides', 'reference'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).map((name) => `docs/${folder}/${name}`),
  ),
];

it.each(documents)('every link of %s leads somewhere', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  for (const target of targets) expect(existsSync(join(root, dirname(document), target)), target).toBe(true);
});

/** `HOLDFAST_WRITE_DOCS=1 npm test -- test/readme.test.ts` writes into the README what is printed now. */
it(
  'shows what is printed where its reader stands: in a clone, beside the hub',
  { timeout: 180_000 },
  async () => {
    const blocks = [...readme.matchAll(/```console\n([\s\S]*?)\n```/g)].map(([, block]) => block!);
    expect(blocks).toHaveLength(4);
    const stage = await openStage(root);
    const played: string[] = [];
    for (const block of blocks) {
      if (block.startsWith('$ holdfast approvals')) {
        await stage.askToDelete('notes.txt');
        expect(await stage.play('$ holdfast board')).toContain(
          'one call waits for your decision: holdfast approvals',
        );
      }
      played.push(await stage.play(block));
    }
    if (process.env['HOLDFAST_WRITE_DOCS']) {
      const written = blocks.reduce((text, block, i) => text.replace(block, () => played[i]!), readme);
      writeFileSync(join(root, 'README.md'), written);
    }
    expect(blocks).toEqual(played);
  },
);

it('the picture of the race shows what the commands print', { timeout: 120_000 }, () => {
  expect(playedBy('scripts/picture.mjs')).toEqual(shownIn('race'));
});

it('the pictures of the terminal show what a demo answers', { timeout: 120_000 }, () => {
  const played = playedBy('scripts/picture-terminal.mjs') as Record<string, unknown>;
  expect(Object.keys(played)).toEqual(['terminal-board', 'terminal-approvals']);
  // A release alone makes no picture wrong.
  const ageless = (shown: unknown) =>
    JSON.stringify(shown)
      .replace(/Holdfast \d\S+/, 'Holdfast')
      .replace(/schema \d+/, 'schema');
  for (const [name, lines] of Object.entries(played)) expect(ageless(lines)).toBe(ageless(shownIn(name)));
});

function playedBy(script: string): unknown {
  const { stdout, stderr } = spawnSync('node', [script, '--print'], { cwd: root, encoding: 'utf8' });
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

/** Every picture holds what was typed and printed, to be compared. */
function shownIn(name: string): unknown {
  const picture = readFileSync(join(root, 'docs', 'images', `${name}.svg`), 'utf8');
  const [, held] = /<metadata>(.*?)<\/metadata>/s.exec(picture)!;
  return JSON.parse(
    held!.replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );
}
