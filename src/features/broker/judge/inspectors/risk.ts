import { riskOf } from '../../world-tool.ts';
import type { Inspector } from './inspector.ts';

/** What a tool says of itself. Policy may allow it all the same. */
export const inspectRisk: Inspector = ({ tool }) => {
  const own = tool.asks?.();
  if (own) return [{ verdict: 'ask', ...own }];
  const risk = riskOf(tool);
  if (risk === 'safe' || tool.isTrusted) return [];
  const what = risk === 'destructive' ? 'can destroy something' : 'reaches beyond this machine';
  return [{ verdict: 'ask', reason: `risk:${risk}`, message: `"${tool.name}" ${what} and needs approval` }];
};
