import { join } from 'node:path';
import type { ConfigBlocks, ReadSettings } from './config-file.ts';
import { HubError } from './errors.ts';
import { reasonOf } from './file-faults.ts';
import type { LogLevel } from './log.ts';
import { readIfThere } from './maybe-file.ts';
import { badValue, LAST_DEFAULT_PORT, type Setting, SETTINGS } from './settings.ts';
import { homeOf, locateDatabase, resolvePath } from './site.ts';

/**
 * What a hub or a bin runs with. Precedence: flag, HOLDFAST_*, the contract's variable, config.yaml, default.
 * Loaded on the fast path of every stdio bin: what reads the file is fetched only when there is one.
 */
export type Config = ConfigBlocks &
  Readonly<{
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
    /** True: mail wakes Claude Code by its channel, too. False: nobody is woken. Unsaid: everybody else is. */
    wake: boolean | undefined;
    logLevel: LogLevel;
    /** How long things stay; 0: for ever. */
    retention: Readonly<{ eventsMs: number; tasksMs: number }>;
    limits: Limits;
    /** How much an agent that begins is told at once; 0: nothing. */
    briefingTokens: number;
    tools: ToolSettings;
    dispatch: DispatchSettings;
    /** Every setting as it counts, and who said so. */
    said: readonly SaidSetting[];
    /** Set when the hub runs as the bearer gateway of `serve --listen`. */
    gateway?: Gateway;
  }>;

/** One setting as it was written, and where: a flag, a variable, config.yaml, or nowhere. */
export type SaidSetting = Readonly<{ key: string; text: string | undefined; from: string }>;
export const FROM_FILE = 'config.yaml';
export const FROM_NOWHERE = 'default';

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
  /** It takes runs itself. */
  isRunner: boolean;
  /** How deep runs may start runs. */
  hops: number;
  /** How long ended runs are kept; 0: for ever. */
  keepMs: number;
  /** How often in a row a run waits for its model; 0: never. */
  parks: number;
  /** How long at first, where nobody says until when. */
  backoffMs: number;
  /** Whose days budgets have; undefined: the machine's. */
  zone: string | undefined;
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
  const text = input.draft ?? readIfPresent(path);
  const { leaves: file, blocks } =
    text === undefined ? NO_FILE : (await import('./config-file.ts')).readConfigFile(path, text);

  const take = <T>(setting: Setting<T>): T => {
    const found = findText(setting, { flags, env, file });
    if (!found) return setting.fallback;
    const value = setting.read(found.text);
    if (value === undefined) throw badValue(found.source, setting.expects, found.text);
    return value;
  };
  const isSaid = (setting: Setting<unknown>) => findText(setting, { flags, env, file }) !== undefined;

  const port = take(SETTINGS.port);
  return {
    home,
    database: locateDatabase({ flag: flags['--database'], env, file: file.get('database'), home }),
    databaseSchema: take(SETTINGS.databaseSchema),
    host: take(SETTINGS.host),
    ports: isSaid(SETTINGS.port) ? [port] : range(port, LAST_DEFAULT_PORT),
    allowHosts: take(SETTINGS.allowHosts),
    noAuth: take(SETTINGS.noAuth),
    mcpAuth: take(SETTINGS.mcpAuth),
    local: take(SETTINGS.local),
    accessLog: optionalPath(take(SETTINGS.accessLog)),
    tokenFile: resolvePath(take(SETTINGS.tokenFile) ?? join(home, 'token')),
    ...blocks,
    leaseMs: take(SETTINGS.leaseMs),
    longestMs: take(SETTINGS.longestMs),
    vault: resolvePath(take(SETTINGS.vault) ?? join(home, 'vault')),
    compactEveryMs: take(SETTINGS.compactEveryMs),
    offerMail: take(SETTINGS.offerMail),
    wake: take(SETTINGS.wake),
    logLevel: take(SETTINGS.logLevel),
    retention: {
      eventsMs: take(SETTINGS.eventsKeepMs),
      tasksMs: take(SETTINGS.tasksShelveMs),
    },
    briefingTokens: take(SETTINGS.briefingTokens),
    limits: {
      rootTasks: take(SETTINGS.rootTasks),
      children: take(SETTINGS.children),
      depth: take(SETTINGS.depth),
      posts: take(SETTINGS.posts),
      calls: take(SETTINGS.calls),
    },
    tools: {
      budget: take(SETTINGS.toolBudget),
      approvalWaitMs: take(SETTINGS.approvalWaitMs),
      approvalLifeMs: take(SETTINGS.approvalLifeMs),
      unattended: take(SETTINGS.unattended),
      askClient: take(SETTINGS.askClient),
      auditKeepMs: take(SETTINGS.auditKeepMs),
      workspace: optionalPath(take(SETTINGS.workspace)),
      sandbox: take(SETTINGS.sandbox),
      shellEnv: take(SETTINGS.shellEnv),
      searxngUrl: take(SETTINGS.searxngUrl),
    },
    embedding: onlySaid({
      HOLDFAST_EMBEDDING: take(SETTINGS.embeddingUse),
      HOLDFAST_EMBEDDING_URL: take(SETTINGS.embeddingUrl),
      HOLDFAST_EMBEDDING_MODEL: take(SETTINGS.embeddingModel),
    }),
    dispatch: {
      standard: take(SETTINGS.dispatchDefault),
      policy: take(SETTINGS.dispatchPolicy),
      concurrent: take(SETTINGS.dispatchConcurrent),
      isRunner: !take(SETTINGS.noRunner),
      hops: take(SETTINGS.dispatchHops),
      keepMs: take(SETTINGS.runsKeepMs),
      parks: take(SETTINGS.quotaParks),
      backoffMs: take(SETTINGS.quotaBackoffMs),
      zone: take(SETTINGS.budgetZone),
      setup: take(SETTINGS.worktreeSetup),
      localWebhooks: take(SETTINGS.localWebhooks),
    },
    said: Object.values<Setting<unknown>>(SETTINGS).map((setting) => {
      const found = findText(setting, { flags, env, file });
      return { key: setting.key, text: found?.text, from: found?.from ?? FROM_NOWHERE };
    }),
  };
}

/** What nobody said leaves what the environment says. */
function onlySaid<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

const NO_FILE: ReadSettings = {
  leaves: new Map(),
  blocks: { profiles: {}, agents: {}, projects: {}, land: {}, quiet: {} },
};

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

function readIfPresent(path: string): string | undefined {
  try {
    return readIfThere(path);
  } catch (error) {
    throw new HubError('invalid', `${path} cannot be read (${reasonOf(error)}).`, { path }).because(error);
  }
}
