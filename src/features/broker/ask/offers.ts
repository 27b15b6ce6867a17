// What "always" may mean beside the shape of the tool itself: narrower or wider, each of them true of the call that asks. A call is compared
// with grants by keys alone, so what cannot be written as a key is not offered.
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import type { Args } from '../judge/inspectors/inspector.ts';
import { maskForApproval } from '../tell/masks.ts';
import { exactKey, type GrantShape, runningArgs, shapeOf } from './shape.ts';
import { visible } from '../tell/summary.ts';
import type { CallFacts, Shape, WorldTool } from '../world-tool.ts';

/** Arguments that may be left open, and a digest of each as it would run: one that is not open must be the same. */
export type OpenOffer = Readonly<{
  names: readonly string[];
  values: Readonly<Record<string, string>>;
  why: string;
  workspace: string;
}>;

export type Offers = Readonly<{ ladder: readonly GrantShape[]; open?: OpenOffer | undefined }>;

type OfferedCall = Readonly<{ tool: WorldTool; args: Args; facts: CallFacts }>;

const NO_OFFERS: Offers = { ladder: [] };
const MOST_RUNGS = 40;
/** Every choice of open arguments is a key of the call. */
const MOST_OPEN = 6;

/**
 * `why` is part of every key: a grant holds for calls that are asked for by the same rule, so that what another rule or an
 * inspector asks for is asked for again. What an inspector is wary of is allowed as it stands or not at all.
 */
export function offersOf({ tool, args, facts }: OfferedCall, why: string): Offers {
  if (why.startsWith('security:')) return NO_OFFERS;
  const workspace = facts['workspace'] ?? '';
  const climb = tool.ladder as ((args: Args, facts: CallFacts) => readonly Shape[]) | undefined;
  const own = tool.shape as ((args: Args, facts: CallFacts) => Shape | undefined) | undefined;
  const usual = canonicalJson(own?.(args, facts) ?? null);
  const ladder = (climb?.(args, facts) ?? []).slice(0, MOST_RUNGS).map((covers) => ({
    key: canonicalJson(covers) === usual ? shapeOf(tool, args, facts).key : keyOf({ covers, workspace, why }),
    text: visible(canonicalJson(maskForApproval(covers))),
  }));
  const names = openable(tool, args);
  if (names.length === 0) return { ladder };
  const values = Object.fromEntries(
    Object.entries(runningArgs(args, facts)).map(([name, value]) => [name, sha256(canonicalJson(value))]),
  );
  return { ladder, open: { names, values, why, workspace } };
}

/** Plain values only, and never all of them: a grant has to say something. */
function openable(tool: WorldTool, args: Args): readonly string[] {
  const wanted = tool.open as ((args: Args) => readonly string[]) | undefined;
  const given = Object.keys(args);
  const names = (wanted?.(args) ?? []).filter((name) => given.includes(name) && isPlain(args[name])).sort();
  return names.length > MOST_OPEN || names.length >= given.length ? [] : names;
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Every key that a grant for this call may have, beside the shape of its tool and its very arguments. */
export function keysOf({ ladder, open }: Offers): readonly string[] {
  const rungs = ladder.map(({ key }) => key);
  return open ? [...rungs, ...subsetsOf(open.names).map((names) => openKey(open, names))] : rungs;
}

export function openKey({ values, why, workspace }: OpenOffer, open: readonly string[]): string {
  const fixed = Object.fromEntries(Object.entries(values).filter(([name]) => !open.includes(name)));
  return keyOf({ fixed, open: [...open].sort(), workspace, why });
}

function subsetsOf(names: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: 2 ** names.length - 1 }, (_, at) =>
    names.filter((_name, bit) => ((at + 1) >> bit) & 1),
  );
}

function keyOf(value: unknown): string {
  return `offer:sha256:${sha256(canonicalJson(value))}`;
}

/** How the row of a request keeps its keys: of its shape, of its very arguments, and of what else was offered for it. */
export type StoredKeys = Offers & Readonly<{ key: string; exact: string }>;

export function writeOffers(keys: StoredKeys): string {
  return JSON.stringify(keys);
}

/** A row from before kept its key alone, or no key of its very arguments; `argsHash` tells that one. */
export function readOffers({ shape, argsHash }: Readonly<{ shape: string; argsHash: string }>): StoredKeys {
  const exact = exactKey(argsHash);
  return shape.startsWith('{')
    ? { exact, ...(JSON.parse(shape) as Omit<StoredKeys, 'exact'>) }
    : { key: shape, exact, ...NO_OFFERS };
}
