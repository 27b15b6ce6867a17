import { posix } from 'node:path';
import type { Source } from './type-names.ts';

/** Asking for an engine by its name; what differs between the two is a spelling or an ability of the dialect. */
const ENGINE = /[=!]==?\s*['"](?:sqlite|postgres)['"]|\bcase\s+['"](?:sqlite|postgres)['"]/;
const PERSON = /\b(?:function\s+|const\s+)(?:isPerson|isOperator)\b\s*(?:=\s*(?:async\s*)?)?\(/g;
/** What an operation, a tool or a route of a room is declared in: it asks the service of the room. */
const SURFACE = /^src\/features\/(?:.*\/)?(?:operations\/[^/]+|[a-z-]*operations|tools|routes)\.ts$/;
const AROUND = /\bdb\.(?:read|write)\(/;
/** The answer of a call, with a type that somebody wrote down beside it. */
const ASSERTED =
  /\bask\((?:[^()]|\([^()]*\))*\)\)?\s+as\s+[A-Z]|\.call<[A-Z{]|\.json\(\)\)\s+as\s+(?!Api\[)[A-Z{]/;
/** Words that end so and are none. */
const OTHERS = new Set([
  'being',
  'briefing',
  'bring',
  'embedding',
  'everything',
  'finding',
  'greeting',
  'landing',
  'meaning',
  'standing',
]);

const pathsWhere = (sources: readonly Source[], holds: (source: Source) => boolean): string[] =>
  sources.filter(holds).map(({ path }) => path);

export function whoAsksForTheEngine(sources: readonly Source[]): string[] {
  return pathsWhere(
    sources,
    ({ path, text }) => !/^src\/store\/(?:dialects|migrations)\//.test(path) && ENGINE.test(text),
  );
}

export function whoDefinesAPerson(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => [...text.matchAll(PERSON)].map(() => path));
}

export function surfacesThatReadAround(sources: readonly Source[]): string[] {
  return pathsWhere(sources, ({ path, text }) => SURFACE.test(path) && AROUND.test(text));
}

/** Tables that the statements of more than one room name: each is one room's, and others ask that room. */
export function tablesOfTwoRooms(sources: readonly Source[]): string[] {
  const laidDown = sources.filter(({ path }) => path.startsWith('src/store/migrations/'));
  const tables = new Set(laidDown.flatMap(({ text }) => namesIn(text, CREATED)));
  const rooms = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    const room = /^src\/features\/([^/]+)\/(?:.*\/)?(?:[a-z-]*rows\.ts$|rows\/)/.exec(path)?.[1];
    if (room === undefined) continue;
    for (const name of namesIn(text, ASKED))
      if (tables.has(name)) rooms.set(name, (rooms.get(name) ?? new Set()).add(room));
  }
  const shared = [...rooms].filter(([, of]) => of.size > 1);
  return shared.map(([name, of]) => `${name}: ${[...of].toSorted().join(', ')}`);
}

const CREATED = /\bcreate (?:virtual )?table (?:if not exists )?(\w+)/g;
const ASKED = /\b(?:(?:from|join|into|update)\s+|table\(\s*')(\w+)/g;

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name]) => name!);
}

export function whoAssertsAnswers(sources: readonly Source[]): string[] {
  return pathsWhere(sources, ({ text }) => ASSERTED.test(text));
}

/** A file is called by what is in it: `placing.ts` may be anything. */
export function bareGerunds(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const name = posix.basename(path).replace(/(?:\.test)?\.tsx?$/, '');
    return /^[a-z]+ing$/.test(name) && !OTHERS.has(name);
  });
}
