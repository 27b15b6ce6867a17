// Looking at the policy, trying another one, and putting it in force. An agent is not shown what it would have to get
// around, and only the operator changes the file.
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { parseArguments } from '../../../mcp/validate.ts';
import { actorFor } from '../../../store/calls.ts';
import { refuseBound, requireDecider, requirePolicyEditor } from '../ask/deciders.ts';
import { shapeOf } from '../ask/shape.ts';
import { toolCallerOf } from '../caller.ts';
import type { WorldTool } from '../world-tool.ts';
import { findFacts } from './facts.ts';
import type { Args } from './inspectors/inspector.ts';
import { judgeCall } from './judge-call.ts';
import type { PastParts } from './past-calls.ts';
import { nameOf } from './policy/decide.ts';
import { changePolicy, type PolicyText, readPolicyText } from './policy/edit.ts';
import type { Policy } from './policy/policy.ts';
import { replay } from './replay.ts';
import { runApart } from '../../../kernel/apart.ts';
import { LARGE_YAML, yamlProblem } from '../../../kernel/yaml-limits.ts';
import type { ReadPolicy } from './policy/read.ts';

type Explained = Readonly<{
  tool: string;
  args?: Args | undefined;
  agentId?: string | undefined;
  teamId?: string | undefined;
  text?: string | undefined;
}>;

export type PolicyReview = ReturnType<typeof createPolicyReview>;

export function createPolicyReview(parts: PastParts) {
  const { db, policy: file } = parts;

  function toolNamed(name: string): WorldTool {
    const tools = parts.tools();
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool) return tool;
    const known = tools.map((each) => each.name).join(', ');
    throw new HubError('not_found', `There is no tool ${JSON.stringify(name)}.`, {
      hint: `Known: ${known}.`,
    });
  }

  return {
    /** The policy in force, and where its file is broken. */
    async inForce(who: Principal) {
      requireDecider(who, 'tools:admin');
      const { path, loadedAt, policy, problems } = await file.current();
      const rules = policy.rules.map((rule, i) => ({ name: nameOf(rule, i), decide: rule.decide }));
      return { path, loadedAt, rules, problems };
    },

    async text(who: Principal) {
      requirePolicyEditor(who);
      return readPolicyText((await file.current()).path);
    },

    /** Puts another text in its place, if it is still the version that was read and the new one is good. */
    async replace(who: Principal, { text, version }: PolicyText) {
      requirePolicyEditor(who);
      const policy = await goodPolicy(text);
      const { path } = await file.current();
      const after = await db.write(actorFor(who), (tx) =>
        changePolicy(tx, { text, version, policy, path, who }),
      );
      file.lookAgain();
      return after;
    },

    async check(who: Principal, text: string, signal: AbortSignal) {
      requireDecider(who, 'tools:admin');
      return readForeignPolicy(text, signal);
    },

    /** What would happen to a call, and by which rule. Nothing is called. */
    async explain(who: Principal, { text, ...asked }: Explained) {
      requireDecider(who, 'tools:admin');
      const tool = toolNamed(asked.tool);
      const args = argsFor(tool, asked.args ?? {});
      const place = await parts.workplaces.of(who);
      const found = await findFacts(tool, args, place);
      if ('refusal' in found) throw new HubError('invalid', found.refusal.line, { hint: found.refusal.hint });
      const { facts } = found;
      const caller = toolCallerOf(as(who, asked), place);
      const policy = text === undefined ? (await file.current()).policy : await goodPolicy(text);
      const call = { tool, args, facts, place, caller, callId: 'explain' };
      const { verdict, notes, limits } = judgeCall(call, policy);
      const { decision, reason } = verdict;
      return { decision, reason, notes, limits, shape: shapeOf(tool, args, facts).text };
    },

    /** Which recent calls another policy would have decided otherwise. */
    async dryRun(
      who: Principal,
      { text, limit = 200 }: Readonly<{ text: string; limit?: number | undefined }>,
    ) {
      requireDecider(who, 'tools:admin');
      refuseBound(who, 'A dry run looks at the calls');
      return replay(parts, await goodPolicy(text), limit);
    },
  };
}

async function goodPolicy(text: string): Promise<Policy> {
  const read = await readForeignPolicy(text);
  if (read.ok) return read.policy;
  const [first] = read.problems;
  const where = `line ${first?.line}, column ${first?.column}`;
  throw new HubError('invalid', `The policy is broken at ${where}: ${first?.message}`, {
    problems: read.problems,
  });
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

/** The text of a caller, which may be anything: bounded first, then read in a process of its own. */
async function readForeignPolicy(text: string, signal?: AbortSignal): Promise<ReadPolicy> {
  const problem = yamlProblem(text, LARGE_YAML);
  if (problem !== undefined)
    return { ok: false, problems: [{ line: 1, column: 1, message: `the text is not read: ${problem}` }] };
  return runApart<ReadPolicy>({
    kind: 'policy',
    input: text,
    name: 'The policy',
    limits: { ms: 3_000 },
    ...(signal && { signal }),
  });
}
