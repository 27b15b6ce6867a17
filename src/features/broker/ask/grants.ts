import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Tx } from '../../../store/database.ts';
import { appendAudit } from '../tell/audit.ts';
import { ANY, toolCallerOf, nameOf } from '../caller.ts';
import { maskEnds } from '../tell/masks.ts';
import { openKey, readOffers } from './offers.ts';
import type { Approval } from '../rows/approvals.ts';
import { type Grant, grantById, insertGrant, revokeGrant } from '../rows/grants.ts';

/**
 * What a grant of `allow_always` covers: these arguments alone, unless somebody chooses more: the shape that was shown, one of
 * the other shapes that were offered for the request, or everything but some arguments.
 */
export type Covers = 'shape' | 'exact' | Readonly<{ offer: string }> | Readonly<{ open: readonly string[] }>;

/** How a grant of a local seat may reach further than the client and the project it was asked for: by name, never by itself. */
export const WIDER = ['every_client', 'every_project'] as const;
export type Wider = (typeof WIDER)[number];

/** Remembers `allow_always`: this tool, this caller, arguments of this shape. */
export async function grantFrom(
  tx: Tx,
  approval: Approval,
  terms: Readonly<{
    by: string;
    expiresAt: number;
    covers: Covers;
    wider: readonly Wider[];
    isPerson: boolean;
  }>,
): Promise<Grant> {
  const grant: Grant = {
    id: newId(),
    toolName: approval.toolName,
    principal: approval.principal,
    agentId: approval.agentId,
    ...covered(approval, terms),
    ...held(approval, terms),
    teamId: approval.teamId ?? approval.project,
    folder: approval.folder,
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

/**
 * A request of a credential is held by that alone. One of a local seat by its client in its project, unless a person has
 * named more.
 */
function held(
  approval: Approval,
  { wider, isPerson }: Readonly<{ wider: readonly Wider[]; isPerson: boolean }>,
): Pick<Grant, 'client' | 'project' | 'ground'> {
  const own = readHolder(approval.holder);
  if (wider.length > 0 && !own) throw ofCredential(approval);
  if (wider.length > 0 && !isPerson) throw forPersons(approval);
  if (!own) return { client: ANY, project: ANY, ground: ANY };
  const [client, project] = own;
  const isEverywhere = wider.includes('every_project');
  return {
    client: wider.includes('every_client') ? ANY : client,
    project: isEverywhere ? ANY : project,
    ground: isEverywhere ? ANY : approval.ground,
  };
}

function readHolder(holder: string): readonly [client: string, project: string] | undefined {
  return holder === '' ? undefined : (JSON.parse(holder) as [string, string]);
}

function ofCredential({ id }: Approval): HubError {
  return new HubError('invalid', 'A grant for a caller with a credential belongs to that credential alone.', {
    id,
    hint: 'Leave `wider` out.',
  });
}

/** Whose calls a grant allows, in words: as every list shows it. */
export function holderWords(
  of: Pick<Grant, 'principal' | 'agentId' | 'client' | 'project' | 'teamId'>,
): string {
  if (!of.principal.startsWith('local:'))
    return `${of.agentId ?? of.principal}${of.teamId === null ? '' : ` in ${of.teamId}`}`;
  const bound = /[?,]agent=([^,]*)/.exec(of.principal)?.[1];
  const client = of.client === ANY ? 'every client here' : of.client;
  const name = bound === undefined ? client : `${bound} (${client})`;
  if (of.project === ANY) return `${name} in every project`;
  return of.project === '' ? `${name} outside projects` : `${name} in ${of.project}`;
}

/** The same of a request: whose calls "always" would allow. */
export function askerWords({ holder, ...approval }: Approval): string {
  const [client, project] = readHolder(holder) ?? [ANY, ANY];
  return holderWords({ ...approval, client, project, teamId: approval.teamId ?? approval.project });
}

type Covered = Pick<Grant, 'shape' | 'shapeText'>;

/** Only what the request was shown with: a key that the hub did not offer itself covers nothing. */
function covered(
  approval: Approval,
  { covers, isPerson }: Readonly<{ covers: Covers; isPerson: boolean }>,
): Covered {
  const { key, exact, ladder, open } = readOffers(approval);
  if (covers === 'exact') return exactShape(exact, approval);
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
function exactShape(shape: string, { argsSummary }: Approval): Covered {
  return { shape, shapeText: canonicalJson({ exactly: argsSummary ?? '' }) };
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
      caller: toolCallerOf(who),
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
