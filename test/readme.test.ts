import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { attachLines } from '../src/cli/attach.ts';
import { openTerminal } from './fixtures/terminal.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const shellLines = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) => block!.trim().split('\n'));

describe('the README', () => {
  it('shows the attach lines that the hub prints', () => {
    for (const line of attachLines('http://127.0.0.1:18790')) expect(shellLines).toContain(line);
  });

  it('shows commands that work, one after the other', async () => {
    const { run } = openTerminal();
    const commands = shellLines.filter((line) => line.startsWith('holdfast ') && !line.includes(' watch'));
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      const args = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!).slice(1);
      expect(await run(...args), command).toMatchObject({ code: 0 });
    }
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    for (const name of ['start', 'test']) {
      expect(shellLines.some((line) => line.startsWith(`npm ${name} `))).toBe(true);
      expect(existsSync(join(root, scripts[name]!.split(' ')[1]!))).toBe(true);
    }
  });
});

it.each(['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'docs/design/architecture.md'])('every link of %s leads somewhere', (document) => {
  const text = readFileSync(join(root, document), 'utf8');
  const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  for (const target of targets) expect(existsSync(join(root, dirname(document), target)), target).toBe(true);
});
