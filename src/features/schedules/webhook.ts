// A webhook that makes a schedule fire. Its signature is its credential: made with the secret of the schedule over the
// exact bytes. A signature counts once, so what is sent again, by whoever saw it, does nothing more.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Page } from '../../http/route.ts';
import { sha256 } from '../../kernel/digest.ts';
import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { fireSoon } from './fires.ts';
import { findSchedule } from './rows.ts';
import { WEBHOOK_PATH } from './schedule-shapes.ts';

/** A signed time may be so far from ours. */
const CLOCKS_MS = 300_000;
const MOST_SAID = 8 * 1024;

type Delivery = Readonly<{ id: string; headers: IncomingHttpHeaders; body: Buffer }>;

export function webhookPage(db: Database): Page {
  return {
    method: 'POST',
    path: `${WEBHOOK_PATH}/:id`,
    async handle({ params, headers, raw }) {
      const answer = await receive(db, { id: params['id'] ?? '', headers, body: raw ?? Buffer.alloc(0) });
      return {
        status: 202,
        headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
        body: JSON.stringify(answer),
      };
    },
  };
}

async function receive(db: Database, { id, headers, body }: Delivery): Promise<object> {
  const schedule = await db.read((q) => findSchedule(q, id));
  const { secret } = schedule?.kind === 'webhook' ? schedule : { secret: null };
  const proof = provenBy(headers, body, { secret: secret ?? '', now: db.now() });
  // Nobody learns by this which ones there are.
  if (!schedule || secret === null || proof === undefined) throw unsigned();
  if (schedule.paused) throw new HubError('conflict', 'This schedule is paused.');
  const said = excerpt(body.toString('utf8').toWellFormed(), MOST_SAID);
  const fire = await db.write(systemActor, async (tx) => {
    const now = await findSchedule(tx, id);
    return now && fireSoon(tx, now, { key: `w:${proof}`, cause: { by: 'webhook', said } });
  });
  return fire ? { accepted: true, fire: fire.id } : { accepted: true, duplicate: true };
}

/** As we sign ourselves, with the time in it, or as GitHub and many others do, without. */
function provenBy(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { secret, now }: Readonly<{ secret: string; now: number }>,
): string | undefined {
  const at = one(headers['x-holdfast-timestamp']);
  const ours = one(headers['x-holdfast-signature']);
  if (ours !== undefined) {
    const isNear = /^\d{1,12}$/.test(at ?? '') && Math.abs(Number(at) * 1_000 - now) <= CLOCKS_MS;
    const wanted = signature(secret, Buffer.concat([Buffer.from(`${at}.`), body]));
    return isSame(ours, wanted) && isNear ? sha256(wanted) : undefined;
  }
  const theirs = one(headers['x-hub-signature-256']);
  const wanted = signature(secret, body);
  return theirs !== undefined && isSame(theirs, wanted) ? sha256(wanted) : undefined;
}

function signature(secret: string, bytes: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const one = (header: string | string[] | undefined): string | undefined =>
  typeof header === 'string' ? header : undefined;

function unsigned(): HubError {
  return new HubError('unauthorized', 'This is not signed with the secret of a schedule here.', {
    hint: 'Sign the exact body with HMAC-SHA256: `X-Hub-Signature-256: sha256=<hex>`.',
  });
}
