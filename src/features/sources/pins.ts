import { HubError } from '../../kernel/errors.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { UpstreamTool } from '../../mcp/upstream/upstream.ts';
import type { Caller } from '../../store/acting.ts';
import type { Database, Tx } from '../../store/database.ts';
import { canonical, hashOf } from './definitions.ts';
import { approveDefinition, recordDefinition, type ToolRow, toolRows } from './rows.ts';
import type { Trust } from './settings.ts';

/** `asks`: the first use asks a person. `quarantined`: hidden until a person has looked at the difference. */
export type PinStanding = 'trusted' | 'asks' | 'quarantined';

export type Pin = Readonly<{ hash: string; standing: PinStanding }>;

/** What is known about the definitions of every source. The hash that was approved is the only one that counts. */
export interface Pins {
  /** Writes down what is new or different, and says how each stands. */
  sync(source: string, trust: Trust, tools: readonly UpstreamTool[]): Promise<ReadonlyMap<string, Pin>>;
  /** The first use of a definition was approved by a person. */
  used(source: string, tool: string, hash: string, by: string): Promise<void>;
  /** What has no definition, reading resources and getting prompts, is approved once per source, for as long as that is the same. */
  isOpen(source: string, use: SourceUse): Promise<boolean>;
  open(source: string, use: SourceUse, by: string): Promise<void>;
  approve(tx: Tx, caller: Caller, chosen: Chosen): Promise<readonly string[]>;
}

/** `where`: what the source is, a command or an address. Another one is asked for again. */
export type SourceUse = Readonly<{ kind: 'resources.read' | 'prompts.get'; where: string }>;

/** All that wait, or those named; as they stood when the digest was made, where one is given. */
type Chosen = Readonly<{ source: string; tools: readonly string[]; digest?: string | undefined }>;

export function createPins(db: Database): Pins {
  return {
    async sync(source, trust, tools) {
      const known = new Map((await db.read((q) => toolRows(q, source))).map((row) => [row.tool, row]));
      const seen = tools.map((tool) => {
        const definition = canonical(tool);
        return { source, tool: tool.name, definition, hash: hashOf(definition) };
      });
      const news = seen.filter(({ tool, hash }) => known.get(tool)?.hash !== hash);
      const isFirst = known.size === 0;
      if (news.length > 0) {
        await db.write(systemActor, async (tx) => {
          for (const one of news) {
            await recordDefinition(tx, one);
            if (isFirst && trust === 'pinned') await approveDefinition(tx, { ...one, by: 'first sight' });
          }
          const changed = news.filter(({ tool }) => known.has(tool)).map(({ tool }) => tool);
          const data = { new: news.length - changed.length, changed: changed.length };
          tx.emit({ kind: 'source.listed', subject: source, realm: 'hub', data });
        });
      }
      const isApproved = ({ tool, hash }: { tool: string; hash: string }) =>
        known.get(tool)?.approvedHash === hash || (isFirst && trust === 'pinned');
      return new Map(
        seen.map((one) => [one.tool, { hash: one.hash, standing: standingOf(trust, isApproved(one)) }]),
      );
    },
    async used(source, tool, hash, by) {
      await db.write(systemActor, async (tx) => {
        if (await approveDefinition(tx, { source, tool, hash, by })) emitApproved(tx, source, 1, by);
      });
    },
    async isOpen(source, use) {
      const row = (await db.read((q) => toolRows(q, source))).find(({ tool }) => tool === use.kind);
      return row?.approvedHash === hashOf(use.where);
    },
    async open(source, { kind, where }, by) {
      const one = { source, tool: kind, definition: where, hash: hashOf(where) };
      await db.write(systemActor, async (tx) => {
        await recordDefinition(tx, one);
        if (await approveDefinition(tx, { ...one, by })) emitApproved(tx, source, 1, by);
      });
    },
    async approve(tx, caller, { source, tools: wanted, digest }) {
      const by = caller.agent ?? `${caller.who.kind}:${caller.who.id}`;
      const pending = (await toolRows(tx, source)).filter(isPending);
      const chosen = wanted.length === 0 ? pending : pending.filter(({ tool }) => wanted.includes(tool));
      const missing = wanted.filter((tool) => !chosen.some((row) => row.tool === tool));
      if (missing.length > 0) throw nothingPending(source, missing[0]!);
      if (digest !== undefined && digest !== digestOf(chosen)) throw changedSince(source);
      for (const { tool, hash } of chosen) await approveDefinition(tx, { source, tool, hash, by });
      const tools = chosen.map(({ tool }) => tool);
      if (tools.length > 0) emitApproved(tx, source, tools.length, by);
      return tools;
    },
  };
}

function emitApproved(tx: Tx, source: string, tools: number, by: string): void {
  tx.emit({ kind: 'source.approved', subject: source, realm: 'hub', data: { tools, by } });
}

/** Names a set of definitions that wait, as they are. */
export function digestOf(rows: readonly Pick<ToolRow, 'tool' | 'hash'>[]): string {
  return hashOf(JSON.stringify(rows.map(({ tool, hash }) => [tool, hash]))).slice(0, 12);
}

function changedSince(source: string): HubError {
  return new HubError(
    'conflict',
    `What waits for a review in ${source} is not what was shown: it has changed since.`,
    {
      hint: `Look again: holdfast source review ${source}`,
    },
  );
}

export function isPending({ hash, approvedHash }: ToolRow): boolean {
  return hash !== approvedHash;
}

function standingOf(trust: Trust, isApproved: boolean): PinStanding {
  if (trust === 'all' || isApproved) return 'trusted';
  return trust === 'pinned' ? 'quarantined' : 'asks';
}

function nothingPending(source: string, tool: string): HubError {
  return new HubError(
    'not_found',
    `Nothing of ${JSON.stringify(tool.slice(0, 100))} waits for a review in ${source}.`,
    {
      hint: `See what does: holdfast source review ${source}`,
    },
  );
}
