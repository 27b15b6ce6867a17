import type { ExchangeRecord } from './record.ts';

/** Notes as Markdown: a heading and what stands under it is one fact. What Markdown cannot say stands in a comment. */
const META = /<!-- holdfast (\{.*\}) -->\s*$/;
const HEADING = /^(#{1,6})\s+(.+?)\s*#*\s*$/;

export function writeMarkdown(record: ExchangeRecord): string {
  const { title, content, ...meta } = record;
  const safe = content.replace(/^(#{1,6}\s)/gm, '\\$1');
  return `## ${title.replace(/\s+/g, ' ')}\n\n${safe}\n\n<!-- holdfast ${JSON.stringify(meta).replace(/--/g, '-\\u002d')} -->\n`;
}

export function readMarkdown(text: string, name: string): ExchangeRecord[] {
  const { front, body } = splitFront(text.replace(/\r\n/g, '\n'));
  const file = name.replace(/^.*\//, '').replace(/\.\w+$/, '');
  const records: ExchangeRecord[] = [];
  const path: string[] = [];
  let lines: string[] = [];
  let isFenced = false;

  const close = (): void => {
    const section = lines.join('\n').trim();
    lines = [];
    if (section !== '')
      records.push(
        toRecord(path.filter((part) => part !== '').join(' / ') || front.title || file, section, { tags: front.tags, episode: file }),
      );
  };
  for (const line of body.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    const heading = isFenced ? null : HEADING.exec(line);
    if (!heading) {
      lines.push(line);
      continue;
    }
    close();
    path.length = heading[1]!.length - 1;
    for (let i = 0; i < path.length; i++) path[i] ??= '';
    path.push(heading[2]!);
  }
  close();
  return records;
}

function toRecord(title: string, section: string, given: Readonly<{ tags: readonly string[]; episode: string }>): ExchangeRecord {
  const meta = META.exec(section);
  const content = section
    .replace(META, '')
    .trim()
    .replace(/^\\(#{1,6}\s)/gm, '$1');
  const known = meta ? (JSON.parse(meta[1]!) as Partial<ExchangeRecord>) : {};
  return {
    kind: 'fact',
    scopeTeamId: null,
    scopeAgentId: null,
    validTo: null,
    tags: [...given.tags],
    episode: given.episode.slice(0, 200),
    ...known,
    title: title.slice(0, 500),
    content: content.slice(0, 100_000),
  };
}

type Front = Readonly<{ title: string | undefined; tags: readonly string[] }>;

/** Only the two fields notes commonly carry; the rest of a front matter is not a fact. */
function splitFront(text: string): Readonly<{ front: Front; body: string }> {
  const match = /^---\n([\s\S]*?)\n---\n/.exec(text);
  if (!match) return { front: { title: undefined, tags: [] }, body: text };
  const field = (name: string): string | undefined => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(match[1]!)?.[1]?.trim();
  const tags = (field('tags') ?? '')
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((tag) => tag.trim().replace(/^["']|["']$/g, ''))
    .filter((tag) => tag !== '');
  return { front: { title: field('title')?.replace(/^["']|["']$/g, ''), tags }, body: text.slice(match[0].length) };
}
