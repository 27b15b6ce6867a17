import type { Api } from '../../features/api.ts';
import { type Options, textOf } from '../options.ts';

export function scopeOf(
  options: Options,
): Pick<Api['GET /api/memory']['given'], 'scopeTeamId' | 'scopeAgentId'> {
  return { scopeTeamId: textOf(options, 'team'), scopeAgentId: textOf(options, 'agent') };
}
