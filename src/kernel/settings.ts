import { isZone } from './zone-time.ts';
import { HubError } from './errors.ts';
import { isLogLevel, type LogLevel } from './log.ts';
import { DEFAULT_SCHEMA } from './site.ts';

/**
 * Every setting as data: where it may come from and how its text is read. `config.ts` walks this table,
 * so that precedence is decided in one place and a bad value is always reported with its source.
 */
export type Setting<T> = Readonly<{
  flag?: string;
  /** In order of precedence: ours first, then the variable a contract documents. */
  env: readonly string[];
  /** The path in config.yaml. */
  key: string;
  fallback: T;
  /** What a good value looks like; completes the sentence "… must be". */
  expects: string;
  /** Undefined when the text is not a good value. */
  read(text: string): T | undefined;
}>;

const DEFAULT_PORT = 18_790;
export const LAST_DEFAULT_PORT = 18_809;

const MINUTE = 60_000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE,
  h: 60 * MINUTE,
  d: 24 * 60 * MINUTE,
};

export const SETTINGS = {
  host: {
    flag: '--host',
    env: ['HOLDFAST_HOST'],
    key: 'host',
    fallback: '127.0.0.1',
    expects: 'a host name or an IP address',
    read: (text: string) => (/^[A-Za-z0-9.:_-]{1,253}$/.test(text) ? text : undefined),
  },
  port: {
    flag: '--port',
    env: ['HOLDFAST_PORT', 'CLAWBOO_API_PORT'],
    key: 'port',
    fallback: DEFAULT_PORT,
    expects: 'a whole number from 0 to 65535 (0 takes any free port)',
    read: (text: string) => readWhole(text, 65_535),
  },
  allowHosts: {
    flag: '--allow-host',
    env: ['HOLDFAST_ALLOW_HOST'],
    key: 'allow-host',
    fallback: [] as readonly string[],
    expects: 'host names separated by commas, each with an optional port and without a scheme',
    read: readHosts,
  },
  databaseSchema: {
    env: ['HOLDFAST_DATABASE_SCHEMA'],
    key: 'database-schema',
    fallback: DEFAULT_SCHEMA,
    expects: 'the name of a PostgreSQL schema: lower-case letters, digits and underscores',
    read: (text: string) => (/^[a-z_][a-z0-9_]{0,50}$/.test(text) ? text : undefined),
  },
  leaseMs: {
    flag: '--lease',
    env: ['HOLDFAST_LEASE'],
    key: 'lease',
    fallback: 30 * MINUTE,
    expects: 'a duration such as 90s, 30m or 2h (0 means that claims never expire)',
    read: readDuration,
  },
  longestMs: {
    env: ['HOLDFAST_CLAIMS_LONGEST'],
    key: 'claims.longest',
    fallback: 8 * 60 * MINUTE,
    expects:
      'a duration such as 8h: how long a process that is there but calls nothing keeps its claims, and an assigned task waits',
    read: readDuration,
  },
  logLevel: {
    flag: '--log',
    env: ['HOLDFAST_LOG'],
    key: 'log',
    fallback: 'info',
    expects: 'debug, info, warn, error or silent',
    read: (text: string) => (isLogLevel(text) ? text : undefined),
  } as Setting<LogLevel>,
  noAuth: {
    flag: '--no-auth',
    env: ['HOLDFAST_NO_AUTH'],
    key: 'no-auth',
    fallback: false,
    expects: 'true or false: whether /mcp, /v1 and /peers answer without a token',
    read: readFlag,
  } as Setting<boolean>,
  tokenFile: {
    flag: '--token-file',
    env: ['HOLDFAST_TOKEN_FILE'],
    key: 'token-file',
    fallback: undefined,
    expects: 'the path of a file that holds the hub token (else token in the home)',
    read: (text: string) => (text.includes('\0') ? undefined : text),
  } as Setting<string | undefined>,
  mcpAuth: {
    env: ['HOLDFAST_MCP_AUTH'],
    key: 'mcp-auth',
    fallback: 'local',
    expects:
      'local or token: whether programs of the user who runs the hub need no token at /mcp on loopback',
    read: (text: string) => (text === 'local' || text === 'token' ? text : undefined),
  } as Setting<'local' | 'token'>,
  local: {
    env: ['HOLDFAST_LOCAL'],
    key: 'local',
    fallback: 'open',
    expects:
      'open or token: whether loopback is trusted where the system does not tell whose a connection is',
    read: (text: string) => (text === 'open' || text === 'token' ? text : undefined),
  } as Setting<'open' | 'token'>,
  accessLog: {
    env: ['HOLDFAST_ACCESS_LOG'],
    key: 'access-log',
    fallback: undefined,
    expects: 'the path of a file that gets one line of JSON per request, without bodies',
    read: (text: string) => (text.includes('\0') ? undefined : text),
  } as Setting<string | undefined>,
  approvalWaitMs: {
    env: ['HOLDFAST_APPROVAL_WAIT'],
    key: 'approvals.wait',
    fallback: 2 * MINUTE,
    expects: 'a duration such as 90s or 2m: how long a call waits for a person',
    read: readDuration,
  },
  approvalLifeMs: {
    env: ['HOLDFAST_APPROVAL_LIFE'],
    key: 'approvals.life',
    fallback: 30 * MINUTE,
    expects: 'a duration such as 30m: how long a request can be answered',
    read: readDuration,
  },
  unattended: {
    env: ['HOLDFAST_APPROVAL_UNATTENDED'],
    key: 'approvals.unattended',
    fallback: 'wait',
    expects: 'wait or deny: what becomes of a call that needs approval',
    read: (text: string) => (text === 'wait' || text === 'deny' ? text : undefined),
  } as Setting<'wait' | 'deny'>,
  askClient: {
    env: ['HOLDFAST_APPROVAL_ASK_CLIENT'],
    key: 'approvals.ask-client',
    fallback: true,
    expects: 'true or false: may a client that supports elicitation ask its own user',
    read: readFlag,
  } as Setting<boolean>,
  auditKeepMs: {
    env: ['HOLDFAST_AUDIT_KEEP'],
    key: 'audit.keep',
    fallback: 365 * 24 * 60 * MINUTE,
    expects: 'a duration such as 365d (0 keeps the audit for ever)',
    read: readDuration,
  },
  toolBudget: {
    env: ['HOLDFAST_TOOLS_BUDGET'],
    key: 'tools.budget',
    fallback: 6_000,
    expects: 'a whole number of tokens from 1000 on: how much of the tools the default view of the hub lists',
    read: (text: string) => {
      const tokens = readWhole(text, 10_000_000);
      return tokens !== undefined && tokens >= 1_000 ? tokens : undefined;
    },
  },
  briefingTokens: {
    env: ['HOLDFAST_BRIEFING_TOKENS'],
    key: 'briefing.tokens',
    fallback: 1_200,
    expects:
      'a whole number of tokens from 200 on: how much an agent that begins is told at once (0: nothing)',
    read: (text: string) => {
      const tokens = readWhole(text, 100_000);
      return tokens !== undefined && (tokens === 0 || tokens >= 200) ? tokens : undefined;
    },
  },
  workspace: {
    flag: '--workspace',
    env: ['HOLDFAST_WORKSPACE'],
    key: 'workspace',
    fallback: undefined,
    expects:
      'the path of the folder that file and shell tools work in for callers that are in no repository of this machine (else a scratch folder in the home)',
    read: (text: string) => (text.includes('\0') ? undefined : text),
  } as Setting<string | undefined>,
  sandbox: {
    env: ['HOLDFAST_SANDBOX'],
    key: 'sandbox',
    fallback: 'auto',
    expects:
      'auto (bubblewrap where that works), bwrap (in the workspace alone and without network, or not at all) or off: how Bash is confined',
    read: (text: string) => (text === 'auto' || text === 'off' || text === 'bwrap' ? text : undefined),
  } as Setting<'auto' | 'off' | 'bwrap'>,
  shellEnv: {
    env: ['HOLDFAST_SHELL_ENV'],
    key: 'shell-env',
    fallback: [],
    expects: 'names of environment variables that commands get beside the harmless ones, separated by commas',
    read: (text: string) => {
      const names = text.split(/[\s,]+/).filter((name) => name !== '');
      return names.every((name) => /^[A-Za-z_]\w{0,100}$/.test(name)) ? names : undefined;
    },
  } as Setting<readonly string[]>,
  searxngUrl: {
    env: ['HOLDFAST_SEARXNG_URL', 'SEARXNG_BASE_URL'],
    key: 'search.searxng',
    fallback: undefined,
    expects: 'the http(s) address of a SearXNG instance',
    read: (text: string) => (/^https?:\/\/[^\s]{1,500}$/.test(text) ? text.replace(/\/+$/, '') : undefined),
  } as Setting<string | undefined>,
  embeddingUse: {
    env: ['HOLDFAST_EMBEDDING'],
    key: 'embedding.use',
    fallback: undefined,
    expects: 'auto, ollama, openai or none',
    read: (text: string) => (/^(?:auto|ollama|openai|none)$/.test(text) ? text : undefined),
  } as Setting<string | undefined>,
  embeddingUrl: {
    env: ['HOLDFAST_EMBEDDING_URL'],
    key: 'embedding.url',
    fallback: undefined,
    expects: 'the http(s) base URL of an embedding endpoint, up to and including /v1',
    read: (text: string) => (/^https?:\/\/[^\s]{1,500}$/.test(text) ? text : undefined),
  } as Setting<string | undefined>,
  embeddingModel: {
    env: ['HOLDFAST_EMBEDDING_MODEL'],
    key: 'embedding.model',
    fallback: undefined,
    expects: 'the name of an embedding model',
    read: (text: string) => (/^\S{1,200}$/.test(text) ? text : undefined),
  } as Setting<string | undefined>,
  vault: {
    env: ['HOLDFAST_VAULT', 'CLAWBRAIN_DIR', 'MEMORY_DIR'],
    key: 'vault',
    fallback: undefined,
    expects: 'the folder of the markdown memory (else vault in the home)',
    read: (text: string) => (text.includes('\0') ? undefined : text),
  } as Setting<string | undefined>,
  offerMail: {
    env: ['HOLDFAST_OFFER_MAIL'],
    key: 'offer-mail',
    fallback: true,
    expects: 'true or false: whether waiting mail goes along with the answers to a bound agent',
    read: readFlag,
  } as Setting<boolean>,
  wake: {
    env: ['HOLDFAST_PEERS_WAKE'],
    key: 'peers.wake',
    fallback: undefined,
    expects:
      'true or false: whether mail wakes an idle agent. true: Claude Code by its channel, too; false: nobody is woken; unless said, everybody else is',
    read: readFlag,
  } as Setting<boolean | undefined>,
  compactEveryMs: {
    env: ['HOLDFAST_BRAIN_COMPACT'],
    key: 'brain-compact',
    fallback: 0,
    expects: 'a duration such as 24h (0 means that memories are compacted only on demand)',
    read: readDuration,
  },
  dispatchDefault: {
    env: ['HOLDFAST_DISPATCH_DEFAULT'],
    key: 'dispatch.default',
    fallback: undefined,
    expects: 'the name of an instance under agents (else the only one that can be called)',
    read: (text: string) => (/^[A-Za-z0-9][\w.-]{0,63}$/.test(text) ? text : undefined),
  } as Setting<string | undefined>,
  dispatchPolicy: {
    env: ['HOLDFAST_DISPATCH_POLICY'],
    key: 'dispatch.policy',
    fallback: 'explicit',
    expects: 'explicit, round-robin or failover: which instance of a family is taken',
    read: (text: string) =>
      text === 'explicit' || text === 'round-robin' || text === 'failover' ? text : undefined,
  } as Setting<'explicit' | 'round-robin' | 'failover'>,
  dispatchConcurrent: {
    env: ['HOLDFAST_DISPATCH_CONCURRENT'],
    key: 'dispatch.concurrent',
    fallback: 8,
    expects: 'a whole number: how many runs this hub has at once, others wait',
    read: (text: string) => readWhole(text, 1_000),
  },
  noRunner: {
    flag: '--no-runner',
    env: ['HOLDFAST_NO_RUNNER'],
    key: 'dispatch.no-runner',
    fallback: false,
    expects: 'true or false: whether this hub leaves its runs to runners and other hubs',
    read: readFlag,
  } as Setting<boolean>,
  dispatchHops: {
    env: ['HOLDFAST_DISPATCH_HOPS'],
    key: 'dispatch.hops',
    fallback: 3,
    expects: 'a whole number: how deep runs may start runs',
    read: (text: string) => readWhole(text, 100),
  },
  quotaParks: {
    env: ['HOLDFAST_QUOTA_PARKS'],
    key: 'dispatch.parks',
    fallback: 10,
    expects:
      'a whole number: how often in a row a run waits because its model takes no more (0: it fails at once)',
    read: (text: string) => readWhole(text, 100),
  },
  quotaBackoffMs: {
    env: ['HOLDFAST_QUOTA_BACKOFF'],
    key: 'dispatch.backoff',
    fallback: MINUTE,
    expects: 'a duration such as 1m: how long a run waits at first where nobody says until when',
    read: readDuration,
  },
  budgetZone: {
    env: ['HOLDFAST_BUDGET_TZ'],
    key: 'dispatch.tz',
    fallback: undefined,
    expects: "the time zone of days in budgets, such as Europe/Oslo (the machine's own unless said)",
    read: (text: string) => (isZone(text) ? text : undefined),
  } as Setting<string | undefined>,
  worktreeSetup: {
    env: ['HOLDFAST_WORKTREE_SETUP'],
    key: 'dispatch.setup',
    fallback: undefined,
    expects: 'a shell command that is run in every new worktree',
    read: (text: string) => (text.includes('\0') || text === '' ? undefined : text),
  } as Setting<string | undefined>,
  localWebhooks: {
    env: ['HOLDFAST_LOCAL_WEBHOOKS'],
    key: 'dispatch.local-webhooks',
    fallback: false,
    expects: 'true or false: may webhooks go to addresses of this machine and its network',
    read: readFlag,
  } as Setting<boolean>,
  runsKeepMs: {
    env: ['HOLDFAST_RUNS_KEEP'],
    key: 'dispatch.keep',
    fallback: 30 * 24 * 60 * MINUTE,
    expects: 'a duration such as 30d (0 keeps ended runs for ever)',
    read: readDuration,
  },
  eventsKeepMs: {
    env: ['HOLDFAST_RETENTION_EVENTS'],
    key: 'retention.events',
    fallback: 90 * 24 * 60 * MINUTE,
    expects: 'a duration such as 90d (0 keeps events for ever)',
    read: readDuration,
  },
  tasksShelveMs: {
    env: ['HOLDFAST_RETENTION_TASKS'],
    key: 'retention.tasks',
    fallback: 0,
    expects: 'a duration such as 30d: how long finished tasks stay in lists (0 leaves them there)',
    read: readDuration,
  },
  rootTasks: limit('root-tasks', 'HOLDFAST_LIMIT_ROOT_TASKS', {
    fallback: 5000,
    of: 'new tasks per team and five minutes',
  }),
  children: limit('children', 'HOLDFAST_LIMIT_CHILDREN', { fallback: 1000, of: 'parts of one task' }),
  depth: limit('depth', 'HOLDFAST_LIMIT_DEPTH', { fallback: 8, of: 'levels of parts' }),
  posts: limit('posts', 'HOLDFAST_LIMIT_POSTS', { fallback: 600, of: 'posts per author and minute' }),
  calls: limit('calls', 'HOLDFAST_LIMIT_CALLS', {
    fallback: 500,
    of: 'calls per second and credential, ten times as many at once',
  }),
} satisfies Record<string, Setting<unknown>>;

type Limit = Readonly<{ fallback: number; of: string }>;

function limit(key: string, variable: string, { fallback, of }: Limit): Setting<number> {
  return {
    env: [variable],
    key: `limits.${key}`,
    fallback,
    expects: `a whole number of ${of} (0 switches the limit off)`,
    read: (text) => readWhole(text, 1_000_000_000),
  };
}

function readWhole(text: string, max: number): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const value = Number(text);
  return value <= max ? value : undefined;
}

export function readDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit!]!;
}

function readFlag(text: string): boolean | undefined {
  return { true: true, '1': true, false: false, '0': false }[text.toLowerCase()];
}

function readHosts(text: string): readonly string[] | undefined {
  const hosts = text.split(',').map((host) => host.trim().toLowerCase());
  return hosts.every((host) => /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.test(host)) ? hosts : undefined;
}

export function badValue(source: string, expects: string, text: string): HubError {
  return new HubError('invalid', `${source} must be ${expects}; got ${JSON.stringify(text)}.`, {
    source,
    hint: `Correct ${source} or remove it.`,
  });
}
