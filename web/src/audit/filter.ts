import type { Api } from '../../../src/features/api.ts';

export type AuditPage = Api['GET /api/tools/audit']['answer'];
/** As it was typed: whether a word of it is one of those that the hub knows is for the hub to say. */
export type AuditFilter = Omit<Api['GET /api/tools/audit']['given'], 'limit' | 'cursor'>;

const FIELDS: Readonly<Record<string, string>> = {
  tool: 'toolName',
  agent: 'agentId',
  project: 'teamId',
  outcome: 'outcome',
  decision: 'decision',
  phase: 'phase',
  call: 'callId',
};
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `tool:Bash agent:codex outcome:denied since:2d`; what names no field is looked for in the rows themselves. */
export function filterOf(text: string, now = Date.now()): AuditFilter {
  const filter: Record<string, string | number> = {};
  const words: string[] = [];
  for (const part of text.split(/\s+/).filter((each) => each !== '')) {
    const [name = '', value = ''] = part.split(/:(.*)/s);
    const field = FIELDS[name];
    const at = name === 'since' || name === 'until' ? momentOf(value, now) : undefined;
    if (at !== undefined) filter[name] = at;
    else if (field !== undefined && value !== '') filter[field] = value;
    else words.push(part);
  }
  return words.length === 0 ? filter : { ...filter, search: words.join(' ') };
}

/** `2d` ago, or a day such as `2026-03-01`. */
function momentOf(text: string, now: number): number | undefined {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) return now - Number(count) * UNITS[unit]!;
  const day = Date.parse(text);
  return Number.isNaN(day) ? undefined : day;
}
