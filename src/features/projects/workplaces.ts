// Where a call works. The one answer for file and shell tools, path rules, grants, trash and reservations.
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { HubError } from '../../kernel/errors.ts';
import { isInside } from '../../kernel/folders.ts';
import type { Principal } from '../../kernel/principal.ts';
import { gitPlaceOf, realOf } from '../../kernel/git/place.ts';
import type { Project } from './project.ts';

/**
 * The workspace of a call is the top of the repository its client works in. Only the hub's own socket tells where that
 * is, and the hub itself for what it runs: an argument, a URL or a token never does. Whoever comes from elsewhere works in
 * `--workspace` or nowhere; so does who works outside a repository, or in one that the hub's home is part of.
 *
 * How far a folder can be trusted: whoever reaches the socket is the user who runs the hub and could start a process in
 * any of that user's folders. What is announced is still resolved and looked at, and the workspace that a connection was
 * first found in stays its own: taking a `.git` away makes no wider one.
 */
export interface Workplaces {
  /** Throws where its client's folder is gone. */
  of(who: Principal): Promise<Workplace>;
  /** Its folder alone; nothing is asked of the database. */
  folderOf(who: Principal): Promise<string | null>;
  /** The place of a call of the past, by the folder it had. */
  at(folder: string | null): Promise<Workplace>;
  /** How runs are found: the folder that the hub gave to whom this credential belongs. */
  followRuns(folderOf: (credential: string) => Promise<string | undefined>): void;
  /** May it read this file of its workspace? As file tools would answer; where there are none, nothing forbids it. */
  mayRead: MayRead;
  /** Who knows the rules for file tools. */
  followRules(mayRead: MayRead): void;
}

type MayRead = (who: Principal, place: Workplace, path: string) => Promise<boolean>;

export type Workplace = Readonly<{
  /** Absolute, links resolved; null: nowhere. */
  folder: string | null;
  /** The team of the project it works in. */
  project: string | null;
  /** What tells working copies apart that are not of one repository: linked worktrees share it. '' without a folder. */
  ground: string;
  /** It is in a repository, be that known as a project or not. */
  isRepository: boolean;
}>;

export type WorkplaceParts = Readonly<{
  home: string;
  /** `--workspace`, for everybody else. */
  workspace: string | undefined;
  find(folder: string): Promise<Project | undefined>;
}>;

type Ground = Pick<Workplace, 'folder' | 'ground' | 'isRepository'>;

const NOWHERE: Ground = { folder: null, ground: '', isRepository: false };
const MOST = 2_000;
/** A repository that is no project yet may become one. */
const LOOK_AGAIN_MS = 30_000;

export function createWorkplaces({ home, workspace, find }: WorkplaceParts): Workplaces {
  const kept = new BoundedMap<string, Ground>(MOST);
  const runs = new BoundedMap<string, string | undefined>(MOST);
  const projects = new BoundedMap<string, Readonly<{ team: string | null; until: number }>>(MOST);
  let mayRead: MayRead = async () => true;
  let runFolder: (credential: string) => Promise<string | undefined> = async () => undefined;

  async function announced(who: Principal): Promise<string | undefined> {
    if (who.folder !== undefined || who.credential === undefined) return who.folder;
    // A token is of a run from its first moment on, or never.
    if (!runs.has(who.credential)) runs.set(who.credential, await runFolder(who.credential));
    return runs.get(who.credential);
  }

  /** Once found, it stays: a folder that becomes a repository is seen, one that stops to be one changes nothing. */
  async function groundOf(who: Principal, folder: string): Promise<Ground> {
    const key = JSON.stringify([who.seat, folder]);
    const known = kept.get(key);
    if (known) return known;
    const found = await repositoryOf(folder);
    if (!found) return everybodys();
    kept.set(key, found);
    return found;
  }

  async function repositoryOf(folder: string): Promise<Ground | undefined> {
    const here = await requireFolder(folder);
    const repository = await gitPlaceOf(here);
    if (repository?.top === undefined) return undefined;
    const { top, common, isOwn } = repository;
    const [own, trees] = [await realOf(home), await realOf(join(home, 'worktrees'))];
    if (isInside(top, own) || (isInside(own, top) && !isInside(trees, top))) return undefined;
    return { folder: top, ground: isOwn ? common : top, isRepository: true };
  }

  async function everybodys(): Promise<Ground> {
    return workspace === undefined ? NOWHERE : groundAt(await realOf(workspace));
  }

  async function projectAt(folder: string | null): Promise<string | null> {
    if (folder === null) return null;
    const known = projects.get(folder);
    if (known && (known.team !== null || performance.now() < known.until)) return known.team;
    const team = (await find(folder))?.teamId ?? null;
    projects.set(folder, { team, until: performance.now() + LOOK_AGAIN_MS });
    return team;
  }

  return {
    async of(who) {
      const folder = await announced(who);
      const ground = folder === undefined ? await everybodys() : await groundOf(who, folder);
      return { ...ground, project: await projectAt(folder ?? ground.folder) };
    },
    async folderOf(who) {
      const folder = await announced(who);
      return (folder === undefined ? await everybodys() : await groundOf(who, folder)).folder;
    },
    async at(folder) {
      const ground = folder === null ? await everybodys() : await groundAt(folder);
      return { ...ground, project: await projectAt(ground.folder) };
    },
    followRuns(folderOf) {
      runFolder = folderOf;
    },
    mayRead: (who, place, path) => mayRead(who, place, path),
    followRules(rules) {
      mayRead = rules;
    },
  };
}

/** A folder that was chosen is the workspace itself, wherever its repository begins. */
async function groundAt(folder: string): Promise<Ground> {
  const repository = await gitPlaceOf(folder);
  const isTop = repository?.top === folder;
  return { folder, ground: isTop && repository.isOwn ? repository.common : folder, isRepository: isTop };
}

async function requireFolder(folder: string): Promise<string> {
  try {
    if (!isAbsolute(folder)) throw new Error('no absolute path');
    const here = await realpath(folder);
    if ((await stat(here)).isDirectory()) return here;
  } catch {
    // Told below: whatever is wrong with it, nobody works there.
  }
  throw new HubError(
    'unavailable',
    `The folder ${JSON.stringify(folder)} that this client works in is gone.`,
    {
      denied: 'workspace:gone',
      hint: 'Start the client again in a folder that is there.',
    },
  );
}
