// The board as lines of JSON, in and out.
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import type { Api } from '../../features/api.ts';
import { linesFrom } from '../../kernel/byte-lines.ts';
import { newId } from '../../kernel/ids.ts';
import { type Client, type HubCommand, withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import type { Options } from '../options.ts';
import { pagesOf, sendRecords, writeRecords } from '../files/record-file.ts';
import type { World } from '../world.ts';

type ImportReport = Api['POST /api/board/archive']['answer'];

const MOST_LINES = 1000;
const LONGEST = 800_000;

export function writeBoard(world: World, file: string, options: Options): Promise<void> {
  return withClient(world, options, (client) =>
    writeRecords({ world, options }, { file, records: exportOf(client) }),
  );
}

function exportOf({ ask }: Client): AsyncGenerator<object> {
  return pagesOf(async (cursor) => {
    const { records, nextCursor } = await ask('GET /api/board/archive', { cursor });
    return { records, next: nextCursor };
  });
}

export async function readBoard(world: World, file: string, options: Options): Promise<void> {
  const lines = linesOf(() => (file === '-' ? world.stdin : createReadStream(file)));
  if (options['dryRun'] === true) return showLines(world, lines, options);
  const report = await withClient(world, options, (client) =>
    importLines({ world, client, options }, lines, { what: 'records', from: basename(file) }),
  );
  if (options['json']) world.print(JSON.stringify(report));
  else {
    for (const { line, problem } of report.problems) world.tell(`line ${line}: ${problem}`);
    world.print(`${report.added} added, ${report.known} already there, ${report.problems.length} broken.`);
  }
  if (report.problems.length > 0) throw new QuietExit(1);
}

/** What the lines are, by their own word for it; which of them are known already only the hub can say. */
async function showLines(world: World, lines: AsyncIterable<string>, options: Options): Promise<void> {
  const counts: Record<string, number> = {};
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const type = /^\{"type":"(\w+)"/.exec(line)?.[1] ?? 'other';
    if (type !== 'archive') counts[type] = (counts[type] ?? 0) + 1;
  }
  if (options['json']) return world.print(JSON.stringify(counts));
  const shown = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  world.print(`Would read ${shown.join(', ') || 'nothing'}; what is there already stays as it is.`);
}

/** Nobody can take a task of it before the last request, which says that all lines are there. */
export async function importLines(
  { world, client, options }: HubCommand,
  lines: AsyncIterable<string>,
  { what, from, isRenewing = false }: Readonly<{ what: string; from: string; isRenewing?: boolean }>,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, known: 0, updated: 0, problems: [] };
  const importId = newId();
  let sent = 0;
  const send = async (batch: readonly string[], more: boolean) => {
    const part = { lines: [...batch], import: importId, more, from, ...(isRenewing && { update: true }) };
    const { added, known, updated, problems } = await client.ask('POST /api/board/archive', part);
    report.added += added;
    report.known += known;
    report.updated += updated;
    for (const { line, problem } of problems) report.problems.push({ line: sent + line, problem });
    sent += batch.length;
  };
  const records = withoutLong(lines, (line) =>
    report.problems.push({ line, problem: `longer than ${LONGEST} bytes` }),
  );
  await sendRecords(
    { world, options },
    { records, what, most: MOST_LINES, send: (batch) => send(batch, true) },
  );
  await send([], false);
  report.problems.sort((a, b) => a.line - b.line);
  return report;
}

/** An empty line stands for one that is too long, so that the others keep their numbers. */
async function* withoutLong(lines: AsyncIterable<string>, onLong: (line: number) => void) {
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const isLong = Buffer.byteLength(line) > LONGEST;
    if (isLong) onLong(number);
    yield isLong ? '' : line;
  }
}

/** Opened when the first line is asked for: a reader that starts earlier loses what came before anybody listened. */
async function* linesOf(open: () => NodeJS.ReadableStream): AsyncGenerator<string> {
  // One byte more than a line may have: of a longer one so much is held, and it is seen to be too long.
  for await (const { head } of linesFrom(bytesOf(open()), { most: LONGEST + 1 }))
    yield head.toString('utf8').replace(/\r$/, '');
}

async function* bytesOf(stream: NodeJS.ReadableStream): AsyncGenerator<Buffer> {
  for await (const chunk of stream) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
