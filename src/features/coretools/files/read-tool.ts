// Read: a page of a text or document inside the workspace; what was judged is what is opened.
import type { FileHandle } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import { hashOf } from './atomic.ts';
import { isDocument, readDocument } from './documents.ts';
import { common, cwd, type FileParts, path, placesOf } from './inputs.ts';
import { readLines } from './lines.ts';

export function readTool({ workspace, seen }: FileParts): WorldTool {
  return defineWorldTool({
    ...common,
    name: 'Read',
    title: 'Read a file',
    description:
      'Reads lines of a text file, or the text of a PDF, docx, xlsx, csv, html or ipynb. next_line says where to go on.',
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
    facts: async (args, where) => placesOf(await workspace(where), args),
    async handler(
      {
        path: given,
        cwd: from,
        line_start: first = 1,
        line_end: last,
        sheet,
        with_line_numbers: isNumbered = false,
      },
      { who, facts, place: where },
    ) {
      if (last !== undefined && last < first)
        throw new HubError('invalid', `line_end must be at least line_start (${first}).`);
      const space = await workspace(where);
      const place = await space.locate(given, from, facts['path']);
      const handle = await space.openFile(place);
      const found = await pageOf(handle, { name: place.name, sheet, range: { first, last } }).finally(() =>
        handle.close(),
      );
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

type Wanted = Parameters<typeof readDocument>[1];

async function pageOf(handle: FileHandle, wanted: Wanted) {
  if (isDocument(wanted.name)) return readDocument(handle, wanted);
  return {
    ...(await readLines(handle, wanted.range, wanted.name)),
    size: (await handle.stat()).size,
    format: TABLES.has(extname(wanted.name).toLowerCase())
      ? extname(wanted.name).slice(1).toLowerCase()
      : 'text',
    engine: 'text',
    sheets: undefined,
  };
}

/** Text like any other, told by what it holds. */
const TABLES: ReadonlySet<string> = new Set(['.csv', '.tsv']);
