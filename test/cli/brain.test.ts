import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawDistribution } from '../../src/cli/brain/report.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Stored = { id: string; path: string };

describe('holdfast brain', () => {
  it('stores, finds, judges and reports from the terminal', async () => {
    const { run, json, env } = openTerminal();
    const { id, path } = await json<Stored>(
      'brain',
      'store',
      'gateway',
      'Listens on port 80',
      '--tag',
      'net',
    );
    expect([id, path]).toEqual(['entity-projects-gateway', 'entities/projects/gateway.md']);
    expect(readFileSync(join(env['HOLDFAST_HOME']!, 'vault', path), 'utf8')).toContain('Listens on port 80');
    expect((await run('brain', 'search', 'port', '80')).out).toMatch(
      /^SCORE {2}CREDIT {2}ID +SAYS\n0\.500 {2}0\.50 {4}entity-projects-gateway {2}Listens on port 80$/i,
    );
    expect((await run('brain', 'good', id)).out).toBe('entity-projects-gateway  0.5000 → 0.5300');
    expect((await run('brain', 'bad', id)).out).toMatch(/0\.5300 → 0\.48/);
    expect((await run('brain', 'show', id)).out).toMatch(
      / \d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}user_correction +0\.5300 → 0\.48/,
    );
    const { out } = await run('brain', 'report');
    expect(out).toContain('1 memory, average score 0.49');
    expect(out).toContain('0.4–0.5 ████████████████████████████████████████ 1');
  });

  it('compacts with a dry run first, says what it does, and takes it back', async () => {
    const { run, json } = openTerminal();
    for (const name of ['one', 'two'])
      await json('brain', 'store', name, `notes of ${name}`, '--episode', '--tag', 'auth');
    expect((await run('brain', 'compact', '--dry-run')).out).toContain(
      'would be: 2 merged, 0 promoted, 0 archived',
    );
    const { out, err } = await run('brain', 'compact');
    expect(out).toMatch(
      /^Merged 2 episodes from \d{4}-\d\d-\d\d into 'auth-[\d-]+'\n2 merged, 0 promoted, 0 archived$/,
    );
    // Steps are told as all progress is: not while it is quick.
    expect(err).toBe('');
    expect((await run('brain', 'undo')).out).toMatch(/^Taken back: Merged 2 episodes/);
    expect((await run('brain', 'undo')).code).toBe(3);
  });

  it('row 23: follows no link when it imports, neither to a file nor to a folder', async () => {
    const [folder, elsewhere] = [freshFolder(), freshFolder()];
    mkdirSync(join(folder, 'entities', 'projects'), { recursive: true });
    writeFileSync(join(folder, 'entities', 'projects', 'own.md'), 'Ours.\n');
    mkdirSync(join(elsewhere, 'projects'));
    writeFileSync(join(elsewhere, 'projects', 'theirs.md'), 'Not for you.\n');
    symlinkSync(join(elsewhere, 'projects', 'theirs.md'), join(folder, 'entities', 'projects', 'link.md'));
    symlinkSync(join(elsewhere, 'projects'), join(folder, 'entities', 'people'));
    const { run } = openTerminal();
    expect((await run('brain', 'import', folder)).out).toBe('imported 1, known already 0, skipped 0');
  });

  it('imports a folder as it is, loose notes on request, and says what it skipped', async () => {
    const { run } = openTerminal();
    const folder = freshFolder();
    const write = (path: string, text: string) => (
      mkdirSync(dirname(join(folder, path)), { recursive: true }),
      writeFileSync(join(folder, path), text)
    );
    write(
      'entities/people/bob.md',
      '---\nid: entity-people-bob\ntags: ["friend"]\nextra: 1\n---\n\nBob sails.\n',
    );
    write('episodes/2025-03/trip.md', 'We sailed.\n');
    write('MEMORY.md', 'made');
    write('notes/Loose Note.md', 'A thought.');
    const first = await run('brain', 'import', folder);
    expect(first.out).toBe('imported 2, known already 0, skipped 1');
    expect(first.err).toContain('skipped notes/Loose Note.md');
    expect((await run('brain', 'import', folder, '--as', 'projects')).out).toBe(
      'imported 1, known already 2, skipped 0',
    );
    expect((await run('brain', 'show', 'episode-2025-03-trip')).out).toContain('We sailed.');
    expect((await run('brain', 'show', 'entity-projects-loose-note')).code).toBe(0);
  });

  it('works through a live hub as well as without one', async () => {
    const { run, env } = openTerminal();
    await run('brain', 'store', 'before', 'text one');
    await startHub(env);
    await run('brain', 'store', 'beside', 'text two');
    expect((await run('brain', 'search', 'text')).out.split('\n')).toHaveLength(3);
  });

  it.each([
    [['brain', 'show', 'entity-people-nobody'], 3, 'Memory not found'],
    [['brain', 'store', 'Bad Name', 'x'], 2, 'name'],
    [['brain', 'store', 'x', 'y', '--category', 'animals'], 2, 'category must be one of'],
    [['brain', 'search', 'x', '--limit', '0'], 2, 'limit must be'],
    [['brain', 'import', '/nowhere/at/all'], 3, 'cannot be read'],
  ])('%j ends with exit code %i', async (args, code, message) => {
    const answer = await openTerminal().run(...args);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(message);
  });
});

it('a distribution shows every memory, and the longest bar fills the width', () => {
  const lines = drawDistribution([0, 0, 1, 0, 0, 800, 0, 0, 0, 400], 20).split('\n');
  expect(lines[4]).toBe(`0.5–0.6 ${'█'.repeat(20)} 800`);
  expect(lines[0]).toBe(`0.9–1.0 ${'█'.repeat(10)} 400`);
  expect(lines[7]).toBe('0.2–0.3 ▏ 1');
  expect(lines[9]).toBe('0.0–0.1');
});
