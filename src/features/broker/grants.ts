import { canonicalJson } from '../../kernel/canonical-json.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Tx } from '../../store/database.ts';
import { appendAudit } from './audit.ts';
import { callerOf, nameOf } from './caller.ts';
import { maskEnds } from './masking.ts';
import { openKey, readOffers } from './offers.ts';
import { exactKey } from './shape.ts';
import type { Approval } from './rows/approvals.ts';
import { type Grant, grantById, insertGrant, revokeGrant } from './rows/grants.ts';

/**
 * What a grant of `allow_always` covers: these arguments alone, unless somebody chooses more: the shape that was shown, one of
 * the other shapes that were offered for the request, or everything but some arguments.
 */
export type Covers = 'shape' | 'exact' | Readonly<{ offer: string }> | Readonly<{ open: readonly string[] }>;

/** Remembers `allow_always`: this tool, this caller, arguments of this shape. */
export async function grantFrom(
  tx: Tx,
  approval: Approval,
  terms: Readonly<{ by: string; expiresAt: number; covers: Covers; isPerson: boolean }>,
): Promise<Grant> {
  const grant: Grant = {
    id: newId(),
    toolName: approval.toolName,
    principal: approval.principal,
    agentId: approval.agentId,
    ...covered(approval, terms),
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

type Covered = Pick<Grant, 'shape' | 'shapeText'>;

/** Only what the request was shown with: a key that the hub did not offer itself covers nothing. */
function covered(
  approval: Approval,
  { covers, isPerson }: Readonly<{ covers: Covers; isPerson: boolean }>,
): Covered {
  const { key, ladder, open, exact } = readOffers(approval.shape);
  if (covers === 'exact') return exactShape(approval, exact);
  if (covers === 'shape') return { shape: key, shapeText: approval.shapeText };
  if ('offer' in covers) {
    const at = ladder.findIndex((each) => each.key === covers.offer);
    const offer = ladder[at];
    if (!offer) throw notOffered(approval);
    if (!isPerson && at > ladder.findIndex((each) => each.key === key)) throw forPersons(approval);
    return { shape: offer.key, shapeText: offer.text };
  }
  const names = [...new Set(covers.open)];
  if (!open || names.length === 0 || names.some((name) => !open.names.includes(name)))
    throw notOffered(approval);
  if (!isPerson) throw forPersons(approval);
  return { shape: openKey(open, names), shapeText: openText(approval, names) };
}

/** An agent that was given the right to decide narrows what its tool's author thought of; it does not widen it. */
function forPersons({ id }: Approval): HubError {
  return new HubError(
    'forbidden',
    'Allowing more than the usual shape of a tool for always is for persons.',
    {
      id,
      hint: 'Leave `covers` out, or choose something narrower.',
    },
  );
}

function notOffered({ id }: Approval): HubError {
  return new HubError(
    'invalid',
    'This was not offered for the request, so it cannot be allowed for always.',
    {
      id,
      hint: 'GET /api/tools/approvals/{id}/offers lists what can be.',
    },
  );
}

/** What stays fixed is quoted, so that no value reads like an open one. */
function openText({ argsSummary }: Approval, names: readonly string[]): string {
  const args = JSON.parse(argsSummary ?? '{}') as Readonly<Record<string, unknown>>;
  const texts = Object.entries(args).map(([name, value]) => {
    const text = JSON.stringify(value);
    return [
      name,
      names.includes(name) ? 'anything' : text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text,
    ];
  });
  return canonicalJson(Object.fromEntries(texts));
}

const SHOWN = 500;

/** Narrower than any shape: these arguments, as they would run, and no others. */
function exactShape({ argsHash, argsSummary }: Approval, exact = exactKey(argsHash)): Covered {
  return { shape: exact, shapeText: canonicalJson({ exactly: argsSummary ?? '' }) };
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
      resultSummary: JSON.stringify({
        by: nameOf(who),
        for: known.principal,
        allowed: maskEnds(known.shapeText),
      }),
    });
  }
  const grant = isSeen ? await grantById(tx, id) : undefined;
  if (!grant)
    throw new HubError('not_found', 'grant not found', { id, hint: 'List them with `holdfast grants`.' });
  return grant;
}
