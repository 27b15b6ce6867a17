import type { Prompt, Resource, ResourceTemplate } from '../../../mcp/server.ts';
import type { Upstream, UpstreamTool } from '../../../mcp/upstream/upstream.ts';
import { checkTools, MOST_TOOLS } from '../review/definitions.ts';
import { scanWords, type Suspicion, withSeenWords } from '../review/scan.ts';

/** What a source has, as it said last. Kept while it is away, so that its tools come back under the same names. */
export type SourceListing = Readonly<{
  tools: readonly UpstreamTool[];
  prompts: readonly Omit<Prompt, 'get'>[];
  resources: readonly Resource[];
  templates: readonly ResourceTemplate[];
  problems: readonly string[];
  /** About all it says besides its tools. */
  suspicions: readonly Suspicion[];
  server: Readonly<{ name: string; version: string; era: string; instructions: string | undefined }>;
}>;

/** Its tools are what a source is for; lists beside them that cannot be read are empty. */
export async function readListing(upstream: Upstream): Promise<SourceListing> {
  const { offers, name, version, era, instructions } = upstream;
  const [sent, prompts, resources, templates] = await Promise.all([
    upstream.listToolsAsSent(MOST_TOOLS),
    offers.prompts ? orNothing(upstream.listPrompts()) : [],
    offers.resources ? orNothing(upstream.listResources()) : [],
    offers.resources ? orNothing(upstream.listTemplates()) : [],
  ]);
  const { tools, problems } = checkTools(sent.tools, sent.isCut);
  return {
    tools,
    ...withSeenWords({ prompts, resources, templates }),
    problems,
    suspicions: scanWords({ instructions: instructions ?? '', prompts, resources, templates }),
    server: { name, version, era, instructions },
  };
}

async function orNothing<T>(list: Promise<readonly T[]>): Promise<readonly T[]> {
  return list.catch(() => []);
}
