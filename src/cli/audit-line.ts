import type { Api } from '../features/api.ts';

export type AuditPage = Api['GET /api/tools/audit']['answer'];
export type AuditLine = AuditPage['audit'][number];

export function howItWent({ decision, outcome }: AuditLine): string {
  return [decision, outcome].filter((part) => part !== null).join(' → ');
}
