import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readCoding } from '../test/fixtures/coding.ts';
import { readAllNotes, SET_ASIDE } from '../test/fixtures/notes.ts';
import { hammer, modernCall } from './load.ts';
import { freshFolder, root, startHub } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'memory_search as an agent calls it: some 700 notes, one question at a time';

/** As an agent waits for it, by the clock; a figure only where nothing else runs. */
const WANTED_MS = 1.5;
const { notes: ofTeams, questions } = readAllNotes();
const notes = [...ofTeams, ...readCoding().notes];
const asked = questions.filter(({ team }) => !SET_ASIDE.includes(team)).map(({ text }) => text);
/** The first rounds are for the compiler: a hub runs for days. */
const ROUNDS = 3;

/** Calls a tool with each of the arguments, one after the other, and answers how long each took. */
type CallAll = (tool: string, args: readonly object[]) => Promise<number[]>;

export async function measure(): Promise<readonly Row[]> {
  return [toRow('over stdio, p50', await overStdio()), toRow('over HTTP, p50', await overHttp())];
}

function toRow(what: string, spent: number): Row {
  return {
    what,
    ours: `${spent.toFixed(2)} ms`,
    baseline: `${WANTED_MS.toFixed(2)} ms`,
    ratio: spent / WANTED_MS,
    hold: atMost(1),
  };
}

async function overStdio(): Promise<number> {
  const child = spawn(process.execPath, [`${root}dist/bin/clawboo-mcp-memory.js`], {
    env: { ...process.env, HOLDFAST_HOME: freshFolder(), HOLDFAST_EMBEDDING: 'none', HOLDFAST_LOG: 'error' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const spent = await askAll(async (tool, args) => {
    const { body, check } = modernCall(tool, (i) => args[i]!);
    const times: number[] = [];
    for (let i = 0; i < args.length; i += 1) {
      const started = performance.now();
      child.stdin.write(`${body(i)}\n`);
      const { value } = (await lines.next()) as { value: string };
      times.push(performance.now() - started);
      check!(value);
    }
    return times;
  });
  const gone = once(child, 'exit');
  child.stdin.end();
  child.kill('SIGTERM');
  await gone;
  return spent;
}

async function overHttp(): Promise<number> {
  const hub = await startHub({ HOLDFAST_EMBEDDING: 'none' });
  const url = `${hub.address}/api/mcp/memory`;
  const spent = await askAll(async (tool, args) => {
    const { headers, body, check } = modernCall(tool, (i) => args[i]!);
    const times: number[] = [];
    let started = 0;
    await hammer({
      url,
      total: args.length,
      inFlight: 1,
      headers: headers!,
      body(i) {
        started = performance.now();
        return body(i);
      },
      check(text) {
        times.push(performance.now() - started);
        check!(text);
      },
    });
    return times;
  });
  await hub.stop();
  return spent;
}

async function askAll(callAll: CallAll): Promise<number> {
  await callAll(
    'memory_save',
    notes.map(({ title: name, content, tags }) => ({ title: name, content, tags })),
  );
  let spent: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    spent = await callAll(
      'memory_search',
      asked.map((query) => ({ query })),
    );
  return median(spent);
}
