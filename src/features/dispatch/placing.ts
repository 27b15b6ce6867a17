import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Agent } from './agents/agents.ts';
import { isPerson } from './rules.ts';
import type { Run } from './run.ts';

export type Placing = Readonly<{
  who: Principal;
  agent: Agent;
  parent: Run | undefined;
  /** The folder the caller named. */
  wanted: string | undefined;
  /** The folder of the caller's project, taken when the instance has none of its own. */
  project: string | undefined;
  /** Where a run without a place of its own works. */
  scratch: string;
}>;

/**
 * The folder a run works in: the one that was named, if it is inside a known project; else its instance's, the caller's project, its
 * parent's, the workspace, a scratch folder. Links are followed before anything is compared.
 */
export function placeRun(config: Config, { who, agent, parent, wanted, project, scratch }: Placing): string {
  if (wanted !== undefined) return requireProject(config, who, parent, wanted);
  const { cwd } = agent.settings;
  if (cwd !== undefined) return folderAt(cwd);
  if (project !== undefined) return requireProject(config, who, parent, project);
  return parent?.cwd ?? (config.tools.workspace === undefined ? scratch : folderAt(config.tools.workspace));
}

/** The real path of a folder that this caller may have work done in. */
export function requireProject(
  config: Config,
  who: Principal,
  parent: Run | undefined,
  wanted: string,
): string {
  if (!isAbsolute(wanted))
    throw new HubError('invalid', 'The folder must be an absolute path.', { cwd: wanted });
  const real = folderAt(wanted);
  const roots = [config.tools.workspace, parent?.cwd, ...Object.values(config.agents).map(({ cwd }) => cwd)];
  const isKnown = roots.some((root) => root !== undefined && isInside(real, root));
  // A repository is a project; a person who names one makes it known.
  if (isKnown || (isPerson(who) && isInRepository(real))) return real;
  throw new HubError('forbidden', `This folder is outside every known project: ${real}.`, {
    cwd: real,
    hint: 'Leave it out, name a folder inside a git repository or the workspace, or set cwd for the agent in config.yaml.',
  });
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

export function isInRepository(folder: string): boolean {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return true;
    if (dirname(here) === here) return false;
  }
}
