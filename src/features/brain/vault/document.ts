import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { parseMemory } from '../frontmatter.ts';
import type { VaultMemory } from '../memory.ts';
import { readPlace } from '../rules.ts';
import type { FileText, VaultFiles } from './files.ts';

/** What was found at a path: a memory, a file that cannot be read as one, or nothing. */
export type Document =
  | Readonly<{
      kind: 'memory';
      path: string;
      stamp: string;
      hash: string;
      memory: VaultMemory;
      text: string;
      sources: readonly string[];
    }>
  | Readonly<{ kind: 'problem'; path: string; stamp: string; reason: string }>
  | Readonly<{ kind: 'gone'; path: string }>;

/** `stamp`: what a scan saw, used when the file cannot even be read. */
export async function readDocument(
  files: VaultFiles,
  { path, stamp = '' }: Readonly<{ path: string; stamp?: string }>,
  now: number,
): Promise<Document> {
  try {
    const file = await files.read(path);
    return file === null ? { kind: 'gone', path } : toDocument(path, file, now);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return { kind: 'problem', path, stamp, reason: error.message };
  }
}

function toDocument(path: string, { text, stamp, modifiedAt }: FileText, now: number): Document {
  const problem = (reason: string): Document => ({ kind: 'problem', path, stamp, reason });
  const place = readPlace(path);
  if ('problem' in place) return problem(place.problem);
  if (text.includes('\0')) return problem('the file holds NUL characters');
  const parsed = parseMemory(text);
  if (!parsed.ok) return problem(parsed.problem);
  const { head, body } = parsed;
  // Files made by hand often say nothing of time; the disk does.
  const createdAt = head.created ?? head.updated ?? Math.min(modifiedAt, now);
  const memory: VaultMemory = {
    id: head.id ?? place.id,
    path,
    type: place.type,
    category: place.category,
    name: place.name,
    tags: [...new Set(head.tags)],
    body,
    pinned: head.pinned,
    createdAt,
    updatedAt: head.updated ?? createdAt,
  };
  return { kind: 'memory', path, stamp, hash: hashOf(text), memory, text, sources: head.sources };
}

function hashOf(text: string): string {
  return sha256(text);
}
