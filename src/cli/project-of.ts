import { isAbsolute } from 'node:path';
import type { Project } from '../features/projects/project.ts';
import type { Client } from './client.ts';
import type { Options } from './options.ts';

/** Which team a command is about: `--team`, else the project of its folder, which is made when there is none yet; else none. */
export async function projectOf(client: Client, { team }: Options, folder: string): Promise<string | undefined> {
  if (typeof team === 'string') return team;
  if (!isAbsolute(folder)) return undefined;
  return (await client.call<{ project: Project | null }>('POST', '/api/projects/resolve', { folder })).project?.teamId;
}
