import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolCallerOf, type WorldTool } from '../../src/features/broker/broker.ts';
import { findFacts } from '../../src/features/broker/judge/facts.ts';
import { decide } from '../../src/features/broker/judge/policy/decide.ts';
import { readPolicy } from '../../src/features/broker/judge/policy/read.ts';
import { shapeOf } from '../../src/features/broker/ask/shape.ts';
import { NO_POLICY } from '../../src/features/broker/judge/policy/policy.ts';
import { listPendingApprovals } from '../../src/features/broker/rows/approvals.ts';
import { folderPattern } from '../../src/features/coretools/grant-shapes.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { coreHost } from '../fixtures/core-host.ts';
import { freshFolder } from '../fixtures/databases.ts';

const UNREAD = { unsafe_overwrite_without_read: true };

async function firstWaiting(db: Database) {
  for (;;) {
    const [row] = await db.read((q) =>
      listPendingApprovals(q, db.now(), { before: null, limit: 1, team: undefined }),
    );
    if (row) return row;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** `secrets` is forbidden, `src` allowed; links lead from one to the other. */
function tree() {
  const workspace = realpathSync(freshFolder());
  for (const folder of ['src/deep', 'secrets', '.git/hooks', 'notes'])
    mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, 'secrets', 'x'), 'the secret');
  writeFileSync(join(workspace, 'src', 'a.ts'), 'a');
  symlinkSync('../secrets', join(workspace, 'src', 'harmless'));
  symlinkSync('../secrets/x', join(workspace, 'src', 'file'));
  symlinkSync('../.git/hooks', join(workspace, 'src', 'hooks'));
  symlinkSync('.', join(workspace, 'here'));
  return workspace;
}

describe('row 1: a rule sees where a path leads', () => {
  const DENY =
    'version: 1\nrules:\n  - { args: { path: "secrets/*" }, decide: deny }\n  - { decide: allow }\n';

  const spellings = (workspace: string): object[] => [
    { path: 'secrets/x' },
    { path: './secrets/x' },
    { path: 'src/../secrets/x' },
    { path: 'secrets//x' },
    { path: `${workspace}/secrets/x` },
    { path: 'x', cwd: 'secrets' },
    { path: '../secrets/x', cwd: 'src' },
    { path: 'x', cwd: `${workspace}/secrets` },
    { path: 'src/harmless/x' },
    { path: 'src/file' },
    { path: 'x', cwd: 'src/harmless' },
    { path: 'here/here/secrets/./x' },
  ];

  it('a deny holds however the path is spelled, for every tool that takes one', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace }, DENY);
    for (const args of spellings(workspace)) {
      expect((await call('Read', args)).denied, JSON.stringify(args)).toBe('policy:rule 1');
      expect(
        (await call('Write', { ...args, content: 'owned', ...UNREAD })).denied,
        JSON.stringify(args),
      ).toBe('policy:rule 1');
      expect((await call('Edit', { ...args, old_string: 'the', new_string: 'no', ...UNREAD })).denied).toBe(
        'policy:rule 1',
      );
      expect((await call('Grep', { ...args, pattern: 'secret' })).denied, JSON.stringify(args)).toBe(
        'policy:rule 1',
      );
    }
    for (const args of [
      { cwd: 'secrets' },
      { cwd: 'src/harmless' },
      { path: 'src/harmless' },
      { path: 'secrets/' },
    ])
      expect((await call('Grep', { ...args, pattern: 'secret' })).denied, JSON.stringify(args)).toBe(
        'policy:rule 1',
      );
    expect((await call('Glob', { pattern: '**', cwd: 'src/harmless' })).denied).toBe('policy:rule 1');
    expect((await call('Read', { path: 'src/a.ts' })).ok).toBe(true);
  });

  it('a search does not show what a rule keeps from its tool, wherever it begins and whatever glob it has', async () => {
    const workspace = tree();
    const { call } = await coreHost({ workspace }, DENY);
    for (const args of [
      {},
      { path: '.' },
      { glob: 'secrets/*' },
      { glob: '*' },
      { path: 'src/..', glob: '**/x' },
    ])
      expect(
        (await call('Grep', { pattern: '.', ...args })).value.matches.map(({ path }: any) => path),
        JSON.stringify(args),
      ).not.toContain('secrets/x');
    expect((await call('Grep', { pattern: 'a' })).value.matches.map(({ path }: any) => path)).toEqual([
      'src/a.ts',
    ]);
    expect((await call('Glob', { pattern: '**' })).value.matches).toEqual(['src/a.ts']);
    expect((await call('Glob', { pattern: 'secrets/*' })).value.matches).toEqual([]);
    const asking = await coreHost({ workspace }, DENY.replace('deny', 'ask'));
    expect((await asking.call('Glob', { pattern: '**' })).value.matches).toEqual(['src/a.ts']);
  });

  it('an allow reaches nothing else through a link or a folder to start from', async () => {
    const workspace = tree();
    const { call } = await coreHost(
      { workspace },
      'version: 1\nrules:\n  - { tool: Write, args: { path: "src/*" }, decide: allow }\n',
    );
    const content = 'owned';
    expect((await call('Write', { path: 'new.ts', cwd: 'src', content })).ok).toBe(true);
    expect((await call('Write', { path: './src//deep/../b.ts', content })).ok).toBe(true);
    for (const args of [
      { path: 'src/hooks/pre-commit' },
      { path: 'src/harmless/y' },
      { path: 'src/y', cwd: '.git' },
      { path: 'src/../y' },
    ])
      expect((await call('Write', { ...args, content })).denied, JSON.stringify(args)).toBe(
        'approval:timeout',
      );
  });

  it('a pattern that begins with a slash is for whole paths', async () => {
    const workspace = tree();
    const rules = `version: 1\nrules:\n  - { args: { path: "${workspace}/secrets/*" }, decide: deny }\n`;
    const { call } = await coreHost({ workspace }, rules);
    for (const path of ['secrets/x', 'src/file', `${workspace}/secrets/x`])
      expect((await call('Read', { path })).denied, path).toBe('policy:rule 1');
    expect((await call('Read', { path: 'src/a.ts' })).ok).toBe(true);
  });

  it('delete_path, too: of a link the link is meant, and a folder is the folder of what is in it', async () => {
    const workspace = tree();
    const { core, place } = await coreHost({ workspace });
    const tool = core.builtins.find(({ name }) => name === 'delete_path')!;
    const read = await readPolicy(DENY);
    if (!read.ok) throw new Error('bad policy');
    const decided = async (path: string) => {
      const found = await findFacts(tool, { path }, place);
      if (!('facts' in found)) return found.refusal.code;
      return decide(read.policy, {
        tool,
        args: { path },
        facts: found.facts,
        caller: toolCallerOf(localPrincipal('')),
      })?.decide;
    };
    for (const path of ['secrets', './secrets/', 'src/../secrets/x', 'src/harmless/x'])
      expect(await decided(path), path).toBe('deny');
    expect([await decided('src/file'), await decided('src/harmless'), await decided('../x')]).toEqual([
      'allow',
      'allow',
      'forbidden',
    ]);
  });

  it('what leads elsewhere by the time it runs does not run', async () => {
    const workspace = tree();
    const { call, resolve, db } = await coreHost({ workspace }, 'version: 1\n');
    const calling = call('Write', { path: 'notes/a.md', content: 'x' });
    const { id } = await firstWaiting(db);
    renameSync(join(workspace, 'notes'), join(workspace, 'was-notes'));
    symlinkSync('.git/hooks', join(workspace, 'notes'));
    await resolve({ id, decision: 'allow_once' });
    expect((await calling).denied).toBe('workspace:moved');
    expect(existsSync(join(workspace, '.git', 'hooks', 'a.md'))).toBe(false);
  });
});

describe('row 2: a grant covers where a path leads', () => {
  it('a grant for notes.md does not cover a hook', async () => {
    const workspace = tree();
    const { session, resolve, db } = await coreHost({ workspace }, 'version: 1\n');
    const call = session('ada');
    const calling = call('Write', { path: 'notes.md', content: 'x' });
    const row = await firstWaiting(db);
    expect(JSON.parse(row.shapeText)).toEqual({ path: './*' });
    await resolve({ id: row.id, decision: 'allow_always', covers: 'shape' });
    expect((await calling).ok).toBe(true);
    expect((await call('Write', { path: './src/../other.md', content: 'x' })).ok).toBe(true);
    for (const args of [
      { path: 'pre-commit', cwd: '.git/hooks' },
      { path: './pre-commit', cwd: 'src/hooks' },
      { path: 'src/hooks/pre-commit' },
      { path: 'src/x.md' },
    ])
      expect((await call('Write', { ...args, content: 'x' })).denied, JSON.stringify(args)).toBe(
        'approval:timeout',
      );
  });
});

describe('ten thousand spellings', () => {
  /** A small generator with a printed seed: a failure can be looked at again. */
  const random = (seed: number) => () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;

  it('policy, grant and tool agree on which file is meant', async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
    const next = random(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!;
    const workspace = tree();
    const names = [
      'a.ts',
      'A.ts',
      'deep/caf\u00e9.md',
      'deep/cafe\u0301.md',
      'deep/...',
      'x y',
      '..hidden..',
      'b\\c',
      '-rf',
    ];
    for (const name of names) writeFileSync(join(workspace, 'src', name), `src/${name}`);
    linkSync(join(workspace, 'src', 'a.ts'), join(workspace, 'notes', 'a.ts'));
    symlinkSync('../src/deep', join(workspace, 'notes', 'deep'));
    symlinkSync(join(workspace, 'src'), join(workspace, 'absolute'));
    symlinkSync('nowhere/yet', join(workspace, 'dangling'));
    const parts = [
      'src',
      'Src',
      'secrets',
      'notes',
      'deep',
      'here',
      'absolute',
      'dangling',
      'harmless',
      'hooks',
      'file',
      '.git',
      'x',
      ...names,
    ];
    const between = ['/', '/', '/', '//', '/./', '/../', '/x/../', '///'];
    const spell = () => {
      let text = pick(['', '', '', './', `${workspace}/`, '../', `../${basename(workspace)}/`, '/', './/']);
      for (let left = Math.floor(next() * 4); left >= 0; left -= 1)
        text += pick(parts) + (left > 0 ? pick(between) : pick(['', '', '', '/', '/.', '/..']));
      return text;
    };
    const { core, call, place: where } = await coreHost({ workspace });
    const [read, write] = ['Read', 'Write'].map((name) => core.tools.find((tool) => tool.name === name)!) as [
      WorldTool,
      WorldTool,
    ];
    const caller = toolCallerOf(localPrincipal(''));
    let [located, opened] = [0, 0];
    for (let i = 0; i < 10_000; i += 1) {
      const args = { path: spell(), ...(next() < 0.4 && { cwd: spell() }) };
      const what = `seed ${seed}: ${JSON.stringify(args)}`;
      const found = await findFacts(read, args, where);
      if (!('facts' in found)) continue;
      located += 1;
      const { facts } = found;
      const place = facts['path']!;
      // The file system's own word, where it has one.
      const real = await realpath(join(workspace, place)).catch(() => undefined);
      if (real !== undefined) expect(real, what).toBe(place === '.' ? workspace : join(workspace, place));
      // Policy: exactly the rule for this very file matches, and no rule for another.
      const rules = (path: string) => ({
        ...NO_POLICY,
        rules: [{ decide: 'deny' as const, args: { path: { oneOf: [path] } } }],
      });
      expect(decide(rules(place), { tool: read, args, facts, caller })?.decide, what).toBe('deny');
      expect(decide(rules(`${place}-not`), { tool: read, args, facts, caller }), what).toBeUndefined();
      // Grant: the same as for the plain spelling of the same file.
      expect(shapeOf(write, { ...args, content: '' }, facts), what).toEqual(
        shapeOf(write, { path: place, content: '' }, { ...facts, cwd: '.' }),
      );
      expect(JSON.parse(shapeOf(write, args, facts).text).path, what).toBe(folderPattern(place));
      // Tool: what it reads is what is in that file, and it says its name.
      if (real === undefined || !statSync(real).isFile()) continue;
      const { value } = await call('Read', args);
      opened += 1;
      expect([value.path, value.content], what).toEqual([place, readFileSync(real, 'utf8')]);
    }
    expect(located).toBeGreaterThan(2_000);
    expect(opened).toBeGreaterThan(20);
  }, 120_000);
});
