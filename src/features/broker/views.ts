// How approvals, grants and audit rows look over REST, and what of them is masked once more.
import type { z } from 'zod';
import { ANY } from './caller.ts';
import { askerWords, holderWords } from './ask/grants.ts';
import { maskApprovalJson, maskArgsJson, maskJson } from './tell/summary.ts';
import type { Approval } from './rows/approvals.ts';
import type { AuditRow } from './rows/audit.ts';
import type { Grant } from './rows/grants.ts';
import type { approvalView, auditView, grantView, toolView } from './schemas.ts';
import type { Availability } from './judge/availability.ts';
import { riskOf, type WorldTool } from './world-tool.ts';

export type ToolStatus = Availability & Readonly<{ enabled: boolean }>;

export function toToolView(tool: WorldTool, status: ToolStatus): z.input<typeof toolView> {
  const { visible, diagnostics, enabled } = status;
  const { name, description, owner = 'core', source = 'builtin' } = tool;
  return {
    name,
    description,
    owner,
    risk: riskOf(tool),
    available: visible && enabled,
    diagnostics: [...diagnostics, ...(enabled ? [] : [`disabled:${name}`])],
    enabled,
    source,
  };
}

/** The stored value: what was written is what the resolver decided on. */
export function toApprovalView(row: Approval): z.input<typeof approvalView> {
  const {
    redeemUntil: _,
    redeemedByCall,
    shape: _key,
    shapeText: shape,
    credential: _credential,
    ground: _ground,
    project,
    ...rest
  } = row;
  const holder = askerWords(row);
  return { ...rest, teamId: row.teamId ?? project, holder, shape, isRedeemed: redeemedByCall !== null };
}

export function toMaskedApproval(row: Approval): z.input<typeof approvalView> {
  return {
    ...toApprovalView(row),
    argsSummary: maskApprovalJson(row.argsSummary),
    shape: maskApprovalJson(row.shapeText) ?? '{}',
  };
}

export function toAuditView(row: AuditRow): z.input<typeof auditView> {
  const { project, ...rest } = row;
  return {
    ...rest,
    teamId: row.teamId ?? project,
    argsSummary: maskArgsJson(row.argsSummary),
    resultSummary: maskJson(row.resultSummary),
  };
}

export function toGrantView(row: Grant): z.input<typeof grantView> {
  const { shape: _, shapeText, credential: _credential, client, project, ground: _ground, ...rest } = row;
  const isLocal = row.principal.startsWith('local:');
  const wider = [
    ...(isLocal && client === ANY ? (['every_client'] as const) : []),
    ...(isLocal && project === ANY ? (['every_project'] as const) : []),
  ];
  return {
    ...rest,
    holder: holderWords(row),
    wider,
    shape: JSON.parse(shapeText) as Record<string, string>,
  };
}
