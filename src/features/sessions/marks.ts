// What filters ask for, as words of the index: short, since a million turns have them. What is found is verified on the row.
import { basename } from 'node:path/posix';
import { sha256 } from '../../kernel/digest.ts';

const short = (text: string): string => sha256(text).slice(0, 10);

export const marks = {
  ground: (ground: string): string => `g${short(ground)}`,
  project: (project: string): string => `p${short(project)}`,
  client: (client: string): string => `k${client.toLowerCase().replace(/[^a-z0-9]/g, '')}`,
  tool: (tool: string): string => `t${short(tool.toLowerCase())}`,
  error: 'e1',
  /** Files are asked for by their end, so their last name is what is looked up. */
  file: (path: string): string => `f${short(basename(path.replaceAll('\\', '/')).toLowerCase())}`,
  commit: (hash: string): string => `c${hash.slice(0, 7).toLowerCase()}`,
};

/** `[main 1a2b3c4] what was done`, as git tells of a commit it made. */
const COMMITTED = /^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] /gm;

export function commitsIn(text: string): readonly string[] {
  return text.includes('] ') ? [...new Set([...text.matchAll(COMMITTED)].map(([, hash]) => hash!))] : [];
}

/** The path as it is asked for: the same, or the end of it from a `/` on. */
export function isFile(path: string, asked: string): boolean {
  const [have, want] = [path, asked].map((each) =>
    each.replaceAll('\\', '/').toLowerCase().replace(/^\.\//, ''),
  );
  return have === want || have!.endsWith(`/${want!.replace(/^\/+/, '')}`);
}
