// The broker: the one way to a tool that reaches outside, and what persons see of it.
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import { markBrokered } from '../../mcp/brokered.ts';
import type { Tool, ToolContext, ToolResult } from '../../mcp/define.ts';
import { type Answer, answerOf } from '../../mcp/result.ts';
import { inputSchemaOf } from '../../mcp/schema.ts';
import type { RefusedCall, ToolSource } from '../../mcp/server.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Workplace, Workplaces } from '../projects/projects.ts';
import { finishAnswer } from './run/answer.ts';
import { sweepApprovals, type Terms } from './ask/approvals.ts';
import { type Choices, choicesFor } from './ask/choices.ts';
import { type Touches, touchesOf } from './touch/touches.ts';
import { type BrokerDesk, deskOf } from './ask/desk.ts';
import { anchorCheckpoint, pruneAudit } from './tell/audit.ts';
import { judgeAvailability, type ToolSurroundings } from './judge/availability.ts';
import { actorFor, type Caller } from '../../store/calls.ts';
import { toolCallerOf, nameOf, NOWHERE } from './caller.ts';
import { requireDecider } from './ask/deciders.ts';
import { createExpiry } from './ask/expiry.ts';
import { createFunnel } from './funnel.ts';
import { type BrokerView, viewOf } from './ask/view.ts';
import { HIDE_NOTHING, type HiddenValues } from './run/hidden-values.ts';
import { createLeftovers, type Leftovers } from './run/leftovers.ts';
import type { PastParts } from './judge/past-calls.ts';
import { createPolicyReview, type PolicyReview } from './judge/policy-review.ts';
import type { PolicyFile } from './judge/policy/file.ts';
import { denied } from './tell/refusals.ts';
import { dropApprovalsBefore } from './rows/approvals.ts';
import { type AuditReader, createAuditReader } from './tell/audit-reader.ts';
import type { ToolStatus } from './views.ts';
import { dropUsageBefore } from './rows/usage.ts';
import { createToolSwitches } from './judge/tool-switches.ts';
import type { WorldTool } from './world-tool.ts';
import { judgeCall } from './judge/judge-call.ts';

export type { CallFacts, WorldContext, WorldTool } from './world-tool.ts';
export { defineWorldTool } from './world-tool.ts';
export { toolCallerOf } from './caller.ts';
export { approvalQuestion, decisionIn } from './ask/questions.ts';
export { SWITCHED } from './judge/tool-switches.ts';

export type BrokerOptions = Readonly<{
  db: Database;
  policy: PolicyFile;
  /** Asked anew at every list and every call. */
  surroundings(): ToolSurroundings;
  terms?: Partial<Terms>;
  /** The board tasks that a caller holds; absent where there is no board. */
  heldTasks?(who: Principal): Promise<readonly string[]>;
  /** Where callers work; absent: nowhere. */
  workplaces?: Pick<Workplaces, 'of' | 'at'>;
  /** The key that this hub has for a provider of something outside. */
  keyOf?(provider: string): string | undefined;
  /** What no result shows: the hub's own secrets. */
  hidden?: HiddenValues;
  log?: Log;
}>;

/** The one way to a world tool. Rooms hand their tools over, hosts serve what comes back. */
export interface Broker {
  /** The tool behind the funnel. Its executor is reachable through nothing else. */
  wrap(tool: WorldTool): Tool;
  /** Forgets a wrapped tool that is no longer there, so that its name is free again. */
  release(tool: Tool): void;
  /** Wrapped tools as a list that shows only what is enabled and available. */
  listOf(tools: readonly Tool[]): ToolSource;
  isEnabled(name: string): boolean;
  /** Another number whenever a switch was flipped. */
  switchVersion(): number;
  statusOf(tool: WorldTool): ToolStatus;
  tools(): readonly WorldTool[];
  /** For the tool that asks this provider: the key that makes it available. */
  keyOf(provider: string): string | undefined;
  /** Where callers work, and where the calls of the past did. */
  workplaces: Pick<Workplaces, 'of' | 'at'>;
  /** Would file tools read this file for the caller, without asking anybody? */
  mayRead(who: Principal, place: Workplace, path: string): Promise<boolean>;
  /** Writes down a call that the protocol refused before it reached a tool. */
  refused(call: RefusedCall, context: ToolContext): Promise<void>;
  /** What a caller may see of requests and grants in a snapshot. */
  at(q: Query, caller: Pick<Caller, 'who'>): BrokerView;
  /** Where a caller decides about them in a transaction. */
  in(tx: Tx, caller: Pick<Caller, 'who'>): BrokerDesk;
  /** What "always" may mean for a request. */
  choicesFor(who: Principal, approvalId: string): Promise<Choices>;
  /** Which files and hosts a request would touch. */
  touchesOf(who: Principal, approvalId: string): Promise<Touches>;
  audit: AuditReader;
  switch(who: Principal, name: string, enabled: boolean): Promise<void>;
  /** Tells every client that lists may have changed. */
  stir(): Promise<void>;
  leftovers: Leftovers;
  policy: PolicyFile;
  policyReview: PolicyReview;
  /** The result of a tool that comes after its call: shortened, bounded and without secrets like every other. */
  lateAnswer(name: string, who: Principal, result: ToolResult<unknown>): Promise<Answer>;
  sweep(tx: Tx): Promise<number>;
  /** From now on also tells when a request runs out that an earlier hub left open. */
  lookAhead(): Promise<void>;
  prune(tx: Tx, before: number): Promise<number>;
  /** Keeps the word of where the audit begins fresh in the event log. */
  anchor(tx: Tx): Promise<boolean>;
  /** The hub is about to close: whoever waits is told to come again, and whatever runs is told to stop. */
  settle(): void;
  close(): Promise<void>;
}

const DEFAULT_TERMS: Terms = { waitMs: 120_000, lifeMs: 1_800_000, unattended: 'wait', askClient: true };
/** Schemas are heavy, and this one is the same for every tool. */
const ANYTHING = z.looseObject({});
const DAY = 86_400_000;
const KEEP_APPROVALS = 90 * DAY;
const ANCHOR_AGAIN = 30 * DAY;

export function createBroker({
  db,
  policy,
  surroundings,
  log = silentLog,
  ...options
}: BrokerOptions): Broker {
  const terms = { ...DEFAULT_TERMS, ...options.terms };
  const hidden = options.hidden ?? HIDE_NOTHING;
  const workplaces = options.workplaces ?? { of: async () => NOWHERE, at: async () => NOWHERE };
  const leftovers = createLeftovers();
  const settling = new AbortController();
  const switches = createToolSwitches({ db, log });
  const sweep = () => db.write(systemActor, (tx) => sweepApprovals(tx));
  const expiry = createExpiry({ db, log, sweep });
  const known = new Map<string, WorldTool>();
  const wrapped = new Map<Tool, WorldTool>();
  const past: PastParts = { db, policy, workplaces, tools: () => [...known.values()] };
  const availabilityOf = (tool: WorldTool) => judgeAvailability(tool.requires, surroundings());
  const funnel = createFunnel({
    db,
    log,
    policy,
    terms,
    leftovers,
    hidden,
    settling: settling.signal,
    expiry,
    availabilityOf,
    workplaceOf: (who) => workplaces.of(who),
    heldTasks: options.heldTasks ?? (async () => []),
    isEnabled: (name) => switches.isEnabled(name),
  });

  function wrap(tool: WorldTool): Tool {
    if (known.has(tool.name)) throw new Error(`a world tool named ${tool.name} is already behind the broker`);
    const { name, title, description, annotations, scope, profile, output, outputSchema, source, tags } =
      tool;
    const { carries, isForeign } = tool;
    const front: Tool = {
      name,
      title,
      description,
      annotations,
      scope,
      effect: 'world',
      // The funnel parses, so that arguments which fail the schema are audited like every other call.
      input: ANYTHING,
      inputSchema: inputSchemaOf(tool),
      ...(profile && { profile }),
      ...(output && { output }),
      ...(outputSchema && { outputSchema }),
      ...(carries && { carries }),
      ...(isForeign && { isForeign }),
      ...(source !== undefined && { source }),
      ...(tags && { tags }),
      ...(tool.isHidden && { isHidden: () => tool.isHidden!() }),
      handler: (args: never, context) => funnel.run(tool, args, context),
    };
    known.set(name, tool);
    wrapped.set(front, tool);
    return markBrokered(front);
  }

  /** What the protocol cannot tell: an unknown tool may be one that is hidden. */
  function whyRefused(name: string, reason: RefusedCall['reason']): string {
    const tool = known.get(name);
    if (reason === 'forbidden') return `scope:missing:${tool?.scope ?? name}`;
    if (!tool) return `unknown-tool:${redact(name).slice(0, 128)}`;
    return switches.isEnabled(name)
      ? `unavailable:${availabilityOf(tool).diagnostics.join(',')}`
      : `disabled:${name}`;
  }

  return {
    wrap,
    release(front) {
      const tool = wrapped.get(front);
      wrapped.delete(front);
      if (tool && known.get(tool.name) === tool) known.delete(tool.name);
    },
    listOf(tools) {
      const shown = () => {
        const around = surroundings();
        return tools.filter((front) => {
          const tool = wrapped.get(front);
          return !tool || (switches.isEnabled(tool.name) && judgeAvailability(tool.requires, around).visible);
        });
      };
      return {
        version: () =>
          shown()
            .map(({ name }) => name)
            .join(' '),
        list: () => shown(),
      };
    },
    isEnabled: (name) => switches.isEnabled(name),
    switchVersion: () => switches.version(),
    statusOf: (tool) => ({ ...availabilityOf(tool), enabled: switches.isEnabled(tool.name) }),
    tools: past.tools,
    keyOf: (provider) => options.keyOf?.(provider),
    workplaces,
    async mayRead(who, place, path) {
      const read = known.get('Read');
      if (!read) return true;
      return switches.isEnabled(read.name) && mayRead(policy, read, { who, place, path });
    },
    async refused({ name, args, reason }, context) {
      const refusal = denied(whyRefused(name, reason), 'The call did not reach a tool.');
      await funnel.refused({ toolName: name, args, refusal }, context);
    },
    at: (q, { who }) => viewOf(q, { who, now: db.now() }),
    in: (tx, { who }) => deskOf(tx, { who, terms }),
    choicesFor: (who, id) => choicesFor(past, who, id),
    touchesOf: (who, id) => touchesOf(past, who, id),
    audit: createAuditReader(db, workplaces),
    async switch(who, name, enabled) {
      requireDecider(who, 'tools:admin');
      if (!known.has(name))
        throw new HubError('not_found', `There is no tool ${JSON.stringify(excerpt(name, 128))}.`, {
          known: [...known.keys()],
        });
      await db.write(actorFor(who), (tx) => switches.flip(tx, { name, enabled, by: nameOf(who) }));
      await switches.refresh();
    },
    stir: () => db.write({ id: 'system', asserted: false }, async (tx) => switches.stir(tx)),
    async lateAnswer(name, who, answered) {
      const tool = known.get(name);
      if (!tool) throw new Error(`there is no world tool ${name} behind the broker`);
      const keep = (rest: string) => leftovers.keep(toolCallerOf(who).principal, rest);
      const hide = await hidden.current();
      return answerOf(tool, finishAnswer(tool, answered, { keep, hide }).result);
    },
    leftovers,
    policy,
    policyReview: createPolicyReview(past),
    async sweep(tx) {
      await dropApprovalsBefore(tx, tx.now - KEEP_APPROVALS);
      await dropUsageBefore(tx, tx.now - 2 * DAY);
      return sweepApprovals(tx);
    },
    lookAhead: () => expiry.lookAhead(),
    prune: (tx, before) => pruneAudit(tx, before),
    anchor: (tx) => anchorCheckpoint(tx, ANCHOR_AGAIN),
    settle: () => settling.abort(),
    async close() {
      expiry.close();
      await switches.close();
    },
  };
}

/** What is asked before a room reads a file for somebody: the file, as the tool that reads files would name it. */
type FileReading = Readonly<{ who: Principal; place: Workplace; path: string }>;

/** Would this caller's `Read` of the file simply run? What a person would be asked about is not read for anybody unasked. */
async function mayRead(policy: PolicyFile, read: WorldTool, reading: FileReading): Promise<boolean> {
  const { who, place, path } = reading;
  const caller = toolCallerOf(who, place);
  const call = { tool: read, args: { path }, facts: { path }, place, caller, callId: '' };
  return judgeCall(call, (await policy.current()).policy).verdict.decision === 'allow';
}
