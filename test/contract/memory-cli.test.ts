import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';

const home = () => freshHome({ HOLDFAST_EMBEDDING: 'none' });

describe('holdfast memory', () => {
  it('saves, finds, shows and forgets, without a hub', () => {
    const env = home();
    const run = (...args: string[]) => runHoldfast(env, ['memory', ...args]);
    const saved = JSON.parse(run('save', 'Port', 'The port is 9090', '--tag', 'infra', '--json').out);
    expect(saved).toMatchObject({ saved: 'fact', fact: { title: 'Port', tags: ['infra'] } });
    expect(run('search', 'which', 'port?').out).toContain('The port is 9090');
    expect(JSON.parse(run('search', 'port', '--json', '--explain').out).results[0].why.item).toBeGreaterThan(
      0,
    );
    expect(run('show', saved.fact.id).out).toMatch(/Port\n {2}The port is 9090[^]*by you, from cli/);
    expect(run('stats').out).toContain('facts       1 (0 superseded)');
    expect(run('forget', saved.fact.id, '--yes').out).toContain(saved.fact.id.slice(-8));
    const gone = run('show', saved.fact.id);
    expect([gone.code === 0, gone.err]).toEqual([
      false,
      expect.stringContaining(`not found: ${saved.fact.id.slice(-8)}`),
    ]);
    const nothing = run('search', 'port');
    expect([nothing.code, nothing.out, nothing.err]).toEqual([0, '', expect.stringContaining('No fact')]);
  });

  it('reads content from standard input, and says what is wrong with bad input', () => {
    const env = home();
    expect(runHoldfast(env, ['memory', 'save', 'Note', '--json'], 'from a pipe\n').out).toContain(
      '"content":"from a pipe"',
    );
    const refused = runHoldfast(env, ['memory', 'search', 'x', '--limit', '0']);
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('limit')]);
  });

  it('exports and imports through a live hub, silent while it is quick, and knows what it has already', async () => {
    const env = home();
    await startHub(env);
    const notes = join(freshFolder(), 'notes.md');
    writeFileSync(
      notes,
      '# Staging\n\nThe port is 9090.\n\n# Secret\n\nghp_abcdefghijklmnopqrstuvwxyz0123456789\n',
    );
    const first = runHoldfast(env, ['memory', 'import', notes]);
    expect([first.out.trim(), first.err.trim()]).toEqual(['saved 1, known already 0, declined 1', '']);
    expect(runHoldfast(env, ['memory', 'import', notes]).out.trim()).toBe(
      'saved 0, known already 1, declined 1',
    );

    for (const name of ['out.jsonl', 'out.md']) {
      const file = join(freshFolder(), name);
      expect(runHoldfast(env, ['memory', 'export', file]).out.trim()).toBe(`Wrote 1 records to ${file}.`);
      expect(runHoldfast(env, ['memory', 'export', '-']).out).toContain('The port is 9090.');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8')).toContain('The port is 9090.');
      const other = home();
      expect(runHoldfast(other, ['memory', 'import', file]).out.trim()).toBe(
        'saved 1, known already 0, declined 0',
      );
      expect(runHoldfast(other, ['memory', 'search', 'port']).out).toContain('Staging');
    }
  });
});
