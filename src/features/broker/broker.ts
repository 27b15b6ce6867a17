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
import type { Workplaces } from '../projects/projects.ts';
import { finishAnswer } from './answer.ts';
import { type Resolve, resolveApproval, sweepApprovals, type Terms, withdrawApprovals } from './approvals.ts';
import { anchorCheckpoint, pruneAudit } from './audit.ts';
import { type Availability, judgeAvailability, type ToolSurroundings } from './availability.ts';
import { actorFor } from '../../store/acting.ts';
import { callerOf, nameOf, NOWHERE } from './caller.ts';
import { requireDecider, requirePolicyEditor } from './may-decide.ts';
import { createExpiring } from './expiring.ts';
import { createFunnel } from './funnel.ts';
import { endGrant } from './grants.ts';
import { HIDE_NOTHING, type HiddenValues } from './hidden-values.ts';
import { createLeftovers, type Leftovers } from './leftovers.ts';
import { changePolicy, type PolicyChange, type PolicyText } from './policy/edit.ts';
import type { PolicyFile } from './policy/file.ts';
import { denied } from './refusals.ts';
import { type Approval, dropApprovalsBefore, listPendingOfCalls } from './rows/approvals.ts';
import type { Grant } from './rows/grants.ts';
import { dropUsageBefore } from './rows/usage.ts';
import { createToolSwitches } from './tool-switches.ts';
import type { WorldTool } from './world-tool.ts';

export type { CallFacts, WorldContext, WorldTool } from './world-tool.ts';
export { defineWorldTool } from './world-tool.ts';
export { callerOf } from './caller.ts';
export { approvalQuestion, decisionIn } from './waiting.ts';

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
  statusOf(tool: WorldTool): Availability & Readonly<{ enabled: boolean }>;
  tools(): readonly WorldTool[];
  /** Where callers work, and where the calls of the past did. */
  workplaces: Pick<Workplaces, 'of' | 'at'>;
  /** Writes down a call that the protocol refused before it reached a tool. */
  refused(call: RefusedCall, context: ToolContext): Promise<void>;
  resolve(who: Principal, resolve: ResolveRequest): Promise<Approval>;
  resolveAll(
    who: Principal,
    ids: readonly string[],
    decision: Omit<ResolveRequest, 'id'>,
  ): Promise<BatchAnswer>;
  revoke(who: Principal, grantId: string): Promise<Grant>;
  switch(who: Principal, name: string, enabled: boolean): Promise<void>;
  /** Tells every client that lists may have changed. */
  stir(): Promise<void>;
  leftovers: Leftovers;
  policy: PolicyFile;
  /** The result of a tool that comes after its call: shortened, bounded and without secrets like every other. */
  lateAnswer(name: string, who: Principal, result: ToolResult<unknown>): Promise<Answer>;
  /** Puts another text in the place of policy.yaml: for the operator alone. */
  editPolicy(who: Principal, change: Omit<PolicyChange, 'path' | 'who'>): Promise<PolicyText>;
  /** The open requests of calls whose ids begin so. */
  pendingOf(q: Query, callPrefix: string): Promise<readonly Approval[]>;
  /** Ends the open requests of calls whose ids begin so: what asked is gone. */
  withdraw(tx: Tx, callPrefix: string): Promise<number>;
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

type ResolveRequest = Pick<
  Resolve,
  'id' | 'decision' | 'grantTtlMs' | 'covers' | 'wider' | 'note' | 'isInPlace'
>;
type BatchAnswer = Readonly<{ approvals: readonly Approval[]; notFound: readonly string[] }>;

const DEFAULT_TERMS: Terms = { waitMs: 120_000, lifeMs: 300_000, unattended: 'wait', askClient: true };
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
  const expiring = createExpiring({ db, log, sweep });
  const known = new Map<string, WorldTool>();
  const wrapped = new Map<Tool, WorldTool>();
  const availabilityOf = (tool: WorldTool) => judgeAvailability(tool.requires, surroundings());
  const funnel = createFunnel({
    db,
    log,
    policy,
    terms,
    leftovers,
    hidden,
    settling: settling.signal,
    expiring,
    availabilityOf,
    placeOf: (who) => workplaces.of(who),
    heldTasks: options.heldTasks ?? (async () => []),
    isEnabled: (name) => switches.isEnabled(name),
  });

  function wrap(tool: WorldTool): Tool {
    if (known.has(tool.name)) throw new Error(`a world tool named ${tool.name} is already behind the broker`);
    const { name, title, description, annotations, scope, profile, output, outputSchema, source, tags } =
      tool;
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
    tools: () => [...known.values()],
    workplaces,
    async refused({ name, args, reason }, context) {
      await funnel.refused(
        name,
        args,
        denied(whyRefused(name, reason), 'The call did not reach a tool.'),
        context,
      );
    },
    async resolve(who, request) {
      requireDecider(who, 'tools:approve');
      return db.write(actorFor(who), (tx) =>
        resolveApproval(tx, { ...request, who, team: who.bound.team }, terms),
      );
    },
    async resolveAll(who, ids, decision) {
      requireDecider(who, 'tools:approve');
      return db.write(actorFor(who), async (tx) => {
        const approvals: Approval[] = [];
        const notFound: string[] = [];
        for (const id of [...new Set(ids)].sort()) {
          const one = await resolveIfKnown(tx, { ...decision, id, who, team: who.bound.team }, terms);
          if (one) approvals.push(one);
          else notFound.push(id);
        }
        return { approvals, notFound };
      });
    },
    async revoke(who, grantId) {
      requireDecider(who, 'tools:approve');
      const principal = who.bound.team === undefined ? undefined : callerOf(who).principal;
      return db.write(actorFor(who), (tx) => endGrant(tx, { id: grantId, who, principal }));
    },
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
      const keep = (rest: string) => leftovers.keep(callerOf(who).principal, rest);
      const hide = await hidden.current();
      return answerOf(tool, finishAnswer(tool, answered, { keep, hide }).result);
    },
    pendingOf: listPendingOfCalls,
    withdraw: withdrawApprovals,
    leftovers,
    policy,
    async editPolicy(who, change) {
      requirePolicyEditor(who);
      const { path } = await policy.current();
      const after = await db.write(actorFor(who), (tx) => changePolicy(tx, { ...change, path, who }));
      policy.lookAgain();
      return after;
    },
    async sweep(tx) {
      await dropApprovalsBefore(tx, tx.now - KEEP_APPROVALS);
      await dropUsageBefore(tx, tx.now - 2 * DAY);
      return sweepApprovals(tx);
    },
    lookAhead: () => expiring.lookAhead(),
    prune: (tx, before) => pruneAudit(tx, before),
    anchor: (tx) => anchorCheckpoint(tx, ANCHOR_AGAIN),
    settle: () => settling.abort(),
    async close() {
      expiring.close();
      await switches.close();
    },
  };
}

async function resolveIfKnown(
  tx: Tx,
  resolve: Parameters<typeof resolveApproval>[1],
  terms: Terms,
): Promise<Approval | undefined> {
  try {
    return await resolveApproval(tx, resolve, terms);
  } catch (error) {
    if (error instanceof HubError && error.code === 'not_found') return undefined;
    throw error;
  }
}
