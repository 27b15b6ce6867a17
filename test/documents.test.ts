import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import { exitCodeFor } from '../src/cli/exit.ts';
import { createProgram } from '../src/cli/program.ts';
import type { World } from '../src/cli/world.ts';
import { ERRORS, type ErrorCode } from '../src/kernel/errors.ts';
import { type Setting, SETTINGS } from '../src/kernel/settings.ts';
import { VERSION } from '../src/kernel/version.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const rowsOf = (markdown: string) =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  dependencies: object;
  devDependencies: object;
};

describe('documents that must not drift', () => {
  it('errors.md has a true row for every code and no other', () => {
    const retries = { never: 'never', later: 'later', after_change: 'after a change' };
    const expected = (Object.keys(ERRORS) as ErrorCode[]).map((code) => [
      `\`${code}\``,
      String(ERRORS[code].status),
      String(exitCodeFor(code)),
      retries[ERRORS[code].retry],
    ]);
    const documented = rowsOf(read('docs/reference/errors.md')).map((row) => row.slice(0, 4));
    expect(new Set(documented.map(String))).toEqual(new Set(expected.map(String)));
  });

  it('dependencies.md gives a reason for every dependency and for no other', () => {
    const documented = rowsOf(read('docs/design/dependencies.md')).map(([name, reason]) => {
      expect(reason, name).not.toBe('');
      return name!.replaceAll('`', '');
    });
    expect(documented.toSorted()).toEqual(
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).toSorted(),
    );
  });

  it('commands.md has every command with every option', async () => {
    const program = await createProgram({} as World);
    const sections = read('docs/reference/commands.md').split('\n## ');
    for (const command of program.commands.flatMap(leavesOf)) {
      const heading = new RegExp(`^holdfast ${pathOf(command)}(?: [<[].*)?\\n`);
      const documented = sections.filter((section) => heading.test(section));
      expect(documented, pathOf(command)).toHaveLength(1);
      for (const { flags } of command.options) expect(documented[0]).toContain(`\`${flags}\``);
    }
  });

  it('every command is loaded by its name alone', async () => {
    for (const command of (await createProgram({} as World)).commands) {
      const { commands } = await createProgram({} as World, command.name());
      expect(commands.map((loaded) => loaded.name())).toEqual([command.name()]);
    }
  });

  it('every setting is described once, in settings.md, with its flag, variables and key', () => {
    const rows = read('docs/reference/settings.md').split('\n');
    const other = read('docs/reference/cli.md');
    for (const { flag, env, key } of Object.values(SETTINGS) as Setting<unknown>[]) {
      const row = rows.find((line) => line.startsWith(`| \`${key}\` |`)) ?? '';
      for (const name of [...env, ...(flag === undefined ? [] : [flag])])
        expect(row, key).toContain(`\`${name}\``);
      for (const name of env) expect(other, name).not.toContain(`| \`${name}\``);
    }
  });

  it('dependencies are pinned exactly', () => {
    for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  it('promises.md names tests that are there, and its page is made of the last results', async () => {
    const named = [...read('docs/design/promises.md').matchAll(/`(test\/[\w./-]+\.ts)`/g)].map(
      ([, file]) => file!,
    );
    expect(named.length).toBeGreaterThan(20);
    for (const file of named) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true);
    const { renderPage } = (await import(new URL('../scripts/promises.mjs', import.meta.url).href)) as {
      renderPage(results: object): string;
    };
    const results = JSON.parse(read('docs/reference/promises.json')) as object;
    expect(read('docs/reference/promises.md')).toBe(renderPage(results));
    const claimed = `${read('README.md')}${read('docs/guides/limits.md')}`;
    const rows = JSON.parse(read('scripts/promises.json')) as { says?: string; command: string }[];
    for (const { says = '' } of rows) expect(claimed).toContain(says);
    const files = rows.flatMap(({ command }) => command.match(/(?:test|src)\/[\w./-]+/g) ?? []);
    for (const file of files) expect(existsSync(new URL(`../${file}`, import.meta.url)), file).toBe(true);
  });

  it('the lock file lets nothing be compiled, and names no registry: npm forgets the one and adds the other whenever it writes the file', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { gypfile?: boolean; resolved?: string }>;
    };
    expect(packages['node_modules/better-sqlite3']?.gypfile).toBe(false);
    expect(Object.keys(packages).filter((path) => packages[path]!.resolved !== undefined)).toEqual([]);
  });

  it('the version in the sources is that of the package', () => {
    expect(VERSION).toBe(manifest.version);
  });
});

function leavesOf(command: Command): Command[] {
  const own = command.options.length > 0 || command.commands.length === 0 ? [command] : [];
  return [...own, ...command.commands.flatMap(leavesOf)];
}

function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
