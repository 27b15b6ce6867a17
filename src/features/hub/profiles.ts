import { z } from 'zod';
import type { NamedView } from '../../kernel/config.ts';
import { markBrokered, mayBeServed } from '../../mcp/brokered.ts';
import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import type { View } from '../../mcp/server.ts';
import { parseArguments } from '../../mcp/validate.ts';

/**
 * Views of the catalogue. A model pays for every tool it is shown. The built-in ones shorten the list and nothing more: every
 * tool the caller may use can be called by its name. Those of config.yaml are walls.
 */
export const LEAN_TOOLS: ReadonlySet<string> = new Set(['ToolSearch', 'ToolDescribe', 'ToolCall', 'whoami']);

/** What `default` lists. Empty: every documented tool, and those of sources. */
export const DEFAULT_TOOLS: ReadonlySet<string> = new Set<string>();

const everything = () => true;
const isInDefault = ({ name, profile }: Tool) => (DEFAULT_TOOLS.size === 0 ? profile === undefined : DEFAULT_TOOLS.has(name));

const BUILT_IN: Readonly<Record<string, View>> = {
  default: { lists: isInDefault, reaches: everything },
  extended: { lists: everything, reaches: everything },
  full: { lists: everything, reaches: everything },
  lean: { lists: ({ name }) => LEAN_TOOLS.has(name), reaches: everything },
};

export function viewsOf(named: Readonly<Record<string, NamedView>>): Readonly<Record<string, View>> {
  const own = Object.entries(named).map(([name, view]) => [name, wallOf(view)] as const);
  const { default: standard, extended, ...rest } = BUILT_IN;
  return { default: standard!, extended: extended!, ...Object.fromEntries(own), ...rest };
}

/** Who looks through it sees the tools under its names and words; what it locks is set, whatever the caller says. */
function wallOf({ allow, rename, describe, lock }: NamedView): View {
  const isAllowed = matching(allow);
  if ([rename, describe, lock].every((map) => Object.keys(map).length === 0)) return isAllowed;
  const adapted = new WeakMap<Tool, Tool>();
  return {
    lists: isAllowed,
    reaches: isAllowed,
    adapt(tool) {
      let copy = adapted.get(tool);
      if (!copy) {
        copy = adapt(tool, { name: own(rename, tool.name), description: own(describe, tool.name), locked: own(lock, tool.name) });
        adapted.set(tool, copy);
      }
      return copy;
    },
  };
}

type Changes = Readonly<{
  name: string | undefined;
  description: string | undefined;
  locked: Readonly<Record<string, unknown>> | undefined;
}>;

function adapt(tool: Tool, { name = tool.name, description = tool.description, locked }: Changes): Tool {
  if (name === tool.name && description === tool.description && !locked) return tool;
  const copy: Tool = { ...tool, name, description, ...(locked && withLocked(tool, locked)) };
  return mayBeServed(tool) ? markBrokered(copy) : copy;
}

/** A locked argument is in no schema; what a caller says all the same is overruled. All of it is checked by the tool's own schema. */
function withLocked(tool: Tool, locked: Readonly<Record<string, unknown>>): Pick<Tool, 'inputSchema' | 'input' | 'handler'> {
  const schema = listedSchemaOf(tool);
  const isFree = (key: string) => !Object.hasOwn(locked, key);
  const properties = Object.entries(schema['properties'] ?? {}).filter(([key]) => isFree(key));
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]).filter(isFree) : [];
  const { required: _, ...rest } = schema;
  return {
    inputSchema: { ...rest, properties: Object.fromEntries(properties), ...(required.length > 0 && { required }) },
    input: z.looseObject({}),
    async handler(args: never, context) {
      const parsed = parseArguments(tool, { ...(args as object), ...locked });
      if (parsed.ok) return tool.handler(parsed.value as never, context);
      return { ok: false, line: `invalid arguments for ${tool.name}: ${parsed.problems.join('; ')}`, code: 'invalid' };
    },
  };
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

function matching(patterns: readonly string[]): (tool: Tool) => boolean {
  const exact = new Set(patterns);
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return ({ name }) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
