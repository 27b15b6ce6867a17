// Reading the audit: what a caller may see of it, with everything that was left to be written a moment later.
import type { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import type { Workplaces } from '../../projects/projects.ts';
import { type AuditFilter, listAudit, listLately, listRefused } from '../rows/audit.ts';
import type { auditView, blockedView } from '../schemas.ts';
import { toAuditView } from '../views.ts';
import { taskOfBlocked } from './blocked.ts';
import { type ChainVerdict, verifyAudit } from './verify.ts';

export interface AuditReader {
  /** Newest first. A caller that is bound to a team sees that team's rows. */
  list(
    who: Principal,
    asked: Asked,
  ): Promise<{ audit: z.input<typeof auditView>[]; nextCursor: string | null }>;
  /** Calls that a rule or an inspector kept from running, newest first. */
  refused(who: Principal, asked: AskedRefused): Promise<z.input<typeof blockedView>[]>;
  /** Names of the tools that were called lately where this caller works, the last one first. */
  lately(who: Principal): Promise<readonly string[]>;
  /** `head`: what an earlier look answered, kept elsewhere, as `seq:hash`. */
  verify(head: string | undefined): Promise<ChainVerdict>;
}

type Asked = Omit<AuditFilter, 'teamId' | 'inTeam'> &
  Readonly<{ teamId?: string | undefined; limit?: number | undefined; cursor?: string | undefined }>;
type AskedRefused = Readonly<{ since?: number | undefined; limit?: number | undefined }>;

export function createAuditReader(db: Database, workplaces: Pick<Workplaces, 'of'>): AuditReader {
  return {
    async list(who, { limit = 100, cursor, teamId: inTeam, ...filter }) {
      await db.flush();
      const wanted = { ...filter, inTeam, teamId: who.bound.team };
      const before = cursor === undefined ? null : Number(cursor);
      const rows = await db.read((q) => listAudit(q, wanted, { before, limit: limit + 1 }));
      const shown = rows.slice(0, limit);
      return {
        audit: shown.map(toAuditView),
        nextCursor: rows.length > limit ? String(shown.at(-1)!.seq) : null,
      };
    },
    async refused(who, { since, limit = 100 }) {
      await db.flush();
      const rows = await db.read((q) => listRefused(q, { since, teamId: who.bound.team }, limit));
      return rows.map((row) => ({ ...toAuditView(row), taskId: taskOfBlocked(row) }));
    },
    async lately(who) {
      try {
        const { project } = await workplaces.of(who);
        return await db.read((q) => listLately(q, project));
      } catch (error) {
        // Nobody works in a folder that is gone.
        if (error instanceof HubError) return [];
        throw error;
      }
    },
    async verify(head) {
      const [seq, hash] = head?.split(':') ?? [];
      return verifyAudit(db, seq === undefined ? undefined : { seq: Number(seq), hash: hash! });
    },
  };
}
