// The declarations of what the package exports. The compiler writes them for every file it meets; only those that can be reached
// from the exports are published.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, runTool } from './toolchain.mjs';

/** Writes `index.d.ts` and what it stands on into `folder`. Resolves with the names of the files. */
export async function writeTypes(folder) {
  const draft = `${folder}.all`;
  const { code, output } = await runTool(
    'tsc',
    ['-p', join(root, 'scripts', 'types.tsconfig.json'), '--noCheck', '--outDir', draft],
    {
      quiet: true,
    },
  );
  if (code !== 0) throw new Error(`tsc: ${output}`);
  const reached = new Map();
  reach(draft, 'index.d.ts', reached);
  for (const [file, text] of reached) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  rmSync(draft, { recursive: true });
  return [...reached.keys()];
}

const RELATIVE_IMPORT = /(?<=\b(?:from |import\()['"])(\.[^'"]+)\.ts(?=['"])/g;

function reach(folder, file, reached) {
  if (reached.has(file)) return;
  const text = readFileSync(join(folder, file), 'utf8');
  reached.set(file, text.replace(RELATIVE_IMPORT, '$1.js'));
  for (const [, path] of text.matchAll(RELATIVE_IMPORT))
    reach(folder, join(dirname(file), `${path}.d.ts`), reached);
}
