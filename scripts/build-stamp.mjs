// Knows whether dist/ was built from exactly these sources. Contents count, dates do not.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './toolchain.mjs';

const FIXED = [
  'package-lock.json',
  'package.json',
  'scripts/build.mjs',
  'scripts/page.mjs',
  'scripts/types.mjs',
];

const stamp = join(root, 'dist', '.sources');

export function isBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources();
}

/** `sources` is the hash taken before the build, so that an edit during the build is not missed. */
export function markBuilt(sources) {
  writeFileSync(stamp, sources);
}

export function hashSources() {
  const hash = createHash('sha256');
  for (const file of [...FIXED, ...sourcesUnder('src'), ...sourcesUnder('web')]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}

function sourcesUnder(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return sourcesUnder(path);
      return isSource(entry.name) ? [path] : [];
    })
    .sort();
}

function isSource(name) {
  return /\.(tsx?|css|html|js|svg|webmanifest)$/.test(name) && !name.endsWith('.test.ts');
}
