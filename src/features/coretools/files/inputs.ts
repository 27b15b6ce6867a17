import { z } from 'zod';
import type { SeenVersions } from './seen.ts';
import type { CallFacts } from '../../broker/broker.ts';
import type { Workplace } from '../../projects/projects.ts';
import type { Workspace } from '../../../kernel/workspace.ts';

/** What the file tools share: where they work, what callers have seen, and the arguments all of them take. */
export type FileParts = Readonly<{ workspace(place: Workplace): Promise<Workspace>; seen: SeenVersions }>;

export const path = z.string().min(1).max(4_096).describe('A path inside the workspace.');
export const cwd = z
  .string()
  .min(1)
  .max(4_096)
  .optional()
  .describe('What relative paths start from; the workspace unless given.');
export const unsafe = z.boolean().optional().describe('Change the file without having read it.');
export const expectedHash = z.string().max(64).optional().describe('file_hash of the version you have read.');
/** Whoever may change a file has to have read it; to change it unread is allowed for itself. */
export function unreadOf(
  args: Readonly<{ unsafe_overwrite_without_read?: boolean | undefined }>,
): Readonly<Record<string, string>> {
  return args.unsafe_overwrite_without_read ? { unread: 'yes' } : {};
}

/** Where a call with a path and a folder it starts from really leads. */
export async function placesOf(
  space: Workspace,
  args: Readonly<{ path: string; cwd?: string | undefined }>,
): Promise<CallFacts> {
  const cwd = args.cwd === undefined ? '.' : (await space.locate(args.cwd)).name;
  return { path: (await space.locate(args.path, args.cwd)).name, cwd, workspace: space.root };
}

export const common = { scope: 'tools:call', source: 'core', isVerbatim: true } as const;
