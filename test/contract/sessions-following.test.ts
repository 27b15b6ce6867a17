import {
  appendFileSync,
  mkdirSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { person, sessionsOn } from '../fixtures/sessions-host.ts';

eachEngine('a file that a client goes on writing', (engine) => {
  const opened = async () => {
    const home = freshFolder();
    const folder = join(home, '.claude/projects/-x');
    mkdirSync(folder, { recursive: true });
    const db = await freshDatabase(engine);
    const sessions = sessionsOn(db, home, { yaml: { from: ['claude-code'], result: '1KB' } });
    const file = join(folder, 's1.jsonl');
    const texts = async (): Promise<string[]> => {
      const { sessions: all } = await sessions.list(person, { limit: 50 });
      const pages = all.map(
        async ({ id }) => (await sessions.show(person, { id, from: 1, most: 1000 })).turns,
      );
      return (await Promise.all(pages)).flat().map(({ text }) => text);
    };
    const line = (text: string, uuid = text, session = 's1') =>
      claudeLine({ session, folder: '/x', text, uuid });
    return { home, folder, db, sessions, file, texts, line };
  };

  it('is followed as it grows, whole lines only', async () => {
    const { sessions, file, texts, line } = await opened();
    writeFileSync(file, line('one') + line('two').slice(0, 40));
    await sessions.sync();
    expect(await texts()).toEqual(['one']);
    appendFileSync(file, line('two').slice(40) + line('three').trimEnd());
    await sessions.sync();
    // The last one is whole but for its line end.
    expect(await texts()).toEqual(['one', 'two', 'three']);
    appendFileSync(file, `\n${line('four')}`);
    await sessions.sync();
    await sessions.sync();
    expect(await texts()).toEqual(['one', 'two', 'three', 'four']);
  });

  it('is read once when it is truncated, written anew, rotated or copied into a fork', async () => {
    const { folder, sessions, file, texts, line } = await opened();
    writeFileSync(file, line('one') + line('two') + line('three'));
    await sessions.sync();
    truncateSync(file, statSync(file).size - line('three').length);
    appendFileSync(file, line('four'));
    await sessions.sync();
    expect(await texts()).toEqual(['one', 'two', 'three', 'four']);
    // Written anew on compaction, under the same name and as another file.
    writeFileSync(`${file}.new`, line('summary') + line('three') + line('four') + line('five'));
    renameSync(`${file}.new`, file);
    await sessions.sync();
    expect(await texts()).toEqual(['one', 'two', 'three', 'four', 'summary', 'five']);
    // A fork repeats what was before under an id of its own.
    const fork = (text: string) => line(text, text, 's2');
    writeFileSync(join(folder, 's2.jsonl'), fork('four') + fork('five') + fork('six'));
    await sessions.sync();
    expect((await texts()).toSorted()).toEqual(['five', 'four', 'one', 'six', 'summary', 'three', 'two']);
  });

  it('stays when it vanishes', async () => {
    const { sessions, file, texts, line } = await opened();
    writeFileSync(file, line('one'));
    await sessions.sync();
    unlinkSync(file);
    expect((await sessions.sync())[0]).toMatchObject({ files: 1, turns: 1, error: null });
    expect(await texts()).toEqual(['one']);
  });

  it('is read by two hubs at once, once', async () => {
    const { db, home, file, texts, line } = await opened();
    writeFileSync(file, Array.from({ length: 300 }, (_, i) => line(`line ${i}`)).join(''));
    const hubs = [0, 1, 2].map(() => sessionsOn(db, home, { yaml: { from: ['claude-code'] } }));
    await Promise.all(hubs.map((hub) => hub.sync()));
    await hubs[0]!.sync();
    expect(await texts()).toHaveLength(300);
  });

  it('grows in turns that are written again', async () => {
    const { sessions, file, texts, line } = await opened();
    writeFileSync(file, line('half a thimblerig', 'a'));
    await sessions.sync();
    appendFileSync(file, line('half an answer, now whole', 'a'));
    await sessions.sync();
    expect(await texts()).toEqual(['half an answer, now whole']);
    expect((await sessions.search(person, { query: 'whole', limit: 5 })).moments).toHaveLength(1);
    expect((await sessions.search(person, { query: 'thimblerig', limit: 5 })).moments).toHaveLength(0);
  });
});
