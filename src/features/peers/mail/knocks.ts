// Mail that wakes: a letter that came in knocks at its recipient, wherever that sits idle and can be reached. The letter
// itself waits in its mailbox as ever; nothing here is kept, and what a hub that is stopped had not told is not told.
import type { Event } from '../../../kernel/event.ts';
import { keepFollowing } from '../../../kernel/keep-following.ts';
import type { Knock, Knocks } from '../../../kernel/knock.ts';
import type { Log } from '../../../kernel/log.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Running } from '../../../store/consumers.ts';
import type { Database } from '../../../store/database.ts';
import { wrapMail } from './piggyback-mail.ts';
import { findMessage, type StoredMessage } from '../rows/messages.ts';
import { isOwnTeam, ownAgent } from '../rules.ts';

type KnockingParts = Readonly<{ db: Database; knocks: Knocks; log: Log; hub: string }>;

/** A letter is told in so many characters; the whole is in the inbox. */
const MOST = 2_000;

export function startKnocking({ db, knocks, log, hub }: KnockingParts): Running {
  const over = new AbortController();
  // Whether the sender is of this machine is known to the hub that took the letter; it alone knocks.
  const isOurs = ({ kind, data, hub: by }: Event) =>
    kind === 'peer.message_queued' && data?.['wakes'] === true && by === hub;

  async function take(event: Event): Promise<void> {
    const message = await db.read((q) => findMessage(q, String(event.data?.['messageId'])));
    if (message) knocks.knock(knockOf(db, message));
  }

  const following = keepFollowing(
    {
      feed: db.feed,
      log,
      what: 'letters that wake somebody',
      each: (entry) => ('gapBefore' in entry || !isOurs(entry) ? undefined : take(entry)),
    },
    over.signal,
  );
  return {
    async stop() {
      over.abort();
      await following;
    },
  };
}

/** For whoever the mail would go along with: the same agent of the same team, and no namesake. */
function knockOf(db: Database, message: StoredMessage): Knock {
  const { id, team, toAgent, fromAgent } = message;
  const whole = excerpt(message.text, Number.POSITIVE_INFINITY);
  const text = whole.length <= MOST ? whole : `${whole.slice(0, MOST)} … (cut; PeerInbox has all of it)`;
  return {
    kind: 'mail',
    from: fromAgent,
    words: wrapMail({ ...message, text }),
    isFor: (who) => ownAgent(who) === toAgent && isOwnTeam(who, team),
    isDue: async () => (await db.read((q) => findMessage(q, id)))?.state === 'queued',
  };
}
