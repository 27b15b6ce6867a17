// The same work by us and by others, in one run. About two minutes, of which installing takes most.
import { type Bare, barePostgres, bareSqlite, miniSearch } from './bare-engines.ts';
import { measure as measureCalls } from './calls.bench.ts';
import { createCorpus } from './memory-corpus.ts';
import { installRivals, ownMemory, ownTasks, referenceServer, type Rival } from './rivals.ts';
import { median, type Row } from './row.ts';
import { measure as measureSources } from './sources.bench.ts';
import { openPeer } from './stdio-peer.ts';

export const title = 'Beside others: the same work in the same run (a ratio below 1 is less than theirs)';

const NOTES = 1_000;
const QUESTIONS = 300;
const STARTS = 5;

type Figures = Readonly<{
  name: string;
  startMs: number;
  tools: number;
  tokens: number;
  memoryMb: number;
  saveMs?: number;
  findMs?: number;
}>;

export async function measure(): Promise<readonly Row[]> {
  const rivals = await installRivals();
  const ours = await figuresOf(ownMemory());
  const tasks = await figuresOf(ownTasks());
  const rows: Row[] = [];
  for (const rival of [referenceServer(), ...rivals]) {
    const theirs = await figuresOf(rival).catch((error: unknown) => {
      console.log(`  ${rival.name} was installed and does not answer: ${String(error)}`);
      return undefined;
    });
    if (theirs) rows.push(...compare(theirs.saveMs === undefined ? tasks : ours, theirs));
  }
  const amounts = { saved: NOTES, asked: QUESTIONS };
  for (const engine of [bareSqlite, barePostgres, miniSearch]) {
    const bare = await engine(amounts);
    if (bare) rows.push(...compareBare(ours, tasks, bare));
  }
  const named = (rest: readonly Row[], pattern: RegExp) => rest.filter(({ what }) => pattern.test(what));
  rows.push(...named(await measureCalls(), /./), ...named(await measureSources(), /forwarded call/));
  return rows.map((row) => ({ ...row, hold: undefined }));
}

async function figuresOf(rival: Rival): Promise<Figures> {
  const starts: number[] = [];
  for (let i = 1; i < STARTS; i += 1) {
    const peer = await openPeer(rival);
    starts.push(peer.startMs);
    await peer.stop();
  }
  const peer = await openPeer(rival);
  starts.push(peer.startMs);
  const { tools, tokens } = peer;
  const { keeps, name } = rival;
  try {
    const worked = keeps ? await work(peer, keeps) : {};
    return { name, startMs: median(starts), tools, tokens, memoryMb: peer.memoryMb(), ...worked };
  } finally {
    await peer.stop();
  }
}

async function work(
  peer: Awaited<ReturnType<typeof openPeer>>,
  { save, find }: NonNullable<Rival['keeps']>,
): Promise<Pick<Figures, 'saveMs' | 'findMs'>> {
  const corpus = createCorpus();
  const before = peer.cpu();
  for (let i = 0; i < NOTES; i += 1) await peer.call(save(i, corpus.fact(i).content));
  const between = peer.cpu();
  for (let i = 0; i < QUESTIONS; i += 1) await peer.call(find(corpus.question()[0]!));
  return { saveMs: (between - before) / NOTES, findMs: (peer.cpu() - between) / QUESTIONS };
}

const ms = (value: number) => `${value.toFixed(2)} ms`;

function compare(ours: Figures, theirs: Figures): Row[] {
  const row = (what: string, mine: number, other: number, say: (value: number) => string): Row => ({
    what: `${theirs.name}: ${what}`,
    ours: say(mine),
    baseline: say(other),
    ratio: mine / other,
  });
  return [
    row('spawn to tools/list', ours.startMs, theirs.startMs, ms),
    row(`tokens of tools/list (${ours.tools} and ${theirs.tools} tools)`, ours.tokens, theirs.tokens, String),
    ...(theirs.saveMs === undefined || theirs.findMs === undefined
      ? []
      : [
          row(`CPU to save one of ${NOTES} notes, on disk`, ours.saveMs!, theirs.saveMs, ms),
          row('CPU to find by a word', ours.findMs!, theirs.findMs, ms),
        ]),
    row('resident memory', ours.memoryMb, theirs.memoryMb, (value) => `${value.toFixed(0)} MB`),
  ];
}

function compareBare(notes: Figures, tasks: Figures, bare: Bare): Row[] {
  const row = (what: string, ours: number | undefined, theirs: number | undefined): Row[] =>
    ours === undefined || theirs === undefined
      ? []
      : [
          {
            what: `${bare.name}: CPU to ${what}`,
            ours: ms(ours),
            baseline: ms(theirs),
            ratio: ours / theirs,
          },
        ];
  return [
    ...row('save one note', notes.saveMs, bare.save),
    ...row('find by a word', notes.findMs, bare.find),
    ...row('create a task', tasks.saveMs, bare.create),
    ...row('claim the next', tasks.findMs, bare.claim),
  ];
}
