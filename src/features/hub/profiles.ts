import { z } from 'zod';
import type { NamedView } from '../../kernel/config-file.ts';
import { copyOf } from '../../mcp/brokered.ts';
import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf } from '../../mcp/schema.ts';
import type { ToolView } from '../../mcp/server.ts';
import { parseArguments } from '../../mcp/validate.ts';
import { type BudgetParts, budgetView } from './budget.ts';

/**
 * Views of the catalogue. The default fills a budget, beginning with what an agent needs every day; the built-in ones
 * shorten the list and nothing more, the configured ones are walls.
 */
const EVERYDAY: readonly string[] = [
  'tasks__list_tasks',
  'tasks__get_task',
  'tasks__create_task',
  'tasks__claim_task',
  'tasks__claim_next_task',
  'tasks__update_task_status',
  'tasks__heartbeat_task',
  'tasks__submit_evidence',
  'tasks__add_comment',
  'memory__memory_search',
  'memory__memory_save',
  'teamchat__team_chat_post',
  'teamchat__team_chat_subscribe',
  'PeerSend',
  'PeerInbox',
  'whoami',
  'ToolSearch',
];

/** What leads to every tool that is not listed. */
const FINDING: readonly string[] = ['ToolSearch', 'ToolDescribe', 'ToolCall'];

/** Shown when there is a folder to work in; without one they reach a scratch folder and would only mislead. */
const WITH_WORKSPACE: readonly string[] = [
  'Read',
  'Edit',
  'Bash',
  'Write',
  'Grep',
  'Glob',
  'BashOutput',
  'BashKill',
];

const WEB: readonly string[] = ['WebFetch', 'WebSearch'];

const LEAN: readonly string[] = [...FINDING, 'whoami'];

export type ViewParts = Pick<BudgetParts, 'budget' | 'lately'> &
  Readonly<{
    /** The views of the configuration. */
    named: Readonly<Record<string, NamedView>>;
    hasWorkspace: boolean;
  }>;

export function viewsOf({ named, hasWorkspace, ...parts }: ViewParts): Readonly<Record<string, ToolView>> {
  const walls = Object.entries(named).map(([name, view]) => [name, wallOf(view)] as const);
  const all = { shows: () => true };
  const filled = budgetView({
    ...parts,
    first: [...EVERYDAY, ...FINDING.filter((name) => !EVERYDAY.includes(name))],
    always: new Set(FINDING),
    last: [...(hasWorkspace ? WITH_WORKSPACE : []), ...WEB],
  });
  return {
    ...Object.fromEntries(walls),
    default: { ...all, ...filled },
    extended: all,
    full: all,
    lean: only(LEAN),
  };
}

function only(names: readonly string[]): ToolView {
  const shown = new Set(names);
  return { shows: ({ name }) => shown.has(name) };
}

/** Whoever can say `done` must be able to see what guards it, and to satisfy it. */
const DONE = 'tasks__update_task_status';
const GUARDS = ['tasks__get_task', 'tasks__submit_evidence'];

/** Who looks through it sees the tools under its names and words; what it locks is set, whatever the caller says. */
function wallOf({ allow, rename, describe, lock }: NamedView): ToolView {
  const exact = new Set(allow);
  const prefixes = allow.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  const matches = (name: string) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  const guards = new Set(matches(DONE) ? GUARDS : []);
  const wall: ToolView = { shows: ({ name }) => matches(name) || guards.has(name), isWall: true };
  if ([rename, describe, lock].every((map) => Object.keys(map).length === 0)) return wall;
  const adapted = new WeakMap<Tool, Tool>();
  const behind = new Map(Object.entries(rename).map(([name, shown]) => [shown, name]));
  return {
    ...wall,
    nameBehind: (shown) => behind.get(shown),
    adapt(tool) {
      let copy = adapted.get(tool);
      if (!copy) {
        const { name } = tool;
        copy = adapt(tool, {
          name: own(rename, name),
          description: own(describe, name),
          locked: own(lock, name),
        });
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
  return copyOf(tool, { name, description, ...(locked && withLocked(tool, locked)) });
}

/** A locked argument is in no schema; what a caller says all the same is overruled. All of it is checked by the tool's own schema. */
function withLocked(
  tool: Tool,
  locked: Readonly<Record<string, unknown>>,
): Pick<Tool, 'inputSchema' | 'input' | 'handler'> {
  const schema = listedSchemaOf(tool);
  const isFree = (key: string) => !Object.hasOwn(locked, key);
  const properties = Object.entries(schema['properties'] ?? {}).filter(([key]) => isFree(key));
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]).filter(isFree) : [];
  const { required: _, ...rest } = schema;
  return {
    inputSchema: {
      ...rest,
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
    },
    input: z.looseObject({}),
    async handler(args: never, context) {
      const parsed = parseArguments(tool, { ...(args as object), ...locked });
      if (parsed.ok) return tool.handler(parsed.value as never, context);
      return {
        ok: false,
        line: `invalid arguments for ${tool.name}: ${parsed.problems.join('; ')}`,
        code: 'invalid',
      };
    },
  };
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
