// `holdfast brain import`: files of others into the vault; links are not followed.
import { closeSync, constants, openSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseMemory } from '../../features/brain/frontmatter.ts';
import { readPlace, slugOf } from '../../features/brain/rules.ts';
import { HubError } from '../../kernel/errors.ts';
import { reasonOf } from '../../kernel/file-faults.ts';
import type { HubCommand, Client } from '../client.ts';
import type { Options } from '../options.ts';
import { sendRecords } from '../files/record-file.ts';

type Counts = { imported: number; known: number; skipped: { path: string; reason: string }[] };

/** Takes over a folder of markdown. Files in a vault's layout keep their place and frontmatter; loose notes need a category. */
export async function importVault({ world, client, options }: HubCommand, folder: string): Promise<void> {
  const paths = listMarkdown(folder);
  const counts: Counts = { imported: 0, known: 0, skipped: [] };
  await sendRecords(
    { world, options },
    {
      records: paths,
      what: `of ${paths.length} files`,
      most: 1,
      send: ([path]) => importFile(client, { folder, path: path!, as: options['as'] }, counts),
    },
  );
  if (options['json']) return world.print(JSON.stringify(counts));
  for (const { path, reason } of counts.skipped) world.tell(`skipped ${path}: ${reason}`);
  world.print(`imported ${counts.imported}, known already ${counts.known}, skipped ${counts.skipped.length}`);
}

type File = Readonly<{ folder: string; path: string; as: Options[string] }>;

async function importFile(client: Client, { folder, path, as }: File, counts: Counts): Promise<void> {
  try {
    const text = readOwnFile(join(folder, path));
    if (!('problem' in readPlace(path))) await client.ask('POST /api/brain/import', { path, text });
    else if (typeof as === 'string') await client.ask('POST /api/brain/memories', looseNote(path, text, as));
    else
      throw new HubError(
        'invalid',
        'it is not in entities/<category>/ or episodes/<YYYY-MM>/; use --as <category>',
      );
    counts.imported += 1;
  } catch (error) {
    if (!(error instanceof HubError) || error.isRetryable || error.code === 'internal') throw error;
    if (error.code === 'conflict') counts.known += 1;
    else counts.skipped.push({ path, reason: error.message });
  }
}

function looseNote(path: string, text: string, category: string) {
  const parsed = parseMemory(text);
  if (!parsed.ok) throw new HubError('invalid', parsed.problem);
  return {
    type: 'entity' as const,
    category,
    name: slugOf(basename(path, '.md')),
    content: parsed.body,
    tags: [...parsed.head.tags],
    pinned: parsed.head.pinned,
  };
}

/** What a vault makes itself and what it has put away stay behind. */
function listMarkdown(folder: string): string[] {
  try {
    return walk(folder, '')
      .filter((path) => !/^(?:archive\/|MEMORY\.md$|STRATEGY\.md$)|(?:^|\/)\./.test(path))
      .toSorted();
  } catch (error) {
    throw new HubError('not_found', `The folder ${folder} cannot be read.`, {
      hint: 'Name a folder of markdown files.',
    }).because(error);
  }
}

/** Links are not followed, neither to a file nor to a folder: a folder of notes must not bring in what lies elsewhere. */
function walk(folder: string, below: string): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return walk(folder, path);
    return entry.isFile() && /\.md$/i.test(entry.name) ? [path] : [];
  });
}

/** What has become a link since it was listed is refused as well. */
function readOwnFile(path: string): string {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw new HubError('invalid', `it cannot be read (${reasonOf(error)})`).because(error);
  }
  try {
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
