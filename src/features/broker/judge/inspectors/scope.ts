import { matchesAny, matchesPattern } from '../pattern.ts';
import type { Inspector } from './inspector.ts';

/** Tools that the policy's block list takes away from a caller altogether. */
export const inspectScope: Inspector = ({ tool, caller, policy }) => {
  const isBlocked = policy.blocklist.some(
    ({ tools, agent, team }) =>
      matchesAny(tools, tool.name) &&
      (agent === undefined || matchesPattern(agent, caller.agentId ?? '')) &&
      (team === undefined || matchesPattern(team, caller.teamId ?? '')),
  );
  if (!isBlocked) return [];
  return [
    {
      verdict: 'deny',
      reason: `scope:blocked-for-caller:${tool.name}`,
      hint: 'The block list of policy.yaml keeps this tool from you.',
    },
  ];
};
