import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, run } from '../pack/run.mjs';
import { node24, root } from '../toolchain.mjs';
import { fetchPackage } from './fetched.mjs';

/** The package is for Node's own modules: what `require` of an older Node sees is not asked. */
export function lookAtTypes() {
  const home = fetchPackage('@arethetypeswrong/cli', '0.18.5');
  if (!home) return undefined;
  const stage = mkdtempSync(join(tmpdir(), 'holdfast-types-'));
  try {
    npm(['pack', '--ignore-scripts', '--pack-destination', stage], { cwd: root });
    const tarball = join(stage, readdirSync(stage)[0]);
    console.log(
      run(node24, [join(home, 'dist', 'index.js'), tarball, '--profile', 'esm-only', '--no-color']),
    );
    return true;
  } catch (error) {
    console.log(error.message);
    return false;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}
