/** A diff as git writes it, read for showing. What is not understood stands as it is. */
export type PatchLine = Readonly<{ sign: ' ' | '+' | '-'; text: string; before?: number; after?: number }>;
type Hunk = Readonly<{ head: string; lines: readonly PatchLine[] }>;
export type PatchFile = Readonly<{
  path: string;
  note: string;
  hunks: readonly Hunk[];
  come: number;
  gone: number;
}>;

export function readPatch(text: string): readonly PatchFile[] {
  const files = text.split(/^diff --git /m).slice(1);
  return files.map(readFile);
}

function readFile(text: string): PatchFile {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const head = first < 0 ? lines : lines.slice(0, first);
  const hunks = first < 0 ? [] : readHunks(lines.slice(first));
  const all = hunks.flatMap(({ lines: each }) => each);
  return {
    path: pathOf(head),
    note: noteOf(head),
    hunks,
    come: all.filter(({ sign }) => sign === '+').length,
    gone: all.filter(({ sign }) => sign === '-').length,
  };
}

function readHunks(lines: readonly string[]): readonly Hunk[] {
  const hunks: { head: string; lines: PatchLine[] }[] = [];
  let [before, after] = [0, 0];
  for (const line of lines) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line);
    if (head) {
      [before, after] = [Number(head[1]), Number(head[2])];
      hunks.push({ head: head[3] ?? '', lines: [] });
      continue;
    }
    const [sign, text] = [line[0], line.slice(1)];
    const into = hunks.at(-1)?.lines;
    if (sign === '+') into?.push({ sign, text, after: after++ });
    else if (sign === '-') into?.push({ sign, text, before: before++ });
    else if (sign === ' ') into?.push({ sign, text, before: before++, after: after++ });
  }
  return hunks;
}

function pathOf(head: readonly string[]): string {
  const named = (mark: string) =>
    head.find((line) => line.startsWith(mark) && !line.endsWith('/dev/null'))?.slice(mark.length + 2);
  return named('+++ ') ?? named('--- ') ?? /^a\/(.*) b\//.exec(head[0] ?? '')?.[1] ?? head[0] ?? '';
}

const NOTES: readonly (readonly [string, string])[] = [
  ['new file', 'new'],
  ['deleted file', 'removed'],
  ['rename from', 'renamed'],
  ['Binary files', 'not text'],
];

function noteOf(head: readonly string[]): string {
  const [, note] = NOTES.find(([mark]) => head.some((line) => line.startsWith(mark))) ?? [];
  return note ?? '';
}
