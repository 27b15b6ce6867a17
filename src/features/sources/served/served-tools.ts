import type { Principal } from '../../../kernel/principal.ts';
import type { Tool } from '../../../mcp/define.ts';
import type { ListKind } from '../../../mcp/server.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Conversations } from '../upstream/conversations.ts';
import { nameTools } from './names.ts';
import type { Pin, Pins, PinStanding } from '../review/pins.ts';
import { scanTool, type Suspicion } from '../review/scan.ts';
import { firstUseBy, sourceTool } from './source-tool.ts';
import type { SourceListing } from '../upstream/source-lists.ts';
import type { Supervisor } from '../upstream/supervisor.ts';

/** A tool of a source on display: under its name here, governed, with what is known and suspected of it. */
type Held = Readonly<{
  name: string;
  upstreamName: string;
  description: string;
  hash: string;
  front: Tool;
  suspicions: readonly Suspicion[];
}>;

/** The tools of one source behind the broker. A definition that stays the same stays the same tool. */
export interface ServedTools {
  fill(listing: SourceListing): Promise<void>;
  held(): readonly Held[];
  standingOf(held: Held): PinStanding;
  problems(): readonly string[];
  /** A person has decided something. */
  refreshStandings(): Promise<void>;
  clear(): void;
}

export type ServedToolsParts = Readonly<{
  supervisor(): Supervisor;
  broker: Broker;
  pins: Pins;
  conversations: Conversations;
  /** Told of what is another list now, and of nothing else. */
  onChanged(lists: readonly ListKind[]): void;
}>;

export function createServedTools({
  supervisor,
  broker,
  pins,
  conversations,
  onChanged,
}: ServedToolsParts): ServedTools {
  let all: readonly Held[] = [];
  let standings: ReadonlyMap<string, Pin> = new Map();
  let problems: readonly string[] = [];
  let last: SourceListing | undefined;

  const standingOf = ({ upstreamName, hash }: Held): PinStanding =>
    standingNow(upstreamName, hash) ?? 'quarantined';

  /** Undefined for a definition that is not the one listed now: what stands is trusted by its hash, never by its name. */
  function standingNow(upstreamName: string, hash: string): PinStanding | undefined {
    const pin = standings.get(upstreamName);
    return pin?.hash === hash ? pin.standing : undefined;
  }

  function isHidden(name: string, standing: PinStanding | undefined): boolean {
    if (supervisor().status().state !== 'ready' || !broker.isEnabled(name)) return true;
    return standing !== 'trusted' && standing !== 'asks';
  }

  function hold(name: string, tool: SourceListing['tools'][number], pin: Pin): Held {
    const { entry } = supervisor();
    const { hash } = pin;
    const world = sourceTool({
      name,
      tool,
      hash,
      supervisor: supervisor(),
      conversations,
      isHidden: () => isHidden(name, standingNow(tool.name, hash)),
      standing: () => standingNow(tool.name, hash),
      async onUsed(who: Principal) {
        const by = firstUseBy(who);
        const isKept = await pins.used({ source: entry.name, tool: tool.name, hash, by });
        if (isKept && standingNow(tool.name, hash) === 'asks')
          standings = new Map([...standings, [tool.name, { hash, standing: 'trusted' as const }]]);
      },
    });
    const front = broker.wrap(world);
    return {
      name,
      upstreamName: tool.name,
      description: tool.description ?? '',
      hash,
      front,
      suspicions: scanTool(tool),
    };
  }

  return {
    async fill(listing) {
      const { entry } = supervisor();
      const naming = nameTools(entry.name, listing.tools);
      const pinned = await pins.sync(
        entry.name,
        entry.trust,
        naming.named.map(({ tool }) => tool),
      );
      const before = new Map(all.map((held) => [held.name, held]));
      const known = standings;
      standings = pinned;
      const next: Held[] = [];
      for (const { tool, name } of naming.named) {
        const pin = pinned.get(tool.name)!;
        const held = before.get(name);
        if (held?.hash === pin.hash && held.upstreamName === tool.name) {
          before.delete(name);
          next.push(held);
          continue;
        }
        if (held) broker.release(held.front);
        before.delete(name);
        next.push(hold(name, tool, pin));
      }
      for (const { front } of before.values()) broker.release(front);
      const isSame = isSameList(all, next) && isSameStanding(known, pinned);
      const changed = changedLists(last, listing).concat(isSame ? [] : ['tools']);
      all = next;
      problems = [...listing.problems, ...naming.problems];
      last = listing;
      if (changed.length > 0) onChanged(changed);
    },
    held: () => all,
    standingOf,
    problems: () => problems,
    async refreshStandings() {
      const { entry } = supervisor();
      if (!last) return;
      const listed = new Set(all.map(({ upstreamName }) => upstreamName));
      standings = await pins.sync(
        entry.name,
        entry.trust,
        last.tools.filter(
          ({ name }, i, tools) => listed.has(name) && tools.findIndex((other) => other.name === name) === i,
        ),
      );
      onChanged(['tools']);
    },
    clear() {
      for (const { front } of all) broker.release(front);
      all = [];
    },
  };
}

function isSameList(before: readonly Held[], after: readonly Held[]): boolean {
  return before.length === after.length && before.every((held, i) => held === after[i]);
}

function isSameStanding(before: ReadonlyMap<string, Pin>, after: ReadonlyMap<string, Pin>): boolean {
  return [...after].every(([name, { standing }]) => before.get(name)?.standing === standing);
}

/** A source on the web is looked at every minute: mostly it lists what it did. */
function changedLists(before: SourceListing | undefined, after: SourceListing): ListKind[] {
  const isOther = (pick: (listing: SourceListing) => unknown) =>
    before === undefined || JSON.stringify(pick(before)) !== JSON.stringify(pick(after));
  return [
    ...(isOther(({ prompts }) => prompts) ? (['prompts'] as const) : []),
    ...(isOther(({ resources, templates }) => [resources, templates]) ? (['resources'] as const) : []),
  ];
}
