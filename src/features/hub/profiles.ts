import type { Tool } from '../../mcp/define.ts';
import type { ToolView } from '../../mcp/server.ts';

/**
 * Views of the catalogue. A model pays for every tool it is shown, so the default holds what an agent needs every day;
 * the built-in ones shorten the list and nothing more, the configured ones are walls.
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

/** Shown when there is a folder to work in; without one they reach a scratch folder and would only mislead. */
const WITH_WORKSPACE: readonly string[] = ['Read', 'Edit', 'Bash'];

const LEAN: readonly string[] = ['ToolSearch', 'ToolDescribe', 'ToolCall', 'whoami'];

export type ViewParts = Readonly<{
  /** The views of the configuration: a name and the tools it shows, where `tasks__*` stands for all of one server. */
  named: Readonly<Record<string, readonly string[]>>;
  hasWorkspace: boolean;
}>;

export function viewsOf({ named, hasWorkspace }: ViewParts): Readonly<Record<string, ToolView>> {
  const walls = Object.entries(named).map(([name, patterns]) => [name, wallOf(patterns)] as const);
  const all = { shows: () => true };
  return {
    ...Object.fromEntries(walls),
    default: only([...EVERYDAY, ...(hasWorkspace ? WITH_WORKSPACE : [])]),
    extended: all,
    full: all,
    lean: only(LEAN),
  };
}

function only(names: readonly string[]): ToolView {
  const shown = new Set(names);
  return { shows: ({ name }: Tool) => shown.has(name) };
}

/** Whoever can say `done` must be able to see what guards it, and to satisfy it. */
const DONE = 'tasks__update_task_status';
const GUARDS = ['tasks__get_task', 'tasks__submit_evidence'];

function wallOf(patterns: readonly string[]): ToolView {
  const exact = new Set(patterns);
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1));
  const matches = (name: string) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  const guards = new Set(matches(DONE) ? GUARDS : []);
  return { shows: ({ name }) => matches(name) || guards.has(name), isWall: true };
}
