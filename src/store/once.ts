import { HubError } from '../kernel/errors.ts';
import type { Once, Tx } from './database.ts';
import { sql } from './sql.ts';

type Kept = { hash: string; answer: string };

/**
 * Runs a unit at most once per key. The lock makes two callers with one key take turns on
 * PostgreSQL; the loser finds the winner's answer.
 */
export async function answerOnce<T>(tx: Tx, once: Once, unit: (tx: Tx) => Promise<T>): Promise<T> {
  await tx.lock(`once:${once.key}`);
  const kept = await tx.get<Kept>(sql`select hash, answer from once where key = ${once.key}`);
  if (kept) {
    if (kept.hash === once.hash) return JSON.parse(kept.answer) as T;
    throw new HubError('conflict', 'This idempotency key was used before with other arguments.', {
      hint: 'Use a new key for a new request, or repeat the first request exactly.',
    });
  }
  const answer = await unit(tx);
  await tx.run(sql`
    insert into once (key, hash, answer, at)
    values (${once.key}, ${once.hash}, ${JSON.stringify(answer ?? null)}, ${tx.now})`);
  return answer;
}
