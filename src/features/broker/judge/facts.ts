import type { Workplace } from '../../projects/projects.ts';
import type { Args } from './inspectors/inspector.ts';
import { failedCall, type Refusal } from '../tell/refusals.ts';
import type { CallFacts, WorldTool } from '../world-tool.ts';

export type FoundFacts = Readonly<{ facts: CallFacts } | { refusal: Refusal }>;

const NONE: FoundFacts = { facts: {} };

/** What is true of a call, however it was spelled, or why it reaches where nothing may. */
export async function findFacts(tool: WorldTool, args: Args, place: Workplace): Promise<FoundFacts> {
  if (!tool.facts) return NONE;
  try {
    return { facts: await tool.facts(args as never, place) };
  } catch (error) {
    return { refusal: failedCall(tool, error) };
  }
}
