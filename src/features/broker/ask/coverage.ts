// How many calls of the past a grant would have covered: what a person wants to know before saying "always".
import { type JudgedCall, judgeCall } from '../judge/judge-call.ts';
import { type OpenOffer, readOffers } from './offers.ts';
import type { Approval } from '../rows/approvals.ts';
import { argsOf, callAgain, type PastParts } from '../judge/past-calls.ts';
import { type AuditRow, listAudit } from '../rows/audit.ts';

export type Coverage = Readonly<{
  /** Calls of this tool by this caller that could be judged again. */
  looked: number;
  exact: number;
  shape: number;
  /** By the key of each offer. */
  offers: ReadonlyMap<string, number>;
  /** Of calls that differ only in arguments that may be left open: in which, and how many did. */
  differing: readonly Readonly<{ names: readonly string[]; calls: number }>[];
}>;

const LOOKED_AT = 300;

/**
 * The audit keeps arguments without their secrets and cut where they are long, so a call is judged as it was written down: this
 * tells of the past, it decides nothing.
 */
export async function coverageOf(parts: PastParts, approval: Approval): Promise<Coverage> {
  const { key, ladder, open } = readOffers(approval);
  const offers = new Map(ladder.map((each) => [each.key, 0]));
  const differing = new Map<string, { names: readonly string[]; calls: number }>();
  let [looked, exact, shape] = [0, 0, 0];
  for (const { row, call } of await pastCalls(parts, approval)) {
    looked += 1;
    if (row.argsHash === approval.argsHash) exact += 1;
    if (call.verdict.decision !== 'require_approval') continue;
    if (call.verdict.shape.key === key) shape += 1;
    for (const each of call.verdict.offers.ladder)
      if (offers.has(each.key)) offers.set(each.key, offers.get(each.key)! + 1);
    const names = differences(open, call.verdict.offers.open);
    if (!names) continue;
    const known = differing.get(names.join(' ')) ?? { names, calls: 0 };
    differing.set(names.join(' '), { names, calls: known.calls + 1 });
  }
  return { looked, exact, shape, offers, differing: [...differing.values()] };
}

async function pastCalls(
  parts: PastParts,
  approval: Approval,
): Promise<readonly Readonly<{ row: AuditRow; call: JudgedCall }>[]> {
  const { toolName } = approval;
  const tool = parts.tools().find(({ name }) => name === toolName);
  if (!tool) return [];
  const { policy } = await parts.policy.current();
  const rows = await parts.db.read((q) =>
    listAudit(q, { toolName, phase: 'before' }, { before: null, limit: LOOKED_AT }),
  );
  const calls: { row: AuditRow; call: JudgedCall }[] = [];
  for (const row of rows) {
    const args = isOf(approval, row) ? argsOf(row) : undefined;
    const call = args && (await callAgain(parts, tool, { row, args }));
    if (call) calls.push({ row, call: judgeCall(call, policy) });
  }
  return calls;
}

/** A grant would be held by this client in this project: what others did tells nothing of it. */
function isOf({ principal, holder, client, project }: Approval, row: AuditRow): boolean {
  return principal === row.principal && (holder === '' || (client === row.client && project === row.project));
}

/** Undefined where more differs than what may be left open. */
function differences(asked: OpenOffer | undefined, past: OpenOffer | undefined): string[] | undefined {
  if (!asked || !past || asked.why !== past.why || asked.workspace !== past.workspace) return undefined;
  const names = Object.keys(asked.values);
  if (names.length !== Object.keys(past.values).length) return undefined;
  const other = names.filter((name) => asked.values[name] !== past.values[name]).sort();
  const isOpen = (name: string) => asked.names.includes(name) && past.names.includes(name);
  return other.every(isOpen) ? other : undefined;
}
