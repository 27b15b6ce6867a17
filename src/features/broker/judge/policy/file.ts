// The policy as it lies in the home: followed as it is edited, and the last good one kept while it cannot be read.
import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../../../kernel/file-faults.ts';
import type { Log } from '../../../../kernel/log.ts';
import { ABSENT, stampOfFile } from '../../../../kernel/maybe-file.ts';
import { NO_POLICY, type Policy } from './policy.ts';
import { type PolicyProblem, readPolicy } from './read.ts';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../../kernel/replace-file.ts';

type PolicyState = Readonly<{
  path: string;
  policy: Policy;
  /** When the policy in force was read; null while there is no file. */
  loadedAt: number | null;
  /** Why the file as it is now is not in force: the last good one is. */
  problems: readonly PolicyProblem[];
}>;

export interface PolicyFile {
  /** The policy in force; looks at the file first when the last look is older than a moment. */
  current(): Promise<PolicyState>;
  /** The file was changed by us: the next look is at the file itself. */
  lookAgain(): void;
}

const LOOK_AGAIN_MS = 200;

/** Follows a file by looking when it is needed: no watcher to leak, and a change counts from the next call on. */
export function createPolicyFile({ path, log }: { path: string; log: Log }): PolicyFile {
  let state: PolicyState = { path, policy: NO_POLICY, loadedAt: null, problems: [] };
  let stamp = ABSENT;
  let lookedAt = -Infinity;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const found = stampOfFile(path);
    if (found === stamp) return;
    stamp = found;
    if (found === ABSENT) {
      state = { path, policy: NO_POLICY, loadedAt: null, problems: [] };
      return;
    }
    const text = await readFile(path, 'utf8');
    const read = await readPolicy(text);
    if (read.ok) {
      state = { path, policy: read.policy, loadedAt: Date.now(), problems: [] };
      log.info('policy.yaml was read', { rules: read.policy.rules.length });
      await keepLastGood(path, text).catch((error: unknown) =>
        log.warn('the last good policy could not be kept', { error }),
      );
    } else {
      const kept = state.loadedAt === null ? await readLastGood(path) : undefined;
      state = { ...state, ...(kept && { policy: kept, loadedAt: Date.now() }), problems: read.problems };
      const [first] = read.problems;
      log.error(
        `policy.yaml is broken at line ${first?.line}, column ${first?.column}: the last good policy stays in force`,
        {
          problem: first?.message,
        },
      );
    }
  }

  return {
    lookAgain: () => void (lookedAt = -Infinity),
    async current() {
      if (performance.now() - lookedAt > LOOK_AGAIN_MS) {
        looking ??= look()
          .catch((error: unknown) => {
            stamp = 'unreadable';
            state = {
              ...state,
              problems: [
                {
                  line: 1,
                  column: 1,
                  message: `the file cannot be read (${reasonOf(error)})`,
                },
              ],
            };
          })
          .finally(() => {
            lookedAt = performance.now();
            looking = undefined;
          });
        await looking;
      }
      return state;
    },
  };
}

/**
 * A copy of the last policy that could be read, beside the file itself. A process that starts while the file
 * is broken has no good policy in its memory; without the copy it would be more permissive than the ones that
 * run already.
 */
function copyOf(path: string): string {
  return join(dirname(path), 'policy.last-good.yaml');
}

async function keepLastGood(path: string, text: string): Promise<void> {
  const copy = copyOf(path);
  if ((await readFile(copy, 'utf8').catch(() => undefined)) === text) return;
  replaceFile(copy, text);
}

async function readLastGood(path: string): Promise<Policy | undefined> {
  const text = await readFile(copyOf(path), 'utf8').catch(() => undefined);
  const read = text === undefined ? undefined : await readPolicy(text);
  return read?.ok ? read.policy : undefined;
}
