// Where a session was: its repository and, if there is one, its project. Looked up once in a while: reading makes no project.
import { BoundedMap } from '../../../kernel/bounded-map.ts';
import { isInside } from '../../../kernel/folders.ts';
import { gitPlaceOf } from '../../../kernel/git/place.ts';
import type { ProjectsService } from '../../projects/projects.ts';
import type { SessionSettings } from '../settings.ts';
import type { SessionGround } from './keep.ts';

export interface Locate {
  /** Undefined: the person wants it left out. */
  of(folder: string | undefined): Promise<SessionGround | undefined>;
  /** The project of a folder now. */
  projectOf(folder: string): Promise<string | null>;
}

const MOST = 5_000;
const LOOK_AGAIN_MS = 60_000;
const NOWHERE: SessionGround = { ground: '', project: null };

export function createLocate(
  find: ProjectsService['find'],
  { exclude }: Pick<SessionSettings, 'exclude'>,
): Locate {
  const known = new BoundedMap<string, SessionGround & Readonly<{ until: number }>>(MOST);

  async function look(folder: string): Promise<SessionGround> {
    const kept = known.get(folder);
    if (kept && performance.now() < kept.until) return kept;
    // A folder that is gone is still where it was.
    const place = await gitPlaceOf(folder).catch(() => undefined);
    const project = await find(folder).catch(() => undefined);
    const ground =
      place === undefined ? folder : place.isOwn || place.top === undefined ? place.common : place.top;
    const found = { ground, project: project?.teamId ?? null };
    known.set(folder, { ...found, until: performance.now() + LOOK_AGAIN_MS });
    return found;
  }

  return {
    async of(folder) {
      if (folder === undefined || !folder.startsWith('/')) return NOWHERE;
      if (exclude.folders.some((each) => isInside(each, folder))) return undefined;
      const found = await look(folder);
      return found.project !== null && exclude.projects.includes(found.project) ? undefined : found;
    },
    projectOf: async (folder) => (await look(folder)).project,
  };
}
