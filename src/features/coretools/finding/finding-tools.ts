// The tools that find files and text in the workspace. Nothing outside it is ever shown.
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { z } from 'zod';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import { placesOf } from '../files/inputs.ts';
import type { SearchGround } from './query.ts';
import type { Workplace } from '../../projects/projects.ts';
import { explain, type Located, type Workspace } from '../../../kernel/workspace.ts';

export type FindingParts = Readonly<{ workspace(place: Workplace): Promise<Workspace> }>;

const cwd = z.string().min(1).max(4_096).optional();
const reading = {
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'tools:call',
  source: 'core',
  risk: 'safe',
  isVerbatim: true,
} as const;

export function findingTools({ workspace }: FindingParts): WorldTool[] {
  return [
    defineWorldTool({
      ...reading,
      name: 'Grep',
      title: 'Search in files',
      description:
        'Finds lines that match a regular expression. Files that git ignores and hidden files are passed over.',
      input: z.object({
        pattern: z.string().min(1).max(10_000),
        patterns: z
          .string()
          .max(100_000)
          .optional()
          .describe('Further patterns, one per line; a line that matches any of them is found.'),
        path: z.string().min(1).max(4_096).optional().describe('A file or folder; all of cwd unless given.'),
        cwd,
        glob: z.string().min(1).max(1_000).optional(),
        type: z.string().min(1).max(40).optional().describe('ts, py, rust, …'),
        case_insensitive: z.boolean().optional(),
        max_matches: z.int().min(1).max(10_000).optional().describe('100 unless given.'),
        context_before: z.int().min(0).max(50).optional(),
        context_after: z.int().min(0).max(50).optional(),
      }),
      output: z.object({
        matches: z.array(
          z.object({
            path: z.string(),
            line: z.int(),
            column: z.int(),
            text: z.string(),
            before: z.array(z.string()).optional(),
            after: z.array(z.string()).optional(),
          }),
        ),
        matches_count: z.int(),
        truncated: z.boolean(),
        cwd: z.string(),
        pattern: z.string(),
        engine: z.literal('ripgrep'),
      }),
      content: ['pattern', 'patterns'],
      timeoutMs: 60_000,
      facts: async ({ path = '.', cwd: from }, where) =>
        placesOf(await workspace(where), { path, cwd: from }),
      async handler(args, { signal, facts, place: where, mayReach }) {
        const patterns = [args.pattern, ...(args.patterns?.split('\n').filter((line) => line !== '') ?? [])];
        const space = await workspace(where);
        const base = await space.locate(args.cwd ?? '.');
        const target = await space.locate(args.path ?? '.', args.cwd, facts['path']);
        const query = {
          patterns,
          glob: args.glob,
          type: args.type,
          caseInsensitive: args.case_insensitive ?? false,
          maxMatches: args.max_matches ?? 100,
          mayReach,
        };
        await stat(target.path).catch((error: unknown) => {
          throw explain(error, target.name);
        });
        const ground = groundOf(space, { base, target });
        const [{ grepFiles }, { readMatches }] = await Promise.all([
          import('./grep.ts'),
          import('./read-matches.ts'),
        ]);
        const answer = await grepFiles(ground, query, signal);
        const around = { before: args.context_before ?? 0, after: args.context_after ?? 0 };
        const matches = await readMatches(space, answer.hits, around);
        return {
          ok: true,
          value: {
            matches: matches.map((match) => ({
              ...match,
              path: posix.relative(ground.base, match.path),
            })) as never,
            matches_count: matches.length,
            truncated: answer.truncated,
            cwd: base.name,
            pattern: args.pattern,
            engine: 'ripgrep' as const,
          },
        };
      },
    }),
    defineWorldTool({
      ...reading,
      name: 'Glob',
      title: 'Find files',
      description:
        'Finds files by a pattern such as src/**/*.ts. Files that git ignores and hidden files are passed over unless asked for.',
      input: z.object({
        pattern: z.string().min(1).max(4_096),
        cwd,
        limit: z.int().min(1).max(10_000).optional().describe('1000 unless given.'),
        respect_gitignore: z.boolean().optional().describe('true unless given.'),
        include_hidden: z.boolean().optional(),
      }),
      output: z.object({
        matches: z.array(z.string()),
        matches_count: z.int(),
        truncated: z.boolean(),
        cwd: z.string(),
        pattern: z.string(),
        respect_gitignore: z.boolean(),
        include_hidden: z.boolean(),
      }),
      timeoutMs: 60_000,
      facts: async ({ cwd: from }, where) => placesOf(await workspace(where), { path: '.', cwd: from }),
      async handler(
        {
          pattern,
          cwd: from,
          limit = 1_000,
          respect_gitignore: respectIgnore = true,
          include_hidden: includeHidden = false,
        },
        { signal, facts, place: where, mayReach },
      ) {
        const space = await workspace(where);
        const base = await space.locate(from ?? '.', undefined, facts['path']);
        const { globFiles } = await import('./glob.ts');
        const { matches, count } = await globFiles(
          groundOf(space, { base, target: base }),
          { pattern, limit, respectIgnore, includeHidden, mayReach },
          signal,
        );
        return {
          ok: true,
          value: {
            matches,
            matches_count: matches.length,
            truncated: count > matches.length,
            cwd: base.name,
            pattern,
            respect_gitignore: respectIgnore,
            include_hidden: includeHidden,
          },
        };
      },
    }),
  ];
}

function groundOf(
  { root, closed }: Workspace,
  { base, target }: Readonly<Record<'base' | 'target', Located>>,
): SearchGround {
  const nameOf = (place: Located) => (place.name === '.' ? '' : place.name);
  return { root, folder: nameOf(target), base: nameOf(base), closed };
}
