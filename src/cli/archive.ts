// The board as lines of JSON, in and out, in requests that the hub can read.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Api } from '../features/api.ts';
import { newId } from '../kernel/ids.ts';
import { type Client, withClient } from './client.ts';
import { QuietExit } from './exit.ts';
import type { Options } from './options.ts';
import { writeWhole } from './whole-file.ts';
import { progressOf } from './progress.ts';
import { jsonLine } from './screen.ts';
import type { World } from './world.ts';

type ImportReport = Api['POST /api/board/archive']['answer'];

/** A request stays well below the 2 MB that the hub reads, whatever the lines hold. */
const BATCH = { lines: 1000, bytes: 800_000 };

export async function writeBoard(world: World, file: string, options: Options): Promise<void> {
  const records = await withClient(world, options, async (client) => {
    const progress = progressOf(world, options);
    let count = 0;
    async function* lines(): AsyncGenerator<string> {
      for await (const record of archiveOf(client)) {
        yield jsonLine(record);
        progress((count += 1), 'records');
      }
    }
    if (file === '-') for await (const line of lines()) world.print(line);
    else await writeWhole(resolve(file), lines());
    return count;
  });
  if (file === '-') return;
  world.print(
    options['json']
      ? JSON.stringify({ file: resolve(file), records })
      : `Wrote ${records} records to ${resolve(file)}.`,
  );
}

async function* archiveOf({ ask }: Client): AsyncGenerator<object> {
  let cursor: string | undefined;
  do {
    const page: Api['GET /api/board/archive']['answer'] = await ask('GET /api/board/archive', { cursor });
    yield* page.records;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

export async function readBoard(world: World, file: string, options: Options): Promise<void> {
  if (options['dryRun'] === true) return showLines(world, file, options);
  const progress = progressOf(world, options);
  const report = await withClient(world, options, (client) =>
    importLines(
      client,
      linesOf(() => (file === '-' ? world.stdin : createReadStream(file))),
      (count) => progress(count, 'records'),
    ),
  );
  if (options['json']) world.print(JSON.stringify(report));
  else {
    for (const { line, problem } of report.problems) world.tell(`line ${line}: ${problem}`);
    world.print(`${report.added} added, ${report.known} already there, ${report.problems.length} broken.`);
  }
  if (report.problems.length > 0) throw new QuietExit(1);
}

/** What the lines are, by their own word for it; which of them are known already only the hub can say. */
async function showLines(world: World, file: string, options: Options): Promise<void> {
  const counts: Record<string, number> = {};
  for await (const line of linesOf(() => (file === '-' ? world.stdin : createReadStream(file)))) {
    if (line.trim() === '') continue;
    const type = /^\{"type":"(\w+)"/.exec(line)?.[1] ?? 'other';
    if (type !== 'archive') counts[type] = (counts[type] ?? 0) + 1;
  }
  if (options['json']) return world.print(JSON.stringify(counts));
  const shown = Object.entries(counts).map(([type, count]) => `${count} ${type}`);
  world.print(`Would read ${shown.join(', ') || 'nothing'}; what is there already stays as it is.`);
}

export async function importLines(
  client: Client,
  lines: AsyncIterable<string>,
  onProgress: (count: number) => void,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, known: 0, problems: [] };
  let batch: string[] = [];
  let bytes = 0;
  let sent = 0;
  const importId = newId();
  const send = async (more: boolean) => {
    if (more && batch.length === 0) return;
    const part = { lines: batch, import: importId, more };
    const answer = await client.ask('POST /api/board/archive', part);
    report.added += answer.added;
    report.known += answer.known;
    for (const { line, problem } of answer.problems) report.problems.push({ line: sent + line, problem });
    sent += batch.length;
    [batch, bytes] = [[], 0];
    onProgress(sent);
  };
  for await (const line of lines) {
    const size = Buffer.byteLength(line);
    if (size > BATCH.bytes) {
      await send(true);
      sent += 1;
      report.problems.push({ line: sent, problem: `longer than ${BATCH.bytes} bytes` });
      continue;
    }
    if (batch.length === BATCH.lines || bytes + size > BATCH.bytes) await send(true);
    batch.push(line);
    bytes += size;
  }
  await send(false);
  return report;
}

/** Opened when the first line is asked for: a reader that starts earlier loses what came before anybody listened. */
async function* linesOf(open: () => NodeJS.ReadableStream): AsyncGenerator<string> {
  yield* createInterface({ input: open(), crlfDelay: Infinity });
}
