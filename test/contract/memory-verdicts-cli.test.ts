// `holdfast memory check|confirm|refute` as a person and as CI use them, in a real repository.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { git, newRepository } from '../fixtures/repositories.ts';

it(
  'holdfast memory check finds what changed, confirm takes it anew, refute ends it',
  { timeout: 180_000 },
  async () => {
    const env = freshHome({ HOLDFAST_EMBEDDING: 'none' });
    await startHub(env);
    const root = newRepository(join(freshFolder(), 'repo'));
    const file = join(root, 'app.ts');
    writeFileSync(file, 'import x from "x";\nexport const PORT = 8080;\nexport const HOST = "localhost";\n');
    git(root, 'add', '-A');
    git(root, 'commit', '-qm', 'first');
    const run = (...args: string[]) => runHoldfast(env, ['memory', ...args], undefined, root);
    const nothing = run('check');
    expect([nothing.code, nothing.err]).toEqual([
      0,
      expect.stringContaining('Nothing that is remembered cites'),
    ]);
    const refused = run('save', 'Port', 'The port is set there', '--cite', '../app.ts');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('cannot be cited')]);
    const saved = JSON.parse(run('save', 'Port', 'The port is 8080', '--cite', 'app.ts:2', '--json').out);
    const fine = run('check', '--json');
    expect([fine.code, JSON.parse(fine.out)]).toEqual([
      0,
      expect.objectContaining({ fresh: 1, changed: 0, gone: 0 }),
    ]);
    writeFileSync(file, 'import x from "x";\nexport const PORT = 9090;\nexport const HOST = "localhost";\n');
    const changed = run('check', '--json');
    expect(changed.code).toBe(1);
    expect(JSON.parse(changed.out)).toMatchObject({
      changed: 1,
      checked: [
        {
          id: saved.fact.id,
          kind: 'fact',
          title: 'Port',
          cites: [{ path: 'app.ts', from: 2, to: 2, state: 'changed' }],
        },
      ],
    });
    expect(run('check').out).toMatch(/changed\s+\S+\s+Port\s+app\.ts:2 changed/);
    expect(run('search', 'port').out).toContain('app.ts:2 changed');
    expect(run('confirm', saved.fact.id).out).toContain('app.ts:2 fresh');
    expect(run('check').code).toBe(0);
    const other = run('save', 'Port', 'The port is 9090');
    expect(other.err).toContain('It contradicts');
    const ended = run('refute', saved.fact.id, 'it', 'is', '9090');
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('refuted')]);
    expect(run('show', saved.fact.id).out).toMatch(/refuted .* by you: it is 9090/);
    expect(run('search', 'port').out).not.toContain('8080');
  },
);
