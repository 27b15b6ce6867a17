// npm runs this after every install that changed something (`dependencies` in package.json): it reads `gypfile: false` from the lock
// file and forgets it whenever it writes that file, and would compile with node-gyp what carries its binaries. And it writes there
// whose registry it asked, which is nobody else's: a package is told by its name and its digest.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));

const forgotten = Object.entries(lock.packages).filter(
  ([path, { gypfile }]) => path !== '' && gypfile !== false && saysNothingToCompile(path),
);
for (const [path, { version, resolved, integrity, ...rest }] of forgotten) {
  // Where npm itself would write it, so that the next difference is none.
  lock.packages[path] = { version, resolved, integrity, gypfile: false, ...rest };
}
const told = Object.values(lock.packages).filter(({ resolved }) => /^https?:/.test(resolved ?? ''));
for (const each of told) delete each.resolved;
if (forgotten.length + told.length > 0) writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);

function saysNothingToCompile(path) {
  const manifest = join(root, path, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).gypfile === false;
}
