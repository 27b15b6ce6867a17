// `/api/tools/policy`: looking at the policy, trying another one, and putting it in force.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import type { Broker } from '../broker.ts';
import { nameOf } from '../judge/policy/decide.ts';
import { policyJsonSchema } from '../judge/policy/policy.ts';
import { OK, ok } from '../schemas.ts';
import { replayChange } from '../judge/replay.ts';

const problem = z.object({ line: z.int(), column: z.int(), message: z.string() });
const policyTextView = z.object({ ok, text: z.string(), version: z.string() });
const policyText = z.string().max(1_000_000).describe('A policy to try instead of the one in force.');

const showPolicy = work({
  name: 'show_policy',
  summary: 'The policy in force, and where its file is broken.',
  scope: 'tools:read',
  effect: 'read',
  input: {},
  output: z.object({
    ok,
    path: z.string(),
    loadedAt: z.int().nullable(),
    rules: z.array(z.object({ name: z.string(), decide: z.string() })),
    problems: z.array(problem),
  }),
  route: 'GET /api/tools/policy',
  async run({ policyReview }: Broker, _, { who }) {
    const { problems, ...inForce } = await policyReview.inForce(who);
    return { ...OK, ...inForce, problems: [...problems] };
  },
});

const readPolicyFile = work({
  name: 'read_policy_file',
  summary: 'The text of policy.yaml, and its version.',
  scope: 'tools:admin',
  effect: 'read',
  input: {},
  output: policyTextView,
  refusals: ['unauthorized'],
  route: 'GET /api/tools/policy/file',
  run: async ({ policyReview }: Broker, _, { who }) => ({ ...OK, ...(await policyReview.text(who)) }),
});

const replacePolicyFile = work({
  name: 'replace_policy_file',
  summary: 'Replace policy.yaml, if it is still the version that was read and the new one is good.',
  scope: 'tools:admin',
  effect: 'state',
  input: { text: policyText, version: z.string().min(1).max(100) },
  output: policyTextView,
  refusals: ['unauthorized', 'conflict'],
  route: 'PUT /api/tools/policy/file',
  run: async ({ policyReview }: Broker, change, { who }) => ({
    ...OK,
    ...(await policyReview.replace(who, change)),
  }),
});

const showPolicySchema = work({
  name: 'show_policy_schema',
  summary: 'The JSON schema of policy.yaml, for editors.',
  scope: 'tools:read',
  effect: 'read',
  input: {},
  output: z.record(z.string(), z.unknown()),
  route: 'GET /api/tools/policy/schema',
  run: async () => ({ ...policyJsonSchema() }),
});

const checkPolicy = work({
  name: 'check_policy',
  summary: 'Is this text a good policy?',
  scope: 'tools:read',
  effect: 'read',
  input: { text: policyText },
  output: z.object({
    ok: z.boolean(),
    problems: z.array(problem),
    rules: z
      .array(z.object({ name: z.string(), decide: z.string(), line: z.int() }))
      .describe('The rules of a good one, and the line that each begins on.'),
  }),
  route: 'POST /api/tools/policy/check',
  async run({ policyReview }: Broker, { text }, { who, signal }) {
    const read = await policyReview.check(who, text, signal);
    if (!read.ok) return { ok: false, problems: [...read.problems], rules: [] };
    const rules = read.policy.rules.map((rule, at) => ({
      name: nameOf(rule, at),
      decide: rule.decide,
      line: read.lines[at] ?? 1,
    }));
    return { ok: true, problems: [], rules };
  },
});

const explainCall = work({
  name: 'explain_call',
  summary: 'What would happen to this call, and by which rule? Nothing is called.',
  scope: 'tools:read',
  effect: 'read',
  input: {
    tool: z.string().min(1).max(128),
    args: z.record(z.string(), z.unknown()).optional(),
    agentId: z.string().max(200).optional(),
    teamId: z.string().max(200).optional(),
    text: policyText.optional(),
  },
  output: z.object({
    ok,
    decision: z.enum(['allow', 'deny', 'require_approval']),
    reason: z.string(),
    notes: z.array(z.string()),
    shape: z.string(),
    limits: z.object({ perMinute: z.int().optional(), perDay: z.int().optional() }),
  }),
  refusals: ['not_found', 'invalid'],
  route: 'POST /api/tools/policy/explain',
  async run({ policyReview }: Broker, asked, { who }) {
    const { notes, ...explained } = await policyReview.explain(who, asked);
    return { ...OK, ...explained, notes: [...notes] };
  },
});

const tryPolicy = work({
  name: 'try_policy',
  summary: 'Which recent calls would another policy have decided otherwise?',
  scope: 'tools:read',
  effect: 'read',
  input: { text: policyText, limit: z.int().min(1).max(1_000).optional() },
  output: z.object({
    ok,
    looked: z.int(),
    changes: z.array(replayChange),
  }),
  route: 'POST /api/tools/policy/dry-run',
  run: async ({ policyReview }: Broker, tried, { who }) => ({
    ...OK,
    ...(await policyReview.dryRun(who, tried)),
  }),
});

export const policyOperations = [
  showPolicy,
  readPolicyFile,
  replacePolicyFile,
  showPolicySchema,
  checkPolicy,
  explainCall,
  tryPolicy,
] as const;
