import type { ToolCaller } from '../../caller.ts';
import type { Policy } from '../policy/policy.ts';
import type { CallFacts, WorldTool } from '../../world-tool.ts';

export type Args = Readonly<Record<string, unknown>>;

export type InspectedCall = Readonly<{
  tool: WorldTool;
  args: Args;
  facts: CallFacts;
  caller: ToolCaller;
  policy: Policy;
}>;

/**
 * What an inspector says of a call. `deny` and the first `ask` win, `rewrite` goes on with other arguments,
 * `observe` is written down and changes nothing. A `firm` ask holds even where policy would allow.
 */
export type InspectorFinding =
  | Readonly<{ verdict: 'deny'; reason: string; hint: string }>
  | Readonly<{ verdict: 'ask'; reason: string; message: string; firm?: true }>
  | Readonly<{ verdict: 'rewrite'; reason: string; args: Args }>
  | Readonly<{ verdict: 'observe'; reason: string }>;

/** Pure: looks at a call and says what it finds, strongest first. */
export type Inspector = (call: InspectedCall) => readonly InspectorFinding[];
