import { dirname } from 'node:path';
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineWorldTool, type WorldTool } from '../broker/broker.ts';
import { exists, hashOf, inTurn, readWhole, writeWhole } from './files/atomic.ts';
import { documentReader } from './files/documents.ts';
import { readLines, takeLines } from './files/lines.ts';
import { applySplices, findSplices, unifiedDiff } from './files/replace.ts';
import type { Seen } from './files/seen.ts';
import { decodeText, encodeText, endingsOf, withEndings } from './files/text.ts';
import { folderPattern } from './builtins.ts';
import type { Workspace } from './workspace.ts';

export type FileParts = Readonly<{ workspace(): Promise<Workspace>; seen: Seen }>;

const path = z.string().min(1).max(4_096).describe('A path inside the workspace.');
const cwd = z.string().min(1).max(4_096).optional().describe('What relative paths start from; the workspace unless given.');
const unsafe = z.boolean().optional().describe('Change the file without having read it.');
const expectedHash = z.string().max(64).optional().describe('file_hash of the version you have read.');
const common = { scope: 'tools:call', source: 'core', requires: { config: 'workspace' }, isVerbatim: true } as const;

export function fileTools(parts: FileParts): WorldTool[] {
  return [readTool(parts), editTool(parts), writeTool(parts)];
}

function readTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Read',
    title: 'Read a file',
    description: 'Reads lines of a text file, or the text of a PDF, docx, xlsx, csv, html or ipynb. next_line says where to go on.',
    input: z.object({
      path,
      cwd,
      line_start: z.int().min(1).optional(),
      line_end: z.int().min(1).optional(),
      sheet: z.string().max(200).optional(),
      with_line_numbers: z.boolean().optional(),
    }),
    output: z.object({
      path: z.string(),
      content: z.string(),
      line_start: z.int(),
      line_end: z.int(),
      total_lines: z.int(),
      next_line: z.int().nullable(),
      size_bytes: z.int(),
      format: z.string(),
      engine: z.string(),
      truncated: z.boolean(),
      file_hash: z.string(),
      range_hash: z.string(),
      sheets: z.array(z.string()).optional(),
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    risk: 'safe',
    async handler(
      { path: given, cwd: from, line_start: first = 1, line_end: last, sheet, with_line_numbers: isNumbered = false },
      { who },
    ) {
      if (last !== undefined && last < first) throw new HubError('invalid', `line_end must be at least line_start (${first}).`);
      const space = await workspace();
      const place = await space.locate(given, from);
      const reader = documentReader(place.name);
      const range = { first, last };
      let found;
      if (reader) {
        const file = await readWhole(space, place);
        if (!file) throw new HubError('not_found', `${place.name} does not exist.`);
        const { text, ...rest } = await reader(file.bytes, { name: place.name, sheet });
        found = { ...takeLines(text, range), ...rest, hash: hashOf(file.bytes), size: file.bytes.length };
      } else {
        const handle = await space.openFile(place);
        try {
          found = {
            ...(await readLines(handle, range, place.name)),
            size: (await handle.stat()).size,
            format: 'text',
            engine: 'text',
            sheets: undefined,
          };
        } finally {
          await handle.close();
        }
      }
      seen.note(who, place.path, found.hash);
      const end = first + found.lines.length - 1;
      const lines = isNumbered ? found.lines.map((line, i) => `${first + i}\t${line}`) : found.lines;
      return {
        ok: true,
        value: {
          path: place.name,
          content: lines.join('\n'),
          line_start: first,
          line_end: Math.max(first, end),
          total_lines: found.totalLines,
          next_line: end < Math.min(last ?? Infinity, found.totalLines) ? end + 1 : null,
          size_bytes: found.size,
          format: found.format,
          engine: found.engine,
          truncated: found.truncated,
          file_hash: found.hash,
          range_hash: hashOf(Buffer.from(found.lines.join('\n'))),
          ...(found.sheets && { sheets: [...found.sheets] }),
        },
      };
    },
  });
}

function editTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Edit',
    title: 'Edit a file',
    description:
      'Replaces old_string by new_string. It must occur exactly once unless replace_all is set. Read the file first. Line ends and BOM stay as they are.',
    input: z.object({
      path,
      old_string: z.string().min(1).max(1_000_000),
      new_string: z.string().max(1_000_000),
      replace_all: z.boolean().optional(),
      cwd,
      expected_hash: expectedHash,
      unsafe_overwrite_without_read: unsafe,
    }),
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
    shape: ({ path: given }) => ({ path: folderPattern(given) }),
    content: ['old_string', 'new_string'],
    async handler(args, { who }) {
      if (args.old_string === args.new_string) throw new HubError('invalid', 'old_string and new_string are the same.');
      const space = await workspace();
      const place = await space.locate(args.path, args.cwd);
      return inTurn(place.path, async () => {
        const file = await readWhole(space, place);
        if (!file) throw new HubError('not_found', `${place.name} does not exist.`, { hint: 'Make it with Write.' });
        const hash = hashOf(file.bytes);
        if (!args.unsafe_overwrite_without_read)
          seen.require(who, { path: place.path, name: place.name, hash, expected: args.expected_hash });
        const { text, hasBom, endings, dominant } = decodeText(file.bytes, place.name);
        const splices = findSplices(text, {
          old: args.old_string,
          new: args.new_string,
          all: args.replace_all ?? false,
          name: place.name,
          dominant,
        });
        const bytes = encodeText(applySplices(text, splices), hasBom);
        await writeWhole(space, place, bytes, { mode: file.mode, create: false });
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
}

function writeTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Write',
    title: 'Write a file',
    description: 'Writes a whole file, atomically. An existing file must have been read first; its line ends, BOM and mode are kept.',
    input: z.object({
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
    }),
    output: z.object({ path: z.string(), bytes_written: z.int(), created: z.boolean(), line_endings: z.string(), file_hash: z.string() }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    risk: 'destructive',
    shape: ({ path: given }) => ({ path: folderPattern(given) }),
    content: ['content'],
    async handler(args, { who }) {
      const space = await workspace();
      const place = await space.locate(args.path, args.cwd);
      const mustBeNew = args.must_not_exist === true || args.mode === 'create';
      return inTurn(place.path, async () => {
        if (!(await exists(dirname(place.path)))) {
          if (args.create_parents === false) throw new HubError('not_found', `The folder of ${place.name} does not exist.`);
          await space.makeFolder(dirname(place.path));
        }
        const file = await readWhole(space, place);
        if (file && mustBeNew) throw new HubError('conflict', `${place.name} exists already.`);
        if (file && !args.unsafe_overwrite_without_read) {
          seen.require(who, { path: place.path, name: place.name, hash: hashOf(file.bytes), expected: args.expected_hash });
        }
        const bytes = compose(args, file?.bytes);
        await writeWhole(space, place, bytes, { mode: file?.mode ?? 0o644, create: !file });
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
}

const ENDINGS = { lf: '\n', crlf: '\r\n', cr: '\r' } as const;

/** New files end lines as they were given; existing ones as they did, unless the caller says otherwise. */
function compose(
  args: Readonly<{ content: string; line_endings?: 'lf' | 'crlf' | 'cr' | undefined; preserve_line_endings?: boolean | undefined }>,
  before: Buffer | undefined,
): Buffer {
  if (args.line_endings) return encodeText(withEndings(args.content, ENDINGS[args.line_endings]), false);
  if (!before || args.preserve_line_endings === false || before.includes(0)) return encodeText(args.content, false);
  const text = before.toString('utf8');
  const { endings, dominant } = endingsOf(text);
  const hasBom = text.startsWith('\ufeff') && !args.content.startsWith('\ufeff');
  return encodeText(endings === 'none' || endings === 'mixed' ? args.content : withEndings(args.content, dominant), hasBom);
}
