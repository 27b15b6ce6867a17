import { type ContainerSettings, readContainer } from './container-settings.ts';
import { type AgentBudget, readBudget, refuseCircles } from './quota-settings.ts';
import {
  bad,
  bytesAt,
  flagAt,
  numberAt,
  objectAt,
  oneOf,
  refuseUnknown,
  textAt,
  textsAt,
} from './setting-values.ts';
import { resolvePath } from './site.ts';

/**
 * `agents:` of config.yaml: which programs may be started, how, and within which limits. Read by hand, because config is on
 * the fast path of every stdio bin.
 */
const FAMILIES = ['claude', 'codex', 'gemini', 'opencode', 'acp', 'command'] as const;
export type Family = (typeof FAMILIES)[number];

/** What an agent may do without asking: nothing of consequence, edit files, everything. */
const MODES = ['safe', 'edit', 'full'] as const;
export type AgentMode = (typeof MODES)[number];

const LANES = ['auto', 'acp', 'exec'] as const;

export type AgentSettings = Readonly<{
  family: Family;
  command: readonly string[] | undefined;
  cwd: string | undefined;
  env: Readonly<Record<string, string>>;
  mode: AgentMode;
  lane: (typeof LANES)[number];
  model: string | undefined;
  tags: readonly string[];
  /** Instances to try instead when this one cannot be started. */
  failover: readonly string[];
  /** Who goes on with its work when its model takes no more. */
  fallback: readonly string[];
  /** What it may use within hours and days. */
  budget: AgentBudget;
  /** The image it runs in. */
  container: ContainerSettings | undefined;
  enabled: boolean;
  /** How often another attempt follows one that was lost; undefined: as its kind of run says. */
  retry: number | undefined;
  /** Labels that a runner must have. */
  needs: readonly string[];
  limits: RunLimits;
}>;

export type RunLimits = Readonly<{
  /** Wall clock of one run. */
  minutes: number;
  /** Without a word from the process. */
  idle: number;
  /** Bytes of output that are kept. */
  output: number;
  /** Events that are kept. */
  frames: number;
  /** Runs at once. */
  concurrent: number;
  /** Runs that may begin per minute; 0: any number. */
  rate: number;
  /** Asked about when it is spent; undefined: no budget. */
  dollars: number | undefined;
  turns: number | undefined;
}>;

export const DEFAULT_RUN_LIMITS: RunLimits = {
  minutes: 60,
  idle: 15,
  output: 10 * 1024 * 1024,
  frames: 20_000,
  concurrent: 4,
  rate: 0,
  dollars: undefined,
  turns: undefined,
};

/** What the runs of one project may do together, within a day where it is about spending. 0 of `concurrent` and `rate` is off. */
export type ProjectLimits = Readonly<Pick<RunLimits, 'concurrent' | 'rate' | 'dollars' | 'turns'>> &
  Readonly<{
    /** The image its runs are in, whatever their agent says. */
    container?: ContainerSettings | undefined;
  }>;

const KEYS = [
  'family',
  'command',
  'cwd',
  'env',
  'mode',
  'lane',
  'model',
  'tags',
  'failover',
  'fallback',
  'budget',
  'container',
  'enabled',
  'retry',
  'needs',
  'limits',
];

export function readAgents(value: unknown): Readonly<Record<string, AgentSettings>> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(objectAt('agents', value));
  const agents = Object.fromEntries(
    entries.map(([name, entry]) => [instanceName(name), readAgent(`agents.${name}`, entry)]),
  );
  refuseCircles(agents, FAMILIES);
  return agents;
}

function readAgent(at: string, value: unknown): AgentSettings {
  const entry = objectAt(at, value);
  refuseUnknown(at, entry, KEYS);
  const family = oneOf(`${at}.family`, entry['family'], FAMILIES);
  const command = entry['command'] === undefined ? undefined : textsAt(`${at}.command`, entry['command']);
  if ((family === 'acp' || family === 'command') && !command?.length)
    throw bad(`${at}.command`, 'the program and its arguments, such as [node, agent.mjs]', entry['command']);
  return {
    family,
    command,
    cwd: entry['cwd'] === undefined ? undefined : resolvePath(textAt(`${at}.cwd`, entry['cwd'])),
    env: readEnv(`${at}.env`, entry['env']),
    mode: entry['mode'] === undefined ? 'safe' : oneOf(`${at}.mode`, entry['mode'], MODES),
    lane: entry['lane'] === undefined ? 'auto' : oneOf(`${at}.lane`, entry['lane'], LANES),
    model: entry['model'] === undefined ? undefined : textAt(`${at}.model`, entry['model']),
    tags:
      entry['tags'] === undefined ? [] : textsAt(`${at}.tags`, entry['tags']).map((tag) => tag.toLowerCase()),
    failover: entry['failover'] === undefined ? [] : textsAt(`${at}.failover`, entry['failover']),
    fallback: entry['fallback'] === undefined ? [] : textsAt(`${at}.fallback`, entry['fallback']),
    budget: readBudget(`${at}.budget`, entry['budget']),
    container: readContainer(`${at}.container`, entry['container']),
    enabled: entry['enabled'] === undefined ? true : flagAt(`${at}.enabled`, entry['enabled']),
    retry: entry['retry'] === undefined ? undefined : readRetry(`${at}.retry`, entry['retry']),
    needs: entry['needs'] === undefined ? [] : textsAt(`${at}.needs`, entry['needs']).map(labelAt),
    limits: readLimits(`${at}.limits`, entry['limits']),
  };
}

const RETRY_WORDS: Readonly<Record<string, number>> = { never: 0, once: 1 };
const MOST_RETRIES = 20;

function readRetry(at: string, value: unknown): number {
  const retry = typeof value === 'string' ? RETRY_WORDS[value] : value;
  if (typeof retry === 'number' && Number.isInteger(retry) && retry >= 0 && retry <= MOST_RETRIES)
    return retry;
  throw bad(at, `never, once or a number up to ${MOST_RETRIES}`, value);
}

/** What a runner says it has and a run asks for. */
const LABEL = /^[a-z0-9][a-z0-9._-]{0,31}$/;

function labelAt(text: string): string {
  const label = text.toLowerCase();
  if (LABEL.test(label)) return label;
  throw bad('needs', 'a list of short words, such as [gpu]', text);
}

function readLimits(at: string, value: unknown): RunLimits {
  if (value === undefined || value === null) return DEFAULT_RUN_LIMITS;
  const entry = objectAt(at, value);
  refuseUnknown(at, entry, Object.keys(DEFAULT_RUN_LIMITS));
  const given = (name: keyof RunLimits, read = numberAt) => {
    const found = entry[name];
    return found === undefined ? {} : { [name]: read(`${at}.${name}`, found) };
  };
  return {
    ...DEFAULT_RUN_LIMITS,
    ...given('minutes'),
    ...given('idle'),
    ...given('output', bytesAt),
    ...given('frames'),
    ...given('concurrent'),
    ...given('rate'),
    ...given('dollars'),
    ...given('turns'),
  };
}

const PROJECT_LIMITS = ['concurrent', 'rate', 'dollars', 'turns'] as const;

/** `projects:` of config.yaml, by the id of the project; `*` is every other one. */
export function readProjects(value: unknown): Readonly<Record<string, ProjectLimits>> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(objectAt('projects', value)).map(([name, given]) => {
      const at = `projects.${name}`;
      const entry = objectAt(at, given);
      refuseUnknown(at, entry, ['limits', 'container']);
      // Who names neither has forgotten something.
      const hasOther = entry['limits'] === undefined && entry['container'] !== undefined;
      const limits = hasOther ? {} : objectAt(`${at}.limits`, entry['limits']);
      refuseUnknown(`${at}.limits`, limits, PROJECT_LIMITS);
      const read = (key: (typeof PROJECT_LIMITS)[number]) =>
        limits[key] === undefined ? undefined : numberAt(`${at}.limits.${key}`, limits[key]);
      return [
        name,
        {
          concurrent: read('concurrent') ?? 0,
          rate: read('rate') ?? 0,
          dollars: read('dollars'),
          turns: read('turns'),
          container: readContainer(`${at}.container`, entry['container']),
        },
      ];
    }),
  );
}

function readEnv(at: string, value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(objectAt(at, value)).map(([name, text]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
        throw bad(`${at}.${name}`, 'the name of a variable', name);
      return [name, textAt(`${at}.${name}`, text)];
    }),
  );
}

function instanceName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(name)) return name;
  throw bad('agents', 'named by a short word of letters, digits, dots and dashes', name);
}
