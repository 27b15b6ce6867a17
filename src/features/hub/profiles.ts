import type { Tool } from '../../mcp/define.ts';

/** Views of the catalogue. A model pays for every tool it is shown, so the lean one holds what most work needs. */
const LEAN: ReadonlySet<string> = new Set([
  'tasks__list_tasks',
  'tasks__get_task',
  'tasks__create_task',
  'tasks__claim_task',
  'tasks__update_task_status',
  'tasks__add_comment',
  'memory__memory_save',
  'memory__memory_search',
  'teamchat__team_chat_post',
  'teamchat__team_chat_subscribe',
]);

type View = (tool: Tool) => boolean;

/** `named` are the views of the configuration: a name and the tools it shows, where `tasks__*` stands for all of one server. */
export function viewsOf(named: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, View>> {
  const own = Object.entries(named).map(([name, patterns]) => [name, matching(patterns)] as const);
  return { ...Object.fromEntries(own), full: () => true, lean: ({ name }) => LEAN.has(name) };
}

function matching(patterns: readonly string[]): View {
  const exact = new Set(patterns);
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  return ({ name }) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
