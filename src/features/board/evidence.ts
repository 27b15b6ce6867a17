import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { holdForWork, refuseStaleFence, standingOf } from './claims.ts';
import { tell } from './narration.ts';
import { requireLocked, requireTask, withSigns } from './reading.ts';
import { illegalMove, limitReached, notHolder, staleFence } from './refusals.ts';
import {
  countChecks,
  hasCheck,
  insertCheck,
  insertEvidence,
  listChecks,
  listEvidence,
} from './rows/evidence.ts';
import { isTerminal } from './rules.ts';
import type { Settings } from './settings.ts';
import type { Check, Evidence, StoredTask } from './task.ts';

/** Acceptance checks, and the evidence that they hold. */
const CHECKS_PER_TASK = 100;

export type CheckRequest = Readonly<{ taskId: string; title: string; required: boolean }>;

export async function addCheck(tx: Tx, caller: Caller, request: CheckRequest): Promise<Check> {
  const task = await requireLocked(tx, caller.who, request.taskId);
  refuseStaleFence(task, caller, tx.now);
  if (isTerminal(task.status)) throw illegalMove('evidence', task, 'a new check', tx.now);
  if ((await countChecks(tx, task.id)) >= CHECKS_PER_TASK) {
    throw limitReached('checks per task', CHECKS_PER_TASK, task.id, 'Fold several checks into one.');
  }
  const check = {
    id: newId(),
    taskId: task.id,
    title: redact(request.title),
    required: request.required,
    createdAt: tx.now,
  };
  await insertCheck(tx, check);
  tell(tx, task, 'task.check_added', { checkId: check.id, required: check.required });
  return { ...check, satisfied: false };
}

export type EvidenceRequest = Readonly<{
  taskId: string;
  checkId: string;
  passed: boolean;
  summary: string;
  reference?: string | undefined;
}>;

export async function submitEvidence(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: EvidenceRequest,
): Promise<Evidence> {
  const found = withSigns(await requireLocked(tx, caller.who, request.taskId), settings.renewals);
  const standing = await standingOf(tx, settings, caller, found);
  if (standing === 'stale') throw staleFence('evidence', found, tx.now);
  if (standing === 'stranger') throw notHolder('evidence', found, tx.now);
  const task = await holdForWork(tx, settings, caller, { task: found, standing });
  if (isTerminal(task.status)) throw illegalMove('evidence', task, 'new evidence', tx.now);
  if (!(await hasCheck(tx, task.id, request.checkId))) throw unknownCheck(request.checkId);
  const given = {
    id: newId(),
    taskId: task.id,
    checkId: request.checkId,
    passed: request.passed,
    summary: redact(request.summary),
    reference: request.reference === undefined ? null : redact(request.reference),
    authorAgentId: caller.agent ?? null,
    createdAt: tx.now,
  };
  await insertEvidence(tx, {
    ...given,
    revision: task.revision,
    asserted: caller.known !== 'bound',
    fence: task.fence,
  });
  if (standing === 'holder' || task !== found) settings.renewals.touchClaim(task.id, task.fence);
  tell(tx, task, 'task.evidence_given', {
    checkId: given.checkId,
    evidenceId: given.id,
    passed: given.passed,
  });
  return { ...given, current: true };
}

function unknownCheck(checkId: string): HubError {
  return new HubError('not_found', `not found: check ${checkId}`, {
    checkId,
    hint: 'get_task lists the checks of a task.',
  });
}

export async function readEvidence(
  q: Query,
  who: Principal,
  taskId: string,
  limit: number,
): Promise<Evidence[]> {
  return listEvidence(q, await requireTask(q, who, taskId), limit);
}

/** What stands between a task and `done`, satisfied or not. */
export async function requiredChecks(q: Query, task: StoredTask): Promise<Check[]> {
  return (await listChecks(q, task)).filter((check) => check.required);
}
