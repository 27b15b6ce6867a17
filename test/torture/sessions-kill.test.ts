// Killed in the middle of reading, over and over: nothing is doubled and nothing is missing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { homeWithRecordings, person, sessionsOn } from '../fixtures/sessions-host.ts';

const ROUNDS = Number(process.env['HOLDFAST_KILLS'] ?? 6);
const FILES = 12;
const LINES = 60;

eachEngine('a reader that is killed', (engine) => {
  it('goes on where it was: every turn is there once', { timeout: 180_000 }, async () => {
    const home = mkdtempSync(join(tmpdir(), 'sessions-'));
    homeWithRecordings(home);
    const folder = join(home, '.claude/projects/-kill');
    mkdirSync(folder, { recursive: true });
    const wanted = new Set<string>();
    const line = (file: number, i: number): string => {
      const text = `turn ${file} ${i} ${'x'.repeat((i * 37) % 900)}`;
      wanted.add(text);
      return claudeLine({ session: `kill-${file}`, folder: '/kill', text });
    };
    const path = (file: number): string => join(folder, `kill-${file}.jsonl`);
    for (let file = 0; file < FILES; file += 1)
      writeFileSync(path(file), Array.from({ length: LINES }, (_, i) => line(file, i)).join(''));
    const place = await freshPlace(engine);
    let wasKilled = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const child = start(home, place);
      await once(child.stdout!, 'data');
      await sleep(20 + Math.random() * 400);
      if (child.exitCode === null) wasKilled += 1;
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      appendFileSync(path(round % FILES), line(round % FILES, LINES + round));
    }
    expect(wasKilled).toBeGreaterThan(0);
    const db = await place.open();
    const sessions = sessionsOn(db, home);
    await sessions.sync();
    const { sessions: all } = await sessions.list(person, { limit: 100 });
    const told = all.filter(({ clientId }) => clientId.startsWith('kill-'));
    expect(told).toHaveLength(FILES);
    const texts: string[] = [];
    for (const { id, turns } of told) {
      const page = await sessions.show(person, { id, from: 1, most: 1000 });
      expect(page.turns.map(({ turn }) => turn)).toEqual(Array.from({ length: turns }, (_, i) => i + 1));
      texts.push(...page.turns.map(({ text }) => text));
    }
    expect(texts).toHaveLength(wanted.size);
    expect(new Set(texts)).toEqual(wanted);
    // The recordings, too: those of a database among them.
    expect(
      all
        .filter(({ clientId }) => !clientId.startsWith('kill-'))
        .map(({ turns }) => turns)
        .toSorted(),
    ).toEqual([12, 12, 12, 14]);
    // Words and rows were written together.
    const found = await sessions.search(person, { query: '"turn 3 7"', limit: 50 });
    expect(found.moments.filter(({ text }) => text.startsWith('turn 3 7 '))).toHaveLength(1);
    rmSync(home, { recursive: true, force: true });
  });
});

type Place = Readonly<{ location: string; schema?: string | undefined }>;

function start(home: string, { location, schema }: Place): ChildProcess {
  const script = join(import.meta.dirname, '../fixtures/sessions-process.ts');
  const args = ['--no-warnings', script, home, location, ...(schema === undefined ? [] : [schema])];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}
