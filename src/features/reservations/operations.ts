import { z } from 'zod';
import { change, look, work } from '../../operation/operation.ts';
import { identity } from '../../operation/identity.ts';
import * as input from './inputs.ts';
import { reservationSchema, reservedSchema } from './reservation.ts';
import type { Guard } from './guard.ts';
import type { ReservationDesk, Reservations, ReservationView } from './reservations.ts';

/** Who works on which files: for agents, scripts, guards and the page. */
const REFUSALS = ['not_found', 'conflict', 'stale_fence', 'limited'] as const;

const listReservations = look({
  name: 'list_reservations',
  summary: 'List the living reservations; path shows only those that meet it.',
  scope: 'board:read',
  input: {
    taskId: input.taskId.optional().describe('Only of this task.'),
    path: input.path.optional(),
    root: input.root.optional(),
    all: z.boolean().optional().describe('Every project, not only yours.'),
  },
  onlyTool: ['all'],
  output: z.object({ reservations: z.array(reservationSchema) }),
  refusals: REFUSALS,
  tool: {
    title: 'List reservations',
    description:
      'Who works on which files now. path shows only what meets that file or pattern: ask before you edit.',
    carries: ['reason'],
  },
  route: 'GET /api/reservations',
  run: async (view: ReservationView, filter) => ({ reservations: await view.list(filter) }),
});

const reserveFiles = change({
  name: 'reserve_files',
  summary: 'Reserve files for a task one holds; conflicts name who works there.',
  scope: 'board:write',
  input: { taskId: input.taskId, ...input.reserving, ...identity },
  output: reservedSchema,
  refusals: REFUSALS,
  tool: {
    title: 'Reserve files',
    description:
      'Tells others which files you work on for a task you hold. It advises: conflicts name who works there, changed names branches of others that changed such files already; nothing is locked. Ends with your claim.',
    isRepeatable: true,
    carries: ['with.reason', 'changed.path', 'changed.branch'],
  },
  route: 'POST /api/reservations',
  status: 201,
  learn: async (reservations: Reservations, { root }, { who }) =>
    root === undefined ? { here: await reservations.rootOf(who) } : {},
  run: (desk: ReservationDesk, args) => desk.reserve(args),
});

const releaseFiles = change({
  name: 'release_files',
  summary: 'Take back reservations of a task one holds.',
  scope: 'board:write',
  input: { taskId: input.taskId, patterns: input.patterns.optional(), ...identity },
  output: z.object({ released: z.array(reservationSchema) }),
  refusals: REFUSALS,
  tool: {
    title: 'Release files',
    description:
      'Takes back reservations of a task you hold: the named patterns, or all. Releasing or finishing the task does it, too.',
    isRepeatable: true,
  },
  route: 'POST /api/reservations/release',
  run: async (desk: ReservationDesk, args) => ({ released: await desk.release(args) }),
});

export const reservationOperations = [reserveFiles, releaseFiles, listReservations] as const;

const guardFiles = work({
  name: 'guard_files',
  summary: 'Who has reserved files that a commit is about to change, and which agent makes it, if one does.',
  scope: 'board:read',
  effect: 'read',
  input: {
    folder: input.folder,
    paths: z.array(z.string().min(1).max(4096)).max(5_000).describe('From the top of the working copy.'),
    line: z
      .array(input.kin)
      .max(64)
      .default([])
      .describe('The ancestors of the asking process, its parent first.'),
    agentId: identity.agentId,
  },
  output: z.object({
    agent: z.string().nullable().describe('null: nobody that is known here.'),
    taken: z.array(z.object({ path: z.string(), with: reservationSchema })).describe('By others.'),
  }),
  refusals: ['limited'],
  route: 'POST /api/reservations/guard',
  run: (guard: Guard, asked, { who }) => guard.ask(who, asked),
});

export const guardOperations = [guardFiles] as const;
