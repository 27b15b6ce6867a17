/**
 * The table of docs/design/recall.md about use: what is found once others have opened what they meant, on the notes.
 *
 *   npx node bench/recall-use.ts            prints it
 *   npx node bench/recall-use.ts --write    puts it into the page
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { findItems } from '../src/recall/find.ts';
import { createMemoryIndex } from '../src/recall/memory-index.ts';
import { newerFirst } from '../src/recall/newer-first.ts';
import type { Postings } from '../src/recall/postings.ts';
import { judge } from '../test/fixtures/conversations.ts';
import type { Question } from '../test/fixtures/conversations.ts';
import { play } from '../test/fixtures/note-uses.ts';
import { readAllNotes } from '../test/fixtures/notes.ts';
import type { NoteTeam } from '../test/fixtures/notes.ts';

const PAGE = new URL('../docs/design/recall.md', import.meta.url);
const SEEDS = [1, 2, 3, 4, 5];
/** The weight was chosen with the first two in view; the others are the proof. */
const HALVES: readonly (readonly [string, readonly NoteTeam[]])[] = [
  ['two teams', ['lumen', 'devices']],
  ['two others', ['parcels', 'canvas']],
];
const NOISE: readonly (readonly [string, number])[] = [
  ['one in five opens something else', 0.2],
  ['nobody does', 0],
  ['everybody does', 1],
];
const KINDS = ['again', 'otherwise', 'elsewhere'] as const;

const index = createMemoryIndex();
for (const { ref, ...note } of readAllNotes().notes) index.add({ id: ref, ...note });
const postings = index.postings();

async function measure(asked: readonly Question[], from: Postings): Promise<readonly [number, number]> {
  const { recall, mrr } = await judge(asked, async (question) =>
    newerFirst((await findItems(question, from)).ranked)
      .slice(0, 20)
      .map(({ item }) => item.id),
  );
  return [recall, mrr];
}

const short = (value: number): string => value.toFixed(3).replace(/^0/, '');
const pair = (all: readonly (readonly [number, number])[]): string =>
  [0, 1].map((i) => short(all.reduce((sum, one) => sum + one[i]!, 0) / all.length)).join(' / ');

async function cells(teams: readonly NoteTeam[], noise: number): Promise<string[]> {
  const runs: (readonly (readonly [
    before: readonly [number, number],
    after: readonly [number, number],
  ])[])[] = [];
  for (const seed of SEEDS) {
    const played = await play(postings, { seed, teams, agents: 2, noise });
    const learning: Postings = { ...postings, learnt: () => Promise.resolve(played.learnt) };
    const both = async (asked: readonly Question[]) =>
      [await measure(asked, postings), await measure(asked, learning)] as const;
    runs.push(await Promise.all(KINDS.map((kind) => both(played[kind]))));
  }
  return KINDS.map(
    (_, i) => `${pair(runs.map((run) => run[i]![0]))} → ${pair(runs.map((run) => run[i]![1]))}`,
  );
}

const lines = [
  '| R@10 / MRR without → with | asked again | in other words | about what nobody asked before |',
  '| --- | --- | --- | --- |',
];
for (const [name, teams] of HALVES)
  for (const [said, noise] of NOISE)
    lines.push(`| ${name}: ${said} | ${(await cells(teams, noise)).join(' | ')} |`);
const table = lines.join('\n');
if (process.argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(
      /(<!-- recall-use -->\n)[^]*(\n<!-- \/recall-use -->)/,
      (_, open: string, close: string) => open + table + close,
    ),
  );
} else {
  process.stdout.write(`${table}\n`);
}
