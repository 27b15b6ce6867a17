import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal, requirePerson, seesTeam } from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import { nearestName } from '../../kernel/nearest-name.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';
import type { Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import type { KeyedProject, Project, ProjectMove, ProjectPart, Sighting } from './project.ts';
import {
  allKeys,
  deleteProject,
  hasRoots,
  insertKeys,
  insertProject,
  isTeamKnown,
  knownTeams,
  listProjects,
  moveKeys,
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
  /** The id that a project of this name would get. */
  foresee(q: Query, name: string): Promise<string>;
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
  /** The hub forgets which folders it was. Refused while there is work to be done in it; what is over keeps its name. */
  remove(teamId: string): Promise<Project>;
  /** Its folders, tasks and memories become the other's. */
  merge(move: ProjectMove): Promise<Merged>;
}

type Merged = Readonly<{ project: Project; moved: Readonly<Record<string, number>> }>;

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
  /** The id that the project of a folder would get; undefined for the few folders that are nobody's project. */
  foresee(folder: string): Promise<string | undefined>;
  /** What is still being looked for is given up. */
  close(): Promise<void>;
}

/**
 * What may be asked by a folder of this machine. The hub itself reads that folder, and before it asks the database, so
 * these open transactions of their own; and only its owner may name one.
 */
export interface ByFolder {
  /** All that the caller sees, or the one that a folder belongs to, if it is known. */
  list(who: Principal, folder: string | undefined): Promise<FoundProjects>;
  resolve(who: Principal, asked: Asked): Promise<Project | null>;
  /** Files of their repositories by letters of their paths, the best first. */
  files(who: Principal, asked: AskedFiles): Promise<FoundFile[]>;
}

export type FoundFile = Readonly<{ project: string; folder: string; path: string }>;
export type AskedFiles = Readonly<{ q: string; project?: string | undefined; limit: number }>;

type FoundProjects = Readonly<{
  projects: KeyedProject[];
  /** The id that the folder's project gets once something is written there; looking makes none. */
  next?: string;
}>;

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

/** What other rooms have of projects. */
export type Elsewhere = Readonly<{
  /** Where they name teams; each statement answers `team`. */
  teams: readonly Sql[];
  parts: readonly ProjectPart[];
}>;
const NOWHERE: Elsewhere = { teams: [], parts: [] };

export function createProjects(elsewhere: () => Elsewhere = () => NOWHERE): Projects {
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

    foresee: freeIdFor,
    addKeys: insertKeys,

    at: (q, { who }) => viewOf({ q, who, elsewhere: elsewhere().teams }),
    in: (tx, { who }) => deskOf(tx, { q: tx, who, elsewhere: elsewhere().teams }, elsewhere().parts),
  };
}

type Asking = Readonly<{ q: Query; who: Principal; elsewhere: readonly Sql[] }>;

const viewOf = (asking: Asking): ProjectView => ({
  async list() {
    const { q, who } = asking;
    const all = (await listProjects(q)).filter(({ teamId }) => seesTeam(who, teamId));
    if (!isPerson(who)) return all;
    const keys = Map.groupBy(await allKeys(q), ({ teamId }) => teamId);
    const keysOf = (teamId: string) => (keys.get(teamId) ?? []).map(({ kind, value }) => ({ kind, value }));
    return all.map((project) => ({ ...project, keys: keysOf(project.teamId) }));
  },

  async require(teamId) {
    const team = seesTeam(asking.who, teamId) ? await teamOf(asking, teamId) : undefined;
    if (team) return team;
    throw await unknownProject(asking, teamId);
  },
});

const deskOf = (tx: Tx, asking: Asking, parts: readonly ProjectPart[]): ProjectDesk => ({
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
    const project = seesTeam(asking.who, teamId) ? await renameProject(tx, teamId, shown) : undefined;
    if (!project) throw await unknownProject(asking, teamId);
    tx.emit({ kind: 'project.renamed', subject: teamId, realm: 'hub', team: teamId });
    return project;
  },

  async remove(teamId) {
    requirePerson(asking.who, 'Taking a project away');
    refuseSecret(teamId);
    await tx.lock('projects');
    const project = await projectById(tx, teamId);
    if (!project) throw await unknownProject(asking, teamId);
    for (const { countOpen } of parts) {
      const open = (await countOpen?.(tx, teamId)) ?? 0;
      if (open > 0)
        throw new HubError('conflict', `${teamId} has ${open} open task${open === 1 ? '' : 's'}.`, {
          teamId,
          open,
          hint: 'Finish or cancel them first, or put the project into another one (merge).',
        });
    }
    await deleteProject(tx, teamId);
    tx.emit({ kind: 'project.removed', subject: teamId, realm: 'hub', team: teamId });
    return project;
  },

  async merge({ from, into }) {
    requirePerson(asking.who, 'Putting projects together');
    [from, into].forEach(refuseSecret);
    if (from === into) throw new HubError('invalid', 'A project cannot be put into itself.');
    await tx.lock('projects');
    const project = await projectById(tx, into);
    if (!project) throw await unknownProject(asking, into);
    if (!(await teamOf(asking, from))) throw await unknownProject(asking, from);
    await moveKeys(tx, from, into);
    await deleteProject(tx, from);
    const moved: Record<string, number> = {};
    for (const part of parts) Object.assign(moved, await part.move(tx, { from, into }));
    tx.emit({ kind: 'project.merged', subject: into, realm: 'hub', team: into, data: { from } });
    return { project, moved };
  },
});

/** No project is called by a key, and nobody is told back one. */
function refuseSecret(teamId: string): void {
  if (redact(teamId) !== teamId) throw new HubError('not_found', 'No project is called by a secret.');
}

async function teamOf({ q, elsewhere }: Asking, teamId: string): Promise<NamedTeam | undefined> {
  if (!(await isTeamKnown(q, teamId, elsewhere))) return undefined;
  return { teamId, project: (await projectById(q, teamId)) ?? null };
}

async function freeIdFor(q: Query, given: string): Promise<string> {
  const slug = slugOf(shownName(given));
  const taken = new Set(await slugsFrom(q, slug));
  return freeSlug(slug, (each) => taken.has(each));
}

const shownName = (given: string) => (isName(given) ? redact(given) : 'project');

async function create(tx: Tx, given: string): Promise<Project> {
  const name = shownName(given);
  const slug = slugOf(name);
  const teamId = await freeIdFor(tx, given);
  return begin(tx, teamId, teamId === slug ? name : teamId);
}

async function begin(tx: Tx, teamId: string, name: string): Promise<Project> {
  const project = { teamId, name, createdAt: tx.now };
  await insertProject(tx, project);
  tx.emit({ kind: 'project.created', subject: teamId, realm: 'hub', team: teamId });
  return project;
}

/** `isFirst`: there is none yet that could have been meant. */
async function unknownProject({ q, who, elsewhere }: Asking, teamId: string): Promise<HubError> {
  const known = (await knownTeams(q, elsewhere)).filter((each) => seesTeam(who, each));
  const nearest = nearestName(teamId, known);
  const shown = isName(teamId) ? teamId : JSON.stringify(excerpt(teamId, 100));
  const guess = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return new HubError('not_found', `There is no project ${shown}.${guess}`, {
    teamId,
    ...(nearest !== undefined && { nearest }),
    ...(known.length === 0 && { isFirst: true }),
    hint: 'See `holdfast project list`.',
  });
}
