// `/api/projects`: which repository is which team, and whether a team that somebody names is there.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isName, MAX_NAME, NAME_RULE } from '../../kernel/words.ts';
import { change, look, work } from '../../operation/operation.ts';
import { keyedProjectSchema, projectSchema } from './project.ts';
import type { ByFolder, ProjectDesk, ProjectView } from './projects.ts';

const folder = z
  .string()
  .max(4096)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path')
  .describe('A working folder on the machine of the hub.');
const teamId = z.string().min(1).max(MAX_NAME);

const listProjects = work({
  name: 'list_projects',
  summary: 'List projects; folder shows only the one that folder belongs to, if it is known.',
  scope: 'projects:read',
  effect: 'read',
  input: { folder: folder.optional() },
  output: z.object({
    projects: z.array(keyedProjectSchema),
    next: z
      .string()
      .optional()
      .describe('With folder: the id its project gets once something is written there; looking makes none.'),
  }),
  route: 'GET /api/projects',
  run: (projects: ByFolder, args, { who }) => projects.list(who, args.folder),
});

const resolveProject = work({
  name: 'resolve_project',
  summary:
    'The project of a working folder, made when there is none; or of a team id, made only when `new` says so.',
  scope: 'projects:write',
  effect: 'state',
  input: {
    folder: folder.optional(),
    teamId: z.string().refine(isName, NAME_RULE).optional(),
    new: z.boolean().optional().describe('With teamId: make it when nothing is of it yet.'),
  },
  output: z.object({
    project: projectSchema
      .nullable()
      .describe('null for a home or the root of the disk, and for a team that was found in no folder.'),
  }),
  refusals: ['not_found'],
  route: 'POST /api/projects/resolve',
  run: async (projects: ByFolder, asked, { who }) => ({ project: await projects.resolve(who, asked) }),
});

const findFiles = work({
  name: 'find_files',
  summary: 'Files of the known repositories, as they are committed, by letters of their paths. Persons only.',
  scope: 'projects:read',
  effect: 'read',
  input: {
    q: z.string().min(1).max(500).describe('Words that are all in the path.'),
    project: teamId.optional().describe('Only of this project.'),
    limit: z.int().min(1).max(50).default(10),
  },
  output: z.object({
    files: z.array(
      z.object({
        project: z.string().describe('Its name.'),
        folder: z.string().describe('Of the repository.'),
        path: z.string().describe('In it.'),
      }),
    ),
  }),
  refusals: ['forbidden'],
  route: 'GET /api/files',
  run: async (projects: ByFolder, asked, { who }) => ({ files: await projects.files(who, asked) }),
});

const getProject = look({
  name: 'get_project',
  summary: 'Is anything or anybody of this team? Refused with the nearest known one if not.',
  scope: 'projects:read',
  input: { teamId },
  output: z.object({
    teamId: z.string(),
    project: projectSchema.nullable().describe('null for a team that was found in no folder.'),
  }),
  refusals: ['not_found'],
  route: 'GET /api/projects/:teamId',
  run: (view: ProjectView, args) => view.require(args.teamId),
});

const renameProject = change({
  name: 'rename_project',
  summary: 'Change the name that is shown; the team id stays.',
  scope: 'projects:write',
  input: { teamId, name: z.string().min(1).max(MAX_NAME) },
  output: z.object({ project: projectSchema }),
  refusals: ['not_found'],
  route: 'PATCH /api/projects/:teamId',
  run: async (desk: ProjectDesk, args) => ({ project: await desk.rename(args) }),
});

const removeProject = change({
  name: 'remove_project',
  summary:
    'Forget which folders a project was. Refused while it has open tasks; what is over keeps its name. Persons only.',
  scope: 'projects:write',
  input: { teamId },
  output: z.object({ project: projectSchema }),
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'DELETE /api/projects/:teamId',
  run: async (desk: ProjectDesk, args) => ({ project: await desk.remove(args.teamId) }),
});

const mergeProject = change({
  name: 'merge_project',
  summary:
    'Put a project into another: its folders, tasks and memories become that one’s; rooms and mail keep their name. Persons only.',
  scope: 'projects:write',
  input: { teamId, into: teamId.describe('The project that stays.') },
  output: z.object({
    project: projectSchema,
    moved: z.record(z.string(), z.int()).describe('`tasks` and `memories`: so many moved.'),
  }),
  refusals: ['not_found', 'forbidden'],
  route: 'POST /api/projects/:teamId/merge',
  run: (desk: ProjectDesk, { teamId: from, into }) => desk.merge({ from, into }),
});

export const projectOperations = [
  listProjects,
  resolveProject,
  findFiles,
  getProject,
  renameProject,
  removeProject,
  mergeProject,
] as const;
