import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import type { ContentBlock, ResourceContents } from '../../../mcp/content.ts';
import type { Tool, ToolContext, ToolResult } from '../../../mcp/define.ts';
import type { PromptMessage } from '../../../mcp/server.ts';
import type { CallOptions, Upstream } from '../../../mcp/upstream/upstream.ts';
import { type Broker, defineWorldTool, type WorldContext } from '../../broker/broker.ts';
import { hashOf } from '../review/definitions.ts';
import type { SourceUse } from '../review/pins.ts';
import { callOptions, firstUseBy, passedOn, runningFor, ownerOf } from './source-tool.ts';
import type { Source, Sources } from '../sources.ts';

/**
 * Resources and prompts of sources. Reading one reaches outside like a call does, so it goes through the broker under a name of its own:
 * `<source>__resources.read` and `<source>__prompts.get`, which policy and audit know. Under `trust: ask` the first use of either is asked for.
 */
export interface SourceReader {
  read(source: Source, uri: string, context: ToolContext): Promise<readonly ResourceContents[] | undefined>;
  prompt(
    source: Source,
    asked: Readonly<{ name: string; args: Readonly<Record<string, string>> }>,
    context: ToolContext,
  ): Promise<readonly PromptMessage[]>;
}

const LOOKS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
} as const;
const ROLES = 'holdfast/roles';
/** No argument of a reading is called this. */
const WHERE = '@where';

export function createReader(sources: Sources, broker: Broker): SourceReader {
  const fronts = new Map<string, Tool>();
  /** What somebody has approved, as last seen: asked again only for what is not in here. */
  const open = new Set<string>();

  const useOf = ({ entry }: Source, kind: SourceUse['kind']): SourceUse => ({
    kind,
    where: JSON.stringify(entry.url ?? entry.command),
  });
  const keyOf = (source: Source, kind: SourceUse['kind']) =>
    `${source.entry.name} ${kind} ${useOf(source, kind).where}`;

  function isAsking(source: Source | undefined, kind: SourceUse['kind']): boolean {
    return source !== undefined && source.entry.trust === 'ask' && !open.has(keyOf(source, kind));
  }

  /** Another hub on the same database may have been told already. */
  async function look(source: Source, kind: SourceUse['kind']): Promise<void> {
    if (!isAsking(source, kind)) return;
    if (await sources.pins.isOpen(source.entry.name, useOf(source, kind))) open.add(keyOf(source, kind));
  }

  /** It runs, so a person or a rule has allowed it. */
  async function noteUse(name: string, kind: SourceUse['kind'], { who }: ToolContext): Promise<void> {
    const source = sources.find(name);
    if (!source || !isAsking(source, kind)) return;
    await sources.pins.open(name, useOf(source, kind), firstUseBy(who));
    open.add(keyOf(source, kind));
  }

  /** Where a source is now: what is allowed of it is allowed for this one, and not for what its entry says next. */
  function whereabouts(name: string, kind: SourceUse['kind']): string {
    const source = sources.find(name);
    return source === undefined ? '' : hashOf(useOf(source, kind).where);
  }

  function requireSame(name: string, kind: SourceUse['kind'], { facts }: WorldContext): void {
    if (facts[WHERE] === whereabouts(name, kind)) return;
    throw new HubError('conflict', `${name} was not read: its entry has changed since it was asked for.`, {
      source: name,
      hint: 'Ask again; what was allowed was the one before.',
    });
  }

  const governed = (name: string, kind: SourceUse['kind'], description: string) => ({
    ...described(name, kind, description),
    facts: async () => ({ [WHERE]: whereabouts(name, kind) }),
    asks: () => (isAsking(sources.find(name), kind) ? firstReading(name, kind) : undefined),
  });

  /** Reading is safe to repeat; what is not there is for its server to say. */
  function visit<T>(
    { name, key }: Readonly<{ name: string; key: unknown }>,
    context: ToolContext,
    work: (upstream: Upstream, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const source = sources.find(name);
    if (!source) throw new HubError('not_found', `There is no source ${name}.`);
    const { supervisor, entry } = source;
    const digest = hashOf(JSON.stringify([ownerOf(context.who), name, key]));
    return sources.conversations.hold(digest, context, (line) =>
      supervisor.call(runningFor(context, line), LOOKS, (upstream) =>
        work(upstream, callOptions(context, line, entry.timeout)),
      ),
    );
  }

  function front(name: string, kind: SourceUse['kind'], make: () => Tool): Tool {
    const key = `${name}__${kind}`;
    let tool = fronts.get(key);
    if (!tool) fronts.set(key, (tool = make()));
    return tool;
  }

  const reader = (name: string) =>
    front(name, 'resources.read', () =>
      broker.wrap(
        defineWorldTool({
          ...governed(name, 'resources.read', 'Read a resource of this source.'),
          input: z.object({ uri: z.string().min(1).max(8_000) }),
          async handler({ uri }, context) {
            requireSame(name, 'resources.read', context);
            await noteUse(name, 'resources.read', context);
            const contents = await visit({ name, key: ['read', uri] }, context, (upstream, options) =>
              upstream.readResource(uri, options),
            );
            return {
              ok: true,
              value: undefined,
              content: contents.map((resource) => ({ type: 'resource' as const, resource })),
            };
          },
        }),
      ),
    );

  const prompter = (name: string) =>
    front(name, 'prompts.get', () =>
      broker.wrap(
        defineWorldTool({
          ...governed(name, 'prompts.get', 'Get a prompt of this source.'),
          input: z.object({
            name: z.string().min(1).max(500),
            arguments: z.record(z.string(), z.string()).optional(),
          }),
          async handler({ name: prompt, arguments: args = {} }, context) {
            requireSame(name, 'prompts.get', context);
            await noteUse(name, 'prompts.get', context);
            const messages = await visit(
              { name, key: ['prompt', prompt, args] },
              context,
              (upstream, options) => upstream.getPrompt(prompt, args, options),
            );
            return {
              ok: true,
              value: undefined,
              content: messages.map(({ content }) => content),
              meta: { [ROLES]: messages.map(({ role }) => role) },
            };
          },
        }),
      ),
    );

  return {
    async read(source, uri, context) {
      await look(source, 'resources.read');
      const result = await run(reader(source.entry.name), { uri }, context);
      return contentOf(result).flatMap((block) => (block.type === 'resource' ? [block.resource] : []));
    },
    async prompt(source, { name, args }, context) {
      await look(source, 'prompts.get');
      const result = await run(prompter(source.entry.name), { name, arguments: args }, context);
      const roles = (result.meta?.[ROLES] ?? []) as readonly PromptMessage['role'][];
      return contentOf(result).map((content, i) => ({ role: roles[i] ?? 'user', content }));
    },
  };
}

function described(source: string, kind: string, description: string) {
  return {
    name: `${source}__${kind}`,
    title: `${source}: ${kind}`,
    description,
    annotations: LOOKS,
    scope: 'tools:call',
    owner: 'mcp' as const,
    source,
  };
}

function firstReading(source: string, kind: SourceUse['kind']): { reason: string; message: string } {
  const what = kind === 'prompts.get' ? 'A prompt' : 'A resource';
  return {
    reason: `source:first-use:${source}`,
    message: `${what} of the source ${source} is read for the first time and needs approval, for this and all others of it`,
  };
}

async function run(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<Extract<ToolResult<unknown>, { ok: true }>> {
  const result = await tool.handler(args as never, context).catch((error: unknown) => {
    throw passedOn(error);
  });
  if (result.ok) return result;
  throw new HubError(result.code === 'forbidden' ? 'forbidden' : 'invalid', result.line, {
    ...result.value,
    ...(result.hint !== undefined && { hint: result.hint }),
  });
}

function contentOf(result: Extract<ToolResult<unknown>, { ok: true }>): readonly ContentBlock[] {
  return result.content ?? [];
}
