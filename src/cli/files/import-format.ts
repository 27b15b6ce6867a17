import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { HubError } from '../../kernel/errors.ts';

export const FORMATS = [
  'hub',
  'board',
  'checklist',
  'csv',
  'beads',
  'taskmaster',
  'github',
  'vibe-kanban',
  'notes',
] as const;
export type Format = (typeof FORMATS)[number];

const LOOKED_AT = 65_536;

/** What a file is, by its name and its first lines. A guess that would be wrong in silence is not made. */
export function formatOf(file: string): Format {
  if (file === '-') return 'board';
  const name = basename(file).toLowerCase();
  if (/\.(md|markdown|mdc|txt)$/.test(name)) return isChecklist(name, startOf(file)) ? 'checklist' : 'notes';
  if (name.endsWith('.csv')) return 'csv';
  const start = startOf(file);
  // Of those that are known here, only the export of vibe-kanban is an archive.
  if (start.startsWith('PK\u0003\u0004')) return 'vibe-kanban';
  const first = start.slice(0, start.indexOf('\n') === -1 ? undefined : start.indexOf('\n'));
  if (first.startsWith('{"holdfast":"hub"')) return 'hub';
  if (/^\{"type":"(archive|task|link|label|comment|check|evidence)"/.test(first)) return 'board';
  if (/"kind":"(fact|procedure)"/.test(first)) return 'notes';
  if (name === 'tasks.json' && /"(subtasks|testStrategy|dependencies)"/.test(start)) return 'taskmaster';
  if (isIssue(first)) return 'beads';
  if (/^\s*\[/.test(start) && /"number"\s*:\s*\d/.test(start)) return 'github';
  if (/"(subtasks|testStrategy)"/.test(start)) return 'taskmaster';
  if (/"(project_id|status_id)"/.test(start)) return 'vibe-kanban';
  throw new HubError('invalid', `${file} is not a file this command knows.`, {
    hint: `Say what it is with --from: ${FORMATS.join(', ')}.`,
  });
}

/** By its name and one box, or because boxes are most of what it has: notes may have a few of them. */
function isChecklist(name: string, start: string): boolean {
  const lines = start.split(/\r\n|\r|\n/).filter((line) => /^\s*[^\s#]/.test(line));
  const boxes = lines.filter((line) => /^\s*(?:[-*+]|\d+[.)])\s+\[.\]\s/u.test(`${line} `)).length;
  return boxes > 0 && (/todo|task|backlog|checklist/.test(name) || boxes * 2 >= lines.length);
}

/** One line that is one issue by itself; the answer of an API in one line holds its issues deeper. */
function isIssue(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null || !('title' in value)) return false;
    return 'issue_type' in value || 'created_at' in value;
  } catch {
    // Longer than what was looked at, or no JSON at all.
    return /^\{"id":"[^"]*","title":"/.test(line);
  }
}

function startOf(file: string): string {
  if (statSync(file).isDirectory())
    throw new HubError('invalid', `${file} is a folder.`, { hint: 'Name a file in it.' });
  const fd = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(LOOKED_AT);
    return bytes.toString('utf8', 0, readSync(fd, bytes)).replace(/^\uFEFF/, '');
  } finally {
    closeSync(fd);
  }
}
