// Edit: one exact piece of text for another, in a file that its caller has read in this very version.
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import { folderPattern, pathLadder } from '../grant-shapes.ts';
import type { Workplace } from '../../projects/projects.ts';
import type { Located, Workspace } from '../../../kernel/workspace.ts';
import { hashOf, inTurn, readWhole, writeWhole } from './atomic.ts';
import { common, cwd, expectedHash, type FileParts, path, placesOf, unreadOf, unsafe } from './inputs.ts';
import { applySplices, findSplices, unifiedDiff } from './replace.ts';
import { decodeText, encodeText } from './text.ts';

const input = z.object({
  path,
  old_string: z.string().min(1).max(1_000_000),
  new_string: z.string().max(1_000_000),
  replace_all: z.boolean().optional(),
  cwd,
  expected_hash: expectedHash,
  unsafe_overwrite_without_read: unsafe,
});
type Args = z.output<typeof input>;

export function editTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Edit',
    title: 'Edit a file',
    description:
      'Replaces old_string by new_string. It must occur exactly once unless replace_all is set. Read the file first. Line ends and BOM stay as they are.',
    input,
    output: z.object({
      path: z.string(),
      replaced: z.boolean(),
      occurrences_replaced: z.int(),
      size_bytes_before: z.int(),
      size_bytes_after: z.int(),
      line_endings: z.string(),
      hash_before: z.string(),
      hash_after: z.string(),
      diff_unified: z.string(),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    risk: 'destructive',
    facts: async (args, where) => placesOf(await workspace(where), args),
    shape: (args, facts) => ({ path: folderPattern(facts['path']!), ...unreadOf(args) }),
    ladder: (args, facts) => pathLadder(facts['path']!).map((shape) => ({ ...shape, ...unreadOf(args) })),
    content: ['old_string', 'new_string'],
    precheck: async (args, { who, place: where }) =>
      void (await prepare(await locate(args, where), args, who)),
    async handler(args, { who, facts, place: where }) {
      const { space, place } = await locate(args, where, facts['path']);
      return inTurn(place.path, async () => {
        const { file, hash, text, endings, splices, bytes } = await prepare({ space, place }, args, who);
        await writeWhole(space, place, { bytes, mode: file.mode, create: false });
        const after = hashOf(bytes);
        seen.note(who, place.path, after);
        return {
          ok: true,
          value: {
            path: place.name,
            replaced: true,
            occurrences_replaced: splices.length,
            size_bytes_before: file.bytes.length,
            size_bytes_after: bytes.length,
            line_endings: endings,
            hash_before: hash,
            hash_after: after,
            diff_unified: unifiedDiff(text, splices, place.name),
          },
        };
      });
    },
  });

  async function locate(
    args: Args,
    where: Workplace,
    judged?: string,
  ): Promise<{ space: Workspace; place: Located }> {
    if (args.old_string === args.new_string)
      throw new HubError('invalid', 'old_string and new_string are the same.');
    const space = await workspace(where);
    return { space, place: await space.locate(args.path, args.cwd, judged) };
  }

  /** Everything up to the writing: what would be written, or why nothing can be. */
  async function prepare({ space, place }: { space: Workspace; place: Located }, args: Args, who: Principal) {
    const file = await readWhole(space, place);
    if (!file)
      throw new HubError('not_found', `${place.name} does not exist.`, { hint: 'Make it with Write.' });
    const hash = hashOf(file.bytes);
    if (!args.unsafe_overwrite_without_read)
      seen.require(who, { path: place.path, name: place.name, hash, expected: args.expected_hash });
    const { text, hasBom, endings, dominant } = decodeText(file.bytes, place.name);
    const change = {
      old: args.old_string,
      new: args.new_string,
      all: args.replace_all ?? false,
      name: place.name,
      dominant,
    };
    const splices = findSplices(text, change);
    return { file, hash, text, endings, splices, bytes: encodeText(applySplices(text, splices), hasBom) };
  }
}
