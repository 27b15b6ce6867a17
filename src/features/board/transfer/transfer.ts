import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { actorFor } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import { rememberAll } from '../people/remember.ts';
import { exportHead, exportPage } from './export.ts';
import { importBoard } from './import.ts';
import { type ExportPosition, type TransferLine, type ImportReport, positionSchema } from './line.ts';

/**
 * The board as lines of JSON: to keep, to move, to read elsewhere, a page at a time. Reading the same lines twice adds
 * nothing the second time. For the operator: a caller bound to a team has no business with other teams' tasks.
 */
export interface BoardTransfer {
  page(who: Principal, cursor?: string): Promise<Readonly<{ records: TransferLine[]; nextCursor?: string }>>;
  take(who: Principal, given: Given, command?: string): Promise<ImportReport>;
}

type Given = Readonly<{
  lines: readonly string[];
  import?: string | undefined;
  more?: boolean | undefined;
  update?: boolean | undefined;
  from?: string | undefined;
}>;

export function createTransfer(db: Database): BoardTransfer {
  return {
    async page(who, cursor) {
      refuseBound(who.bound.team);
      const after = cursor === undefined ? undefined : decode(cursor);
      const { records, next } = await db.read((q) => exportPage(q, after));
      return {
        records: after ? records : [exportHead(db.now()), ...records],
        ...(next && { nextCursor: encode(next) }),
      };
    },
    async take(who, { lines, import: importId, more: isPart, update: isRenewing, from }, command) {
      refuseBound(who.bound.team);
      if (isPart === true && importId === undefined)
        throw new HubError('invalid', 'more needs import: a name that all requests of one import share.');
      const bringing = rememberAll({
        who,
        what: 'import_board',
        command: command ?? importId ?? newId(),
        source: from,
      });
      return importBoard(db, actorFor(who), { lines, importId, isPart, isRenewing, bringing });
    },
  };
}

function refuseBound(team: string | undefined): void {
  if (team !== undefined)
    throw new HubError('forbidden', `An archive holds every team's tasks; this caller is bound to ${team}.`, {
      team,
    });
}

/** In a list: an object alone would begin as tokens do, and what looks like one is not said back. */
function encode(place: ExportPosition): string {
  return Buffer.from(JSON.stringify([place])).toString('base64url');
}

function decode(cursor: string): ExportPosition {
  try {
    const [place] = z
      .tuple([positionSchema])
      .parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return place;
  } catch (error) {
    throw new HubError('invalid', 'invalid cursor: send nextCursor exactly as you got it.').because(error);
  }
}
