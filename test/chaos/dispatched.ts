// Work that the hubs have done by programs meanwhile: a stream of runs, and a runner beside the hubs that is killed as well.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { pause } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { builtBin } from '../fixtures/built.ts';
import { AGENT } from '../fixtures/dispatch-hub.ts';
import { lookAtRuns, processesLeft, RUN_PROMPT } from '../torture/pool.ts';
import { end } from '../torture/torture.ts';

export type Dispatched = Readonly<{
  killRunner(): Promise<void>;
  /** Sends no more. Answers how many it sent. */
  stop(): Promise<number>;
  violations(db: Database): Promise<string[]>;
  close(): Promise<void>;
}>;

export const AGENTS = {
  script: {
    family: 'command',
    command: [process.execPath, AGENT, '{prompt}'],
    retry: 20,
    limits: { concurrent: 50 },
  },
};

type Place = Readonly<{
  addresses: readonly string[];
  token: string;
  folder: string;
  env: NodeJS.ProcessEnv;
}>;
const EVERY_MS = 1_500;
const PATIENCE_MS = 120_000;

/** `env` is that of the first hub, to which the runner belongs. */
export async function openDispatched({ addresses, token, folder, env }: Place): Promise<Dispatched> {
  const home = join(folder, 'runner');
  mkdirSync(home);
  writeFileSync(join(home, 'config.yaml'), stringify({ agents: AGENTS }));
  const create = [builtBin('holdfast'), 'token', 'create', '--runner', 'r'];
  // Not at once: what lies between it and its database is in this process.
  const { stdout } = await promisify(execFile)(process.execPath, create, { env: { ...env } });
  writeFileSync(join(home, 'token'), stdout);
  const startRunner = (): ChildProcess => {
    const to = ['--hub', addresses[0]!, '--token-file', join(home, 'token'), '--name', 'r', '--slots', '3'];
    const own = { PATH: process.env['PATH'], HOME: folder, HOLDFAST_HOME: home, HOLDFAST_LOG: 'error' };
    return spawn(process.execPath, [builtBin('holdfast'), 'runner', ...to], { stdio: 'ignore', env: own });
  };
  let runner = startRunner();
  const sent: string[] = [];
  let isOver = false;
  const sending = (async () => {
    for (let i = 0; !isOver; i += 1) {
      await send(addresses[i % addresses.length]!, i).then(
        (id) => void (id !== undefined && sent.push(id)),
        () => undefined,
      );
      await pause(EVERY_MS);
    }
  })();

  async function send(address: string, i: number): Promise<string | undefined> {
    const answer = await fetch(`${address}/v1/send_message`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        instance: 'script',
        prompt: RUN_PROMPT,
        async: true,
        idempotencyKey: `run-${i}`,
      }),
      signal: AbortSignal.timeout(5_000),
    });
    return ((await answer.json()) as { task_id?: string }).task_id;
  }

  return {
    async killRunner() {
      await end(runner);
      runner = startRunner();
    },
    async stop() {
      isOver = true;
      await sending;
      return sent.length;
    },
    async violations(db) {
      const unfinished = async () =>
        (await db.read((q) =>
          q.get<{ n: number }>(sql`select count(*) as n from runs where state in ('pending', 'active')`),
        ))!.n;
      const until = performance.now() + PATIENCE_MS;
      while ((await unfinished()) > 0 && performance.now() < until) await pause(300);
      return [...(await lookAtRuns(db, sent)), ...processesLeft(sent)];
    },
    close: () => end(runner),
  };
}
