import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** `npm run test:pack` does the same after a real installation, on three versions of Node. */
it('the package has all it needs, and nothing that publint minds', { timeout: 180_000 }, () => {
  const { FORCE_COLOR: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('node', ['scripts/test-pack.mjs', '--quick'], {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/^ok {5}publint .*All good!$/m);
  expect(stdout).toMatch(/^ok {5}unpacked, on this Node/m);
});

it('what is bundled is no dependency: an installation brings only what cannot be', () => {
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    dependencies: object;
  };
  const build = readFileSync(`${root}scripts/build.mjs`, 'utf8');
  const [, external] = /external: \[([^\]]+)\]/.exec(build)!;
  expect(Object.keys(dependencies).toSorted()).toEqual(
    [...external!.matchAll(/'([^']+)'/g)].map(([, name]) => name!).toSorted(),
  );
});
