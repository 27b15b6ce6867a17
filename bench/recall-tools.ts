/**
 * How well ToolSearch finds a tool by what it is for, beside stock FTS5, on the tools and requests of this repository.
 *
 *   npx node bench/recall-tools.ts              the requests that the ranking was chosen with
 *   npx node bench/recall-tools.ts --misses     … and those whose tool is not the first of 500
 *   npx node bench/recall-tools.ts --set-aside  the others: once, when the work is done
 */
import { createToolCards } from '../src/features/hub/tool-cards.ts';
import { sha256 } from '../src/kernel/digest.ts';
import type { Tool } from '../src/mcp/define.ts';
import { bareFullText } from '../test/fixtures/bare-full-text.ts';
import {
  readToolList,
  readToolRequests,
  TOOL_SERVERS,
  type ToolRequest,
} from '../test/fixtures/tool-lists.ts';

type Find = (request: string) => Promise<readonly string[]>;

const tools = TOOL_SERVERS.flatMap(readToolList);
const SHOWN = 20;
/** Which others stand beside a tool changes much; so every request is asked of several stores. */
const DRAWS = 5;

/** What a person has who uses that server: its tools, and some of others' until there are so many. Drawn by their names. */
function storeOf(server: string, size: number, draw: number): readonly Tool[] {
  const own = tools.filter(({ source }) => source === server);
  const others = tools
    .filter(({ source }) => source !== server)
    .map((tool) => ({ tool, lot: sha256(`${draw} ${server} ${tool.name}`) }))
    .toSorted((a, b) => (a.lot < b.lot ? -1 : 1));
  return [...own, ...others.slice(0, size - own.length).map(({ tool }) => tool)];
}

function byCards(store: readonly Tool[]): Find {
  const cards = createToolCards(store);
  return async (request) =>
    (await cards.search(request, () => true, SHOWN)).hits.map(({ tool }) => tool.name);
}

/** Stock FTS5: name and description, Porter's stems, any of the words that are no stop words. */
function byFullText(store: readonly Tool[]): Find {
  return bareFullText(
    store.map(({ name, description }) => ({ ref: name, title: name, content: description, tags: [] })),
  );
}

type Measured = Readonly<{ mrr: number; misses: readonly string[] }>;

async function measure(
  requests: readonly ToolRequest[],
  size: number,
  finderOf: typeof byCards,
): Promise<Measured> {
  const finders = new Map<string, Find>();
  const misses: string[] = [];
  let mrr = 0;
  for (const { query, wanted } of requests)
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const server = wanted[0]!.split('__')[0]!;
      let find = finders.get(`${server} ${draw}`);
      if (!find) finders.set(`${server} ${draw}`, (find = finderOf(storeOf(server, size, draw))));
      const names = await find(query);
      const at = names.findIndex((name) => wanted.includes(name));
      mrr += at < 0 ? 0 : 1 / (at + 1);
      if (at !== 0 && draw === 0) misses.push(`${at + 1} ${query} → ${names.slice(0, 3).join(', ')}`);
    }
  return { mrr: mrr / requests.length / DRAWS, misses };
}

const isAside = process.argv.includes('--set-aside');
const half = isAside ? 'aside' : 'seen';
const sets: readonly (readonly [string, readonly ToolRequest[]])[] = [
  ['first requests', readToolRequests('requests').filter((_, i) => i % 2 === (isAside ? 1 : 0))],
  ['second', readToolRequests(`more.${half}`)],
  ['third', readToolRequests(`third.${half}`)],
];
const short = (value: number): string => value.toFixed(3).replace(/^0/, '');

process.stdout.write(
  `| ${half}: MRR (stock FTS5) | requests | 50 tools | 500 tools |\n| --- | --- | --- | --- |\n`,
);
for (const [name, requests] of [...sets, ['all', sets.flatMap(([, asked]) => asked)] as const]) {
  const cells = [];
  for (const size of [50, 500])
    cells.push(
      `${short((await measure(requests, size, byCards)).mrr)} (${short((await measure(requests, size, byFullText)).mrr)})`,
    );
  process.stdout.write(`| ${name} | ${requests.length} | ${cells.join(' | ')} |\n`);
  if (process.argv.includes('--misses') && name !== 'all')
    process.stdout.write(`${(await measure(requests, 500, byCards)).misses.join('\n')}\n`);
}
