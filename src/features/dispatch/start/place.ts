// Which folder a run works in, and whose project that is.
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import { repositoryAround } from '../../../kernel/git/place.ts';
import { isPerson, type Principal, seesTeam } from '../../../kernel/principal.ts';
import type { Locator } from '../../projects/projects.ts';
import type { Agent } from '../agents/agents.ts';
import type { Run, Worktree } from '../run.ts';

export type Placing = Readonly<{
  who: Principal;
  agent: Agent;
  parent: Run | undefined;
  /** A worktree or a folder that is settled already. */
  worktree: Worktree | undefined;
  cwd: string | undefined;
  /** The folder the caller named. */
  wanted: string | undefined;
  /** The folder of the caller's project, taken when the instance has none of its own. */
  project: string | undefined;
  /** Where a run without a place of its own works. */
  scratch: string;
}>;

/** Where a run works, and the project that folder belongs to. */
export type RunPlace = Readonly<{ cwd: string; project: string | undefined }>;

/**
 * The folder a run works in: the one that was named, if it is inside a known project; else its instance's,
 * the caller's project, its parent's, the workspace, a scratch folder. Links are followed before anything is
 * compared.
 */
export async function placeRun(config: Config, projects: Locator, placing: Placing): Promise<RunPlace> {
  const { agent, parent, worktree, cwd, wanted, project, scratch } = placing;
  const inProject = async (folder: string, of = folder): Promise<RunPlace> => ({
    cwd: folder,
    project: (await projects.find(of))?.teamId,
  });

  /**
   * A person who names a repository makes it known; an agent reaches what is known, and one of a team its
   * own.
   */
  async function named(given: string): Promise<RunPlace> {
    const { who } = placing;
    const real = requireFolder(given);
    const known = await projects.find(real);
    const isTheirs = known !== undefined && seesTeam(who, known.teamId);
    if (!isTheirs && !isOpenTo(config, placing, real)) throw outside(real);
    const isNew = !known && isPerson(who) && repositoryAround(real) !== undefined;
    return { cwd: real, project: (known ?? (isNew ? await projects.locate(real) : undefined))?.teamId };
  }

  if (worktree) return inProject(worktree.path, worktree.repository);
  if (cwd !== undefined) return inProject(cwd);
  if (wanted !== undefined) return named(wanted);
  if (agent.settings.cwd !== undefined) return inProject(folderAt(agent.settings.cwd));
  if (project !== undefined) return named(project);
  if (parent) return { cwd: parent.cwd, project: parent.project ?? undefined };
  if (config.tools.workspace === undefined) return { cwd: scratch, project: undefined };
  return inProject(folderAt(config.tools.workspace));
}

/** The empty folder of a run that has no place of its own. */
export function scratchOf(home: string, runId: string): string {
  return join(home, 'runs', runId, 'work');
}

/** The real path of a folder that this caller may have work done in, as far as the configuration tells. */
export function requireProject(config: Config, who: Principal, wanted: string): string {
  const real = requireFolder(wanted);
  if (!isOpenTo(config, { who, parent: undefined }, real)) throw outside(real);
  return real;
}

/** What the operator has named is open to everybody; a repository is a project, and a person may name any. */
function isOpenTo(config: Config, { who, parent }: Pick<Placing, 'who' | 'parent'>, real: string): boolean {
  const roots = [config.tools.workspace, parent?.cwd, ...Object.values(config.agents).map(({ cwd }) => cwd)];
  const isNamed = roots.some((root) => root !== undefined && isInside(real, root));
  return isNamed || (isPerson(who) && repositoryAround(real) !== undefined);
}

function outside(real: string): HubError {
  return new HubError('forbidden', `This folder is outside every known project: ${real}.`, {
    cwd: real,
    hint: 'Leave it out, name a folder inside a git repository or the workspace, or set cwd for the agent in config.yaml.',
  });
}

function requireFolder(wanted: string): string {
  if (isAbsolute(wanted)) return folderAt(wanted);
  throw new HubError('invalid', 'The folder must be an absolute path.', { cwd: wanted });
}

function folderAt(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Told below: whatever is wrong with it, it is no folder to work in.
  }
  throw new HubError('invalid', `${path} is not a folder.`, { cwd: path });
}

function isInside(real: string, root: string): boolean {
  try {
    const base = realpathSync(root);
    return real === base || real.startsWith(base.endsWith(sep) ? base : base + sep);
  } catch {
    return false;
  }
}
