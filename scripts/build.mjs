// Bundles src/ into dist/. One chunk graph for all bins: a bin loads only what its static imports reach,
// so the stdio bins start without the web framework, the database drivers and the schemas.
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt, markBuilt } from './build-stamp.mjs';
import { ensureInstalled, node24, root, runNode } from './toolchain.mjs';

const dist = join(root, 'dist');

/** Builds when the sources changed since the last build. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building …');
  const { code } = await runNode([join(root, 'scripts', 'build.mjs')]);
  if (code !== 0) process.exit(code);
}

async function build() {
  const { rolldown } = await import('rolldown');
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.keys(bin).map((name) => [`bin/${name}`, join(root, 'src', 'bin', `${name}.ts`)]);
  rmSync(dist, { recursive: true, force: true });
  const bundle = await rolldown({
    input: Object.fromEntries(entries),
    platform: 'node',
    external: ['better-sqlite3', 'pg'],
    tsconfig: join(root, 'tsconfig.json'),
    onwarn: (warning) => {
      throw new Error(`rolldown: ${warning.message}`);
    },
  });
  await bundle.write({
    dir: dist,
    format: 'esm',
    banner: (chunk) => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: { mangle: false, codegen: { removeWhitespace: true }, compress: true },
    sourcemap: false,
  });
  await bundle.close();
  for (const [name] of entries) chmodSync(join(dist, `${name}.js`), 0o755);
  markBuilt();
}

if (process.argv[1] === join(root, 'scripts', 'build.mjs')) {
  ensureInstalled();
  if (process.execPath === node24) await build();
  else process.exitCode = (await runNode([process.argv[1]])).code;
}
