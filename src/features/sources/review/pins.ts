import { HubError } from '../../../kernel/errors.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { excerpt, redact } from '../../../kernel/redact.ts';
import type { UpstreamTool } from '../../../mcp/upstream/upstream.ts';
import type { Caller } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { canonical, hashOf } from './definitions.ts';
import {
  approveDefinition,
  dropTools,
  recordDefinition,
  rejectDefinition,
  type ToolRow,
  toolRows,
  undoApproval,
  undoRejection,
} from '../rows.ts';
import type { Trust } from '../config/settings.ts';

/**
 * `asks`: the first use asks a person. `quarantined`: hidden until a person has looked at the difference.
 * `rejected`: a person has looked and said no; that goes before any trust in the source.
 */
export type PinStanding = 'trusted' | 'asks' | 'quarantined' | 'rejected';

export type Pin = Readonly<{ hash: string; standing: PinStanding }>;

/** What is known about the definitions of every source. The hash that was approved is the only one that counts. */
export interface Pins {
  /** Writes down what is new or different, and says how each stands. */
  sync(source: string, trust: Trust, tools: readonly UpstreamTool[]): Promise<ReadonlyMap<string, Pin>>;
  /** The first use of a definition was approved by a person. False where another one has been listed since. */
  used(one: Readonly<{ source: string; tool: string; hash: string; by: string }>): Promise<boolean>;
  /** What has no definition, reading resources and getting prompts, is approved once per source, for as long as that is the same. */
  isOpen(source: string, use: SourceUse): Promise<boolean>;
  open(source: string, use: SourceUse, by: string): Promise<void>;
  /** All that is known of the tools of a source, and what was decided on them. */
  rows(source: string): Promise<readonly ToolRow[]>;
  approve(tx: Tx, caller: Caller, chosen: Chosen): Promise<readonly string[]>;
  /** Hidden and refused until the definition is another one. */
  reject(tx: Tx, caller: Caller, chosen: Chosen): Promise<readonly string[]>;
  /** Takes back what was decided on definitions that are still the same. */
  undo(tx: Tx, caller: Caller, chosen: Omit<Chosen, 'digest'>): Promise<readonly Undone[]>;
  /** The source is gone, and what was approved of it with it. */
  forget(tx: Tx, source: string): Promise<void>;
}

export type PinDecision = 'approved' | 'rejected';
type Undone = Readonly<{ tool: string; was: PinDecision }>;

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
      const standing = (one: { tool: string; hash: string }) =>
        known.get(one.tool)?.rejectedHash === one.hash ? 'rejected' : standingOf(trust, isApproved(one));
      return new Map(seen.map((one) => [one.tool, { hash: one.hash, standing: standing(one) }]));
    },
    async used(one) {
      return db.write(systemActor, async (tx) => {
        if (await approveDefinition(tx, one))
          emit(tx, { kind: 'source.approved', source: one.source, tools: 1, by: one.by });
        const row = (await toolRows(tx, one.source)).find(({ tool }) => tool === one.tool);
        return row?.approvedHash === one.hash && row.rejectedHash !== one.hash;
      });
    },
    async isOpen(source, use) {
      const row = (await db.read((q) => toolRows(q, source))).find(({ tool }) => tool === use.kind);
      return row?.approvedHash === hashOf(use.where);
    },
    async open(source, { kind, where }, by) {
      // Compared by its hash alone: a command line may hold keys.
      const one = { source, tool: kind, definition: JSON.stringify(redact(where)), hash: hashOf(where) };
      await db.write(systemActor, async (tx) => {
        await recordDefinition(tx, one);
        if (await approveDefinition(tx, { ...one, by }))
          emit(tx, { kind: 'source.approved', source, tools: 1, by });
      });
    },
    rows: (source) => db.read((q) => toolRows(q, source)),
    async approve(tx, caller, chosen) {
      const [rows, by] = [await choose(tx, chosen), nameOf(caller)];
      for (const row of rows) await approveDefinition(tx, { ...row, by });
      return told(tx, rows, { kind: 'source.approved', source: chosen.source, by });
    },
    async reject(tx, caller, chosen) {
      const [rows, by] = [await choose(tx, chosen), nameOf(caller)];
      for (const row of rows) await rejectDefinition(tx, { ...row, by });
      return told(tx, rows, { kind: 'source.rejected', source: chosen.source, by });
    },
    async undo(tx, caller, { source, tools }) {
      const rows = (await toolRows(tx, source)).filter(({ tool }) => tools.includes(tool));
      const undone = tools.map((tool) => {
        const row = rows.find((one) => one.tool === tool);
        const was = row && decisionOn(row);
        if (!row || !was) throw nothingDecided(source, tool);
        return { row, was };
      });
      for (const { row, was } of undone) await (was === 'rejected' ? undoRejection : undoApproval)(tx, row);
      emit(tx, { kind: 'source.undone', source, tools: undone.length, by: nameOf(caller) });
      return undone.map(({ row, was }) => ({ tool: row.tool, was }));
    },
    async forget(tx, source) {
      await dropTools(tx, source);
      tx.emit({ kind: 'source.removed', subject: source, realm: 'hub' });
    },
  };
}

/** Those named, or all that wait. */
async function choose(tx: Tx, { source, tools: wanted, digest }: Chosen): Promise<readonly ToolRow[]> {
  const pending = (await toolRows(tx, source)).filter(isPending);
  const chosen = wanted.length === 0 ? pending : pending.filter(({ tool }) => wanted.includes(tool));
  const missing = wanted.filter((tool) => !chosen.some((row) => row.tool === tool));
  if (missing.length > 0) throw nothingPending(source, missing[0]!);
  if (digest !== undefined && digest !== digestOf(chosen)) throw changedSince(source);
  return chosen;
}

function nameOf({ agent, who }: Caller): string {
  return agent ?? `${who.kind}:${who.id}`;
}

type Told = Readonly<{ kind: string; source: string; tools: number; by: string }>;

function told(tx: Tx, rows: readonly ToolRow[], one: Omit<Told, 'tools'>): readonly string[] {
  if (rows.length > 0) emit(tx, { ...one, tools: rows.length });
  return rows.map(({ tool }) => tool);
}

function emit(tx: Tx, { kind, source, ...data }: Told): void {
  tx.emit({ kind, subject: source, realm: 'hub', data });
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

export function isPending(row: ToolRow): boolean {
  return isOfTool(row) && decisionOn(row) === undefined;
}

/** What was decided on the definition as it is now. A no goes before a yes. */
export function decisionOn(row: ToolRow): PinDecision | undefined {
  if (!isOfTool(row)) return undefined;
  if (row.rejectedHash === row.hash) return 'rejected';
  return row.approvedHash === row.hash ? 'approved' : undefined;
}

/** Uses of a source that have no definition lie in the same table; what they keep is no object. */
function isOfTool({ definition }: ToolRow): boolean {
  return definition.startsWith('{');
}

function standingOf(trust: Trust, isApproved: boolean): PinStanding {
  if (trust === 'all' || isApproved) return 'trusted';
  return trust === 'pinned' ? 'quarantined' : 'asks';
}

function nothingDecided(source: string, tool: string): HubError {
  return new HubError(
    'not_found',
    `Nothing was decided on ${JSON.stringify(excerpt(tool, 100))} of ${source} as it is now.`,
    { hint: `A definition that has changed since waits again: holdfast source review ${source}` },
  );
}

function nothingPending(source: string, tool: string): HubError {
  return new HubError(
    'not_found',
    `Nothing of ${JSON.stringify(excerpt(tool, 100))} waits for a review in ${source}.`,
    {
      hint: `See what does: holdfast source review ${source}`,
    },
  );
}
