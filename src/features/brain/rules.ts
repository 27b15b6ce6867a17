import { HubError } from '../../kernel/errors.ts';
import { isOnlyRedacted, redact } from '../../kernel/redact.ts';
import { CATEGORIES, type MemoryType } from './memory.ts';

/** Names, ids and places. An id says the place and a place says the id; nothing a caller writes can lead out of the vault. */
const MAX_NAME = 80;
export const MAX_CONTENT = 1_000_000;

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** Files of these names cannot be opened, or are something else, on Windows. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/;
const TAG = /^[\p{Ll}\p{Lo}\p{M}\p{N}][\p{Ll}\p{Lo}\p{M}\p{N}._+#/-]{0,59}$/u;
const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export function nameProblem(name: string): string | undefined {
  if (name.length > MAX_NAME) return `must have at most ${MAX_NAME} characters, got ${name.length}`;
  if (!SLUG.test(name))
    return 'must be kebab-case: a-z, 0-9 and single hyphens between them, such as alice-chen';
  if (DEVICES.test(name)) return 'is the name of a device on Windows; choose another';
  if (redact(name) !== name) return 'looks like a secret; choose another';
  return undefined;
}

/** A secret is not even a tag. */
export function isTag(tag: string): boolean {
  return TAG.test(tag) && redact(tag) === tag;
}

/** Where a memory is kept. The month of an episode comes from the clock, in UTC. */
export function placeFor(
  memory: Readonly<{ type: MemoryType; category: string; name: string }>,
): Readonly<{ id: string; path: string }> {
  const { type, category, name } = memory;
  return type === 'entity'
    ? { id: `entity-${category}-${name}`, path: `entities/${category}/${name}.md` }
    : { id: `episode-${category}-${name}`, path: `episodes/${category}/${name}.md` };
}

/** The other way round; undefined for an id that somebody gave by hand. */
export function pathOfId(id: string): string | undefined {
  const [, entity, entityName] = /^entity-(people|projects|preferences)-([a-z0-9-]+)$/.exec(id) ?? [];
  if (entity !== undefined) return `entities/${entity}/${entityName}.md`;
  const [, month, episodeName] = /^episode-(\d{4}-\d{2})-([a-z0-9-]+)$/.exec(id) ?? [];
  return month === undefined ? undefined : `episodes/${month}/${episodeName}.md`;
}

export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

const SHELVES: Readonly<Record<string, MemoryType>> = { entities: 'entity', episodes: 'episode' };

export type MemoryPlace = Readonly<{ type: MemoryType; category: string; name: string; id: string }>;

/** What a path inside the vault says about the memory there, or why it can be none. */
export function readPlace(path: string): MemoryPlace | Readonly<{ problem: string }> {
  const [shelf = '', folder = '', file, ...rest] = path.split('/');
  const type = Object.hasOwn(SHELVES, shelf) ? SHELVES[shelf] : undefined;
  if (type === undefined || file === undefined || rest.length > 0) {
    return { problem: 'memories lie in entities/<category>/ or episodes/<YYYY-MM>/, no deeper' };
  }
  const category = folder.toLowerCase();
  if (type === 'entity' && !(CATEGORIES as readonly string[]).includes(category)) {
    return { problem: `unknown category ${JSON.stringify(folder)}; known: ${CATEGORIES.join(', ')}` };
  }
  if (type === 'episode' && !MONTH.test(category))
    return { problem: 'episodes lie in folders named YYYY-MM' };
  const name = file.replace(/\.md$/i, '');
  const words = wordsOf(name);
  if (words === '') return { problem: 'the file name has no letter or digit to make an id from' };
  return { type, category, name, id: `${type}-${category}-${words}` };
}

/** The nearest kebab-case, for names that we give. */
export function slugOf(text: string): string {
  return hyphenate(unaccented(text), /[^a-z0-9]+/g);
}

/** The same for the ids of files that people have named, in whatever script they write. */
function wordsOf(text: string): string {
  return hyphenate(unaccented(text).normalize('NFC'), /[^\p{L}\p{M}\p{N}]+/gu);
}

function unaccented(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '');
}

function hyphenate(text: string, between: RegExp): string {
  return text
    .replace(between, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '');
}

export function archivePath(path: string, suffix = ''): string {
  return `archive/${path.replace(/\.md$/i, '')}${suffix}.md`;
}

export function homeOf(archived: string): string {
  return archived.replace(/^archive\//, '');
}

/** What may be written down at all. Secrets are taken out; text that was nothing else is declined. */
export function scrubContent(content: string): string {
  if (content.length > MAX_CONTENT) {
    throw new HubError(
      'too_large',
      `content must have at most ${MAX_CONTENT} characters, got ${content.length}.`,
      { hint: 'Store several smaller memories, each about one thing.' },
    );
  }
  const scrubbed = redact(content);
  if (isOnlyRedacted(scrubbed)) {
    throw new HubError('invalid', 'nothing to store: content was entirely redacted secrets', {
      hint: 'Store what should be remembered without the secret itself, for example where it is kept.',
    });
  }
  return scrubbed;
}

export function notFound(id: string): HubError {
  return new HubError('not_found', `Memory not found: ${id}`, {
    id,
    hint: 'Use memory_search to find the right id.',
  });
}
