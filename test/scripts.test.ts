import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshFolder } from './fixtures/databases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = readdirSync(join(root, 'scripts'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.mjs'),
);

/** An npm that writes down how it was called and leaves what the real one leaves: packages, its record, and what scripts made. */
const FAKE_NPM = `
const fs = require('node:fs');
const [command, ...args] = process.argv.slice(2);
fs.appendFileSync('calls', [command, ...args].join(' ') + '\\n');
if (fs.existsSync('broken')) process.exit(1);
if (command === 'rebuild' && args.includes('node')) fs.writeFileSync('node_modules/node/bin/node', '');
if (command === 'ci') {
  const all = JSON.parse(fs.readFileSync('package-lock.json', 'utf8')).packages;
  const packages = Object.fromEntries(Object.entries(all).filter(([path, { optional }]) => path !== '' && !optional));
  fs.mkdirSync('node_modules/node/bin', { recursive: true });
  for (const [path, { scripts }] of Object.entries(packages)) {
    fs.mkdirSync(path, { recursive: true });
    fs.writeFileSync(path + '/package.json', JSON.stringify({ scripts }));
  }
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
}
`;

const FAKE_HUB = `
const fs = require('node:fs');
process.on('SIGTERM', () => { fs.writeFileSync('ended', ''); process.exit(0); });
setInterval(() => {}, 1_000);
fs.writeFileSync('started', '');
`;

/** Says yes to `setup --path` where it is told to, by putting a file there. */
const FAKE_COMMAND = `
const fs = require('node:fs');
const asked = process.argv.slice(2).join(' ');
fs.appendFileSync('asked', asked + '\\n');
if (asked === 'setup --path') process.env.SAYS ? fs.writeFileSync(process.env.SAYS, '') : process.exit(1);
`;

function checkout() {
  const folder = freshFolder();
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  writeFileSync(join(folder, 'npm.cjs'), FAKE_NPM);
  writeFileSync(join(folder, 'package.json'), '{}');
  const lock = (version: string) => {
    const packages = {
      '': {},
      'node_modules/a': { version, scripts: { postinstall: 'node a.js' } },
      'node_modules/a-win32': { version, optional: true },
      'node_modules/compiled': { version, hasInstallScript: true, scripts: { test: 'node-gyp rebuild' } },
      'node_modules/node': { version, scripts: { preinstall: 'node fetch.js' } },
    };
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

const isInstall = (call: string) => call.startsWith('ci ');
const INSTALL = `import { ensureInstalled } from './scripts/toolchain.mjs'; ensureInstalled();`;

describe('the scripts', () => {
  it.each(scripts)('%s imports nothing that has to be installed first', (name) => {
    const imports = [
      ...readFileSync(join(root, 'scripts', name), 'utf8').matchAll(/^import .* from '([^']+)'/gm),
    ].map(([, target]) => target!);
    for (const target of imports) expect(target).toMatch(/^(node:|\.\.?\/)/);
  });

  it('install once, with the development dependencies, and again only when the lock file asks for something else', () => {
    const { folder, lock, run, calls } = checkout();
    run(INSTALL);
    run(INSTALL);
    expect(calls().filter(isInstall)).toEqual([expect.stringMatching(/^ci --include=dev /)]);
    utimesSync(join(folder, 'package-lock.json'), new Date(), new Date());
    run(INSTALL);
    expect(calls().filter(isInstall)).toHaveLength(1);
    lock('1.0.1');
    run(INSTALL);
    expect(calls().filter(isInstall)).toHaveLength(2);
  });

  it('run the scripts that packages declare and compile nothing; Node comes last, as the sign that all is there', () => {
    const { folder, run, calls } = checkout();
    run(INSTALL);
    expect(calls()).toEqual([
      expect.stringContaining(' --ignore-scripts '),
      expect.stringMatching(/^rebuild --ignore-scripts=false a --/),
      expect.stringMatching(/^rebuild --ignore-scripts=false node --/),
    ]);
    rmSync(join(folder, 'node_modules', 'node', 'bin', 'node'));
    run(INSTALL);
    expect(calls()).toHaveLength(6);
  });

  it('do not mind packages that exist for other platforms only', () => {
    const { folder, run, calls } = checkout();
    run(INSTALL);
    writeFileSync(
      join(folder, 'node_modules', '.package-lock.json'),
      JSON.stringify({
        packages: Object.fromEntries(
          ['a', 'compiled', 'node'].map((name) => [`node_modules/${name}`, { version: '1.0.0' }]),
        ),
      }),
    );
    run(INSTALL);
    expect(calls().filter(isInstall)).toHaveLength(1);
  });

  it('stop with a clear line when the installation fails', () => {
    const { folder, run } = checkout();
    writeFileSync(join(folder, 'broken'), '');
    const { status, stderr } = run(INSTALL);
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm ci failed. Check the network')]);
  });

  it('hand a build to Node 24 in one hop, wherever that really lies', () => {
    const { folder, run } = checkout();
    run(INSTALL);
    writeFileSync(join(folder, 'node_modules', 'node', 'bin', 'node'), '#!/bin/sh\necho "$@" >> hops\n', {
      mode: 0o755,
    });
    chmodSync(join(folder, 'node_modules', 'node', 'bin', 'node'), 0o755);
    spawnSync(process.execPath, [join(folder, 'scripts', 'build.mjs'), '--whole'], { cwd: folder });
    expect(readFileSync(join(folder, 'hops'), 'utf8')).toBe(
      `${join(folder, 'scripts', 'build.mjs')} --whole --on-this-node\n`,
    );
  });

  it('build again when a source changed, not when a test or only a date did', () => {
    const { folder, run } = checkout();
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, 'dist'));
    const source = join(folder, 'src', 'a.ts');
    const isBuilt = () =>
      run(`import { isBuilt } from './scripts/build-stamp.mjs'; console.log(isBuilt());`).stdout.trim();
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

  it('what npm forgets to write into the lock file is put back after an install, and whom it asked is not kept', () => {
    const { folder } = checkout();
    const lock = join(folder, 'package-lock.json');
    const manifest = join(folder, 'node_modules', 'binary');
    mkdirSync(manifest, { recursive: true });
    writeFileSync(join(manifest, 'package.json'), '{"gypfile":false}');
    const forgotten = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };
    const asked = { ...forgotten, resolved: 'https://packages.example/binary.tgz' };
    writeFileSync(lock, JSON.stringify({ packages: { '': {}, 'node_modules/binary': asked } }));
    spawnSync(process.execPath, ['scripts/lock-file.mjs'], { cwd: folder });
    const { packages } = JSON.parse(readFileSync(lock, 'utf8'));
    expect(packages['node_modules/binary']).toEqual({ ...forgotten, gypfile: false });
    const { scripts: own } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(own.dependencies).toBe('node scripts/lock-file.mjs');
  });

  it('a run that was ended tells what it was at, and which tests had a second try', () => {
    const { folder, run } = checkout();
    writeFileSync(
      join(folder, 'journal'),
      'begun a.test.ts\nbegun b.test.ts\nagain a.test.ts: slow\nended a.test.ts\n',
    );
    const told = run(
      `import { readJournal } from './scripts/test-journal.mjs'; console.log(JSON.stringify(readJournal('journal')));`,
    );
    expect(JSON.parse(told.stdout)).toEqual({
      open: ['b.test.ts'],
      ended: ['a.test.ts'],
      again: ['a.test.ts: slow'],
    });
  });

  it('a hub ends with the npm that started it, although npm hands no signal on', async () => {
    const { folder, run } = checkout();
    run(INSTALL);
    rmSync(join(folder, 'node_modules', 'node', 'bin', 'node'));
    symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'));
    mkdirSync(join(folder, 'src'));
    mkdirSync(join(folder, 'dist', 'bin'), { recursive: true });
    writeFileSync(join(folder, 'dist', 'bin', 'holdfast.js'), FAKE_HUB);
    run(`import { hashSources, markBuilt } from './scripts/build-stamp.mjs'; markBuilt(hashSources());`);
    const shell = spawn('sh', ['-c', `"${process.execPath}" scripts/start.mjs; true`], {
      cwd: folder,
      stdio: 'ignore',
      detached: true,
    });
    onTestFinished(() => void (existsSync(join(folder, 'ended')) || process.kill(-shell.pid!, 'SIGKILL')));
    await expect.poll(() => existsSync(join(folder, 'started')), { timeout: 30_000 }).toBe(true);
    shell.kill('SIGKILL');
    await expect.poll(() => existsSync(join(folder, 'ended')), { timeout: 30_000 }).toBe(true);
  });

  it('npm start offers once to put holdfast on the path, and tells who says no how to reach it', () => {
    const { folder, run } = checkout();
    run(INSTALL);
    rmSync(join(folder, 'node_modules', 'node', 'bin', 'node'));
    symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'));
    for (const each of ['src', 'dist/bin', 'bin']) mkdirSync(join(folder, each), { recursive: true });
    writeFileSync(join(folder, 'dist', 'bin', 'holdfast.js'), FAKE_COMMAND);
    run(`import { hashSources, markBuilt } from './scripts/build-stamp.mjs'; markBuilt(hashSources());`);
    const start = (env: NodeJS.ProcessEnv, isAtTerminal = true) => {
      rmSync(join(folder, 'asked'), { force: true });
      const line = [process.execPath, 'scripts/start.mjs'];
      // A terminal as the system makes them, with both ends of it.
      const [command, ...args] = isAtTerminal
        ? ['script', '-qec', line.map((word) => `'${word}'`).join(' '), '/dev/null']
        : line;
      const ran = spawnSync(command!, args, {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, SHELL: '/bin/sh', ...env },
      });
      const stdout = ran.stdout.replaceAll('\r\n', '\n');
      return { stdout, asked: readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n') };
    };
    const ALIAS = `alias holdfast='"${join(folder, 'node_modules', 'node', 'bin', 'node')}"`;
    // Whoever is not at a terminal is asked nothing, and it is not used up by that.
    const piped = start({}, false);
    expect([piped.asked, piped.stdout.includes(ALIAS)]).toEqual([['up'], true]);
    const no = start({});
    expect(no.asked).toEqual(['setup --path', 'up']);
    expect(no.stdout).toContain('Once, and not again');
    expect(no.stdout).toContain(ALIAS);
    const again = start({});
    expect([again.asked, again.stdout.includes(ALIAS)]).toEqual([['up'], true]);
    rmSync(join(folder, '.cache', 'path-offered'));
    const yes = start({ SAYS: join(folder, 'bin', 'holdfast') });
    expect([yes.asked, yes.stdout.includes('alias')]).toEqual([['setup --path', 'up'], false]);
    const later = start({});
    expect(later).toEqual({ stdout: '', asked: ['up'] });
  });

  it('.ci/run calls npm test', () => {
    expect(readFileSync(join(root, '.ci', 'run'), 'utf8')).toMatch(/^exec npm test -- "\$@"$/m);
  });
});
