// What git prints of a difference, cut into files.
import { piecesOf } from '../../kernel/git/pieces.ts';
import type { ReviewFile } from './shapes.ts';

/** So much of one file comes along, and so much of all of them; what is longer is asked for by itself. */
const LONGEST_FILE = 256 * 1024;
const LONGEST_WHOLE = 3 * 1024 * 1024;

export function filesOf(text: string): ReviewFile[] {
  let left = LONGEST_WHOLE;
  const found = piecesOf(text, /diff --git /)
    .filter((each) => each.startsWith('diff --git '))
    .map((each) => {
      const isShort = each.length <= Math.min(LONGEST_FILE, left);
      if (isShort) left -= each.length;
      return { ...fileOf(each), patch: isShort ? each : null };
    });
  return found.reduce<ReviewFile[]>(withTypeChange, []);
}

/** A file that becomes a link is taken away and made anew by git: to whoever reads it is one file. */
function withTypeChange(all: ReviewFile[], file: ReviewFile): ReviewFile[] {
  const last = all.at(-1);
  if (last?.kind !== 'removed' || file.kind !== 'added' || last.path !== file.path) return [...all, file];
  const both: ReviewFile = {
    ...file,
    kind: 'changed',
    modeBefore: last.mode,
    binary: last.binary || file.binary,
    gone: last.gone,
    mark: `${last.mark} ${file.mark}`,
    patch: last.patch === null || file.patch === null ? null : `${last.patch}${file.patch}`,
  };
  return [...all.slice(0, -1), both];
}

function fileOf(text: string): Omit<ReviewFile, 'patch'> {
  const body = text.search(/(?<=\n)@@ /);
  const head = (body < 0 ? text : text.slice(0, body)).split('\n');
  const after = (mark: string) => head.find((line) => line.startsWith(mark))?.slice(mark.length);
  const [from, to] = [after('rename from '), after('rename to ')].map((path) => path && plain(path));
  const isAdded = after('new file mode') !== undefined;
  const isRemoved = after('deleted file mode') !== undefined;
  const lines = body < 0 ? [] : text.slice(body).split('\n');
  const [index = '', same] = (after('index ') ?? '').split(' ');
  const mode = after('new mode ') ?? after('new file mode ') ?? after('deleted file mode ') ?? same;
  const before = after('old mode ');
  return {
    path: to ?? nameOf(head, isRemoved),
    from: from ?? null,
    kind: isAdded ? 'added' : isRemoved ? 'removed' : from === undefined ? 'changed' : 'renamed',
    binary: head.some((line) => line.startsWith('Binary files ')),
    come: lines.filter((line) => line.startsWith('+')).length,
    gone: lines.filter((line) => line.startsWith('-')).length,
    mode: modeOf(mode),
    modeBefore: before === undefined ? null : modeOf(before),
    mark: [index, from ?? '', mode ?? ''].join(' '),
  };
}

function nameOf(head: readonly string[], isRemoved: boolean): string {
  const mark = isRemoved ? '--- ' : '+++ ';
  const named = head.find((line) => line.startsWith(mark))?.slice(mark.length);
  if (named !== undefined) return plain(named).slice(2);
  // Both halves say the same where nothing was renamed.
  const both = head[0]!.slice('diff --git '.length);
  return plain(both.slice((both.length + 1) / 2)).slice(2);
}

/** What a path can be, by the numbers of git. */
const MODES: Readonly<Record<string, ReviewFile['mode']>> = {
  '100755': 'program',
  '120000': 'link',
  '160000': 'submodule',
};

const modeOf = (mode: string | undefined): ReviewFile['mode'] => MODES[mode ?? ''] ?? 'file';

const SIGNS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** git quotes what has quotes or control characters in its name, and ends a name with spaces by a tab. */
function plain(path: string): string {
  const bare = path.replace(/\t$/, '');
  if (!bare.startsWith('"')) return bare;
  return bare
    .slice(1, -1)
    .replace(/\\(\d{3}|.)/g, (_, sign: string) =>
      sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (SIGNS[sign] ?? sign),
    );
}
