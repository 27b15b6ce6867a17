// The governed builtins of clawboo-tools that reach outside: web search, deleting into the trash and back.
import { posix } from 'node:path';
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { Database } from '../../store/database.ts';
import { type CallFacts, toolCallerOf, defineWorldTool, type WorldTool } from '../broker/broker.ts';
import type { Workplace } from '../projects/projects.ts';
import { folderPattern } from './grant-shapes.ts';
import { findLanding, moveToTrash, requireDeletable, restoreFromTrash } from './workspace/trash.ts';
import { searchWeb, type SearchProviders } from './web/search.ts';
import type { Workspace } from '../../kernel/workspace.ts';

export type BuiltinParts = Readonly<{
  db: Database;
  /** Undefined: the call works nowhere. */
  workspace(place: Workplace): Promise<Workspace | undefined>;
  search(): SearchProviders;
}>;

const MOST_RESULTS = 20;

/** The documented builtins that reach outside, and the way back from one of them. */
export function worldBuiltins({ db, workspace, search }: BuiltinParts): WorldTool[] {
  return [
    defineWorldTool({
      name: 'web_search',
      title: 'Search the web',
      description: 'Search the web. External side effect → requires approval.',
      input: z.object({ query: z.string().min(1).max(1_000), limit: z.int().min(1).optional() }),
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      scope: 'tools:call',
      source: 'builtin',
      risk: 'external',
      requires: {
        anyOf: [
          { env: 'TAVILY_API_KEY' },
          { auth: 'tavily' },
          { unlisted: { anyOf: [{ auth: 'brave' }, { config: 'search.searxng' }] } },
        ],
      },
      shape: () => ({ query: 'any text', limit: 'any number' }),
      async handler({ query, limit = 5 }, { signal }) {
        const { provider, results } = await searchWeb(
          search(),
          { query, limit: Math.min(limit, MOST_RESULTS) },
          signal,
        );
        const capped = limit > MOST_RESULTS ? `\n(at most ${MOST_RESULTS} results are given at once)` : '';
        const lines = results.map(
          ({ title, url, snippet }, i) => `${i + 1}. ${title}\n   ${url}\n   ${snippet}`,
        );
        const text =
          results.length === 0
            ? `searched: ${query}\nnothing found`
            : `searched: ${query}\n${lines.join('\n')}${capped}`;
        return { ok: true, value: undefined, text, meta: { provider, results: results.length } };
      },
    }),
    defineWorldTool({
      name: 'delete_path',
      title: 'Delete a path',
      description:
        'Delete a path. Destructive → requires approval. With a workspace it moves into a trash folder there and can be undone.',
      input: z.object({ path: z.string().min(1).max(4_096) }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
      scope: 'tools:call',
      source: 'builtin',
      risk: 'destructive',
      async facts({ path }, place): Promise<CallFacts> {
        const space = await workspace(place);
        // Without a workspace nothing is deleted; the path is still the one thing a rule can look at.
        if (!space) return { path: posix.normalize(path).replace(/(?<=.)\/+$/, '') };
        return { path: (await space.locateEntry(path)).name, workspace: space.root };
      },
      shape: (_, facts) => ({ path: folderPattern(facts['path']!) }),
      async precheck({ path }, reach) {
        const folder = await workspace(reach.place);
        if (folder) await requireDeletable(folder, { path, judged: reach.facts['path'], reach });
      },
      async handler({ path }, reach) {
        const { who, facts } = reach;
        const folder = await workspace(reach.place);
        if (!folder) {
          return {
            ok: true,
            value: undefined,
            text: `would delete: ${path}\nNothing was deleted: no workspace is configured.`,
            meta: { deleted: false },
          };
        }
        const actor = { id: toolCallerOf(who).agentId ?? who.id, asserted: false };
        const trashed = await moveToTrash(db, folder, { path, judged: facts['path'], reach, actor });
        const text = `deleted: ${trashed.originalPath}\nIt is kept at ${trashed.trashPath}; restore_path with id ${trashed.id} undoes this.`;
        return { ok: true, value: undefined, text, meta: { deleted: true, undo: trashed.id } };
      },
    }),
    defineWorldTool({
      name: 'restore_path',
      title: 'Restore a deleted path',
      description: 'Undo a delete_path: move what it deleted back to where it was.',
      input: z.object({ id: z.string().min(1).max(100).describe('The id that delete_path answered.') }),
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      scope: 'tools:call',
      profile: 'extended',
      source: 'extended',
      risk: 'safe',
      async facts({ id }, place): Promise<CallFacts> {
        const space = await workspace(place);
        if (!space) return {};
        return { path: (await findLanding(db, space, id)).target.name, workspace: space.root };
      },
      warn: (_, facts) => `it comes back at ${JSON.stringify(facts['path'] ?? '')}`,
      async handler({ id }, reach) {
        const { who } = reach;
        const folder = await workspace(reach.place);
        if (!folder) throw new HubError('unavailable', 'This call works in no workspace.');
        const actor = { id: toolCallerOf(who).agentId ?? who.id, asserted: false };
        const { originalPath } = await restoreFromTrash(db, folder, { id, reach, actor });
        return { ok: true, value: undefined, text: `restored: ${originalPath}` };
      },
    }),
  ];
}
