import { join } from 'node:path';
import type { AgentSettings, ProjectLimits } from './agent-settings.ts';
import { HubError } from './errors.ts';
import { reasonOf } from './file-faults.ts';
import type { LandSettings } from './land-settings.ts';
import type { LogLevel } from './log.ts';
import { nearestName } from './nearest-name.ts';
import { fs } from './node-builtins.ts';
import { badValue, LAST_DEFAULT_PORT, type Setting, SETTINGS } from './settings.ts';
import { homeOf, locateDatabase, resolvePath } from './site.ts';

/**
 * What a hub or a bin runs with. Precedence: flag, HOLDFAST_*, the contract's variable, config.yaml, default.
 * Loaded on the fast path of every stdio bin: the YAML reader is fetched only when there is a file to read.
 */
export type Config = Readonly<{
  home: string;
  /** A `postgres://` URL or the absolute path of a SQLite file. May hold a password: never print it. */
  database: string;
  /** PostgreSQL: the schema that holds our tables. */
  databaseSchema: string;
  host: string;
  /** The ports to try in order; only the default port has successors. */
  ports: readonly number[];
  allowHosts: readonly string[];
  /** Loopback only: `/mcp` and `/v1` answer without a credential. */
  noAuth: boolean;
  /** Whether /mcp on loopback asks the programs of its owner for a token. */
  mcpAuth: 'local' | 'token';
  /** What loopback is where nobody can tell the users of the machine apart. */
  local: 'open' | 'token';
  /** A file that gets one line per request. */
  accessLog: string | undefined;
  /** Where the hub token lies; in the home unless said otherwise. */
  tokenFile: string;
  /** Views of the hub's catalogue, by name: what each one lets through, and how. */
  profiles: Readonly<Record<string, NamedView>>;
  /** Where notices go, as it is written; read by its room. */
  notices?: unknown;
  /** Whose sessions are read, as it is written; nobody's unless a person says so. Read by its room. */
  sessions?: unknown;
  leaseMs: number;
  /** How long a living process keeps its claims without a call. */
  longestMs: number;
  /** The folder of the brain's markdown files. */
  vault: string;
  /** Which endpoint embeds memories, as the variables that say so: those of the environment, else of config.yaml. */
  embedding: Environment;
  /** How often memories are compacted by themselves; 0: never. */
  compactEveryMs: number;
  /** Waiting mail goes along with the answers to a bound agent. */
  offerMail: boolean;
  logLevel: LogLevel;
  /** How long things stay; 0: for ever. */
  retention: Readonly<{ eventsMs: number; tasksMs: number }>;
  limits: Limits;
  tools: ToolSettings;
  /** The programs that runs start, by the name of the instance. */
  agents: Readonly<Record<string, AgentSettings>>;
  /** What the runs of a project may do together, by its id. */
  projects: Readonly<Record<string, ProjectLimits>>;
  dispatch: DispatchSettings;
  /** How what agents did lands, by the project. */
  land: Readonly<Record<string, LandSettings>>;
  /** Every setting as it counts, and who said so. */
  said: readonly SaidSetting[];
  /** Set when the hub runs as the bearer gateway of `serve --listen`. */
  gateway?: Gateway;
}>;

/** One setting as it was written, and where: a flag, a variable, config.yaml, or nowhere. */
export type SaidSetting = Readonly<{ key: string; text: string | undefined; from: string }>;
export const FROM_FILE = 'config.yaml';
export const FROM_NOWHERE = 'default';

/** A view of config.yaml is a wall: who looks through it reaches what it allows and nothing else. */
export type NamedView = Readonly<{
  /** Names, where `tasks__*` stands for all that begin so. */
  allow: readonly string[];
  /** Names in the view, by names in the catalogue. */
  rename: Readonly<Record<string, string>>;
  describe: Readonly<Record<string, string>>;
  /** Arguments that are fixed, by tool: not shown, and set whatever the caller says. */
  lock: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}>;

type Gateway = Readonly<{
  /** Without it there is no /mcp. */
  mcpHttp: boolean;
  /** No credential is asked for, even beyond loopback: the operator said so twice. */
  isOpenToAll: boolean;
  /** The token file was named by a flag, which beats HOLDFAST_TOKEN. */
  isTokenFileNamed: boolean;
}>;

/** How work is handed to agents. */
type DispatchSettings = Readonly<{
  /** The instance that is meant when none is named. */
  standard: string | undefined;
  policy: 'explicit' | 'round-robin' | 'failover';
  /** Runs at once in this hub. */
  concurrent: number;
  /** How deep runs may start runs. */
  hops: number;
  /** How long ended runs are kept; 0: for ever. */
  keepMs: number;
  /** A shell command that makes a new worktree ready. */
  setup: string | undefined;
  /** Webhooks may go to addresses that are not public. */
  localWebhooks: boolean;
}>;

/** How governed tools are governed, and where they may work. */
type ToolSettings = Readonly<{
  /** How many tokens of tools the default view of the hub lists. */
  budget: number;
  approvalWaitMs: number;
  approvalLifeMs: number;
  unattended: 'wait' | 'deny';
  /** A client that supports elicitation may ask its own user. */
  askClient: boolean;
  auditKeepMs: number;
  /** Undefined: tools that need one are absent. */
  workspace: string | undefined;
  sandbox: 'auto' | 'off' | 'bwrap';
  /** Variables that commands get although they are not known to be harmless. */
  shellEnv: readonly string[];
  searxngUrl: string | undefined;
}>;

/** 0 switches a limit off. */
type Limits = Readonly<{ rootTasks: number; children: number; depth: number; posts: number; calls: number }>;

export type Flags = Readonly<Record<string, string | undefined>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/** `flags` are keyed by their spelling (`--port`). Without `home` it is HOLDFAST_HOME, else ~/.holdfast. */
export async function resolveConfig(
  input: Readonly<{
    flags?: Flags;
    env: Environment;
    home?: string;
    /** What config.yaml would say, to see whether it may. */
    draft?: string;
  }>,
): Promise<Config> {
  const { flags = {}, env } = input;
  const home = homeOf(input.home ?? env['HOLDFAST_HOME']);
  const path = join(home, 'config.yaml');
  const { leaves: file, document } = await readDocument(path, input.draft ?? readIfPresent(path));

  const take = <T>(setting: Setting<T>): Readonly<{ value: T; isDefault: boolean }> => {
    const found = findText(setting, { flags, env, file });
    if (!found) return { value: setting.fallback, isDefault: true };
    const value = setting.read(found.text);
    if (value === undefined) throw badValue(found.source, setting.expects, found.text);
    return { value, isDefault: false };
  };

  const port = take(SETTINGS.port);
  return {
    home,
    database: locateDatabase({ flag: flags['--database'], env, file: file.get('database'), home }),
    databaseSchema: take(SETTINGS.databaseSchema).value,
    host: take(SETTINGS.host).value,
    ports: port.isDefault ? range(port.value, LAST_DEFAULT_PORT) : [port.value],
    allowHosts: take(SETTINGS.allowHosts).value,
    noAuth: take(SETTINGS.noAuth).value,
    mcpAuth: take(SETTINGS.mcpAuth).value,
    local: take(SETTINGS.local).value,
    accessLog: optionalPath(take(SETTINGS.accessLog).value),
    tokenFile: resolvePath(take(SETTINGS.tokenFile).value ?? join(home, 'token')),
    profiles: readProfiles(document),
    ...(isRecord(document) && document['notices'] !== undefined && { notices: document['notices'] }),
    ...(isRecord(document) && document['sessions'] !== undefined && { sessions: document['sessions'] }),
    leaseMs: take(SETTINGS.leaseMs).value,
    longestMs: take(SETTINGS.longestMs).value,
    vault: resolvePath(take(SETTINGS.vault).value ?? join(home, 'vault')),
    compactEveryMs: take(SETTINGS.compactEveryMs).value,
    offerMail: take(SETTINGS.offerMail).value,
    logLevel: take(SETTINGS.logLevel).value,
    retention: {
      eventsMs: take(SETTINGS.eventsKeepMs).value,
      tasksMs: take(SETTINGS.tasksShelveMs).value,
    },
    limits: {
      rootTasks: take(SETTINGS.rootTasks).value,
      children: take(SETTINGS.children).value,
      depth: take(SETTINGS.depth).value,
      posts: take(SETTINGS.posts).value,
      calls: take(SETTINGS.calls).value,
    },
    tools: {
      budget: take(SETTINGS.toolBudget).value,
      approvalWaitMs: take(SETTINGS.approvalWaitMs).value,
      approvalLifeMs: take(SETTINGS.approvalLifeMs).value,
      unattended: take(SETTINGS.unattended).value,
      askClient: take(SETTINGS.askClient).value,
      auditKeepMs: take(SETTINGS.auditKeepMs).value,
      workspace: optionalPath(take(SETTINGS.workspace).value),
      sandbox: take(SETTINGS.sandbox).value,
      shellEnv: take(SETTINGS.shellEnv).value,
      searxngUrl: take(SETTINGS.searxngUrl).value,
    },
    embedding: onlySaid({
      HOLDFAST_EMBEDDING: take(SETTINGS.embeddingUse).value,
      HOLDFAST_EMBEDDING_URL: take(SETTINGS.embeddingUrl).value,
      HOLDFAST_EMBEDDING_MODEL: take(SETTINGS.embeddingModel).value,
    }),
    ...(await readBlocks(isRecord(document) ? document : {})),
    dispatch: {
      standard: take(SETTINGS.dispatchDefault).value,
      policy: take(SETTINGS.dispatchPolicy).value,
      concurrent: take(SETTINGS.dispatchConcurrent).value,
      hops: take(SETTINGS.dispatchHops).value,
      keepMs: take(SETTINGS.runsKeepMs).value,
      setup: take(SETTINGS.worktreeSetup).value,
      localWebhooks: take(SETTINGS.localWebhooks).value,
    },
    said: Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
      const found = findText(setting, { flags, env, file });
      return { key: setting.key, text: found?.text, from: found?.from ?? FROM_NOWHERE };
    }),
  };
}

/** Blocks that are no single settings. Their readers are fetched only where there is one, like that of YAML. */
async function readBlocks({
  agents,
  projects,
  land,
}: Readonly<Record<string, unknown>>): Promise<Pick<Config, 'agents' | 'projects' | 'land'>> {
  const isThere = agents !== undefined || projects !== undefined;
  const ofAgents = isThere ? await import('./agent-settings.ts') : undefined;
  return {
    agents: ofAgents?.readAgents(agents) ?? {},
    projects: ofAgents?.readProjects(projects) ?? {},
    land: land === undefined ? {} : (await import('./land-settings.ts')).readLand(land),
  };
}

/** What nobody said leaves what the environment says. */
function onlySaid<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

type Sources = Readonly<{ flags: Flags; env: Environment; file: ReadonlyMap<string, string> }>;

function findText(
  setting: Setting<unknown>,
  { flags, env, file }: Sources,
): Readonly<{ text: string; source: string; from: string }> | undefined {
  const fromFlag = setting.flag === undefined ? undefined : flags[setting.flag];
  if (fromFlag !== undefined) return { text: fromFlag, source: setting.flag!, from: setting.flag! };
  const variable = setting.env.find((name) => env[name]);
  if (variable !== undefined) return { text: env[variable]!, source: variable, from: variable };
  const fromFile = file.get(setting.key);
  return fromFile === undefined
    ? undefined
    : { text: fromFile, source: `${setting.key} in config.yaml`, from: FROM_FILE };
}

function optionalPath(path: string | undefined): string | undefined {
  return path === undefined || path === '' ? undefined : resolvePath(path);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'database',
  ...Object.values(SETTINGS).map((setting) => setting.key),
  'agents',
  'projects',
  'land',
]);

const PROFILES = 'profiles.';
/** Read by their room, which follows the file. */
const SOURCES = 'sources.';
const NOTICES = 'notices.';
const SESSIONS = 'sessions.';
const RESERVED_PROFILES = new Set(['default', 'extended', 'full', 'lean']);

function readProfiles(document: unknown): Record<string, NamedView> {
  const profiles = isRecord(document) ? document['profiles'] : undefined;
  if (!isRecord(profiles)) return {};
  return Object.fromEntries(
    Object.entries(profiles).map(([name, value]) => {
      const where = `profiles.${name} in config.yaml`;
      if (!/^[a-z][a-z0-9-]{0,31}$/.test(name) || RESERVED_PROFILES.has(name))
        throw badValue(
          where,
          'named by a short lower-case word other than default, extended, full or lean',
          name,
        );
      const view = Array.isArray(value) ? { allow: value as unknown[] } : value;
      if (!isRecord(view)) throw badValue(where, LISTED, JSON.stringify(value));
      const { allow = [], rename = {}, describe = {}, lock = {}, ...unknown } = view;
      const [odd] = Object.keys(unknown);
      if (odd !== undefined) throw badValue(where, 'made of allow, rename, describe and lock', odd);
      if (
        !Array.isArray(allow) ||
        !allow.every((tool) => typeof tool === 'string' && /^[\w.-]{1,128}\*?$/.test(tool))
      )
        throw badValue(where, LISTED, JSON.stringify(allow));
      if (!isTexts(rename) || !Object.values(rename).every((to) => /^[\w.-]{1,64}$/.test(to)))
        throw badValue(`${where}: rename`, 'a map of tools to short names', JSON.stringify(rename));
      if (!isTexts(describe))
        throw badValue(`${where}: describe`, 'a map of tools to texts', JSON.stringify(describe));
      if (!isRecord(lock) || !Object.values(lock).every(isRecord))
        throw badValue(`${where}: lock`, 'a map of tools to arguments', JSON.stringify(lock));
      return [name, { allow: allow as string[], rename, describe, lock: lock as NamedView['lock'] }];
    }),
  );
}

const LISTED = 'a list of tools such as [tasks__*, memory__memory_search]';

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function isTexts(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((text) => typeof text === 'string');
}

/** The leaves of config.yaml as text, keyed by their path. A key we do not know is a mistake worth naming. */
async function readDocument(
  path: string,
  text: string | undefined,
): Promise<Readonly<{ leaves: ReadonlyMap<string, string>; document: unknown }>> {
  if (text === undefined) return { leaves: new Map(), document: undefined };
  const { parse } = await import('yaml');
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new HubError('invalid', `${path} is not valid YAML: ${(error as Error).message.split('\n')[0]}`, {
      path,
    }).because(error);
  }
  const { agents: _, projects: __, land: ___, ...plain } = isRecord(document) ? document : {};
  const leaves = new Map(flatten(isRecord(document) ? plain : (document ?? {}), ''));
  for (const key of leaves.keys()) {
    if (
      !KNOWN_KEYS.has(key) &&
      ![PROFILES, SOURCES, NOTICES, SESSIONS].some((prefix) => `${key}.`.startsWith(prefix))
    )
      throw new HubError(
        'invalid',
        `${path} has an unknown key ${key}. Known: ${[...KNOWN_KEYS].join(', ')}.`,
        { path, key, ...meantBy(key) },
      );
  }
  return { leaves, document };
}

function meantBy(key: string): Readonly<{ hint?: string }> {
  const meant = nearestName(key, KNOWN_KEYS);
  return meant === undefined ? {} : { hint: `Did you mean ${meant}?` };
}

function readIfPresent(path: string): string | undefined {
  try {
    return fs.readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new HubError('invalid', `${path} cannot be read (${reasonOf(error)}).`, { path }).because(error);
  }
}

function flatten(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) return [[path, value.join(',')]];
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, item]) => flatten(item, path === '' ? key : `${path}.${key}`));
}
