// What an attempt that follows another is told: to go on in the session where that is here, else how far the work came.
import type { Database } from '../../../store/database.ts';
import { attemptsOf } from '../rows/attempts.ts';
import type { Run } from '../run.ts';
import { accountText, createAccount, goOnText } from './account.ts';

type GoOnParts = Parameters<typeof createAccount>[0] & Readonly<{ db: Pick<Database, 'read'> }>;

export function createGoOn(parts: GoOnParts) {
  const accountOf = createAccount(parts);
  /** A first attempt is told what was asked. */
  return async (run: Run, machine: string): Promise<Run> => {
    if (run.attempt <= 1) return run;
    const before = await parts.db.read(async (q) =>
      (await attemptsOf(q, run.id)).findLast(({ n }) => n < run.attempt),
    );
    if (run.sessionId !== null && before?.machine === machine) return { ...run, prompt: goOnText('lost') };
    return { ...run, sessionId: null, prompt: accountText(await accountOf(run), 'lost') };
  };
}
