// `.holdfast/board.jsonl` in a repository: found, read and replaced, and never anything outside of it.
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type BoardLine, foldFields, readLine, writeLine } from '../../features/board/travel/line.ts';
import { cannotWrite } from '../../kernel/cannot-write.ts';
import { HubError } from '../../kernel/errors.ts';
import { type GitPlace, gitPlaceOf } from '../../kernel/git/place.ts';
import { redact } from '../../kernel/redact.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { TRAVEL_FILE, TRAVEL_FOLDER } from './travel-name.ts';

const MOST_BYTES = 64 * 1024 * 1024;
/** Built into git: where two branches changed a line, both stay, and the next sync makes one of them. */
const ATTRIBUTES = 'board.jsonl merge=union text eol=lf';

export type TravelPlace = Readonly<{ place: GitPlace; top: string; file: string }>;

/** The repository that one works in. Its folder must be a folder and its file a file: a link could lead anywhere. */
export async function travelPlace(cwd: string, home: string): Promise<TravelPlace> {
  const place = await gitPlaceOf(cwd);
  const top = place?.top;
  if (!place || top === undefined)
    throw new HubError('invalid', 'A board travels in a git repository, and this folder is in none.', {
      hint: 'Go to the repository of the project first.',
    });
  const folder = join(top, TRAVEL_FOLDER);
  if (existsSync(folder) && existsSync(home) && realpathSync(folder) === realpathSync(home))
    throw new HubError(
      'forbidden',
      `${folder} is the home of this hub, with its keys: no board travels in it.`,
    );
  requireKind(folder, 'folder');
  requireKind(join(top, TRAVEL_FILE), 'file');
  return { place, top, file: join(top, TRAVEL_FILE) };
}

function requireKind(path: string, kind: 'folder' | 'file'): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || (kind === 'folder' ? found.isDirectory() : found.isFile())) {
    if (kind === 'folder' || !found || found.size <= MOST_BYTES) return;
    throw new HubError('too_large', `${path} has more than ${MOST_BYTES / 1024 / 1024} MB.`);
  }
  throw new HubError('forbidden', `${path} is no ${kind} of this repository; nothing was read or written.`, {
    hint: 'Remove what stands there, and sync again.',
  });
}

type Broken = Readonly<{ number: number; text: string; problem: string }>;

export type TravelText = Readonly<{
  /** Undefined: there is no file yet. */
  text: string | undefined;
  byId: ReadonlyMap<string, readonly BoardLine[]>;
  broken: readonly Broken[];
  /** Of a merge that git left to people: the lines of all sides count. */
  markers: number;
}>;

const MARKER = /^(?:<{7}|={7}|>{7}|\|{7})(?:\s|$)/;
const utf8 = new TextDecoder('utf-8', { fatal: true });

export function readTravel({ file }: TravelPlace): TravelText {
  const bytes = existsSync(file) ? readFileSync(file) : undefined;
  const text = bytes && decode(bytes, file);
  const byId = new Map<string, BoardLine[]>();
  const broken: Broken[] = [];
  let markers = 0;
  (text ?? '').split(/\r?\n/).forEach((line, i) => {
    if (line.trim() === '') return;
    const read = MARKER.test(line) ? undefined : readLine(line);
    if (read === undefined) markers += 1;
    else if ('problem' in read) broken.push({ number: i + 1, text: line, problem: read.problem });
    else byId.set(read.id, [...(byId.get(read.id) ?? []), read]);
  });
  return { text, byId, broken, markers };
}

function decode(bytes: Uint8Array, file: string): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw new HubError('invalid', `${file} is not UTF-8.`, {
      hint: 'Bring back a version of it that is: git log .holdfast/board.jsonl',
    }).because(error);
  }
}

/** All lines of a task together, and a parent before its children: the hub makes tasks in the order in which it learns of them. */
export function inOrder({ byId }: TravelText): string[][] {
  const now = Date.now();
  const parentOf = (id: string) => {
    const lines = byId.get(id);
    if (lines === undefined) return undefined;
    const parent = foldFields(
      lines.map(({ fields }) => fields),
      now,
    )['parentTaskId']?.[0];
    return typeof parent === 'string' ? parent : undefined;
  };
  const depths = new Map<string, number>();
  const depthOf = (id: string): number => {
    const line = new Set<string>();
    let at: string | undefined = id;
    while (at !== undefined && byId.has(at) && !depths.has(at) && !line.has(at)) {
      line.add(at);
      at = parentOf(at);
    }
    let depth = at === undefined ? 0 : (depths.get(at) ?? 0);
    for (const each of [...line].reverse()) depths.set(each, (depth += 1));
    return depths.get(id)!;
  };
  return [...byId.keys()]
    .map((id) => ({ id, depth: depthOf(id) }))
    .sort((a, b) => a.depth - b.depth || (a.id < b.id ? -1 : 1))
    .map(({ id }) => byId.get(id)!.map(writeWhole));
}

/** With everything that a dropped task still says: what counts is for the hub to decide. */
function writeWhole({ id, fields }: BoardLine): string {
  return JSON.stringify({ id, v: 1, fields });
}

/** One line of what is nothing to the board here. */
export function foldLines(lines: readonly BoardLine[], now: number): string {
  return writeLine({
    id: lines[0]!.id,
    fields: foldFields(
      lines.map(({ fields }) => fields),
      now,
    ),
  });
}

/** What cannot be read stays at the end, until somebody mends it. Answers whether anything changed. */
export function writeTravel(at: TravelPlace, before: TravelText, lines: readonly string[]): boolean {
  const whole = [...lines, ...before.broken.map(({ text }) => redact(text))]
    .map((line) => `${line}\n`)
    .join('');
  if (whole === (before.text ?? '')) return addAttributes(at);
  try {
    mkdirSync(join(at.top, TRAVEL_FOLDER), { recursive: true });
    requireKind(join(at.top, TRAVEL_FOLDER), 'folder');
    requireKind(at.file, 'file');
    const now = existsSync(at.file) ? readFileSync(at.file, 'utf8') : undefined;
    if (now !== before.text)
      throw new HubError('conflict', `${at.file} was changed meanwhile.`, { hint: 'Sync again.' });
    replaceFile(at.file, whole, 0o644);
  } catch (error) {
    throw error instanceof HubError ? error : cannotWrite(at.file, error);
  }
  addAttributes(at);
  return true;
}

/** Beside the file, in our own folder: the attributes of the repository are left to its owner. */
function addAttributes({ top }: TravelPlace): boolean {
  const file = join(top, TRAVEL_FOLDER, '.gitattributes');
  if (!existsSync(join(top, TRAVEL_FOLDER))) return false;
  requireKind(file, 'file');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (/^board\.jsonl\s(?:.*\s)?merge=union(?:\s|$)/m.test(text)) return false;
  replaceFile(file, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${ATTRIBUTES}\n`, 0o644);
  return true;
}
