import { type Principal, requirePerson } from '../../kernel/principal.ts';
import type { Kin } from '../../kernel/process/ancestors.ts';
import type { Database } from '../../store/database.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { Ground } from '../room.ts';
import type { Meeting, Reservations } from './reservations.ts';

/** What the hook of a repository asks before a commit. Who commits is known by the processes above it. */
export interface Guard {
  ask(who: Principal, asked: Asked): Promise<{ agent: string | null; taken: Meeting[] }>;
}

type Asked = Readonly<{
  folder: string;
  paths: readonly string[];
  line: readonly Kin[];
  agentId?: string | undefined;
}>;

type Parts = Readonly<{
  db: Database;
  reservations: Pick<Reservations, 'meeting'>;
  seats: Ground['seats'];
  projects: Pick<ProjectsService, 'workplaces'>;
}>;

/** Told of one commit: more names help nobody to decide. */
const MOST = 100;

export function createGuard({ db, reservations, seats, projects }: Parts): Guard {
  return {
    async ask(who, { folder, paths, line, agentId }) {
      requirePerson(who, 'Saying which processes belong together');
      const agent = (await seats.heardBeside(line))?.name ?? agentId ?? null;
      const { folder: top, project: teamId } = await projects.workplaces.at(folder);
      const met = await db.read((q) => reservations.meeting(q, { root: top ?? folder, teamId, paths }));
      return { agent, taken: met.filter((each) => each.with.agentId !== agent).slice(0, MOST) };
    },
  };
}
