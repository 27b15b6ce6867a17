import { canonicalJson } from '../../kernel/canonical-json.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Tx } from '../../store/database.ts';
import { appendAudit } from './audit.ts';
import { callerOf, nameOf } from './caller.ts';
import { exactKey } from './shape.ts';
import type { Approval } from './rows/approvals.ts';
import { type Grant, grantById, insertGrant, revokeGrant } from './rows/grants.ts';

/** Remembers `allow_always`: this tool, this caller, arguments of this shape. */
export async function grantFrom(
  tx: Tx,
  approval: Approval,
  terms: { by: string; expiresAt: number; covers: 'shape' | 'exact' },
): Promise<Grant> {
  const grant: Grant = {
    id: newId(),
    toolName: approval.toolName,
    principal: approval.principal,
    agentId: approval.agentId,
    ...(terms.covers === 'exact'
      ? exactShape(approval)
      : { shape: approval.shape, shapeText: approval.shapeText }),
    credential: approval.credential,
    approvalId: approval.id,
    createdAt: tx.now,
    createdBy: terms.by,
    expiresAt: terms.expiresAt,
    revokedAt: null,
    revokedBy: null,
    uses: 0,
    lastUsedAt: null,
  };
  await insertGrant(tx, grant);
  tx.emit({ kind: 'grant.made', subject: grant.id, realm: 'hub', data: { tool: grant.toolName } });
  return grant;
}

/** Narrower than any shape: these arguments, as they would run, and no others. */
function exactShape({ argsHash, argsSummary }: Approval): Pick<Grant, 'shape' | 'shapeText'> {
  return { shape: exactKey(argsHash), shapeText: canonicalJson({ exactly: argsSummary ?? '' }) };
}

/** `principal`: the only one whose grants its caller sees. */
export type EndGrant = Readonly<{ id: string; who: Principal; principal?: string | undefined }>;

/** Revoking twice is as good as once; the answer says who did it first. */
export async function endGrant(tx: Tx, { id, who, principal }: EndGrant): Promise<Grant> {
  const known = await grantById(tx, id);
  const isSeen = known && (principal === undefined || known.principal === principal);
  if (isSeen && (await revokeGrant(tx, id, nameOf(who)))) {
    tx.emit({ kind: 'grant.revoked', subject: id, realm: 'hub' });
    await appendAudit(tx, {
      callId: newId(),
      toolName: known.toolName,
      caller: callerOf(who),
      phase: 'decision',
      decision: 'revoke',
      reason: 'grant:revoked',
      grantId: id,
      resultSummary: JSON.stringify({ by: nameOf(who), for: known.principal, allowed: known.shapeText }),
    });
  }
  const grant = isSeen ? await grantById(tx, id) : undefined;
  if (!grant)
    throw new HubError('not_found', 'grant not found', { id, hint: 'List them with `holdfast grants`.' });
  return grant;
}
