// `/api/projects`: which repository is which team, and whether a team that somebody names is there.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { type Principal, requirePerson } from '../../kernel/principal.ts';
import { isName, MAX_NAME, NAME_RULE } from '../../kernel/words.ts';
import { byRoute, type Acting } from '../../store/acting.ts';
import { keyedProjectSchema, projectSchema } from './project.ts';
import type { Locator, Projects } from './projects.ts';

const folder = z
  .string()
  .max(4096)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path')
  .describe('A working folder on the machine of the hub.');

/**
 * `/api/projects`: which repository is which team. Folders are read by the hub itself, so only its owner
 * may name one.
 */
export function projectRoutes(
  acting: Acting,
  { projects, locator }: Readonly<{ projects: Projects; locator: Locator }>,
): Route[] {
  const place = { tag: 'projects' } as const;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      path: '/api/projects',
      summary: 'List projects; folder shows only the one that folder belongs to, if it is known.',
      scope: 'projects:read',
      query: z.object({ folder: folder.optional() }),
      response: z.object({ projects: z.array(keyedProjectSchema) }),
      async handler({ query }, { who }) {
        if (query.folder === undefined)
          return { projects: await acting.look(byRoute(who, 'projects'), (q) => projects.list(q, who)) };
        requireOwner(who);
        const found = await locator.find(query.folder);
        return { projects: found ? [found] : [] };
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/api/projects/resolve',
      summary:
        'The project of a working folder, made when there is none; or of a team id, made only when `new` says so.',
      scope: 'projects:write',
      refusals: ['not_found'],
      body: z
        .strictObject({
          folder: folder.optional(),
          teamId: z.string().refine(isName, NAME_RULE).optional(),
          new: z.boolean().optional().describe('With teamId: make it when nothing is of it yet.'),
        })
        .refine(({ folder, teamId }) => (folder === undefined) !== (teamId === undefined), {
          error: 'name either a folder or a teamId',
        }),
      response: z.object({
        project: projectSchema
          .nullable()
          .describe('null for a home or the root of the disk, and for a team that was found in no folder.'),
      }),
      async handler({ body }, { who }) {
        requireOwner(who);
        const { folder, teamId, new: isNew = false } = body;
        if (folder !== undefined) return { project: (await locator.locate(folder)) ?? null };
        const name = { teamId: teamId!, isNew };
        return acting.change(byRoute(who, 'projects'), (tx) => projects.name(tx, who, name));
      },
    }),
    defineRoute({
      ...place,
      method: 'GET',
      path: '/api/projects/:teamId',
      summary: 'Is anything or anybody of this team? Refused with the nearest known one if not.',
      scope: 'projects:read',
      refusals: ['not_found'],
      params: z.object({ teamId: z.string().min(1).max(MAX_NAME) }),
      response: z.object({
        teamId: z.string(),
        project: projectSchema.nullable().describe('null for a team that was found in no folder.'),
      }),
      handler: ({ params }, { who }) =>
        acting.look(byRoute(who, 'projects'), (q) => projects.require(q, who, params.teamId)),
    }),
    defineRoute({
      ...place,
      method: 'PATCH',
      path: '/api/projects/:teamId',
      summary: 'Change the name that is shown; the team id stays.',
      scope: 'projects:write',
      refusals: ['not_found'],
      params: z.object({ teamId: z.string().min(1).max(MAX_NAME) }),
      body: z.strictObject({ name: z.string().min(1).max(MAX_NAME) }),
      response: z.object({ project: projectSchema }),
      async handler({ params, body }, { who }) {
        return {
          project: await acting.change(byRoute(who, 'projects'), (tx) =>
            projects.rename(tx, who, params.teamId, body.name),
          ),
        };
      },
    }),
  ];
}

function requireOwner(who: Principal): void {
  requirePerson(who, 'Naming folders of this machine', 'Say which team you mean with teamId.');
}
