// Which branches somebody works on, and where they are now: those of open tasks, and those of runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { HeadReader } from '../../../kernel/git/heads.ts';
import { folderOf } from '../../../kernel/git/place.ts';
import { systemPrincipal } from '../../../kernel/principal.ts';
import type { Database, Query } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import type { ProjectsService } from '../../projects/projects.ts';
import type { BranchMark } from './rows.ts';

/** A branch that somebody said they work on, wherever it is. */
type NamedBranch = Readonly<{
  project: string;
  branch: string;
  taskId: string | null;
  agent: string | null;
}>;
export type ListRunBranches = (q: Query) => Promise<readonly NamedBranch[]>;

export type LivingParts = Readonly<{
  db: Database;
  board: Board;
  projects: ProjectsService;
  heads: HeadReader;
  ofRuns(): ListRunBranches | undefined;
}>;

/** More are not tried with each other: the newest tasks count. */
const MOST_IN_PROJECT = 200;

/** By repository: every clone of a project that is on this machine has branches of its own. */
export async function livingBranches(
  parts: LivingParts,
): Promise<ReadonlyMap<string, readonly BranchMark[]>> {
  const byProject = await named(parts);
  const found = new Map<string, readonly BranchMark[]>();
  if (byProject.size === 0) return found;
  const { projects } = await parts.projects.byFolder.list(systemPrincipal, undefined);
  for (const { teamId, keys = [] } of projects) {
    const branches = byProject.get(teamId);
    if (!branches) continue;
    for (const { kind, value } of keys) {
      if (kind !== 'git' || !existsSync(join(value, 'HEAD'))) continue;
      const repository = folderOf(value);
      const names = branches.map(({ branch }) => branch);
      const heads = await parts.heads.read(value, names);
      const there = branches.flatMap((each) => {
        const head = heads.get(each.branch);
        return head === undefined ? [] : [{ ...each, repository, head }];
      });
      if (there.length > 0) found.set(repository, there);
    }
  }
  return found;
}

/** One holder for each branch: who has a task in hand goes before who has not. */
async function named({
  db,
  board,
  ofRuns,
}: LivingParts): Promise<ReadonlyMap<string, readonly NamedBranch[]>> {
  const [tasks, runs] = await db.read(async (q) => [await board.branches(q), (await ofRuns()?.(q)) ?? []]);
  const all = [
    ...tasks.map(({ id, teamId, branchRef, assigneeAgentId }) => ({
      project: teamId,
      branch: branchRef,
      taskId: id,
      agent: assigneeAgentId,
    })),
    ...runs,
  ];
  const byProject = new Map<string, NamedBranch[]>();
  for (const each of all) {
    const known = byProject.get(each.project) ?? [];
    const same = known.findIndex(({ branch }) => branch === each.branch);
    if (same < 0 && known.length < MOST_IN_PROJECT) known.push(each);
    else if (same >= 0 && known[same]!.agent === null && each.agent !== null) known[same] = each;
    byProject.set(each.project, known);
  }
  return byProject;
}
