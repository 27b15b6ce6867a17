// Programs of others that are fetched when they are asked for, into .cache, and never become a part of this one.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { npm, run } from '../pack/run.mjs';
import { root } from '../toolchain.mjs';

const cache = join(root, '.cache', 'suites');

/** The folder of a package, installed without its scripts; undefined where it cannot be had. */
export function fetchPackage(name, version) {
  const folder = join(cache, `${name.replaceAll('/', '-')}-${version}`);
  const home = join(folder, 'node_modules', name);
  if (existsSync(home)) return home;
  mkdirSync(folder, { recursive: true });
  try {
    npm(['install', '--prefix', folder, '--ignore-scripts', `${name}@${version}`], { cwd: folder });
    return home;
  } catch (error) {
    console.log(`${name}@${version} cannot be had here: ${error.message.trim().split('\n').at(-1)}`);
    return undefined;
  }
}

/** A program on the path, or out of the Debian package of that name, unpacked and not installed; undefined where neither is there. */
export function fetchProgram(name, file = `usr/bin/${name}`) {
  if (spawnSync(name, ['--version']).status === 0) return name;
  const folder = join(cache, `debian-${name}`);
  const program = join(folder, file);
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  try {
    run('apt-get', ['download', name], { cwd: folder });
    const archive = readdirSync(folder).find((each) => each.endsWith('.deb'));
    run('dpkg', ['-x', join(folder, archive), folder]);
    return program;
  } catch {
    console.log(
      `${name} is not on the path, and Debian's package cannot be had here. Put ${name} on the path.`,
    );
    return undefined;
  }
}
