import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { homeWithRecordings, person, sessionsOn } from '../fixtures/sessions-host.ts';

// Recordings of Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0 and OpenCode 1.18.33 (`scripts/record-sessions.mjs`):
// each was asked twice, the second time resumed. `HOLDFAST_GOLDEN=1` writes the readings anew, to be looked at.
const golden = join(import.meta.dirname, '../fixtures/sessions-golden.json');

eachEngine('what four real clients wrote', (engine) => {
  it('is read as the golden readings have it, once however often it is read', async () => {
    const home = freshFolder();
    homeWithRecordings(home);
    const sessions = sessionsOn(await freshDatabase(engine), home);
    const states = await sessions.sync();
    expect(states.map(({ client, unknown, format, error }) => ({ client, unknown, format, error }))).toEqual(
      ['claude-code', 'codex', 'gemini', 'opencode'].map((client) => ({
        client,
        unknown: 0,
        format: 'known',
        error: null,
      })),
    );
    const read = await readAll();
    if (process.env['HOLDFAST_GOLDEN'] !== undefined)
      writeFileSync(golden, `${JSON.stringify(read, undefined, 1)}\n`);
    expect(existsSync(golden)).toBe(true);
    expect(read).toEqual(JSON.parse(readFileSync(golden, 'utf8')));
    expect(await sessions.sync()).toEqual(states);
    expect(await readAll()).toEqual(read);

    async function readAll() {
      const { sessions: found } = await sessions.list(person, { limit: 50 });
      const whole = found
        .toSorted((a, b) => (a.client < b.client ? -1 : 1))
        .map(async ({ id, ...session }) => {
          const { turns } = await sessions.show(person, { id, from: 1, most: 200 });
          return { ...session, turns: turns.length, lines: turns };
        });
      return JSON.parse(JSON.stringify(await Promise.all(whole)));
    }
  });
});
