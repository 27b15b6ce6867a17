// What git prints of a difference, cut into files.
import type { ReviewFile } from './shapes.ts';

/** So much of one file comes along, and so much of all of them; what is longer is asked for by itself. */
const LONGEST_FILE = 256 * 1024;
const LONGEST_WHOLE = 3 * 1024 * 1024;

export function filesOf(text: string): ReviewFile[] {
  let left = LONGEST_WHOLE;
  // A line of a file begins with a sign, so that no content can look like the beginning of another file.
  return text
    .split(/^(?=diff --git )/m)
    .filter((each) => each.startsWith('diff --git '))
    .map((each) => {
      const isShort = each.length <= Math.min(LONGEST_FILE, left);
      if (isShort) left -= each.length;
      return { ...fileOf(each), patch: isShort ? each : null };
    });
}

function fileOf(text: string): Omit<ReviewFile, 'patch'> {
  const body = text.search(/^@@ /m);
  const head = (body < 0 ? text : text.slice(0, body)).split('\n');
  const after = (mark: string) => head.find((line) => line.startsWith(mark))?.slice(mark.length);
  const [from, to] = [after('rename from '), after('rename to ')].map((path) => path && plain(path));
  const isAdded = after('new file mode') !== undefined;
  const isRemoved = after('deleted file mode') !== undefined;
  const lines = body < 0 ? [] : text.slice(body).split('\n');
  return {
    path: to ?? nameOf(head, isRemoved),
    from: from ?? null,
    kind: isAdded ? 'added' : isRemoved ? 'removed' : from === undefined ? 'changed' : 'renamed',
    binary: head.some((line) => line.startsWith('Binary files ')),
    come: lines.filter((line) => line.startsWith('+')).length,
    gone: lines.filter((line) => line.startsWith('-')).length,
    mark: (after('index ') ?? `${from} ${to} ${after('new mode ')}`).split(' ')[0]!,
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

const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', '\\': '\\' };

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
