// What landing can do, as tools and routes.
import { z } from 'zod';
import { identity, nameField } from '../../operation/identity.ts';
import { work } from '../../operation/operation.ts';
import { callOf } from '../../store/calls.ts';
import { checkSchema, evidenceSchema, landingSchema } from './landing-shapes.ts';
import type { Landings } from './landing.ts';

const read = { scope: 'runs:read', effect: 'read', refusals: ['not_found', 'invalid'] } as const;
const write = {
  scope: 'runs:write',
  effect: 'state',
  refusals: ['not_found', 'invalid', 'conflict', 'not_holder', 'stale_fence', 'forbidden'],
} as const;
const folder = z.string().min(1).max(4_096).optional().describe('A folder of the checkout that is meant.');
const branch = nameField().optional().describe('Unless given, the branchRef of the task.');
const one = { landingId: nameField() };
const project = nameField().optional();
const listed = z.object({ landings: z.array(landingSchema) });
const LONGEST_WAIT_S = 3_600;

const requestLanding = work({
  ...write,
  name: 'request_landing',
  summary: "Ask that a task's branch lands on its target once the checks of the target pass on the result.",
  input: { taskId: nameField().describe('A task you hold.'), branch, folder, ...identity },
  onlyRoute: ['folder'],
  output: landingSchema,
  tool: {
    title: 'Request landing',
    description:
      'Asks that the branch of a task you hold lands: the hub merges it onto the target, runs the required checks on the result and moves the target only when they pass. A person may have to approve first. The task is done when it landed; on a failure or conflict you are told in its comments.',
    isRepeatable: true,
    profile: 'extended',
    carries: ['title', 'why'],
  },
  route: 'POST /api/landings',
  status: 201,
  run: (landings: Landings, { agentId, fence, ...request }, context) =>
    landings.request({ ...callOf(context, 'request_landing'), agentId, fence }, request),
});

const listLandings = work({
  ...read,
  name: 'list_landings',
  summary: 'What waits to land and what became of it, newest first.',
  input: { project, open: z.boolean().optional().describe('Only what is not over.') },
  output: listed,
  route: 'GET /api/landings',
  run: async (landings: Landings, { project: wanted, open = false }, context) => ({
    landings: await landings.list(callOf(context, 'list_landings'), { project: wanted, isOpen: open }),
  }),
});

const waitLandings = work({
  ...read,
  name: 'wait_landings',
  summary: 'Wait until landings are over, or held, or wait for a person.',
  input: {
    ids: z.array(nameField()).min(1).max(100),
    timeout_s: z.coerce.number().min(0).max(LONGEST_WAIT_S).optional(),
  },
  output: listed,
  route: 'GET /api/landings/wait',
  async run(landings: Landings, { ids, timeout_s: seconds = 30 }, context) {
    const call = callOf(context, 'wait_landings');
    const late = AbortSignal.timeout(Math.round(seconds * 1_000));
    const found = await landings
      .wait(call, ids, AbortSignal.any([late, context.signal]))
      .catch((error: unknown) => {
        if (!late.aborted) throw error;
      });
    return { landings: found ?? (await Promise.all(ids.map((id) => landings.get(call, id)))) };
  },
});

const approveLanding = work({
  ...write,
  refusals: [...write.refusals, 'unauthorized'],
  name: 'approve_landing',
  summary: 'Let something land that waits for a person.',
  input: one,
  output: landingSchema,
  route: 'POST /api/landings/:landingId/approve',
  run: (landings: Landings, { landingId }, context) =>
    landings.approve(callOf(context, 'approve_landing'), landingId),
});

const withdrawLanding = work({
  ...write,
  name: 'withdraw_landing',
  summary: 'Take back the wish to land.',
  input: one,
  output: landingSchema,
  route: 'POST /api/landings/:landingId/withdraw',
  run: (landings: Landings, { landingId }, context) =>
    landings.withdraw(callOf(context, 'withdraw_landing'), landingId),
});

const pauseLandings = work({
  ...write,
  name: 'pause_landings',
  summary: 'Nothing lands until that is taken back; of one project, or of all.',
  input: { project, paused: z.boolean() },
  output: z.object({ queues: z.int(), paused: z.boolean() }),
  route: 'POST /api/landings/pause',
  run: (landings: Landings, { project: wanted, paused }, context) =>
    landings.pause(callOf(context, 'pause_landings'), { project: wanted, isPaused: paused }),
});

const listChecks = work({
  ...read,
  name: 'list_checks',
  summary: 'The checks that the target of a checkout defines.',
  input: { folder },
  output: z.object({
    project: z.string(),
    target: z.string(),
    commit: z.string(),
    checks: z.array(checkSchema),
  }),
  route: 'GET /api/checks',
  async run(landings: Landings, { folder: wanted }, context) {
    const {
      project: of,
      target,
      tip,
      checks,
    } = await landings.checks(callOf(context, 'list_checks'), wanted);
    return {
      project: of,
      target,
      commit: tip,
      checks: checks.map(({ name, run, required, timeout, network, retries, setup }) => ({
        name,
        run,
        required,
        timeoutMs: timeout,
        network,
        retries,
        setup: setup?.name ?? null,
      })),
    };
  },
});

const runCheck = work({
  ...write,
  name: 'run_check',
  summary: 'Run a check of the target on a commit and answer the evidence.',
  input: {
    check: nameField(),
    commit: nameField().describe('A commit of the repository you work in.'),
    folder,
  },
  onlyRoute: ['folder'],
  output: evidenceSchema,
  tool: {
    title: 'Run a check',
    description:
      'Has the hub run a check that the target branch defines on a commit of the repository you work in, in a clean tree of its own, and answers signed evidence. What you commit is what is tested.',
    isRepeatable: true,
    profile: 'extended',
    carries: ['tail', 'failing.name', 'failing.message'],
  },
  route: 'POST /api/checks/run',
  run: (landings: Landings, request, context) =>
    landings.runCheck(callOf(context, 'run_check'), { ...request, signal: context.signal }),
});

const verifyEvidence = work({
  ...read,
  name: 'verify_evidence',
  summary: 'Compare every piece of evidence with its digest in the chain of the audit.',
  input: {},
  output: z.object({
    ok: z.boolean(),
    checked: z.int(),
    wrong: z.array(z.string()).describe('Changed, gone, or unknown to the audit.'),
    audit: z.boolean().describe('The chain of the audit is whole.'),
  }),
  route: 'GET /api/evidence/verify',
  run: (landings: Landings, _, context) => landings.verify(callOf(context, 'verify_evidence')),
});

const showEvidence = work({
  ...read,
  name: 'show_evidence',
  summary: 'A piece of evidence by its id, or all that a landing stands on by the id of the landing.',
  input: { evidenceId: nameField() },
  output: z.object({ evidence: z.array(evidenceSchema) }),
  route: 'GET /api/evidence/:evidenceId',
  run: async (landings: Landings, { evidenceId }, context) => ({
    evidence: await landings.evidence(callOf(context, 'show_evidence'), evidenceId),
  }),
});

const remoteSchema = z.object({
  repository: z.string(),
  project: z.string(),
  remote: z.string(),
  url: z.string().nullable(),
  confirmed: z.boolean(),
  pushed: z.boolean().describe('The target is pushed there with every landing.'),
  problem: z.string().nullable(),
});

const showRemote = work({
  ...read,
  refusals: [...read.refusals, 'forbidden', 'unauthorized'],
  name: 'show_remote',
  summary: 'Where the target of a checkout is pushed, and whether a person confirmed that address.',
  input: { folder },
  output: remoteSchema,
  route: 'GET /api/landings/remote',
  run: (landings: Landings, { folder: wanted }, context) =>
    landings.remote(callOf(context, 'show_remote'), wanted),
});

const confirmRemote = work({
  ...write,
  refusals: [...write.refusals, 'unauthorized'],
  name: 'confirm_remote',
  summary: 'Confirm the address that the target of a checkout is pushed to. Another one is asked for again.',
  input: { folder, url: z.string().min(1).max(2_000) },
  output: remoteSchema,
  route: 'POST /api/landings/remote',
  run: (landings: Landings, request, context) =>
    landings.confirmRemote(callOf(context, 'confirm_remote'), request),
});

export const landingOperations = [
  requestLanding,
  listLandings,
  waitLandings,
  approveLanding,
  withdrawLanding,
  pauseLandings,
  listChecks,
  runCheck,
  verifyEvidence,
  showEvidence,
  showRemote,
  confirmRemote,
] as const;
