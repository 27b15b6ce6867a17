import { type AgentSettings, type ProjectLimits, readAgents, readProjects } from './agent-settings.ts';
import { HubError } from './errors.ts';
import { type LandSettings, readLand } from './land-settings.ts';
import { isObject } from './loose-json.ts';
import { nearestName } from './nearest-name.ts';
import { QUIET_HOURS } from './quiet-hours.ts';
import { badValue, SETTINGS } from './settings.ts';
import { readYaml } from './yaml-text.ts';

/** What config.yaml says: single settings as text, keyed by their path, and the blocks that are more than that. */
export type ReadSettings = Readonly<{ leaves: ReadonlyMap<string, string>; blocks: ConfigBlocks }>;

export type ConfigBlocks = Readonly<{
  /** Views of the hub's catalogue, by name: what each one lets through, and how. */
  profiles: Readonly<Record<string, NamedView>>;
  /** Where notices go, as it is written; read by its room. */
  notices?: unknown;
  /** Whose sessions are read, as it is written; nobody's unless a person says so. Read by its room. */
  sessions?: unknown;
  /** The programs that runs start, by the name of the instance. */
  agents: Readonly<Record<string, AgentSettings>>;
  /** What the runs of a project may do together, by its id. */
  projects: Readonly<Record<string, ProjectLimits>>;
  /** How what agents did lands, by the project. */
  land: Readonly<Record<string, LandSettings>>;
  /** When an agent is not to be woken, by its name. */
  quiet: Readonly<Record<string, string>>;
}>;

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

/** Read by their rooms, which follow the file. */
const OF_ROOMS: ReadonlySet<string> = new Set(['profiles', 'sources', 'notices', 'sessions']);
const QUIET = 'peers.quiet.';
const KNOWN_KEYS: ReadonlySet<string> = new Set([
  'database',
  ...Object.values(SETTINGS).map((setting) => setting.key),
  'agents',
  'projects',
  'land',
]);

/** A key we do not know is a mistake worth naming. */
export function readConfigFile(path: string, text: string): ReadSettings {
  const document = readAs(path, text);
  const { agents, projects, land, ...plain } = isObject(document) ? document : {};
  const leaves = new Map(flatten(isObject(document) ? plain : (document ?? {}), ''));
  for (const key of leaves.keys()) {
    if (KNOWN_KEYS.has(key) || OF_ROOMS.has(key.split('.', 1)[0]!) || key.startsWith(QUIET)) continue;
    throw new HubError(
      'invalid',
      `${path} has an unknown key ${key}. Known: ${[...KNOWN_KEYS].join(', ')}.`,
      { path, key, ...meantBy(key) },
    );
  }
  const { profiles, notices, sessions, peers } = plain;
  return {
    leaves,
    blocks: {
      profiles: readProfiles(profiles),
      ...(notices !== undefined && { notices }),
      ...(sessions !== undefined && { sessions }),
      agents: readAgents(agents),
      projects: readProjects(projects),
      land: readLand(land),
      quiet: readQuiet(peers),
    },
  };
}

function readAs(path: string, text: string): unknown {
  try {
    return readYaml(text);
  } catch (error) {
    throw new HubError('invalid', `${path} is not valid YAML: ${(error as Error).message}`, {
      path,
    }).because(error);
  }
}

function meantBy(key: string): Readonly<{ hint?: string }> {
  const meant = nearestName(key, KNOWN_KEYS);
  return meant === undefined ? {} : { hint: `Did you mean ${meant}?` };
}

const RESERVED_PROFILES = new Set(['default', 'extended', 'full', 'lean']);

function readProfiles(profiles: unknown): Record<string, NamedView> {
  if (!isObject(profiles)) return {};
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
      if (!isObject(view)) throw badValue(where, LISTED, JSON.stringify(value));
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
      if (!isObject(lock) || !Object.values(lock).every(isObject))
        throw badValue(`${where}: lock`, 'a map of tools to arguments', JSON.stringify(lock));
      return [name, { allow: allow as string[], rename, describe, lock: lock as NamedView['lock'] }];
    }),
  );
}

/** `peers.quiet: { codex: "22:00-07:00" }`. */
function readQuiet(peers: unknown): Record<string, string> {
  const quiet = isObject(peers) ? (peers['quiet'] ?? {}) : {};
  const where = 'peers.quiet in config.yaml';
  if (!isTexts(quiet)) throw badValue(where, 'a map of agents to hours', JSON.stringify(quiet));
  const odd = Object.values(quiet).find((hours) => !QUIET_HOURS.test(hours));
  if (odd !== undefined) throw badValue(where, 'hours such as 22:00-07:00, by agent', odd);
  return quiet;
}

const LISTED = 'a list of tools such as [tasks__*, memory__memory_search]';

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((text) => typeof text === 'string');
}

function flatten(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) return [[path, value.join(',')]];
  if (typeof value !== 'object' || value === null) return [[path, String(value)]];
  return Object.entries(value).flatMap(([key, item]) => flatten(item, path === '' ? key : `${path}.${key}`));
}
