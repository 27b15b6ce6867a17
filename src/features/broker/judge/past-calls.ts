// Calls of the past as they can be judged again: from what the audit keeps of them, in the folder they worked in.
import { isObject } from '../../../kernel/loose-json.ts';
import { systemPrincipal } from '../../../kernel/principal.ts';
import { parseArguments } from '../../../mcp/validate.ts';
import type { Database } from '../../../store/database.ts';
import type { Workplace, Workplaces } from '../../projects/projects.ts';
import { toolCallerOf, type ToolCaller } from '../caller.ts';
import { findFacts } from './facts.ts';
import type { Args } from './inspectors/inspector.ts';
import type { ToolCall } from './judge-call.ts';
import type { PolicyFile } from './policy/file.ts';
import type { AuditRow } from '../rows/audit.ts';
import type { WorldTool } from '../world-tool.ts';

/** What it takes to judge a call of the past again. */
export type PastParts = Readonly<{
  db: Database;
  policy: PolicyFile;
  tools(): readonly WorldTool[];
  workplaces: Pick<Workplaces, 'of' | 'at'>;
}>;

export function argsOf({ argsSummary }: AuditRow): Args | undefined {
  const value: unknown = argsSummary === null ? undefined : JSON.parse(argsSummary);
  return isObject(value) ? value : undefined;
}

/** Undefined where its arguments are none any more, or where it would reach what is closed. */
export async function callAgain(
  { workplaces }: Pick<PastParts, 'workplaces'>,
  tool: WorldTool,
  { row, args }: Readonly<{ row: AuditRow; args: Args }>,
): Promise<ToolCall | undefined> {
  if (!parseArguments(tool, args).ok) return undefined;
  const place = await workplaces.at(row.folder);
  const found = await findFacts(tool, args, place);
  if ('refusal' in found) return undefined;
  return { tool, args, facts: found.facts, place, caller: callerOfRow(row, place), callId: row.callId };
}

function callerOfRow(row: AuditRow, place: Workplace): ToolCaller {
  const { principal, agentId, teamId, client, project } = row;
  const isLocal = principal.startsWith('local:');
  const who = {
    ...systemPrincipal,
    kind: isLocal ? ('local' as const) : systemPrincipal.kind,
    bound: { ...(agentId !== null && { agent: agentId }), ...(teamId !== null && { team: teamId }) },
    ...(client !== null && { client }),
  };
  return toolCallerOf(who, { ...place, project });
}
