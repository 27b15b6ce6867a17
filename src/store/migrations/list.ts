import { baseline } from './0029-baseline.ts';
import { grantHolders } from './0030-grant-holders.ts';
import { walls } from './0031-walls.ts';
import { kept } from './0032-kept.ts';
import { longKeys } from './0033-long-keys.ts';
import { sourceDecisions } from './0034-source-decisions.ts';
import { noteTeams } from './0035-note-teams.ts';
import { due } from './0036-due.ts';
import { travel } from './0037-travel.ts';
import { lists } from './0038-lists.ts';
import { standing } from './0039-standing.ts';
import { sessions } from './0040-sessions.ts';
import { landing } from './0041-landing.ts';
import { briefings } from './0042-briefings.ts';
import { lessons } from './0043-lessons.ts';
import { collisions } from './0044-collisions.ts';
import { trials } from './0045-trials.ts';
import { remotes } from './0046-remotes.ts';
import { schedules } from './0047-schedules.ts';
import { growth } from './0048-growth.ts';
import { attempts } from './0049-attempts.ts';
import { turnWindows } from './0050-turn-windows.ts';
import { commands } from './0051-commands.ts';
import { pool } from './0052-pool.ts';
import { reviews } from './0053-reviews.ts';
import { quota } from './0054-quota.ts';
import { newest } from './0056-newest.ts';
import { turnParts } from './0057-turn-parts.ts';
import { pushedWhere } from './0058-pushed-where.ts';
import { places } from './0055-places.ts';
import { fewerKeys } from './0059-fewer-keys.ts';
import type { Migration } from './migration.ts';
import { tooOldSchema } from './refuse.ts';

const migrations: readonly Migration[] = [
  baseline,
  grantHolders,
  walls,
  kept,
  longKeys,
  sourceDecisions,
  noteTeams,
  due,
  travel,
  lists,
  standing,
  sessions,
  landing,
  briefings,
  lessons,
  collisions,
  trials,
  remotes,
  schedules,
  growth,
  attempts,
  turnWindows,
  commands,
  pool,
  reviews,
  quota,
  places,
  newest,
  turnParts,
  pushedWhere,
  fewerKeys,
];

export const latestSchema = migrations.at(-1)!.id;

/** The steps that a database of this schema lacks; all of them for one that is empty (0). */
export function stepsAfter(found: number): readonly Migration[] {
  if (found !== 0 && found < baseline.id) throw tooOldSchema(found, baseline.id);
  return migrations.filter(({ id }) => id > found);
}
