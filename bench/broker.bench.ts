import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { surroundingsOf } from '../src/features/broker/judge/availability.ts';
import { createBroker } from '../src/features/broker/broker.ts';
import { plainBuiltins } from '../src/features/coretools/plain-builtins.ts';
import { createPolicyFile } from '../src/features/broker/judge/policy/file.ts';
import { newId } from '../src/kernel/ids.ts';
import { silentLog } from '../src/kernel/log.ts';
import { localPrincipal, systemActor } from '../src/kernel/principal.ts';
import { openDatabase } from '../src/store/open.ts';
import { freshFolder } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'The broker: what a governed call costs beside the two durable writes it makes';

const IN_FLIGHT = 32;
const CALLS = 3_000;

/** An echo through the whole funnel, against two bare transactions that write one event each: its audit cannot cost less. */
export async function measure(): Promise<readonly Row[]> {
  const home = freshFolder();
  const db = await openDatabase(join(home, 'holdfast.db'));
  const broker = createBroker({
    db,
    policy: createPolicyFile({ path: join(home, 'policy.yaml'), log: silentLog }),
    surroundings: () => surroundingsOf({ env: {} }),
  });
  const echo = plainBuiltins(db).map((tool) => broker.wrap(tool))[0]!;
  const who = localPrincipal('bench');
  const context = {
    who,
    signal: new AbortController().signal,
    deadline: Infinity,
    can: new Set<never>(),
    progress: () => {},
    say: () => {},
    ask: () => Promise.reject(new Error('nobody')),
  };
  const call = (i: number) =>
    echo.handler({ message: `hello ${i}` } as never, { ...context, callId: newId() } as never);
  const write = () =>
    db.write(systemActor, async (tx) =>
      tx.emit({
        kind: 'bench',
        subject: 'bench',
        realm: 'hub',
        data: { hash: createHash('sha256').update('x').digest('hex') },
      }),
    );
  const bare = async () => {
    await write();
    await write();
  };
  await run(call, 500);
  await run(bare, 500);
  const rounds = [];
  for (let i = 0; i < 3; i += 1) rounds.push({ ours: await run(call, CALLS), base: await run(bare, CALLS) });
  await broker.close();
  await db.close();
  rmSync(home, { recursive: true });
  const [ours, base] = [median(rounds.map((round) => round.ours)), median(rounds.map((round) => round.base))];
  return [
    {
      what: `a governed echo, ${IN_FLIGHT} in flight, CPU`,
      ours: us(ours),
      baseline: us(base),
      ratio: ours / base,
      hold: atMost(5.5),
    },
  ];
}

/** CPU of this process per call, in microseconds. */
async function run(work: (i: number) => Promise<unknown>, total: number): Promise<number> {
  const before = process.cpuUsage();
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < total) await work((next += 1));
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / total;
}

function us(value: number): string {
  return `${value.toFixed(0)} µs`;
}
