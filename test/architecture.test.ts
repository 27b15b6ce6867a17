import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findUnusedTerms, readTerms } from './architecture/glossary.ts';
import { findCycle, parseModule, readModules } from './architecture/imports.ts';
import { modulesThatStartGit } from './architecture/git-starts.ts';
import { findSilentOpenings } from './architecture/openings.ts';
import {
  bareGerunds,
  surfacesThatReadAround,
  tablesOfTwoRooms,
  whoAsksForTheEngine,
  whoAssertsAnswers,
  whoDefinesAPerson,
} from './architecture/once.ts';
import { findViolations, MOMENTS, OWN_TRANSACTIONS } from './architecture/rules.ts';
import { findSharedNames, readSources } from './architecture/type-names.ts';

const root = new URL('..', import.meta.url).pathname.replace(/\/$/, '');

describe('the house', () => {
  const modules = readModules(root);

  it('imports only along the arrows', () => {
    expect(modules.length).toBeGreaterThan(5);
    expect(findViolations(modules)).toEqual([]);
  });

  it('opens transactions in one place, and in the long processes that are listed', () => {
    const own = globSync('src/features/**/*.ts', { cwd: root })
      .filter((path) => !path.endsWith('.test.ts'))
      .filter((path) => /\bdb\.write\(/.test(readFileSync(join(root, path), 'utf8')));
    expect(own.filter((path) => !OWN_TRANSACTIONS.some((pattern) => pattern.test(path)))).toEqual([]);
    for (const pattern of OWN_TRANSACTIONS)
      expect(
        own.some((path) => pattern.test(path)),
        String(pattern),
      ).toBe(true);
  });

  it('asks what time it is only where that is stored or shown: durations are measured by what has passed', () => {
    const asks = globSync('src/**/*.ts', { cwd: root })
      .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/cli/'))
      .filter((path) => /\bDate\.now\b/.test(readFileSync(join(root, path), 'utf8')));
    expect(asks.filter((path) => !MOMENTS.some((pattern) => pattern.test(path)))).toEqual([]);
    for (const pattern of MOMENTS)
      expect(
        asks.some((path) => pattern.test(path)),
        String(pattern),
      ).toBe(true);
  });

  it('starts git in one place', () => {
    const starting = modulesThatStartGit(readSources(root));
    expect(starting).toEqual(['src/kernel/git/start-here.ts']);
    const asking = "import { spawn } from 'node:child_process';\n";
    for (const start of ["spawn('git', args)", 'run(\n  "git",', "const one = { program: 'git status' }"])
      expect(modulesThatStartGit([{ path: 'src/x.ts', text: asking + start }])).toEqual(['src/x.ts']);
  });

  it('has no import cycle', () => {
    expect(findCycle(modules)).toBeUndefined();
  });

  it('has one meaning for the name of each exported type', () => {
    expect(findSharedNames(readSources(root))).toEqual([]);
  });
});

describe('what is said once', () => {
  const sources = readSources(root);
  const page = readSources(root, 'web/src/**/*.{ts,tsx}');
  const only = (path: string, text: string) => [{ path, text }];

  it('is who a person and who an operator is', () => {
    expect(whoDefinesAPerson(sources)).toEqual(['src/kernel/principal.ts', 'src/kernel/principal.ts']);
    expect(whoDefinesAPerson(only('src/x.ts', 'const isPerson = (who) => true;'))).toEqual(['src/x.ts']);
  });

  it('is what the engines spell differently: nobody outside the dialects asks which one runs', () => {
    expect(whoAsksForTheEngine(sources)).toEqual([]);
    expect(whoAsksForTheEngine(only('src/x.ts', "if (db.engine === 'postgres') go();"))).toEqual([
      'src/x.ts',
    ]);
  });

  it('is what a room may do: no operation, tool or route reads the database around its service', () => {
    expect(surfacesThatReadAround(sources)).toEqual([]);
    const read = 'await db.read((q) => all(q))';
    for (const name of ['routes', 'tools', 'operations', 'queue-operations', 'operations/people'])
      expect(surfacesThatReadAround(only(`src/features/x/${name}.ts`, read))).toHaveLength(1);
  });

  it('is whose a table is: the statements of one room name it, and the others ask that room', () => {
    expect(tablesOfTwoRooms(sources)).toEqual([]);
    const boats = { path: 'src/store/migrations/1.ts', text: 'create table boats (id text)' };
    const asked = (room: string) => ({
      path: `src/features/${room}/rows/x.ts`,
      text: 'select id from boats',
    });
    expect(tablesOfTwoRooms([boats, asked('quay')])).toEqual([]);
    expect(tablesOfTwoRooms([boats, asked('quay'), asked('pier')])).toEqual(['boats: pier, quay']);
  });

  it('is what a call answers: neither the command line nor the page asserts a type of its own', () => {
    const askers = [...sources.filter(({ path }) => path.startsWith('src/cli/')), ...page];
    expect(askers.length).toBeGreaterThan(200);
    // The one place where the typed client is laid over what carries it.
    expect(whoAssertsAnswers(askers)).toEqual(['src/cli/client.ts']);
    for (const text of [
      "const task = (await ask('GET /api/x')) as Task;",
      "client.call<Task>('GET', '/api/x')",
      '(await response.json()) as Task',
    ])
      expect(whoAssertsAnswers(only('src/cli/x.ts', text))).toHaveLength(1);
  });

  it('is what a file has: none is called by a bare gerund', () => {
    expect(bareGerunds([...sources, ...page].map(({ path }) => path))).toEqual([]);
    expect(bareGerunds(['src/x/placing.ts', 'src/x/landing.ts'])).toEqual(['src/x/placing.ts']);
  });
});

describe('a long file', () => {
  it('opens with what lives there', () => {
    expect(findSilentOpenings(readSources(root))).toEqual([]);
  });

  it('is found when it opens with code, after its imports as well', () => {
    const code = 'export const one = 1;\n'.repeat(101);
    const imports = "import { a } from './a.ts';\nimport {\n  b,\n} from './b.ts';\n\n";
    const found = (text: string) => findSilentOpenings([{ path: 'src/x.ts', text }]).length;
    expect([code, imports + code].map(found)).toEqual([1, 1]);
    expect([`// What.\n${code}`, `${imports}/** What. */\n${code}`, imports].map(found)).toEqual([0, 0, 0]);
  });
});

describe('the glossary', () => {
  const terms = readTerms(root);

  it('has each word once', () => {
    expect(terms.length).toBeGreaterThan(50);
    expect(terms.filter((term, at) => terms.indexOf(term) !== at)).toEqual([]);
  });

  it('has only words that the sources use', () => {
    expect(findUnusedTerms(terms, readSources(root))).toEqual([]);
    expect(findUnusedTerms(['flux capacitor'], readSources(root))).toEqual(['flux capacitor']);
  });
});

describe('the walk can fail', () => {
  const violationsOf = (path: string, source: string) => findViolations([parseModule(path, source)]);

  it.each([
    ['src/kernel/x.ts', "import { openDatabase } from '../store/open.ts';", 'kernel may not import store'],
    ['src/mcp/x.ts', "import type { Database } from '../store/database.ts';", 'mcp may not import store'],
    [
      'src/features/board/x.ts',
      "import { createHttpApp } from '../../http/app.ts';",
      'features may not import http',
    ],
    [
      'src/store/x.ts',
      "const lazy = await import('../features/board/board.ts');",
      'store may not import features',
    ],
    [
      'src/features/chat/x.ts',
      "import { taskById } from '../board/rows.ts';",
      'only through its service, board.ts',
    ],
    ['src/features/board/rules.ts', "import { readFileSync } from 'node:fs';", 'does no I/O'],
    ['src/features/board/rules.ts', "import { taskById } from './rows.ts';", 'does no I/O'],
    [
      'src/features/board/board.ts',
      "import { sql } from '../../store/sql.ts';",
      'SQL is written in rows.ts only',
    ],
    [
      'src/features/board/tools.ts',
      "import { Client } from '@modelcontextprotocol/client';",
      'only mcp may use this package',
    ],
    [
      'src/features/brain/x.ts',
      "import { tokenise } from '../../recall/analyse/tokens.ts';",
      'through its front door, recall.ts',
    ],
    ['src/loose.ts', "import { HubError } from './kernel/errors.ts';", 'belongs to no layer'],
  ])('on %s with %s', (path, source, why) => {
    expect(violationsOf(path, source)).toEqual([expect.stringContaining(why)]);
  });

  it('but not on what the rule allows', () => {
    expect(violationsOf('src/features/chat/x.ts', "import type { Board } from '../board/board.ts';")).toEqual(
      [],
    );
    expect(
      violationsOf('src/features/brain/x.ts', "import { createRecall } from '../../recall/recall.ts';"),
    ).toEqual([]);
    expect(
      violationsOf('src/features/board/routes.ts', "import { defineRoute } from '../../http/route.ts';"),
    ).toEqual([]);
    expect(violationsOf('src/features/board/rows.ts', "import { sql } from '../../store/sql.ts';")).toEqual(
      [],
    );
    expect(violationsOf('src/kernel/x.ts', "// import { sql } from '../store/sql.ts';")).toEqual([]);
  });

  it('on a name that two files export', () => {
    const [one, two] = [
      { path: 'src/mcp/a.ts', text: 'export type Peer = string;' },
      { path: 'src/store/b.ts', text: '\nexport interface Peer {}' },
    ];
    expect(findSharedNames([one, two])).toEqual(['Peer: src/mcp/a.ts, src/store/b.ts']);
    expect(findSharedNames([one])).toEqual([]);
  });

  it('on a cycle, and names the way round', () => {
    const cycle = findCycle([
      parseModule('src/kernel/a.ts', "export { b } from './b.ts';"),
      parseModule('src/kernel/b.ts', "import { c } from './c.ts';"),
      parseModule('src/kernel/c.ts', "import './a.ts';"),
    ]);
    expect(cycle).toEqual(['src/kernel/a.ts', 'src/kernel/b.ts', 'src/kernel/c.ts', 'src/kernel/a.ts']);
  });
});
