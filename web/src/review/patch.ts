/** The lines of a patch as git writes it, read for showing. What is not understood stands as it is. */
export type PatchLine = Readonly<{
  sign: ' ' | '+' | '-';
  text: string;
  before?: number;
  after?: number;
  /** The last one of its file, with nothing that ends it. */
  isUnended?: boolean;
}>;
export type Hunk = Readonly<{ head: string; before: number; after: number; lines: readonly PatchLine[] }>;

export function readHunks(patch: string): readonly Hunk[] {
  const hunks: { head: string; before: number; after: number; lines: PatchLine[] }[] = [];
  let [before, after] = [0, 0];
  for (const line of patch.split('\n')) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/.exec(line);
    if (head) {
      [before, after] = [Number(head[1]), Number(head[2])];
      hunks.push({ head: head[3] ?? '', before, after, lines: [] });
      continue;
    }
    const [sign, text] = [line[0], line.slice(1)];
    const into = hunks.at(-1)?.lines;
    if (sign === '+') into?.push({ sign, text, after: after++ });
    else if (sign === '-') into?.push({ sign, text, before: before++ });
    else if (sign === ' ') into?.push({ sign, text, before: before++, after: after++ });
    else if (sign === '\\' && into?.length) into.push({ ...into.pop()!, isUnended: true });
  }
  return hunks;
}

/** Lines between hunks that nobody has asked for yet; `count` is unknown at the end of a file that was not read. */
export type Gap = Readonly<{ key: number; from: number; count: number | undefined; head: string }>;
export type Row = Readonly<{ line: PatchLine } | { gap: Gap }>;
/** How many lines of a gap are shown, from its top and from its end. */
export type Opened = Readonly<Record<number, Readonly<{ top: number; end: number }>>>;

/** What is shown of a file: its hunks, and of what lies between them as much as was asked for. */
export function rowsOf(
  hunks: readonly Hunk[],
  text: readonly string[] | undefined,
  opened: Opened,
): readonly Row[] {
  const rows: Row[] = [];
  let [after, before] = [1, 1];
  const between = (key: number, to: number | undefined, head: string) => {
    const count = to === undefined ? undefined : to - after;
    const { top = 0, end = 0 } = text ? (opened[key] ?? {}) : {};
    const from = after;
    const context = (at: number): Row => ({
      line: { sign: ' ', text: text?.[at - 1] ?? '', after: at, before: at - from + before },
    });
    if (count === undefined || (count > 0 && (!text || top + end < count))) {
      const shown = Math.min(top, count ?? top);
      for (let at = from; at < from + shown; at += 1) rows.push(context(at));
      const hidden = count === undefined ? undefined : count - shown - end;
      rows.push({ gap: { key, from: from + shown, count: hidden, head } });
      if (to !== undefined) for (let at = to - end; at < to; at += 1) rows.push(context(at));
    } else for (let at = from; at < from + count; at += 1) rows.push(context(at));
  };
  for (const [key, hunk] of hunks.entries()) {
    // A hunk that only takes away begins after the line it names.
    const start = hunk.lines.some(({ after: at }) => at !== undefined) ? hunk.after : hunk.after + 1;
    between(key, start, hunk.head);
    rows.push(...hunk.lines.map((line) => ({ line })));
    after = start + hunk.lines.filter(({ sign }) => sign !== '-').length;
    before = hunk.before + hunk.lines.filter(({ sign }) => sign !== '+').length;
  }
  const whole = text && (text.at(-1) === '' ? text.length - 1 : text.length);
  if (whole === undefined || after <= whole)
    between(hunks.length, whole === undefined ? undefined : whole + 1, '');
  return rows;
}

/** What has to be opened for a line that lies between hunks: from whichever end of the gap is nearer. */
export function openedFor(rows: readonly Row[], line: number, opened: Opened): Opened | undefined {
  for (const row of rows) {
    if (!('gap' in row) || row.gap.count === undefined) continue;
    const { key, from, count } = row.gap;
    if (line < from || line >= from + count) continue;
    const { top, end } = opened[key] ?? { top: 0, end: 0 };
    const [below, above] = [line - from + 1, from + count - line];
    const more = below <= above ? { top: top + below + NEAR, end } : { top, end: end + above + NEAR };
    return { ...opened, [key]: more };
  }
  return undefined;
}

/** Lines that are shown around one that was asked for. */
const NEAR = 3;

export type Pair = Readonly<{ left?: PatchLine | undefined; right?: PatchLine | undefined }>;

/** Side by side: what goes beside what comes in its place. */
export function pairsOf(lines: readonly PatchLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.sign === ' ') {
      pairs.push({ left: line, right: line });
      at += 1;
      continue;
    }
    const gone = run(lines, at, '-');
    const come = run(lines, at + gone.length, '+');
    for (let each = 0; each < Math.max(gone.length, come.length); each += 1)
      pairs.push({ left: gone[each], right: come[each] });
    at += gone.length + come.length;
  }
  return pairs;
}

function run(lines: readonly PatchLine[], from: number, sign: PatchLine['sign']): readonly PatchLine[] {
  let to = from;
  while (lines[to]?.sign === sign) to += 1;
  return lines.slice(from, to);
}

/** One name for a line, whichever way it is shown. */
export function keyOf({ sign, after, before }: PatchLine): string {
  return sign === '-' ? `b${before}` : `a${after}`;
}
