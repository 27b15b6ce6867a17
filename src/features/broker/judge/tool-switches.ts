import { keepFollowing } from '../../../kernel/keep-following.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { disabledTools, switchTool } from '../rows/switches.ts';

export const SWITCHED = 'tool.switched';
const SUBJECT = 'tools';

/**
 * Which tools an operator has switched off. Kept in memory, and kept true by the feed when another process
 * changes it.
 */
export interface ToolSwitches {
  isEnabled(name: string): boolean;
  version(): number;
  flip(tx: Tx, change: Readonly<{ name: string; enabled: boolean; by: string }>): Promise<void>;
  /** Says that a list may be another one now, for reasons that no switch tells of. */
  stir(tx: Tx): void;
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export function createToolSwitches({ db, log }: { db: Database; log: Log }): ToolSwitches {
  let disabled: ReadonlySet<string> = new Set();
  let version = 0;
  const closing = new AbortController();

  async function refresh(): Promise<void> {
    disabled = new Set(await db.read((q) => disabledTools(q)));
    version += 1;
  }

  const following = keepFollowing(
    {
      feed: db.feed,
      log,
      what: 'changes of tool switches',
      begin: refresh,
      each: (event) => ('gapBefore' in event || event.kind !== SWITCHED ? undefined : refresh()),
    },
    closing.signal,
  );

  return {
    isEnabled: (name) => !disabled.has(name),
    version: () => version,
    async flip(tx, change) {
      const changed = await switchTool(tx, change);
      if (changed)
        tx.emit({
          kind: SWITCHED,
          subject: SUBJECT,
          realm: 'hub',
          data: { tool: change.name, enabled: change.enabled },
        });
    },
    stir(tx) {
      tx.emit({ kind: SWITCHED, subject: SUBJECT, realm: 'hub' });
    },
    refresh,
    async close() {
      closing.abort();
      await following;
    },
  };
}
