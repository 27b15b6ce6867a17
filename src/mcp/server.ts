import type { HubError } from '../kernel/errors.ts';
import type { Event } from '../kernel/event.ts';
import type { Binding, Principal } from '../kernel/principal.ts';
import type { ContentBlock, ResourceContents } from './content.ts';
import type { Tool, ToolContext } from './define.ts';
import type { TaskSource } from './task-source.ts';

/** The binding that the documented parameters of an attach URL ask for; who may have it is decided by the guard. */
export function scopeBinding(params: URLSearchParams): Binding | undefined {
  const team = params.get('scopeTeamId') ?? undefined;
  const agent = params.get('scopeAgentId') ?? undefined;
  return team === undefined && agent === undefined ? undefined : { team, agent };
}

/** The name of a view. 'default' is exactly the documented list, 'extended' adds what we built beyond it; a server may have more. */
export type Profile = string;

const COMMON_PROFILES: readonly Profile[] = ['default', 'extended'];

export function profilesOf({ profiles = {} }: Pick<ServerDefinition, 'profiles'>): readonly Profile[] {
  return [...new Set([...COMMON_PROFILES, ...Object.keys(profiles)])];
}

export function hasProfile(server: Pick<ServerDefinition, 'profiles'>, name: string): boolean {
  return (
    COMMON_PROFILES.includes(name) || (server.profiles !== undefined && Object.hasOwn(server.profiles, name))
  );
}

/**
 * What a view shows in `tools/list`. A wall is more than that: what it does not show cannot be called either. Views that
 * only shorten the list leave every tool the caller may use callable by its name.
 */
export type ToolView = Readonly<{
  shows(tool: Pick<Tool, 'name' | 'profile'>): boolean;
  isWall?: true;
  /** Which of all that its caller may call are listed, where that is more than a matter of each one. */
  choose?(tools: readonly Tool[], who: Principal): Promise<readonly Tool[]>;
  /** The tool as this view shows it; the same one for the same tool. */
  adapt?(tool: Tool): Tool;
  /** The tool's own name behind one of this view's. */
  nameBehind?(name: string): string | undefined;
}>;

/** A list that changes while the hub runs. The same `version` means the same list for that caller. */
export type ToolSource = Readonly<{
  version(who: Principal): string;
  list(who: Principal): readonly Tool[] | Promise<readonly Tool[]>;
  /** Waits a moment for tools that are still on their way. A call of a tool that is there does not wait for others. */
  settled?(): Promise<void>;
  /** Why what is called so is not there now, where that can be told. */
  absence?(name: string, who: Principal): HubError | undefined;
  /** What begins with these names is not there now, and why. */
  absent?(who: Principal): readonly Absent[];
}>;

export type Absent = Readonly<{ prefix: string; why: HubError }>;

export type Resource = Readonly<{
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}>;
export type ResourceTemplate = Readonly<{
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}>;

/** How long a client may keep an answer, and whether a shared cache may. */
export type CacheHint = Readonly<{ ttlMs: number; scope: 'public' | 'private' }>;

export type ResourceSource = Readonly<{
  list(who: Principal): Promise<readonly Resource[]>;
  templates?(who: Principal): Promise<readonly ResourceTemplate[]>;
  /** Undefined: there is no such resource for this caller. */
  read(uri: string, context: ToolContext): Promise<readonly ResourceContents[] | undefined>;
  /** Which of these may the caller watch? Absent: resources cannot be watched. */
  mayWatch?(uri: string, who: Principal): boolean | Promise<boolean>;
  cache?: CacheHint;
}>;

type PromptArgument = Readonly<{ name: string; title?: string; description?: string; required?: boolean }>;
export type PromptMessage = Readonly<{ role: 'user' | 'assistant'; content: ContentBlock }>;

export type Prompt = Readonly<{
  name: string;
  title?: string;
  description?: string;
  arguments?: readonly PromptArgument[];
  get(args: Readonly<Record<string, string>>, context: ToolContext): Promise<readonly PromptMessage[]>;
}>;

export type PromptSource = Readonly<{
  list(who: Principal): Promise<readonly Prompt[]>;
  absence?: ToolSource['absence'];
}>;

export type CompletionTarget = Readonly<
  { kind: 'prompt'; name: string } | { kind: 'resource'; uriTemplate: string }
>;

/** An argument of which a part has been typed. `given` are those already chosen. */
export type CompletionRequest = Readonly<{
  target: CompletionTarget;
  name: string;
  value: string;
  given: Readonly<Record<string, string>>;
  who: Principal;
}>;

/** What a server is, as data. The engine serves it in both eras and on every host. */
export type ServerDefinition = Readonly<{
  /** How paths and bins name it: 'tasks'. */
  key: string;
  /** How it introduces itself: 'clawboo-tasks'. */
  name: string;
  version: string;
  title?: string;
  instructions?: string;
  tools: readonly Tool[] | ToolSource;
  /** Views of its own beside the common two: which tools each one shows. */
  profiles?: Readonly<Record<string, ToolView>>;
  resources?: ResourceSource;
  prompts?: PromptSource;
  /** Values that may follow what has been typed. */
  complete?(request: CompletionRequest): Promise<readonly string[]>;
  /** Output schemas of more tokens than this are left out of its lists; absent: all are in them. */
  mostOutputTokens?: number;
  /** A caller that names nothing is taken for the name its connection was given; documented servers want to be told. */
  takesDefaults?: true;
  /** What the attach URL fixes for its caller; absent for servers without scope parameters. */
  binding?(params: URLSearchParams): Binding | undefined;
  /** Kinds of events after which a list is another one. */
  listChangedOn?: Readonly<Partial<Record<ListKind, readonly string[]>>>;
  /**
   * Where the work is kept that goes on after its call (`ToolResult.task`); empty where `ToolContext.later` alone is used.
   * Announces the tasks extension.
   */
  tasks?: readonly TaskSource[];
  /** Which watched resources an event has changed. */
  updatedBy?(event: Event): readonly string[];
  cache?: CacheHint;
  /** Told of a call that ended before it reached a tool, so that it can be written down. */
  onRefused?(call: RefusedCall, context: ToolContext): Promise<void>;
}>;

export type RefusedCall = Readonly<{
  name: string;
  args: Readonly<Record<string, unknown>>;
  reason: 'unknown' | 'forbidden';
}>;

export type ListKind = 'tools' | 'prompts' | 'resources';

export const MAX_INSTRUCTIONS = 2_048;
