import type { Principal } from '../kernel/principal.ts';
import { mayBeServed } from './brokered.ts';
import type { Tool } from './define.ts';
import { createToolList } from './tool-list.ts';
import type { ToolList } from './tool-list.ts';
import { MAX_INSTRUCTIONS } from './server.ts';
import type { ServerDefinition, ToolSource } from './server.ts';

/** A checked definition with its tools ready to be listed and found. */
export type Server = ServerDefinition & Readonly<{ toolList: ToolList }>;

export interface Registry {
  add(definition: ServerDefinition): Server;
  get(key: string): Server | undefined;
  all(): readonly Server[];
}

export function createRegistry(definitions: readonly ServerDefinition[] = []): Registry {
  const servers = new Map<string, Server>();
  let sorted: readonly Server[] = [];
  const registry: Registry = {
    add(definition) {
      if (servers.has(definition.key))
        throw new Error(`a server with key ${definition.key} is already registered`);
      const server = prepareServer(definition);
      servers.set(server.key, server);
      sorted = [...servers.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
      return server;
    },
    get: (key) => servers.get(key),
    all: () => sorted,
  };
  for (const definition of definitions) registry.add(definition);
  return registry;
}

/** Checks what a typo or a careless addition would break for every client, at start and not at the first call. */
export function prepareServer(definition: ServerDefinition): Server {
  const { key, instructions = '' } = definition;
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(key))
    throw new Error(`server key ${JSON.stringify(key)} must be a short lower-case word`);
  if (instructions.length > MAX_INSTRUCTIONS) {
    throw new Error(
      `instructions of ${key} have ${instructions.length} characters; clients cut them at ${MAX_INSTRUCTIONS}`,
    );
  }
  if (isSource(definition.tools))
    return { ...definition, toolList: createToolList(definition.tools, definition) };
  const tools = definition.tools;
  checkTools(key, tools);
  return {
    ...definition,
    toolList: createToolList({ version: () => '', list: (_who: Principal) => tools }, definition),
  };
}

function checkTools(key: string, tools: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const tool of tools) {
    if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
      throw new Error(`tool name ${JSON.stringify(tool.name)} of ${key} is not allowed by the protocol`);
    if (seen.has(tool.name)) throw new Error(`tool ${tool.name} of ${key} is defined twice`);
    if (!mayBeServed(tool))
      throw new Error(`tool ${tool.name} of ${key} reaches outside and is not behind the broker`);
    seen.add(tool.name);
  }
}

function isSource(tools: ServerDefinition['tools']): tools is ToolSource {
  return !Array.isArray(tools);
}
