import { HubError } from '../../kernel/errors.ts';
import { splitFront } from './front-matter.ts';
import { checkRecord, type ExchangeRecord } from './record.ts';

/**
 * Notes as Markdown: a heading and what stands under it is one fact. What Markdown cannot say stands in a comment, the
 * last line of a section of ours. What is written is read back exactly; markdown.test.ts tries it with nasty texts.
 */
const HEADING = /^(#{1,6})\s+(.+?)(?:\s+#+)?\s*$/;
const COMMENT = /^<!-- holdfast (\{.*) -->\s*$/s;
const OPENING = /^\s*(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSING = /^\s*(`{3,}|~{3,})\s*$/;
const IS_HEADING_OR_COMMENT = /^(?:#{1,6}\s|<!-- holdfast \{)/;

export function writeMarkdown(record: ExchangeRecord): string {
  const { title, content, ...meta } = record;
  const heading = showTitle(title);
  const shown = showContent(content);
  // Where the page cannot show it exactly, the comment has it as well.
  const exact = {
    ...(readTitle(heading) !== title && { title }),
    ...(unescapeLines(shown) !== content && { content }),
  };
  const comment = JSON.stringify({ ...meta, ...exact }).replace(/--/g, '-\\u002d');
  return `${heading}\n\n${shown}\n\n<!-- holdfast ${comment} -->\n`;
}

function showTitle(title: string): string {
  return `## ${title.replace(/\s+/g, ' ').trim() || 'untitled'}`;
}

function readTitle(line: string): string | undefined {
  return HEADING.exec(line)?.[2];
}

function showContent(content: string): string {
  return escapeLines(withPlainLines(content).trim());
}

function withPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** The fence that is open after this line. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  if (open === undefined) return OPENING.exec(line)?.[1];
  return CLOSING.exec(line)?.[1]?.startsWith(open) ? undefined : open;
}

/** Code stays as it is; a fence that nobody closes is none. */
function escapeLines(text: string): string {
  const lines = text.split('\n');
  const isOpenEnded = lines.reduce(fenceAfter, undefined as string | undefined) !== undefined;
  const needsEscape = (line: string): boolean =>
    IS_HEADING_OR_COMMENT.test(line) || isEscaped(line) || (isOpenEnded && OPENING.test(line));
  const escape = (line: string): string => (needsEscape(line) ? `\\${line}` : line);
  return isOpenEnded ? lines.map(escape).join('\n') : mapOutsideFences(lines, escape).join('\n');
}

function unescapeLines(text: string): string {
  return mapOutsideFences(text.split('\n'), (line) => (isEscaped(line) ? line.slice(1) : line)).join('\n');
}

function isEscaped(line: string): boolean {
  const bare = line.replace(/^\\+/, '');
  return bare !== line && (IS_HEADING_OR_COMMENT.test(bare) || OPENING.test(bare));
}

function mapOutsideFences(lines: readonly string[], change: (line: string) => string): string[] {
  let open: string | undefined;
  return lines.map((line) => {
    const wasOpen = open !== undefined;
    open = fenceAfter(open, line);
    return wasOpen || open !== undefined ? line : change(line);
  });
}

type Section = {
  /** Its line in the file, from 1. */
  at: number;
  /** The headings it stands under, its own last. */
  path: readonly string[];
  heading: string;
  lines: string[];
  comments: { at: number; line: string }[];
};

export function readMarkdown(text: string, name: string): ExchangeRecord[] {
  const { front, body, skipped } = splitFront(withPlainLines(text));
  const file = name.replace(/^.*[/\\]/, '').replace(/\.\w+$/, '');
  return sectionsOf(body, skipped + 1, name).flatMap((section) => {
    const [comment] = section.comments;
    if (comment) return [readOwn(section, comment, name)];
    const content = section.lines.join('\n').trim();
    if (content === '') return [];
    const title = section.path.filter((part) => part !== '').join(' / ') || front.title || file;
    const where = sectionName(section, name);
    return [
      checkRecord({ kind: 'fact', title, content, tags: front.tags, episode: name.slice(-200) }, where),
    ];
  });
}

function sectionName({ at, heading }: Section, name: string): string {
  return `${name}:${at}${heading === '' ? '' : ` (${heading.slice(0, 100)})`}`;
}

function sectionsOf(body: string, firstLine: number, name: string): Section[] {
  let section: Section = { at: firstLine, path: [], heading: '', lines: [], comments: [] };
  const sections = [section];
  let fence: { mark: string; at: number; hidesComment: boolean } | undefined;
  body.split('\n').forEach((line, i) => {
    const at = firstLine + i;
    const heading = fence ? null : HEADING.exec(line);
    if (heading) {
      const above = Array.from({ length: heading[1]!.length - 1 }, (_, level) => section.path[level] ?? '');
      section = { at, path: [...above, heading[2]!], heading: line, lines: [], comments: [] };
      sections.push(section);
      return;
    }
    section.lines.push(line);
    const isComment = line.startsWith('<!-- holdfast {');
    if (isComment && !fence) section.comments.push({ at, line });
    const mark = fenceAfter(fence?.mark, line);
    fence =
      mark === undefined
        ? undefined
        : { mark, at: fence?.at ?? at, hidesComment: isComment || fence?.hidesComment === true };
  });
  if (fence?.hidesComment) throw swallowed(`${name}:${fence.at}`);
  return sections;
}

/** In a file of ours it would make one fact of all that follow, and show it to everybody. */
function swallowed(where: string): HubError {
  return new HubError(
    'invalid',
    `${where} opens a code block that nothing closes, and records of holdfast follow.`,
    { hint: 'Close the code block, or put a backslash before the line.' },
  );
}

/** A comment that was damaged is refused, not skipped: it may be what keeps the fact inside its tenant. */
function readOwn(section: Section, comment: Section['comments'][number], name: string): ExchangeRecord {
  const text = section.lines.join('\n').trim();
  const where = `${name}:${comment.at}`;
  if (section.comments.length > 1 || !text.endsWith(comment.line.trim()))
    throw new HubError(
      'invalid',
      `${where} is a holdfast comment that is not the last line under its heading.`,
      { hint: 'Move what follows it to before it, or put a heading between them.' },
    );
  const meta = parseComment(comment.line, where);
  const shown = text.slice(0, -comment.line.trim().length).trim();
  const heading = readTitle(section.heading) ?? '';
  // An edit of the page counts: what the comment has is taken only for what the page shows of it.
  const title =
    isText(meta['title']) && showTitle(meta['title']).trim() === section.heading.trim()
      ? meta['title']
      : heading;
  const content =
    isText(meta['content']) && showContent(meta['content']) === shown
      ? meta['content']
      : unescapeLines(shown);
  return checkRecord({ ...meta, title, content }, where);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function parseComment(line: string, where: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(COMMENT.exec(line)?.[1] ?? '') as Record<string, unknown>;
  } catch (cause) {
    throw new HubError('invalid', `${where} is a holdfast comment that cannot be read.`, {
      hint: 'Mend it, or remove the line.',
    }).because(cause);
  }
}
