// Looking at the policy, trying another one, and putting it in force, over HTTP.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { parseArguments } from '../../mcp/validate.ts';
import type { Database } from '../../store/database.ts';
import { judgeCall } from './judge/judge-call.ts';
import type { Broker, WorldTool } from './broker.ts';
import { callerOf } from './caller.ts';
import { findFacts } from './judge/facts.ts';
import type { Args } from './judge/inspectors/inspector.ts';
import { refuseBound, requireDecider, requirePolicyEditor } from './ask/deciders.ts';
import { nameOf } from './judge/policy/decide.ts';
import { readPolicyText } from './judge/policy/edit.ts';
import { type Policy, policyJsonSchema } from './judge/policy/policy.ts';
import { readForeignPolicy } from './judge/policy/foreign.ts';
import { replay } from './judge/replay.ts';
import { shapeOf } from './ask/shape.ts';
import { OK } from './views.ts';

const tag = 'tools';
const problem = z.object({ line: z.int(), column: z.int(), message: z.string() });
const policyTextView = z.object({ ok: z.literal(true), text: z.string(), version: z.string() });
const policyText = z.string().max(1_000_000).describe('A policy to try instead of the one in force.');

/** An agent is not shown what it would have to get around, and only the operator changes the file. */
export function policyRoutes(db: Database, broker: Broker): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tools/policy',
      summary: 'The policy in force, and where its file is broken.',
      tag,
      scope: 'tools:read',
      response: z.object({
        ok: z.literal(true),
        path: z.string(),
        loadedAt: z.int().nullable(),
        rules: z.array(z.object({ name: z.string(), decide: z.string() })),
        problems: z.array(problem),
      }),
      async handler(_, { who }) {
        requireDecider(who, 'tools:admin');
        const { path, loadedAt, policy, problems } = await broker.policy.current();
        const rules = policy.rules.map((rule, i) => ({ name: nameOf(rule, i), decide: rule.decide }));
        return { ...OK, path, loadedAt, rules, problems: [...problems] };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/tools/policy/file',
      summary: 'The text of policy.yaml, and its version.',
      tag,
      scope: 'tools:admin',
      response: policyTextView,
      async handler(_, { who }) {
        requirePolicyEditor(who);
        return { ...OK, ...readPolicyText((await broker.policy.current()).path) };
      },
    }),
    defineRoute({
      method: 'PUT',
      path: '/api/tools/policy/file',
      summary: 'Replace policy.yaml, if it is still the version that was read and the new one is good.',
      tag,
      scope: 'tools:admin',
      body: z.object({ text: policyText, version: z.string().min(1).max(100) }),
      refusals: ['conflict', 'invalid'],
      response: policyTextView,
      async handler({ body: { text, version } }, { who }) {
        requirePolicyEditor(who);
        const policy = await policyOf(broker, text);
        return { ...OK, ...(await broker.editPolicy(who, { text, version, policy })) };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/tools/policy/schema',
      summary: 'The JSON schema of policy.yaml, for editors.',
      tag,
      scope: 'tools:read',
      response: z.record(z.string(), z.unknown()),
      handler: async () => ({ ...policyJsonSchema() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/policy/check',
      summary: 'Is this text a good policy?',
      tag,
      scope: 'tools:read',
      body: z.object({ text: policyText }),
      response: z.object({ ok: z.boolean(), problems: z.array(problem) }),
      async handler({ body }, { who, signal }) {
        requireDecider(who, 'tools:admin');
        const read = await readForeignPolicy(body.text, signal);
        return { ok: read.ok, problems: read.ok ? [] : [...read.problems] };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/policy/explain',
      summary: 'What would happen to this call, and by which rule? Nothing is called.',
      tag,
      scope: 'tools:read',
      body: z.object({
        tool: z.string().min(1).max(128),
        args: z.record(z.string(), z.unknown()).optional(),
        agentId: z.string().max(200).optional(),
        teamId: z.string().max(200).optional(),
        text: policyText.optional(),
      }),
      refusals: ['not_found', 'invalid'],
      response: z.object({
        ok: z.literal(true),
        decision: z.enum(['allow', 'deny', 'require_approval']),
        reason: z.string(),
        notes: z.array(z.string()),
        shape: z.string(),
        limits: z.object({ perMinute: z.int().optional(), perDay: z.int().optional() }),
      }),
      async handler({ body }, { who }) {
        requireDecider(who, 'tools:admin');
        const tool = toolNamed(broker, body.tool);
        const args = argsFor(tool, body.args ?? {});
        const place = await broker.workplaces.of(who);
        const found = await findFacts(tool, args, place);
        if ('refusal' in found)
          throw new HubError('invalid', found.refusal.line, { hint: found.refusal.hint });
        const { facts } = found;
        const caller = callerOf(as(who, body), place);
        const call = { tool, args, facts, place, caller, callId: 'explain' };
        const { verdict, notes, limits } = judgeCall(call, await policyOf(broker, body.text));
        const shape = shapeOf(tool, args, facts).text;
        return {
          ...OK,
          decision: verdict.decision,
          reason: verdict.reason,
          notes: [...notes],
          shape,
          limits,
        };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/policy/dry-run',
      summary: 'Which recent calls would another policy have decided otherwise?',
      tag,
      scope: 'tools:read',
      body: z.object({ text: policyText, limit: z.int().min(1).max(1_000).optional() }),
      response: z.object({
        ok: z.literal(true),
        looked: z.int(),
        changes: z.array(
          z.object({
            callId: z.string(),
            toolName: z.string(),
            agentId: z.string().nullable(),
            was: z.string(),
            now: z.string(),
            reason: z.string(),
          }),
        ),
      }),
      async handler({ body }, { who }) {
        requireDecider(who, 'tools:admin');
        refuseBound(who, 'A dry run looks at the calls');
        return { ...OK, ...(await replay(db, broker, await policyOf(broker, body.text), body.limit ?? 200)) };
      },
    }),
  ];
}

async function policyOf(broker: Broker, text: string | undefined): Promise<Policy> {
  if (text === undefined) return (await broker.policy.current()).policy;
  const read = await readForeignPolicy(text);
  if (read.ok) return read.policy;
  const [first] = read.problems;
  throw new HubError(
    'invalid',
    `The policy is broken at line ${first?.line}, column ${first?.column}: ${first?.message}`,
    {
      problems: read.problems,
    },
  );
}

function toolNamed(broker: Broker, name: string): WorldTool {
  const tools = broker.tools();
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const known = tools.map((each) => each.name).join(', ');
  throw new HubError('not_found', `There is no tool ${JSON.stringify(name)}.`, { hint: `Known: ${known}.` });
}

/** What a call would be refused for before any rule is asked is not a question for the policy. */
function argsFor(tool: WorldTool, given: Args): Args {
  const parsed = parseArguments(tool, given);
  if (parsed.ok) return parsed.value as Args;
  throw new HubError('invalid', `These are no arguments for ${tool.name}: ${parsed.problems.join('; ')}.`, {
    hint: 'Name them as the call would, with `args` (on the command line: --args).',
  });
}

function as(
  who: Principal,
  { agentId, teamId }: { agentId?: string | undefined; teamId?: string | undefined },
): Principal {
  return {
    ...who,
    bound: {
      ...who.bound,
      ...(agentId !== undefined && { agent: agentId }),
      ...(teamId !== undefined && { team: teamId }),
    },
  };
}
