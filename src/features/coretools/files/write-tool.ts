// Write: a whole file at once, replaced atomically; what was judged is what is written.
import { dirname } from 'node:path';
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import { folderPattern, pathLadder } from '../grant-shapes.ts';
import type { Located, Workspace } from '../../../kernel/workspace.ts';
import { exists, hashOf, inTurn, readWhole, writeWhole } from './atomic.ts';
import { common, cwd, expectedHash, type FileParts, path, placesOf, unreadOf, unsafe } from './inputs.ts';
import { encodeText, endingsOf, withEndings } from './text.ts';

const input = z.object({
  path,
  content: z.string().max(10_000_000),
  create_parents: z.boolean().optional().describe('true unless given.'),
  preserve_line_endings: z.boolean().optional().describe('true unless given.'),
  line_endings: z.enum(['lf', 'crlf', 'cr']).optional(),
  cwd,
  mode: z.enum(['create', 'overwrite']).optional(),
  must_not_exist: z.boolean().optional(),
  expected_hash: expectedHash,
  unsafe_overwrite_without_read: unsafe,
});
type Args = z.output<typeof input>;

export function writeTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Write',
    title: 'Write a file',
    description:
      'Writes a whole file, atomically. An existing file must have been read first; its line ends, BOM and mode are kept.',
    input,
    output: z.object({
      path: z.string(),
      bytes_written: z.int(),
      created: z.boolean(),
      line_endings: z.string(),
      file_hash: z.string(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    risk: 'destructive',
    facts: async (args, where) => placesOf(await workspace(where), args),
    shape: (args, facts) => ({ path: folderPattern(facts['path']!), ...unreadOf(args) }),
    ladder: (args, facts) => pathLadder(facts['path']!).map((shape) => ({ ...shape, ...unreadOf(args) })),
    content: ['content'],
    async precheck(args, { who, place: where }) {
      const space = await workspace(where);
      await judge({ space, place: await space.locate(args.path, args.cwd), who }, args);
    },
    async handler(args, { who, facts, place: where }) {
      const space = await workspace(where);
      const place = await space.locate(args.path, args.cwd, facts['path']);
      return inTurn(place.path, async () => {
        const file = await judge({ space, place, who }, args);
        await space.makeFolder(dirname(place.path));
        const bytes = compose(args, file?.bytes);
        await writeWhole(space, place, { bytes, mode: file?.mode ?? 0o644, create: !file });
        const hash = hashOf(bytes);
        seen.note(who, place.path, hash);
        return {
          ok: true,
          value: {
            path: place.name,
            bytes_written: bytes.length,
            created: !file,
            line_endings: endingsOf(bytes.toString('utf8')).endings,
            file_hash: hash,
          },
        };
      });
    },
  });

  /** The file as it is, if it may be replaced; undefined when there is none and one may be made. */
  async function judge({ space, place, who }: Target, args: Args) {
    if (!(await exists(dirname(place.path)))) {
      if (args.create_parents === false)
        throw new HubError('not_found', `The folder of ${place.name} does not exist.`);
      return undefined;
    }
    const file = await readWhole(space, place);
    if (file && (args.must_not_exist || args.mode === 'create'))
      throw new HubError('conflict', `${place.name} exists already.`);
    if (file && !args.unsafe_overwrite_without_read)
      seen.require(who, {
        path: place.path,
        name: place.name,
        hash: hashOf(file.bytes),
        expected: args.expected_hash,
      });
    return file;
  }
}

type Target = Readonly<{ space: Workspace; place: Located; who: Principal }>;

const ENDINGS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** New files end lines as they were given; existing ones as they did, unless the caller says otherwise. */
function compose(args: Args, before: Buffer | undefined): Buffer {
  if (args.line_endings) return encodeText(withEndings(args.content, ENDINGS[args.line_endings]), false);
  if (!before || args.preserve_line_endings === false || before.includes(0))
    return encodeText(args.content, false);
  const text = before.toString('utf8');
  const { endings, dominant } = endingsOf(text);
  const hasBom = text.startsWith('\ufeff') && !args.content.startsWith('\ufeff');
  return encodeText(
    endings === 'none' || endings === 'mixed' ? args.content : withEndings(args.content, dominant),
    hasBom,
  );
}
