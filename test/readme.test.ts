import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attachLines } from '../src/cli/attach.ts';
import { httpAttachment } from '../src/features/attach/attach.ts';
import { snippetFor } from '../src/features/attach/snippets.ts';
import { freshFolder } from './fixtures/databases.ts';
import { freshHome } from './fixtures/hub-process.ts';
import { openTerminal } from './fixtures/terminal.ts';
import { playTranscripts } from './fixtures/transcript.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const address = 'http://127.0.0.1:18790';
const shellLines = blocksOf('sh').flatMap((block) => block.split('\n'));
const isEndless = (line: string) => line.includes(' watch');

function blocksOf(language: string): string[] {
  return [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) =>
    block!.trim(),
  );
}

/** The words of a line as a shell would have them; the README needs no more than quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  );
}

describe('the README', () => {
  it('shows the attach lines that the hub prints', () => {
    expect(shellLines.find((line) => line.includes(' connect ') || line.includes(' mcp add '))).toBe(
      'holdfast connect claude-code',
    );
    for (const line of attachLines(address)) expect(shellLines).toContain(line);
    const door = httpAttachment({ address, asksToken: 'nothing' }, 'hub');
    expect(shellLines).toContain(snippetFor('claude-code', door).snippet);
    const asking = httpAttachment({ address, asksToken: 'hub' }, 'hub');
    expect(shellLines).toContain(snippetFor('claude-code', asking).snippet);
  });

  it('shows commands that work, one after the other', { timeout: 60_000 }, async () => {
    const { run } = openTerminal(undefined, freshHome({ HOME: freshFolder() }));
    const commands = shellLines.filter((line) => line.startsWith('holdfast ') && !isEndless(line));
    for (const room of [
      'board',
      'memory',
      'policy',
      'approvals',
      'audit',
      'chat',
      'peer',
      'brain',
      'token',
      'connect',
    ])
      expect(commands.some((command) => wordsOf(command)[1] === room)).toBe(true);
    for (const command of commands)
      expect(await run(...wordsOf(command).slice(1)), command).toMatchObject({ code: 0 });
  });

  it('shows what its commands print', async () => {
    const { run } = openTerminal(100);
    const printed: string[] = [];
    const [transcript] = blocksOf('console');
    let id = '';
    for (const line of transcript!.split('\n').filter((each) => each.startsWith('$ '))) {
      const { out, err } = await run(...wordsOf(line.replaceAll('c0ffee12', id)).slice(2));
      id ||= out.slice(0, 8);
      printed.push(line, ...[out, err].filter((text) => text !== ''));
    }
    const comparable = (text: string) =>
      text
        .replaceAll(id, 'c0ffee12')
        .replace(/\d+s$/gm, 'now')
        .replace(/since \S+Z\./g, 'since then.');
    expect(comparable(printed.join('\n'))).toBe(comparable(transcript!));
  });

  it('names commands and scripts that exist', () => {
    const { scripts, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    for (const name of ['start', 'test']) {
      expect(shellLines.some((line) => line.startsWith(`npm ${name} `))).toBe(true);
      expect(existsSync(join(root, scripts![name]!.split(' ')[1]!))).toBe(true);
    }
    for (const name of Object.keys(bin!)) expect(readme).toContain(name.replace('clawboo-mcp', ''));
  });
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

const FIRST_MINUTES = /(?<=## The first five minutes\n)[\s\S]*?(?=\n## )/;

/** `HOLDFAST_WRITE_DOCS=1 npm test -- test/readme.test.ts` writes into the README what is printed now. */
it('shows the first five minutes as they are', { timeout: 120_000 }, async () => {
  const [section] = FIRST_MINUTES.exec(readme)!;
  const blocks = [...section.matchAll(/```console\n([\s\S]*?)\n```/g)].map(([, block]) => block!);
  expect(blocks).toHaveLength(2);
  const played = await playTranscripts(blocks);
  if (process.env['HOLDFAST_WRITE_DOCS']) {
    const written = blocks.reduce((text, block, i) => text.replace(block, () => played[i]!), readme);
    writeFileSync(join(root, 'README.md'), written);
  }
  expect(blocks).toEqual(played);
});

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
