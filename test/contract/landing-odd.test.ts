// Branches and repositories that are not as one expects them: signed, forced, empty, shallow.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { gatedCheck, landingHub, landingsOf } from '../fixtures/landing-hub.ts';
import { repositoryAt } from '../fixtures/repository.ts';

const LONG = { timeout: 60_000 };

it(
  'where commits are signed, what the hub commits is not, and nothing that signs is started',
  LONG,
  async () => {
    const at = await landingHub('sqlite');
    const { repository } = at;
    const sprung = join(freshFolder(), 'sprung');
    const signer = join(freshFolder(), 'gpg');
    writeFileSync(signer, `#!/bin/sh\ntouch ${sprung}\nexit 1\n`);
    chmodSync(signer, 0o755);
    const task = await at.branch('good', { 'a.txt': 'a\n' });
    for (const [name, value] of [
      ['commit.gpgSign', 'true'],
      ['merge.verifySignatures', 'true'],
      ['gpg.program', signer],
      ['user.signingKey', 'ada'],
    ] as const)
      repository.git('config', name, value);
    expect(() => repository.git('commit', '-q', '--allow-empty', '-m', 'the trap works')).toThrow(
      'failed to sign',
    );
    expect(existsSync(sprung)).toBe(true);
    execFileSync('rm', [sprung]);
    expect(await at.landed(task)).toMatchObject({ state: 'landed' });
    expect(repository.git('cat-file', 'commit', 'main')).not.toContain('gpgsig');
    expect(existsSync(sprung)).toBe(false);
  },
);

it('a branch that is forced elsewhere under the queue lands as it is now, or not at all', LONG, async () => {
  const { checks, open } = gatedCheck();
  const at = await landingHub('sqlite', { checks, land: { approve: 'checks' } });
  const { repository } = at;
  const { id } = await at.land(await at.branch('good', { 'before.txt': '' }));
  await at.until(id, 'testing');
  const before = repository.git('rev-parse', 'good').trim();
  at.work('other', { 'after.txt': '' }, 'main');
  repository.git('branch', '-f', 'good', 'other');
  open();
  const landed = await at.until(id, 'landed');
  expect(landed.head).toBe(repository.git('rev-parse', 'other').trim());
  expect(repository.git('rev-list', 'main')).not.toContain(before);
  expect(existsSync(join(repository.path, 'after.txt'))).toBe(true);
  expect(existsSync(join(repository.path, 'before.txt'))).toBe(false);
});

it(
  'merges of nothing: what is in the target already moves nothing, an empty commit keeps its tree',
  LONG,
  async () => {
    const at = await landingHub('sqlite');
    const { repository } = at;
    repository.git('branch', 'same');
    const before = at.tip();
    expect(await at.landed(await at.task('same'))).toMatchObject({
      state: 'landed',
      why: 'it was in the target already',
    });
    expect(at.tip()).toBe(before);
    const tree = repository.git('rev-parse', 'main^{tree}');
    expect(await at.landed(await at.branch('empty', {}))).toMatchObject({ state: 'landed', why: null });
    expect(repository.git('rev-parse', 'main^{tree}')).toBe(tree);
    expect(repository.git('rev-list', 'main')).toContain(repository.git('rev-parse', 'empty').trim());
  },
);

it(
  'a clone of the newest commit alone: what meets there lands, what met before it says so',
  LONG,
  async () => {
    const at = await landingHub('sqlite');
    at.repository.commit('more.txt', 'more\n');
    at.work('old', { 'old.txt': '' }, 'main');
    at.repository.commit('newest.txt', 'newest\n');
    const path = join(freshFolder(), 'shallow');
    const depth = ['clone', '-q', '--depth', '1', '--no-single-branch', `file://${at.repository.path}`, path];
    execFileSync('git', depth);
    const shallow = repositoryAt(path);
    shallow.git('config', 'user.name', 'test');
    shallow.git('config', 'user.email', 'test@example.invalid');
    shallow.git('branch', 'old', 'origin/old');
    const there = await landingsOf(at.hub, shallow);
    expect(await there.landed(await there.branch('good', { 'a.txt': 'a\n' }))).toMatchObject({
      state: 'landed',
    });
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(await there.landed(await there.task('old'))).toMatchObject({
      state: 'conflict',
      why: expect.stringContaining('unrelated histories'),
    });
    expect(shallow.git('status', '--porcelain')).toBe('');
  },
);
