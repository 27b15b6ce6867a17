import { copyOf } from '../../../mcp/brokered.ts';
import type { Tool } from '../../../mcp/define.ts';
import { prepareServer, type Server } from '../../../mcp/registry.ts';
import {
  type CompletionRequest,
  MAX_INSTRUCTIONS,
  scopeBinding,
  type ServerDefinition,
} from '../../../mcp/server.ts';
import { withoutHidden } from '../review/scan.ts';
import type { SourceReader } from './reader.ts';
import type { Source, Sources } from '../sources.ts';
import type { SourceSubscriptions } from './subscriptions.ts';

/** One source as a server of its own, at /mcp/source/<name>: everything under the names its maker gave, and still governed. */
export function createPassThrough(
  sources: Sources,
  reader: SourceReader,
  subscriptions: SourceSubscriptions,
): (name: string) => Server | undefined {
  const servers = new WeakMap<Source, Readonly<{ server: Server; listing: unknown }>>();
  return (name) => {
    const source = sources.find(name);
    if (!source?.entry.enabled) return undefined;
    const { listing } = source.supervisor.status();
    const known = servers.get(source);
    if (known && known.listing === listing) return known.server;
    const server = prepareServer(define(source, { sources, reader, subscriptions }));
    servers.set(source, { server, listing });
    return server;
  };
}

type Parts = Readonly<{ sources: Sources; reader: SourceReader; subscriptions: SourceSubscriptions }>;

function define(source: Source, { sources, reader, subscriptions }: Parts): ServerDefinition {
  const { entry, supervisor, served } = source;
  const listing = supervisor.status().listing;
  const plain = new WeakMap<Tool, Tool>();
  const unprefixed = (front: Tool, name: string): Tool => {
    let copy = plain.get(front);
    if (!copy) {
      copy = copyOf(front, { name });
      plain.set(front, copy);
    }
    return copy;
  };
  const instructions = withoutHidden(listing?.server.instructions ?? '').slice(0, MAX_INSTRUCTIONS);
  return {
    key: `source-${entry.name}`,
    name: listing?.server.name || entry.name,
    version: listing?.server.version || '0',
    ...(instructions !== '' && { instructions }),
    tools: {
      version: () => sources.version(),
      absence: () => supervisor.absence(),
      list: () => served.held().map(({ front, upstreamName }) => unprefixed(front, upstreamName)),
    },
    profiles: { default: { shows: () => true }, extended: { shows: () => true } },
    resources: {
      list: async () => supervisor.status().listing?.resources ?? [],
      templates: async () => supervisor.status().listing?.templates ?? [],
      read: (uri, context) => reader.read(source, uri, context),
      mayWatch: (uri) => subscriptions.watch(source, uri),
    },
    prompts: {
      list: async () =>
        (supervisor.status().listing?.prompts ?? []).map((prompt) => ({
          ...prompt,
          get: (args, context) => reader.prompt(source, { name: prompt.name, args }, context),
        })),
      absence: () => supervisor.absence(),
    },
    complete: (request) => complete(source, request),
    binding: scopeBinding,
    listChangedOn: { tools: [], prompts: [], resources: [] },
  };
}

export async function complete(
  { supervisor }: Source,
  { target, name, value, given }: Omit<CompletionRequest, 'who'>,
): Promise<readonly string[]> {
  const nobody = {
    caller: '',
    ask: () => Promise.reject(new Error('nobody is there to be asked')),
    say: () => undefined,
  };
  return supervisor.call(nobody, { readOnlyHint: true }, async (upstream) =>
    upstream.offers.completion ? upstream.complete(target, { name, value }, given) : [],
  );
}
