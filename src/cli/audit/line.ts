import type { Api } from '../../features/api.ts';

export type ListedAudit = Api['GET /api/tools/audit']['answer'];
export type AuditLine = ListedAudit['audit'][number];

export function howItWent({ decision, outcome }: AuditLine): string {
  return [decision, outcome].filter((part) => part !== null).join(' → ');
}
