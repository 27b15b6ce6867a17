import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { DEFAULT_STRATEGY, defaultStrategyText, readStrategy, type Strategy } from '../strategy.ts';
import type { VaultFiles } from './files.ts';

const STRATEGY = 'STRATEGY.md';

export type StrategyFile = Readonly<{
  /** As it stands in STRATEGY.md; throws naming the line when it is wrong. */
  strategy(): Promise<Strategy>;
  /** The same for calls that must go on: the defaults stand in for a broken file. */
  policy(): Promise<Strategy>;
  /** The last answer of `policy`, for units that may not wait for a file. */
  lastPolicy(): Strategy;
}>;

/** Reads the file again only when it changed: every search asks. */
export function followStrategy(files: VaultFiles, log: Log): StrategyFile {
  let read: Readonly<{ stamp: string | undefined; policy: Strategy; problem?: HubError }> = {
    stamp: undefined,
    policy: DEFAULT_STRATEGY,
  };

  async function readAgain(): Promise<typeof read> {
    const stamp = files.stamp(STRATEGY);
    if (stamp === read.stamp) return read;
    try {
      const text = (await files.read(STRATEGY))?.text ?? '';
      read = { stamp, policy: readStrategy(text) };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      log.warn('STRATEGY.md is not usable; the defaults stand in.', { reason: error.message });
      read = { stamp, policy: DEFAULT_STRATEGY, problem: error };
    }
    return read;
  }

  return {
    async strategy() {
      const { policy, problem } = await readAgain();
      if (problem) throw problem;
      return policy;
    },
    policy: async () => (await readAgain()).policy,
    lastPolicy: () => read.policy,
  };
}

/** What a new vault begins with. */
export async function startStrategy(files: VaultFiles): Promise<void> {
  if ((await files.read(STRATEGY)) === null) await files.create(STRATEGY, defaultStrategyText());
}
