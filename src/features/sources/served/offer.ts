// The tools, resources and prompts of all sources as the hub endpoint shows them.
import type { HubError } from '../../../kernel/errors.ts';
import { hasScope, type Principal } from '../../../kernel/principal.ts';
import type { ContentBlock } from '../../../mcp/content.ts';
import { copyOf } from '../../../mcp/brokered.ts';
import type { Tool, ToolResult } from '../../../mcp/define.ts';
import type { CompletionTarget, ToolSource } from '../../../mcp/server.ts';
import type { Offer } from '../../hub/hub.ts';
import { nameOf, sourceIn } from './names.ts';
import { complete } from './pass-through.ts';
import type { SourceReader } from './reader.ts';
import { held } from './source-tool.ts';
import { withoutHidden } from '../review/scan.ts';
import type { Source, Sources } from '../sources.ts';
import type { SourceSubscriptions } from './subscriptions.ts';

const SOURCE_SCOPE = 'tools:call';
/** Between the name of a source and an address of its own: `docs+file:///a` is an address like any other. */
const JOINT = '+';

/** The tools of all sources on the hub endpoint. Links in their answers lead back through the hub. */
export function sourceTools(sources: Sources): ToolSource {
  const linked = new WeakMap<Tool, Tool>();
  function withLinks(source: string, front: Tool): Tool {
    let copy = linked.get(front);
    if (!copy) {
      copy = copyOf(front, {
        isForeign: true,
        handler: async (args: never, context) => relink(source, await front.handler(args, context)),
      });
      linked.set(front, copy);
    }
    return copy;
  }
  return {
    version: () => sources.version(),
    absence: (name, who) => absenceFor(sources, name, who),
    absent: (who) =>
      hasScope(who, SOURCE_SCOPE)
        ? sources.absent().map(({ name, why }) => ({ prefix: nameOf(name, ''), why }))
        : [],
    async settled() {
      await sources.start();
      await sources.settled();
    },
    async list() {
      await sources.start();
      return sources
        .all()
        .flatMap(({ entry, served }) => served.held().map(({ front }) => withLinks(entry.name, front)));
    },
  };
}

/** A name begins with its source; who may not call tools hears nothing of that. */
function absenceFor(sources: Sources, name: string, who: Principal): HubError | undefined {
  if (!hasScope(who, SOURCE_SCOPE)) return undefined;
  const source = sources.find(sourceIn(name));
  return sources.absenceOf(sourceIn(name)) ?? (source && heldBack(source, name));
}

/** A tool that is hidden until a person has looked at it says so. */
function heldBack({ entry, served }: Source, name: string): HubError | undefined {
  const one = served.held().find((each) => each.name === name);
  const standing = one && served.standingOf(one);
  return standing === 'quarantined' || standing === 'rejected' ? held(name, entry.name, standing) : undefined;
}

function relink(source: string, result: ToolResult<unknown>): ToolResult<unknown> {
  if (!result.content?.some(({ type }) => type === 'resource_link' || type === 'resource')) return result;
  return { ...result, content: result.content.map((block) => relinked(source, block)) };
}

function relinked(source: string, block: ContentBlock): ContentBlock {
  if (block.type === 'resource_link') return { ...block, uri: `${source}${JOINT}${block.uri}` };
  if (block.type !== 'resource') return block;
  return { ...block, resource: { ...block.resource, uri: `${source}${JOINT}${block.resource.uri}` } };
}

/** Their resources and prompts, each under the name of its source. */
export function sourceOffer(
  sources: Sources,
  reader: SourceReader,
  subscriptions: SourceSubscriptions,
): Offer {
  const ready = () => sources.all().filter(({ supervisor }) => supervisor.status().state === 'ready');

  function split(uri: string): Readonly<{ source: Source; rest: string }> | undefined {
    const at = uri.indexOf(JOINT);
    const source = at < 0 ? undefined : sources.find(uri.slice(0, at));
    return source && { source, rest: uri.slice(at + 1) };
  }

  return {
    scope: SOURCE_SCOPE,
    absence: (name, who) => absenceFor(sources, name, who),
    listResources: () =>
      ready().flatMap(({ entry, supervisor }) =>
        (supervisor.status().listing?.resources ?? []).map((one) => ({
          ...one,
          uri: `${entry.name}${JOINT}${one.uri}`,
        })),
      ),
    listTemplates: () =>
      ready().flatMap(({ entry, supervisor }) =>
        (supervisor.status().listing?.templates ?? []).map((one) => ({
          ...one,
          uriTemplate: `${entry.name}${JOINT}${one.uriTemplate}`,
        })),
      ),
    listPrompts: () =>
      ready().flatMap((source) =>
        (source.supervisor.status().listing?.prompts ?? []).map((prompt) => ({
          ...prompt,
          name: nameOf(source.entry.name, prompt.name),
          ...(prompt.description !== undefined && { description: withoutHidden(prompt.description) }),
          get: (args, context) => reader.prompt(source, { name: prompt.name, args }, context),
        })),
      ),
    async read(uri, context) {
      const found = split(uri);
      if (!found) return undefined;
      const contents = await reader.read(found.source, found.rest, context);
      return contents?.map((one) => ({ ...one, uri: `${found.source.entry.name}${JOINT}${one.uri}` }));
    },
    async mayWatch(uri) {
      const found = split(uri);
      return found !== undefined && subscriptions.watch(found.source, found.rest);
    },
    async complete({ target, name, value, given }) {
      const found = targetOf(target);
      return found && complete(found.source, { target: found.target, name, value, given });
    },
  };

  function targetOf(
    target: CompletionTarget,
  ): Readonly<{ source: Source; target: CompletionTarget }> | undefined {
    if (target.kind === 'resource') {
      const found = split(target.uriTemplate);
      return found && { source: found.source, target: { kind: 'resource', uriTemplate: found.rest } };
    }
    for (const source of ready()) {
      const prompt = source.supervisor
        .status()
        .listing?.prompts.find(({ name }) => nameOf(source.entry.name, name) === target.name);
      if (prompt) return { source, target: { kind: 'prompt', name: prompt.name } };
    }
    return undefined;
  }
}
