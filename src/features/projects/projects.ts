import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';
import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { KeyedProject, Project, Sighting } from './project.ts';
import {
  allKeys,
  hasRoots,
  insertKeys,
  insertProject,
  isTeamKnown,
  knownTeams,
  listProjects,
  projectById,
  renameProject,
  slugsFrom,
  storedKeys,
} from './rows.ts';
import { freeSlug, slugOf } from './rules.ts';
import type { Workplaces } from './workplaces.ts';

export type { Workplace, Workplaces } from './workplaces.ts';
export { createSpaces, type SpaceParts, type Spaces } from './spaces.ts';

/**
 * The repositories of this machine as teams. Which folder is which is found by `locate.ts`; here is what is
 * known.
 */
export interface Projects {
  /** The project of what was seen, and whether there is more to be learnt about it. Nothing is written. */
  find(q: Query, sighting: Sighting): Promise<Known | undefined>;
  /** The same, made when there is none; what was seen is what it is known by from now on. */
  resolve(tx: Tx, sighting: Sighting): Promise<Project>;
  /** What was seen later belongs to the project that its folder was resolved to. */
  addKeys(tx: Tx, teamId: string, keys: Sighting['own']): Promise<void>;
  /** As a caller sees them in a snapshot. */
  at(q: Query, caller: Caller): ProjectView;
  /** As a caller changes them in a transaction. */
  in(tx: Tx, caller: Caller): ProjectDesk;
}

export interface ProjectView {
  /** A bound caller sees its own; the keys are paths of this machine and are shown to persons only. */
  list(): Promise<KeyedProject[]>;
  /** The team of that name, found in a folder or not; refused with the nearest known one when nothing is of it. */
  require(teamId: string): Promise<NamedTeam>;
}

export interface ProjectDesk {
  /** The same for who is about to write into it: made when that is meant, or when it is the first of all. */
  name(named: Readonly<{ teamId: string; isNew: boolean }>): Promise<NamedTeam>;
  /** Changes what is shown; the team stays what it is. */
  rename(renaming: Readonly<{ teamId: string; name: string }>): Promise<Project>;
}

type NamedTeam = Readonly<{ teamId: string; project: Project | null }>;

/** From a working folder to its project; how is in `locate.ts`. */
export interface Locator {
  /**
   * The project of a folder, made when there is none. Undefined for the few folders that are nobody's
   * project.
   */
  locate(folder: string): Promise<Project | undefined>;
  /** The same without making one. */
  find(folder: string): Promise<Project | undefined>;
  /** What is still being looked for is given up. */
  close(): Promise<void>;
}

/**
 * What may be asked by a folder of this machine. The hub itself reads that folder, and before it asks the database, so
 * these open transactions of their own; and only its owner may name one.
 */
export interface ByFolder {
  /** All that the caller sees, or the one that a folder belongs to, if it is known. */
  list(who: Principal, folder: string | undefined): Promise<KeyedProject[]>;
  resolve(who: Principal, asked: Asked): Promise<Project | null>;
}

type Asked = Readonly<{
  folder?: string | undefined;
  teamId?: string | undefined;
  new?: boolean | undefined;
}>;

/** What the projects are to other rooms: which one a folder belongs to, and where a call works. */
export type ProjectsService = Locator &
  Readonly<{
    workplaces: Workplaces;
    byFolder: ByFolder;
    /** The main checkout of a project on this machine, where one is known. */
    checkoutOf(teamId: string): Promise<string | undefined>;
  }>;

type Known = Readonly<{
  project: Project;
  /** By the first of the keys, which nothing else can overrule. */
  isCertain: boolean;
  /** Everything it could be known by is known. */
  isComplete: boolean;
  hasRoots: boolean;
}>;

/** `elsewhere`: where other rooms name teams; each statement answers `team`. */
export function createProjects(elsewhere: () => readonly Sql[] = () => []): Projects {
  async function find(q: Query, { keys, own }: Sighting): Promise<Known | undefined> {
    const stored = new Map(
      (await storedKeys(q, keys)).map((key) => [`${key.kind} ${key.value}`, key.teamId]),
    );
    const teamIds = keys.map(({ kind, value }) => stored.get(`${kind} ${value}`));
    const teamId = teamIds.find((id) => id !== undefined);
    const project = teamId === undefined ? undefined : await projectById(q, teamId);
    if (!project) return undefined;
    const isComplete = own.every(({ kind, value }) => stored.has(`${kind} ${value}`));
    return {
      project,
      isCertain: teamIds[0] !== undefined,
      isComplete,
      hasRoots: await hasRoots(q, project.teamId),
    };
  }

  return {
    find,

    async resolve(tx, sighting) {
      // Two processes that start at the same instant in a new repository must make one project.
      await tx.lock('projects');
      const known = await find(tx, sighting);
      const project = known?.project ?? (await create(tx, sighting.name));
      if (!known?.isComplete) await insertKeys(tx, project.teamId, sighting.own);
      return project;
    },

    addKeys: insertKeys,

    at: (q, { who }) => viewOf({ q, who, elsewhere: elsewhere() }),
    in: (tx, { who }) => deskOf(tx, { q: tx, who, elsewhere: elsewhere() }),
  };
}

type Asking = Readonly<{ q: Query; who: Principal; elsewhere: readonly Sql[] }>;

const viewOf = (asking: Asking): ProjectView => ({
  async list() {
    const { q, who } = asking;
    const all = (await listProjects(q)).filter(({ teamId }) => canSee(who, teamId));
    if (!isPerson(who)) return all;
    const keys = Map.groupBy(await allKeys(q), ({ teamId }) => teamId);
    const keysOf = (teamId: string) => (keys.get(teamId) ?? []).map(({ kind, value }) => ({ kind, value }));
    return all.map((project) => ({ ...project, keys: keysOf(project.teamId) }));
  },

  async require(teamId) {
    const team = canSee(asking.who, teamId) ? await teamOf(asking, teamId) : undefined;
    if (team) return team;
    throw await unknownProject(asking, teamId);
  },
});

const deskOf = (tx: Tx, asking: Asking): ProjectDesk => ({
  async name({ teamId, isNew }) {
    await tx.lock('projects');
    const team = await teamOf(asking, teamId);
    if (team) return team;
    const refusal = isNew ? undefined : await unknownProject(asking, teamId);
    if (refusal && refusal.details['isFirst'] !== true)
      throw new HubError('not_found', `${refusal.message} \`--new\` makes one.`, refusal.details);
    return { teamId, project: await begin(tx, teamId, teamId) };
  },

  async rename({ teamId, name }) {
    const shown = redact(name.trim());
    if (!isName(shown)) throw new HubError('invalid', `name ${NAME_RULE}`);
    const project = canSee(asking.who, teamId) ? await renameProject(tx, teamId, shown) : undefined;
    if (!project) throw await unknownProject(asking, teamId);
    tx.emit({ kind: 'project.renamed', subject: teamId, realm: 'hub', team: teamId });
    return project;
  },
});

async function teamOf({ q, elsewhere }: Asking, teamId: string): Promise<NamedTeam | undefined> {
  if (!(await isTeamKnown(q, teamId, elsewhere))) return undefined;
  return { teamId, project: (await projectById(q, teamId)) ?? null };
}

async function create(tx: Tx, given: string): Promise<Project> {
  const name = isName(given) ? redact(given) : 'project';
  const slug = slugOf(name);
  const taken = new Set(await slugsFrom(tx, slug));
  const teamId = freeSlug(slug, (each) => taken.has(each));
  return begin(tx, teamId, teamId === slug ? name : teamId);
}

async function begin(tx: Tx, teamId: string, name: string): Promise<Project> {
  const project = { teamId, name, createdAt: tx.now };
  await insertProject(tx, project);
  tx.emit({ kind: 'project.created', subject: teamId, realm: 'hub', team: teamId });
  return project;
}

function canSee({ bound }: Principal, teamId: string): boolean {
  return bound.team === undefined || bound.team === teamId;
}

/** `isFirst`: there is none yet that could have been meant. */
async function unknownProject({ q, who, elsewhere }: Asking, teamId: string): Promise<HubError> {
  const known = (await knownTeams(q, elsewhere)).filter((each) => canSee(who, each));
  const nearest = nearestName(teamId, known);
  const shown = isName(teamId) ? teamId : JSON.stringify(teamId.slice(0, 100));
  const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new HubError('not_found', `There is no project ${shown}.${guess}`, {
    teamId,
    ...(nearest !== undefined && { nearest }),
    ...(known.length === 0 && { isFirst: true }),
    hint: 'See `holdfast project list`.',
  });
}
