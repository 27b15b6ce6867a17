import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import { checks, countChecks, evidence, hasCheck } from '../rows/evidence.ts';
import { isTerminal } from '../rules.ts';
import type { Check, Evidence } from '../detail.ts';
import type { Unit } from '../unit.ts';
import { holdForWork, refuseStaleFence, standingOf } from './claims.ts';
import { requireLocked } from './find.ts';
import { told } from './narration.ts';
import { illegalMove, limitReached, notHolder, staleFence } from './refusals.ts';

/** Acceptance checks, and the evidence that they hold. */
const CHECKS_PER_TASK = 100;

export type CheckRequest = Readonly<{ taskId: string; title: string; required?: boolean | undefined }>;

export async function addCheck(unit: Unit, request: CheckRequest): Promise<Check> {
  const { tx, now } = unit;
  const task = await requireLocked(unit, request.taskId);
  refuseStaleFence(unit, task);
  if (isTerminal(task.status)) throw illegalMove({ verb: 'evidence', task, now }, 'a new check');
  if ((await countChecks(tx, task.id)) >= CHECKS_PER_TASK) {
    const hint = 'Fold several checks into one.';
    throw limitReached({ limit: 'checks per task', max: CHECKS_PER_TASK, what: task.id, hint });
  }
  const { title, required = true } = request;
  const check = { id: newId(), taskId: task.id, title: redact(title), required, createdAt: now };
  await checks.insert(tx, check);
  tx.emit(told(task, 'task.check_added', { checkId: check.id, required }));
  return { ...check, satisfied: false };
}

export type EvidenceRequest = Readonly<{
  taskId: string;
  checkId: string;
  passed: boolean;
  summary: string;
  reference?: string | undefined;
}>;

export async function submitEvidence(unit: Unit, request: EvidenceRequest): Promise<Evidence> {
  const { tx, caller, now, renewals } = unit;
  const found = await requireLocked(unit, request.taskId);
  const standing = await standingOf(unit, found);
  const tried = { verb: 'evidence', task: found, now } as const;
  if (standing === 'stale') throw staleFence(tried);
  if (standing === 'stranger') throw notHolder(tried);
  const task = await holdForWork(unit, found, standing);
  if (isTerminal(task.status)) throw illegalMove({ ...tried, task }, 'new evidence');
  if (!(await hasCheck(tx, task.id, request.checkId))) throw unknownCheck(request.checkId);
  const { checkId, passed, summary, reference } = request;
  const given = {
    id: newId(),
    taskId: task.id,
    checkId,
    passed,
    summary: redact(summary),
    reference: reference === undefined ? null : redact(reference),
    authorAgentId: caller.agent ?? null,
    createdAt: now,
  };
  const { revision, fence } = task;
  await evidence.insert(tx, { ...given, revision, fence, asserted: caller.known !== 'bound' });
  if (standing === 'holder' || task !== found) renewals.touchClaim(task.id, fence);
  tx.emit(told(task, 'task.evidence_given', { checkId, evidenceId: given.id, passed }));
  return { ...given, current: true };
}

function unknownCheck(checkId: string): HubError {
  return new HubError('not_found', `not found: check ${checkId}`, {
    checkId,
    hint: 'get_task lists the checks of a task.',
  });
}
