// The page of web/, as files with the hash of their contents in their names.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './toolchain.mjs';

/** Builds into `folder`. Resolves with the names of the files, the document last: it names all the others. */
export async function bundlePage(folder) {
  // Whoever builds may be a test: what is built is for people all the same.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: join(root, 'web', 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder },
  });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return files.sort((a, b) => Number(a === 'index.html') - Number(b === 'index.html'));
}
