import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exitCodeFor } from '../src/cli/exit.ts';
import { ERRORS, type ErrorCode } from '../src/kernel/errors.ts';
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
const manifest = JSON.parse(read('package.json')) as { version: string; dependencies: object; devDependencies: object };

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
    expect(documented.toSorted()).toEqual(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).toSorted());
  });

  it('dependencies are pinned exactly', () => {
    for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });

  it('the version in the sources is that of the package', () => {
    expect(VERSION).toBe(manifest.version);
  });
});
