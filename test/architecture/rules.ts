import { posix } from 'node:path';
import type { Import, Module } from './imports.ts';

/**
 * The one dependency rule, from docs/design/architecture.md:
 * `kernel ← store ← recall ← features ← {http, cli} ← app` and `kernel ← mcp ← features`;
 * `operation` declares operations over store and mcp, for features.
 * `http/route.ts`, a route as data, stands beside `mcp/define.ts`: rooms import it, it imports the kernel only.
 */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  kernel: ['kernel'],
  store: ['store', 'kernel'],
  recall: ['recall', 'store', 'kernel'],
  mcp: ['mcp', 'kernel'],
  route: ['kernel'],
  operation: ['operation', 'store', 'mcp', 'route', 'kernel'],
  features: ['features', 'operation', 'recall', 'store', 'mcp', 'route', 'kernel'],
  http: ['http', 'operation', 'route', 'features', 'recall', 'store', 'mcp', 'kernel'],
  cli: ['cli', 'operation', 'route', 'features', 'recall', 'store', 'mcp', 'kernel'],
  app: ['app', 'http', 'operation', 'route', 'features', 'recall', 'store', 'mcp', 'kernel'],
  bin: ['bin', 'app', 'cli', 'http', 'operation', 'route', 'features', 'recall', 'store', 'mcp', 'kernel'],
};

/** Packages that one layer hides from all others. */
const OWNERS: readonly Readonly<{ pattern: RegExp; layers: readonly string[] }>[] = [
  { pattern: /^@modelcontextprotocol\//, layers: ['mcp'] },
  { pattern: /^(better-sqlite3|pg)$/, layers: ['store'] },
  { pattern: /^fastify$/, layers: ['http'] },
  { pattern: /^commander$/, layers: ['cli'] },
];

const TOP = new Set([
  'src/app.ts',
  'src/mcp-mounts.ts',
  'src/served-rooms.ts',
  'src/rooms.ts',
  'src/standalone.ts',
  'src/gateway.ts',
  'src/connect.ts',
]);
/**
 * Façades act through `store/calls.ts`. Only these open transactions of their own: processes that span several of them,
 * and what nobody in particular does. A new name here needs a reason.
 */
export const OWN_TRANSACTIONS: readonly RegExp[] = [
  /^src\/features\/[^/]+\/room\.ts$/, // chores
  /^src\/features\/access\/(note-use|seats\/(arrivals|seats|session-memory))\.ts$/, // notes about callers, not by them
  /^src\/features\/board\/transfer\/import\.ts$/, // an import of any length, in pages
  /^src\/features\/broker\/(broker|ask\/answers|judge\/policy-review|tell\/records)\.ts$/, // a call waits for a person between its transactions
  /^src\/features\/coretools\/(workspace\/trash|plain-builtins)\.ts$/, // a file moves between its transactions; a governed tool writes in its own
  /^src\/features\/access\/oauth\//, // nobody is known yet
  /^src\/features\/being\/patrol\/run\.ts$/, // a model is asked between its transactions
  /^src\/features\/brain\//, // files and database change in turns
  /^src\/features\/dispatch\/(dispatch|attempt\/(attempt|supervisor|keeper|spending-watch)|start\/(adopt|gate|worker)|quota\/(keep|wake)|stream\/kept-events|pool\/(git-http|hub-presence|place-runs|pool|reports)|work\/work|trial\/trials)\.ts$/, // a process lives between its transactions
  /^src\/features\/sessions\/(sessions|follow\/(follow|runs)|lessons\/proposals)\.ts$/, // files of clients are read between its transactions
  /^src\/features\/landing\/(queue\/(?:books|worker|conflict-runs)|checks\/(?:prove|tidy)|collisions\/watch|pulls\/pulls)\.ts$/, // git and checks run between its transactions
  /^src\/features\/schedules\/(begin|planner|webhook)\.ts$/, // a clock, a sender or a run stands between its transactions
  /^src\/features\/board\/travel\/sync\.ts$/, // a file of thousands is taken in parts
  /^src\/features\/notices\/denials\.ts$/, // a link of a notice stands for nobody who could act
  /^src\/features\/projects\/locate\.ts$/, // files and git are looked at between its transactions
  /^src\/features\/peers\/mail\/piggyback-mail\.ts$/, // mail beside an answer
  /^src\/features\/briefing\/briefing\.ts$/, // who was told, beside an answer
  /^src\/features\/sources\/(review\/pins|register)\.ts$/, // what servers of others say of themselves, whoever asks
];

/**
 * Who asks what time it is, outside the command line, stores or shows it. Whatever measures how long something takes asks
 * `elapsed()` of `kernel/clock.ts`, or the database's: a clock can be set. A new name here needs a reason.
 */
export const MOMENTS: readonly RegExp[] = [
  /^src\/kernel\/(clock|ids)\.ts$/,
  /^src\/bin\/stdio\.ts$/, // part of a name
  /^src\/features\/access\/bindings\.ts$/, // signed into a URL
  /^src\/features\/brain\/vault\/scan\.ts$/, // compared with the times of files
  /^src\/features\/broker\/judge\/policy\/file\.ts$/, // shown
  /^src\/features\/coretools\/(web\/web-tools|shell\/background)\.ts$/, // shown
  /^src\/features\/dispatch\/hooks\/post\.ts$/, // signed into a post
  /^src\/features\/dispatch\/runner\/attempt\.ts$/, // stored, by the clock of the hub
  /^src\/features\/sources\/upstream\/supervisor\.ts$/, // shown
];

/** Everything outside recall imports this one file of it. */
const RECALL_DOOR = 'src/recall/recall.ts';
const PURE_PACKAGES = new Set(['zod', 'node:crypto']);
const IMPURE_KERNEL = new Set(['src/kernel/home.ts', 'src/kernel/log.ts', 'src/kernel/config.ts']);
const FACADES = new Set(['rows.ts', 'tools.ts', 'routes.ts']);

export function findViolations(modules: readonly Module[]): string[] {
  return modules.flatMap((module) =>
    module.imports.flatMap((entry) =>
      judge(module.path, entry).map((why) => `${module.path} → ${entry.target}: ${why}`),
    ),
  );
}

function judge(path: string, entry: Import): string[] {
  const found: string[] = [];
  const from = layerOf(path);
  if (from === undefined) return ['the importing file belongs to no layer'];
  if (!entry.target.startsWith('src/')) {
    const owner = OWNERS.find(({ pattern }) => pattern.test(entry.target));
    if (owner && !owner.layers.includes(from))
      found.push(`only ${owner.layers.join(', ')} may use this package`);
  } else {
    const to = layerOf(entry.target);
    if (to === undefined || !ALLOWED[from]!.includes(to))
      found.push(`${from} may not import ${to ?? 'an unknown layer'}`);
  }
  const [ownRoom, otherRoom] = [roomOf(path), roomOf(entry.target)];
  if (ownRoom && otherRoom && ownRoom !== otherRoom && posix.basename(entry.target) !== `${otherRoom}.ts`) {
    found.push(`a room uses another room only through its service, ${otherRoom}.ts`);
  }
  if (from !== 'recall' && entry.target.startsWith('src/recall/') && entry.target !== RECALL_DOOR) {
    found.push('recall is entered through its front door, recall.ts');
  }
  if (posix.basename(path) === 'rules.ts' && !isPure(path, entry))
    found.push('rules.ts decides and does no I/O');
  if (
    entry.target === 'src/store/sql.ts' &&
    entry.names.includes('sql') &&
    !entry.typeOnly &&
    !mayHoldSql(path)
  ) {
    found.push('SQL is written in rows.ts only');
  }
  return found;
}

function layerOf(path: string): string | undefined {
  if (path === 'src/http/route.ts') return 'route';
  // The face of the package is on top of everything, as the commands are.
  if (path === 'src/index.ts') return 'bin';
  if (TOP.has(path)) return 'app';
  const folder = path.split('/')[1];
  return folder !== undefined && folder in ALLOWED && path.split('/').length > 2 ? folder : undefined;
}

function roomOf(path: string): string | undefined {
  return /^src\/features\/([^/]+)\//.exec(path)?.[1];
}

function isPure(path: string, entry: Import): boolean {
  if (entry.typeOnly || PURE_PACKAGES.has(entry.target)) return true;
  if (entry.target.startsWith('src/kernel/')) return !IMPURE_KERNEL.has(entry.target);
  const service = `${posix.basename(posix.dirname(path))}.ts`;
  const name = posix.basename(entry.target);
  return posix.dirname(entry.target) === posix.dirname(path) && !FACADES.has(name) && name !== service;
}

function mayHoldSql(path: string): boolean {
  return path.startsWith('src/store/') || /(^|\/|-)rows\.ts$/.test(path) || path.includes('/rows/');
}
