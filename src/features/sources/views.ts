import { z } from 'zod';
import { hideAddress, hideArguments } from './config/hide-arguments.ts';
import { type Suspicion, suspicion } from './review/scan.ts';
import type { Source, Sources } from './sources.ts';

/** What is seen of sources. Values of variables and headers are never among it, nor keys in a command or an address. */
const MOST_FLAGGED = 20;
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
  rejected: z.int().describe('Tools whose definition a person rejected.'),
  flagged: z
    .array(
      z.object({
        tool: z.string(),
        name: z.string(),
        standing: z.enum(['asks', 'quarantined']),
        findings: z.array(z.string()),
      }),
    )
    .describe('Tools with suspicious words that nobody has decided on.'),
  resources: z.int(),
  prompts: z.int(),
  problems: z.array(z.string()),
  findings: z.int(),
});

export const sourceDetail = sourceView.extend({
  instructions: z.string().nullable(),
  toolList: z.array(
    z.object({
      name: z.string(),
      upstreamName: z.string(),
      description: z.string(),
      standing: z.enum(['trusted', 'asks', 'quarantined', 'rejected']),
      findings: z.array(suspicion),
    }),
  ),
  otherFindings: z.array(suspicion).describe('In its instructions, prompts and resources.'),
  resourceList: z.array(z.object({ uri: z.string(), name: z.string() })),
  promptList: z.array(z.object({ name: z.string(), description: z.string().nullable() })),
});

export function toView(sources: Sources, source: Source): z.output<typeof sourceView> {
  const { entry, supervisor, served } = source;
  const { reason, since, failures, nextTryAt, listing } = supervisor.status();
  const held = served.held();
  const standings = held.map((one) => served.standingOf(one));
  const count = (wanted: string) => standings.filter((standing) => standing === wanted).length;
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
    command: entry.command === undefined ? null : hideArguments(entry.command),
    url: entry.url === undefined ? null : hideAddress(entry.url),
    env: Object.keys(entry.env),
    headers: Object.keys(entry.headers),
    tags: entry.tags,
    server: listing
      ? { name: listing.server.name, version: listing.server.version, era: listing.server.era }
      : null,
    tools: held.length,
    quarantined: count('quarantined'),
    rejected: count('rejected'),
    flagged: held
      .flatMap(({ name, upstreamName: tool, suspicions }, at) => {
        const standing = standings[at];
        if (suspicions.length === 0 || (standing !== 'asks' && standing !== 'quarantined')) return [];
        return [{ tool, name, standing, findings: whatOf(suspicions) }];
      })
      .slice(0, MOST_FLAGGED),
    resources: listing?.resources.length ?? 0,
    prompts: listing?.prompts.length ?? 0,
    problems: [...served.problems()],
    findings: held.reduce((sum, { suspicions }) => sum + suspicions.length, listing?.suspicions.length ?? 0),
  };
}

export function toDetail(sources: Sources, source: Source): z.output<typeof sourceDetail> {
  const { supervisor, served } = source;
  const { listing } = supervisor.status();
  return {
    ...toView(sources, source),
    instructions: listing?.server.instructions ?? null,
    toolList: served.held().map((one) => ({
      name: one.name,
      upstreamName: one.upstreamName,
      description: one.front.description,
      standing: served.standingOf(one),
      findings: toFindings(one.suspicions),
    })),
    otherFindings: toFindings(listing?.suspicions ?? []),
    resourceList: (listing?.resources ?? []).map(({ uri, name }) => ({ uri, name })),
    promptList: (listing?.prompts ?? []).map(({ name, description }) => ({
      name,
      description: description ?? null,
    })),
  };
}

export function toFindings(suspicions: readonly Suspicion[]): z.output<typeof suspicion>[] {
  return suspicions.map((one) => ({ ...one, marks: [...one.marks] }));
}

function whatOf(suspicions: readonly Suspicion[]): string[] {
  return [...new Set(suspicions.map(({ what }) => what))];
}
