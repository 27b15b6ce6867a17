// `npm run test:pack`: the package as people get it, packed, installed into an empty folder and used, on the
// oldest Node it promises and on the newest of two lines. `--quick`, which `npm test` runs, unpacks it beside
// the packages of this checkout: no network.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { checkPackage } from './pack/checks.mjs';
import { npm, run } from './pack/run.mjs';
import { ensureInstalled, node24, root, scriptOf } from './toolchain.mjs';

const NODES = ['22.14.0', '22.23.3', '24.21.0'];
/** Of the tarball. A page or a library that slipped in shows here. */
const LARGEST_MB = 3;

const isQuick = process.argv.includes('--quick');
ensureInstalled();
await ensureBuilt();

// Not under a folder with a package.json: an empty folder is one that npm finds empty, too.
const stage = mkdtempSync(join(tmpdir(), 'holdfast-pack-'));
let failed = 0;
try {
  const tarball = pack();
  await check('publint', () => run(node24, [scriptOf('publint'), 'run', tarball, '--strict']));
  const megabytes = statSync(tarball).size / 1024 ** 2;
  await check(`the tarball has ${megabytes.toFixed(1)} MB`, () => {
    // Chunks of earlier builds, which only a whole build clears away, are nobody's fault.
    if (!isQuick && megabytes > LARGEST_MB) throw new Error(`more than ${LARGEST_MB} MB`);
  });
  if (isQuick) await check('unpacked, on this Node', () => checkPackage(unpacked(tarball), node24));
  else
    for (const version of NODES)
      await check(`installed into an empty folder, on Node ${version}`, () => installedOn(version, tarball));
} finally {
  rmSync(stage, { recursive: true, force: true, maxRetries: 5 });
}
console.log(failed === 0 ? 'The package is well.' : `${failed} failed.`);
process.exitCode = failed === 0 ? 0 : 1;

async function check(name, work) {
  const started = performance.now();
  try {
    const said = await work();
    const more = typeof said === 'string' ? said.trim().split('\n').at(-1) : '';
    console.log(
      `ok     ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)${more && `: ${more}`}`,
    );
  } catch (error) {
    failed += 1;
    console.log(`FAILED ${name}\n${error.message}`);
  }
}

/**
 * Without the whole build first, what lies in dist/ of this checkout is packed: chunks of earlier builds may
 * be among it.
 */
function pack() {
  npm(['pack', '--pack-destination', stage, ...(isQuick ? ['--ignore-scripts'] : [])], { cwd: root });
  return join(
    stage,
    readdirSync(stage).find((name) => name.endsWith('.tgz')),
  );
}

/** The files of the tarball where npm would put them, with its three dependencies beside it. */
function unpacked(tarball) {
  const folder = join(stage, 'quick');
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  run('tar', ['-xzf', tarball, '-C', folder]);
  cpSync(join(folder, 'package'), join(modules, 'holdfast'), { recursive: true });
  const { bin, dependencies } = JSON.parse(readFileSync(join(modules, 'holdfast', 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(join(modules, name, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  for (const [name, file] of Object.entries(bin))
    symlinkSync(join('..', 'holdfast', file), join(modules, '.bin', name));
  return folder;
}

async function installedOn(version, tarball) {
  const folder = join(stage, `node-${version}`);
  const runtime = join(stage, `runtime-${version}`);
  for (const each of [folder, runtime]) mkdirSync(each);
  npm(['install', '--ignore-scripts=false', '--prefix', runtime, `node@${version}`], { cwd: runtime });
  const node = join(runtime, 'node_modules', 'node', 'bin', 'node');
  npm(['install', '--prefix', folder, tarball], { cwd: folder, node });
  const said = await checkPackage(folder, node);
  npm(['exec', '--yes', '--package', tarball, '--', 'holdfast', '--version'], {
    cwd: mkdtempSync(join(stage, 'npx-')),
    node,
  });
  return said;
}
