import type { Approval } from './decision.ts';

export type Args = Readonly<Record<string, unknown>>;

/** What is asked for, read from the summary that the hub wrote. A summary that is no JSON is shown as it stands. */
export function argsOf({ argsSummary }: Pick<Approval, 'argsSummary'>): Args | undefined {
  try {
    return asObject(JSON.parse(argsSummary ?? ''));
  } catch {
    return undefined;
  }
}

const MAIN = ['command', 'cmd', 'file_path', 'path', 'title', 'url', 'pattern', 'query', 'note', 'text'];

/** One line of it. */
export function gist(approval: Pick<Approval, 'argsSummary'>): string {
  const args = argsOf(approval);
  if (!args) return approval.argsSummary ?? '';
  const main = MAIN.map((name) => args[name]).find((value) => typeof value === 'string');
  return typeof main === 'string' ? main.split('\n', 1)[0]! : (approval.argsSummary ?? '');
}

/** Arguments on one line: the only one by itself, several by name. Behind the fold they stand as they were sent. */
export function inWords(summary: string): string {
  const args = Object.entries(argsOf({ argsSummary: summary }) ?? {});
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  if (args.length === 0) return summary === '{}' ? '' : summary;
  if (args.length === 1) return text(args[0]![1]);
  return args.map(([name, value]) => `${name}: ${text(value)}`).join(', ');
}

/** How much fits where: in a list, beside a conversation, in the run that asks. */
const ROOMS = {
  line: { characters: 320, lines: 6 },
  card: { characters: 1_200, lines: 15 },
  run: { characters: 6_000, lines: 120 },
} as const;
export type Room = keyof typeof ROOMS;

/** What fits is decided in its place; of anything longer a person would see only a part. */
export function isShort({ argsSummary }: Pick<Approval, 'argsSummary'>, room: Room): boolean {
  const text = argsSummary ?? '';
  const { characters, lines } = ROOMS[room];
  return text.length <= characters && text.split('\\n').length <= lines && !isCut({ argsSummary });
}

/** The hub leaves out the end of what is only carried, such as a huge file, and says so. */
export function isCut({ argsSummary }: Pick<Approval, 'argsSummary'>): boolean {
  return /… (?:\(\d+ more characters\)|\d+ more)"/.test(argsSummary ?? '');
}

export function commandOf(args: Args): string | undefined {
  const { command, cmd } = args;
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return command.join(' ');
  return typeof command === 'string' ? command : typeof cmd === 'string' ? cmd : undefined;
}

/** `shows`: the arguments that need not be shown again, since all of them is in here. */
export type Edit = Readonly<{
  path: string | undefined;
  before: string;
  after: string;
  shows: readonly string[];
}>;

const BEFORE = ['old_string', 'oldText', 'old_text', 'old'];
const AFTER = ['new_string', 'newText', 'new_text', 'new'];
const PATHS = ['file_path', 'filePath', 'path'];
const CONTENTS = ['content', 'contents', 'text'];

/** What a call would change in files: what goes and what comes, of one edit or of several. */
export function editsOf(args: Args): readonly Edit[] {
  const inner = asObject(args['input']) ?? {};
  const path = valueOf(args, PATHS)?.text;
  const several = [args['edits'], args['content'], inner['edits'], inner['content']].find(Array.isArray);
  const nested = [inner, ...((several ?? []) as unknown[]).map((each) => asObject(each) ?? {})];
  // What lies deeper may have more to it than an edit: there the arguments are shown as they stand, too.
  const deeper = nested.flatMap((each) => editOf(each, path)).map((edit) => ({ ...edit, shows: [] }));
  const own = editOf(args, path);
  return own.length > 0 ? own : deeper.length > 0 ? deeper : writtenOf(args);
}

function editOf(args: Args, path: string | undefined): readonly Edit[] {
  const [before, after] = [valueOf(args, BEFORE), valueOf(args, AFTER)];
  if (!before || !after) return [];
  const at = valueOf(args, PATHS)?.text ?? path;
  return [{ path: at, before: before.text, after: after.text, shows: [before.name, after.name] }];
}

/** A file that would be written as a whole. */
function writtenOf(args: Args): readonly Edit[] {
  const [path, content] = [valueOf(args, PATHS), valueOf(args, CONTENTS)];
  return path && content ? [{ path: path.text, before: '', after: content.text, shows: [content.name] }] : [];
}

/** What "always" would cover, as the hub wrote it: one readable value per argument. */
export function coveredBy({ shape }: Pick<Approval, 'shape'>): readonly (readonly [string, string])[] {
  try {
    const parsed = asObject(JSON.parse(shape)) ?? {};
    return Object.entries(parsed).map(([name, value]) => [name, String(value)]);
  } catch {
    return [['exactly', shape]];
  }
}

function valueOf(args: Args, names: readonly string[]): Readonly<{ name: string; text: string }> | undefined {
  const name = names.find((each) => typeof args[each] === 'string');
  return name === undefined ? undefined : { name, text: args[name] as string };
}

export function asObject(value: unknown): Args | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Args) : undefined;
}
