import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import type { ToolResult } from '../../../mcp/define.ts';

export type Refusal = Extract<ToolResult<unknown>, { ok: false }>;

/** A no of the funnel: the reason code rides `_meta.denied`, as documented. */
export function denied(reason: string, hint: string, value: Readonly<Record<string, unknown>> = {}): Refusal {
  return {
    ok: false,
    line: `denied: ${reason}`,
    code: 'forbidden',
    value: { denied: reason, ...value },
    hint,
    meta: { denied: reason },
  };
}

/** The reason code of a no, as the audit keeps it. */
export function reasonOf({ meta, value, code }: Refusal): string {
  const reason = meta?.['denied'] ?? value?.['denied'];
  return typeof reason === 'string' ? reason : code;
}

export type ApprovalEnd = 'deny' | 'expired' | 'timeout' | 'unattended' | 'pending' | 'cancelled';

const AFTERWARDS: Readonly<Record<ApprovalEnd, string>> = {
  deny: 'A person said no. Do not call it again with these arguments; say what you wanted and go on without it.',
  expired: 'Nobody answered in time. Call again with the same arguments to ask anew.',
  timeout:
    'Nobody has answered yet, and you need not wait: go on with something else. A late yes counts: once the request is approved, the same call with the same arguments runs at once.',
  unattended:
    'This hub has nobody to ask (approvals.unattended: deny). An operator can allow it in policy.yaml.',
  pending: 'The hub is shutting down. The request stays open: call again with the same arguments.',
  cancelled:
    'The caller gave up. The request stays open: the same call with the same arguments can still use an approval.',
};

/** `note`: what the person who said no had to say about it. */
export function notApproved(
  end: ApprovalEnd,
  {
    note,
    openMs,
    ...facts
  }: Readonly<{
    tool: string;
    note?: string | undefined;
    openMs?: number | undefined;
  }>,
): Refusal {
  const reason = `approval:${end}`;
  return {
    ok: false,
    line: `approval ${end}`,
    code: end === 'deny' || end === 'unattended' ? 'forbidden' : 'unavailable',
    value: {
      denied: reason,
      retryable: end !== 'deny' && end !== 'unattended',
      ...facts,
      ...(note && { note }),
    },
    hint: [AFTERWARDS[end], openWords(openMs), note && `Their word: ${note}`].filter(Boolean).join(' '),
    meta: { denied: reason },
  };
}

/** How long a late yes is possible. */
function openWords(openMs = 0): string | undefined {
  const minutes = Math.floor(openMs / 60_000);
  return minutes < 1 ? undefined : `It stays open for ${minutes} more min.`;
}

/** What an executor, or what it asks beforehand, threw. */
export function failedCall(tool: Readonly<{ name: string }>, error: unknown): Refusal {
  if (error instanceof HubError) {
    const { hint: _, ...value } = error.details;
    return { ok: false, line: redact(error.message), code: error.code, value, hint: error.hint };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    ok: false,
    line: `${tool.name} failed: ${redact(message).slice(0, 500)}`,
    code: 'internal',
    hint: 'The tool itself failed; other arguments may work.',
  };
}
