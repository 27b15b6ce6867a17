import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { fingerprint } from './fingerprint.ts';
import type { Args } from '../judge/inspectors/inspector.ts';
import { maskForApproval } from '../tell/masks.ts';
import { summariseShown, visible } from '../tell/summary.ts';
import type { CallFacts, Shape, WorldTool } from '../world-tool.ts';

/**
 * What a grant for a call would cover. `key` is what calls are compared by: a hash, since arguments may hold
 * secrets. `text` is what a person is shown before deciding: JSON, one readable value per argument, secrets
 * masked.
 */
export type GrantShape = Readonly<{ key: string; text: string }>;

const MOST_TEXT = 8_000;

export function shapeOf(tool: WorldTool, args: Args, facts: CallFacts): GrantShape {
  const own = tool.shape as ((args: Args, facts: CallFacts) => Shape | undefined) | undefined;
  const shape = own?.(args, facts);
  // A grant holds in the workspace it was given for: `src/*` is another folder in another one.
  const covers = {
    shape: shape ?? { exactly: runningArgs(args, facts) },
    workspace: facts['workspace'] ?? '',
  };
  const shown = shape ? maskForApproval(shape) : { exactly: summariseShown(args, MOST_TEXT) };
  return { key: `sha256:${sha256(canonicalJson(covers))}`, text: visible(canonicalJson(shown)) };
}

/** The key of exactly this call: of all its arguments but those that no grant looks at. */
export function exactKeyOf({ incidental }: WorldTool, args: Args, facts: CallFacts): string {
  const running = runningArgs(args, facts);
  if (!incidental) return exactKey(fingerprint(running));
  const kept = Object.entries(running).filter(([name]) => !incidental.includes(name));
  return `args:but:${fingerprint(Object.fromEntries(kept))}`;
}

/** What a grant for exactly one set of arguments is compared by. */
export function exactKey(argsHash: string): string {
  return `args:${argsHash}`;
}

/** The arguments as they will run: paths where they lead, not how they were spelled. */
export function runningArgs(args: Args, facts: CallFacts): Args {
  return Object.keys(facts).length === 0 ? args : { ...args, ...facts };
}
