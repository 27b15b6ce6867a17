import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freshFolder } from './fixtures/databases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'));

/** An npm that writes down how it was called and leaves the record that the real one leaves. */
const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');
if (fs.existsSync('broken')) process.exit(1);
fs.mkdirSync('node_modules/node/bin', { recursive: true });
fs.writeFileSync('node_modules/node/bin/node', '');
fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

function checkout() {
  const folder = freshFolder();
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'npm.cjs'), FAKE_NPM);
  writeFileSync(join(folder, 'package.json'), '{}');
  const lock = (version: string) => {
    const packages = { '': {}, 'node_modules/a': { version }, 'node_modules/a-win32': { version, optional: true } };
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  };
  const run = (script: string) =>
    spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: join(folder, 'npm.cjs') },
    });
  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
  lock('1.0.0');
  return { folder, lock, run, calls };
}

const INSTALL = `import { ensureInstalled } from './scripts/toolchain.mjs'; ensureInstalled();`;

describe('the scripts', () => {
  it.each(scripts)('%s imports nothing that has to be installed first', (name) => {
    const imports = [...readFileSync(join(root, 'scripts', name), 'utf8').matchAll(/^import .* from '([^']+)'/gm)].map(
      ([, target]) => target!,
    );
    for (const target of imports) expect(target).toMatch(/^(node:|\.\.?\/)/);
  });

  it('install once, with the development dependencies, and again only when the lock file asks for something else', () => {
    const { folder, lock, run, calls } = checkout();
    run(INSTALL);
    run(INSTALL);
    expect(calls()).toEqual([expect.stringMatching(/^ci --include=dev /)]);
    utimesSync(join(folder, 'package-lock.json'), new Date(), new Date());
    run(INSTALL);
    expect(calls()).toHaveLength(1);
    lock('1.0.1');
    run(INSTALL);
    expect(calls()).toHaveLength(2);
  });

  it('do not mind packages that exist for other platforms only', () => {
    const { folder, run, calls } = checkout();
    run(INSTALL);
    writeFileSync(
      join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );
    run(INSTALL);
    expect(calls()).toHaveLength(1);
  });

  it('stop with a clear line when the installation fails', () => {
    const { folder, run } = checkout();
    writeFileSync(join(folder, 'broken'), '');
    const { status, stderr } = run(INSTALL);
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm ci failed. Check the network')]);
  });

  it('build again when a source changed, not when a test or only a date did', () => {
    const { folder, run } = checkout();
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, 'dist'));
    const source = join(folder, 'src', 'a.ts');
    const isBuilt = () => run(`import { isBuilt } from './scripts/build-stamp.mjs'; console.log(isBuilt());`).stdout.trim();
    writeFileSync(source, 'a');
    expect(isBuilt()).toBe('false');
    run(`import { hashSources, markBuilt } from './scripts/build-stamp.mjs'; markBuilt(hashSources());`);
    expect(isBuilt()).toBe('true');
    utimesSync(source, new Date(0), new Date(0));
    writeFileSync(join(folder, 'src', 'a.test.ts'), 'test');
    expect(isBuilt()).toBe('true');
    writeFileSync(source, 'b');
    expect(isBuilt()).toBe('false');
  });

  it('.ci/run calls npm test', () => {
    expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(/^exec npm test -- "\$@"$/m);
  });
});
