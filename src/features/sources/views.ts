import { z } from 'zod';
import { isPending } from './pins.ts';
import type { ToolRow } from './rows.ts';
import { scanTool } from './scan.ts';
import type { Source, Sources } from './sources.ts';

/** What a person sees of sources. Values of variables and headers are never among it. */
const state = z.enum(['starting', 'ready', 'failing', 'stopped', 'quarantined']);

export const sourceView = z.object({
  name: z.string(),
  state,
  reason: z.string().nullable(),
  since: z.int(),
  failures: z.int(),
  nextTryAt: z.int().nullable(),
  enabled: z.boolean(),
  trust: z.enum(['ask', 'pinned', 'all']),
  isolate: z.enum(['shared', 'caller']),
  command: z.array(z.string()).nullable(),
  url: z.string().nullable(),
  env: z.array(z.string()),
  headers: z.array(z.string()),
  tags: z.array(z.string()),
  server: z.object({ name: z.string(), version: z.string(), era: z.string() }).nullable(),
  tools: z.int(),
  quarantined: z.int(),
  resources: z.int(),
  prompts: z.int(),
  problems: z.array(z.string()),
  findings: z.int(),
});

const suspicion = z.object({
  kind: z.enum(['hidden', 'instruction', 'length']),
  where: z.string(),
  what: z.string(),
});

export const sourceDetail = sourceView.extend({
  instructions: z.string().nullable(),
  toolList: z.array(
    z.object({
      name: z.string(),
      upstreamName: z.string(),
      description: z.string(),
      standing: z.enum(['trusted', 'asks', 'quarantined']),
      findings: z.array(suspicion),
    }),
  ),
  resourceList: z.array(z.object({ uri: z.string(), name: z.string() })),
  promptList: z.array(z.object({ name: z.string(), description: z.string().nullable() })),
});

export const pendingView = z.object({
  tool: z.string(),
  hash: z.string(),
  isNew: z.boolean(),
  before: z.string().nullable(),
  after: z.string(),
  changedAt: z.int(),
  findings: z.array(suspicion),
});

export function toView(sources: Sources, source: Source): z.output<typeof sourceView> {
  const { entry, supervisor, stall } = source;
  const { reason, since, failures, nextTryAt, stock } = supervisor.status();
  const held = stall.held();
  return {
    name: entry.name,
    state: sources.stateOf(source),
    reason: reason ?? null,
    since,
    failures,
    nextTryAt: nextTryAt ?? null,
    enabled: entry.enabled,
    trust: entry.trust,
    isolate: entry.isolate,
    command: entry.command ?? null,
    url: entry.url ?? null,
    env: Object.keys(entry.env),
    headers: Object.keys(entry.headers),
    tags: entry.tags,
    server: stock ? { name: stock.server.name, version: stock.server.version, era: stock.server.era } : null,
    tools: held.length,
    quarantined: held.filter((one) => stall.standingOf(one) === 'quarantined').length,
    resources: stock?.resources.length ?? 0,
    prompts: stock?.prompts.length ?? 0,
    problems: [...stall.problems()],
    findings: held.reduce((sum, { suspicions }) => sum + suspicions.length, 0),
  };
}

export function toDetail(sources: Sources, source: Source): z.output<typeof sourceDetail> {
  const { supervisor, stall } = source;
  const { stock } = supervisor.status();
  return {
    ...toView(sources, source),
    instructions: stock?.server.instructions ?? null,
    toolList: stall.held().map((one) => ({
      name: one.name,
      upstreamName: one.upstreamName,
      description: one.front.description,
      standing: stall.standingOf(one),
      findings: [...one.suspicions],
    })),
    resourceList: (stock?.resources ?? []).map(({ uri, name }) => ({ uri, name })),
    promptList: (stock?.prompts ?? []).map(({ name, description }) => ({
      name,
      description: description ?? null,
    })),
  };
}

export function toPending(rows: readonly ToolRow[]): z.output<typeof pendingView>[] {
  return rows.filter(isPending).map(({ tool, hash, approvedDefinition, definition, changedAt }) => ({
    tool,
    hash,
    isNew: approvedDefinition === null,
    before: approvedDefinition === null ? null : pretty(approvedDefinition),
    after: pretty(definition),
    changedAt,
    findings: [...scanTool(JSON.parse(definition) as Parameters<typeof scanTool>[0])],
  }));
}

function pretty(definition: string): string {
  return JSON.stringify(JSON.parse(definition), null, 2);
}
