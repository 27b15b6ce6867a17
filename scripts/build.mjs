// Bundles src/ into dist/, and the page of web/ into dist/web. One chunk graph for all bins: a bin loads only what its static imports reach,
// so the stdio bins start without the web framework, the database drivers and the schemas.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { hashSources, isBuilt, markBuilt } from './build-stamp.mjs';
import { ensureInstalled, root, runNode } from './toolchain.mjs';
import { writeTypes } from './types.mjs';
import { bundlePage } from './page.mjs';

const dist = join(root, 'dist');
/** What words mean, and which of them stand for each other: read when somebody searches talk or tools, and never before. */
const DATA = [
  ['sense', 'glove.json'],
  ['sense', 'glove.bin'],
  ['cards', 'synonyms.json'],
  ['cards', 'spoken.json'],
];
/** Said to ourselves, so that one hop to Node 24 is never two: paths of the same program differ where folders are linked. */
const HERE = '--on-this-node';
/** A hub that runs from dist/ may still load a chunk of the build it was started from. What is packed (`--whole`) has only its own. */
const OUTDATED_AFTER_MS = process.argv.includes('--whole') ? 0 : 60 * 60_000;

/** Builds when the sources changed since the last build. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  console.error('Building …');
  const { code } = await runNode([join(root, 'scripts', 'build.mjs'), HERE]);
  if (code !== 0) process.exit(code);
}

async function build() {
  const { rolldown } = await import('rolldown');
  const sources = hashSources();
  const draft = join(root, '.cache', `build-${process.pid}`);
  try {
    const [output, hook, types, page] = await Promise.all([
      bundle(rolldown, draft),
      bundleHook(rolldown, draft),
      writeTypes(join(draft, 'types')),
      bundlePage(join(draft, 'web')),
    ]);
    for (const [folder, name] of DATA)
      copyFileSync(join(root, 'src', 'recall', folder, name), join(draft, name));
    const parts = [...types.map((file) => join('types', file)), ...page.map((file) => join('web', file))];
    const others = [...DATA.map(([, name]) => name), ...parts];
    publish(draft, [...others.map((fileName) => ({ fileName, isEntry: false })), ...hook, ...output]);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  markBuilt(sources);
}

/**
 * The short way of `holdfast hooks run`, which clients wait for with every call of a tool: one small file of its own, as every file
 * and every builtin that is imported costs it a part of what Node itself takes to start.
 */
const HOOK = 'hook-main';

async function bundleHook(rolldown, draft) {
  const graph = await rolldown({
    ...shared,
    plugins: [builtinsAtHand],
    input: { [`bin/${HOOK}`]: join(root, 'src', 'bin', `${HOOK}.ts`) },
  });
  const { output } = await graph.write({ ...written, dir: draft });
  await graph.close();
  return output.map(({ fileName }) => ({ fileName, isEntry: false }));
}

/** Left as it is by the graph of all others. */
const hookApart = {
  name: 'hook-apart',
  resolveId: (id) => (id === `./${HOOK}.ts` ? { id: `./${HOOK}.js`, external: true } : null),
};

const shared = {
  platform: 'node',
  external: ['better-sqlite3', 'pg', '@vscode/ripgrep'],
  tsconfig: join(root, 'tsconfig.json'),
  // The oldest Node that the package promises: newer syntax is written in its words.
  transform: { target: 'node22.14' },
  onwarn: (warning) => {
    throw new Error(`rolldown: ${warning.message}`);
  },
};

/**
 * An import statement makes Node read every export of a builtin, the lazy ones too (promises of fs, most of util, files of buffer): 8 ms
 * of 30 on the way of a stdio bin to its first answer. Node has the builtin itself at hand. Imports are there before the first
 * line of a circle and constants are not, so chunks in one stay as they are.
 */
const builtinsAtHand = {
  name: 'builtins-at-hand',
  renderChunk: (code, { fileName }, _options, { chunks }) =>
    isInCircle(fileName, chunks)
      ? null
      : code.replaceAll(
          /^import \{([^}]+)\} from "(node:[^"]+)";$/gm,
          (_, names, builtin) =>
            `const {${names.replaceAll(' as ', ': ')}} = process.getBuiltinModule("${builtin}");`,
        ),
};

function isInCircle(fileName, chunks) {
  const reached = new Set(chunks[fileName].imports);
  for (const next of reached) for (const each of chunks[next]?.imports ?? []) reached.add(each);
  return reached.has(fileName);
}

/**
 * The web framework could speak HTTP/2, check bodies and write answers by schemas of its own, keep its own log and send itself
 * requests. Nobody asks it to (`http/app.ts`), and what it would do so with takes 5 MB of a hub at rest.
 */
const UNUSED = new Set([
  'node:http2',
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'pino',
  'light-my-request',
]);
const withoutUnused = {
  name: 'without-unused',
  resolveId: (id) => (UNUSED.has(id) ? '\0unused' : null),
  load: (id) => (id === '\0unused' ? 'export {};' : null),
};

/** A source with a single character beyond ASCII is kept in memory with two bytes for each of its characters. */
const inAscii = {
  name: 'in-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      chunk.code = chunk.code.replaceAll(
        /[^\0-\x7f]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

const written = {
  format: 'esm',
  entryFileNames: '[name].js',
  // Functions and classes keep their names: a stack is read by people.
  minify: { mangle: { keepNames: true }, codegen: { removeWhitespace: true }, compress: true },
};

async function bundle(rolldown, draft) {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const graph = await rolldown({
    input: {
      index: join(root, 'src', 'index.ts'),
      // Started by the hub itself, and so no command of the package.
      'bin/apart': join(root, 'src', 'bin', 'apart.ts'),
      'bin/git-starter': join(root, 'src', 'bin', 'git-starter.ts'),
      ...Object.fromEntries(
        Object.keys(bin).map((name) => [`bin/${name}`, join(root, 'src', 'bin', `${name}.ts`)]),
      ),
    },
    ...shared,
    plugins: [hookApart, builtinsAtHand, withoutUnused, inAscii],
  });
  const { output } = await graph.write({
    ...written,
    dir: draft,
    banner: (chunk) => (isBin(chunk) ? '#!/usr/bin/env node' : ''),
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups: loadedTogether() },
  });
  await graph.close();
  return output;
}

/**
 * Every file costs a stdio bin half a millisecond, however small it is. What the door to a hub always loads is one file, and what
 * it always loads where there is no hub are a few: commands need the kernel of it and what asks a hub, every database the store, every
 * room the operations, and every server of ours stands on the board.
 */
function loadedTogether() {
  const reach = (name) => {
    let reached;
    return (id, graph) => (reached ??= reachedFrom(join(root, 'src', name), graph)).has(id);
  };
  const [isDoor, isAlone] = [reach('bin/stdio.ts'), reach('bin/stdio-rooms.ts')];
  const isSqlite = reach('store/dialects/sqlite/database.ts');
  const isPostgres = reach('store/dialects/postgres/database.ts');
  const isAsking = reach('operation/client.ts');
  const sqlite = 'store/dialects/sqlite';
  const isFile = reach(`${sqlite}/file.ts`);
  /** Wherever there is no hub, with the database there usually is. */
  const isNeeded = (id, graph) => isAlone(id, graph) || isSqlite(id, graph);
  const isBoard = reach('features/board/room.ts');
  // Behind the board's server, and its mail.
  const besideBoard = ['reservations', 'projects', 'peers'].map((room) => [
    `features/${room}`,
    reach(`features/${room}/room.ts`),
  ]);
  const isIn = (id, ...folders) => folders.some((folder) => id.startsWith(join(root, 'src', folder)));
  /** Of the kernel, and without the schemas: what commands share with rooms. */
  const isPlain = (id, graph) =>
    isIn(id, 'kernel') && ![...reachedFrom(id, graph)].some((each) => each.includes('/node_modules/'));
  const isReached = (id, graph) => [isBoard, ...besideBoard.map(([, is]) => is)].some((is) => is(id, graph));
  const isBeside = (id, graph) =>
    besideBoard.some(([folder, isReached]) => isIn(id, folder) && isReached(id, graph));
  const group = (priority, name, holds) => ({
    debugName: name,
    priority,
    name: (id, graph) => (holds(id, graph) ? name : null),
  });
  return [
    group(5, 'door', isDoor),
    group(4, 'kernel', (id, graph) => isAsking(id, graph) || (isNeeded(id, graph) && isIn(id, 'kernel'))),
    group(3, 'alone', isAlone),
    group(2, 'words', (id, graph) => isReached(id, graph) && isPlain(id, graph)),
    group(2, 'operation', (id, graph) => isBoard(id, graph) && isIn(id, 'kernel', 'operation', 'http')),
    group(
      2,
      'file',
      (id, graph) => isIn(id, sqlite) && (isFile(id, graph) || isIn(id, `${sqlite}/faults.ts`)),
    ),
    group(1, 'store', (id, graph) => isSqlite(id, graph) && isPostgres(id, graph)),
    group(0, 'board', (id, graph) => isBoard(id, graph) || isBeside(id, graph)),
  ];
}

/** By static imports: what is imported later is loaded later. */
function reachedFrom(entry, graph) {
  const reached = new Set([entry]);
  for (const id of reached) for (const next of graph.getModuleInfo(id)?.importedIds ?? []) reached.add(next);
  return reached;
}

function isBin({ fileName, isEntry }) {
  return isEntry && fileName.startsWith('bin/');
}

/** Chunks before the entries that import them, each by an atomic rename: a hub that runs from dist/ never sees half a build. */
function publish(draft, output) {
  const files = output.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry));
  for (const { fileName, isEntry } of files) {
    const target = join(dist, fileName);
    mkdirSync(dirname(target), { recursive: true });
    if (isBin({ fileName, isEntry })) chmodSync(join(draft, fileName), 0o755);
    renameSync(join(draft, fileName), target);
  }
  const current = new Set(files.map(({ fileName }) => join(fileName)));
  for (const folder of ['chunks', join('web', 'assets')]) {
    for (const name of readdirSync(join(dist, folder))) {
      const path = join(dist, folder, name);
      if (!current.has(join(folder, name)) && Date.now() - statSync(path).mtimeMs >= OUTDATED_AFTER_MS)
        rmSync(path);
    }
  }
}

if (process.argv[1] === join(root, 'scripts', 'build.mjs')) {
  ensureInstalled();
  if (process.argv.includes(HERE)) await build();
  else process.exitCode = (await runNode([...process.argv.slice(1), HERE])).code;
}
