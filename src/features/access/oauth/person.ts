// The person at the hub: links that sign a browser in once, and the sessions that come of them.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { isDirect } from '../local/proxied.ts';
import { digestOf } from '../rules.ts';
import type { SameUser } from '../local/same-user.ts';
import { endSession, insertLink, insertSession, isSession, spendLink } from './rows.ts';
import { LIVES, mint } from './proofs.ts';

const COOKIE = 'holdfast_session';

/** What a request shows of where it comes from. */
type Shown = Readonly<{ headers: IncomingHttpHeaders; socket?: Socket | undefined }>;

/**
 * The person at the hub, known by a cookie that only a link from `holdfast open` gives.
 *
 * A browser sends it to every port of this host, so whoever else listens there may come to hold it: a server of another
 * user, say, that the person looked at. Therefore a session holds on the way it was opened, under the same name and through
 * a proxy or not, and on the way without a proxy only for the user who runs the hub.
 */
export interface Persons {
  /** How the users of this machine are told apart; without it they are not. */
  knowUsers(users: Pick<SameUser, 'isOwn'>): void;
  /** A text that signs one browser in, once. */
  createLink(tx: Tx): Promise<string>;
  /** The cookie to set, or nothing for a link that no longer works. */
  signIn(link: string, shown: Shown, isSecure: boolean): Promise<string | undefined>;
  /** Ends the session of this browser; answers the cookie that forgets it, or nothing when there was none. */
  signOut(shown: Shown): Promise<string | undefined>;
  /** The secret of a live session, from the request's cookie. */
  sessionOf(shown: Shown): Promise<string | undefined>;
}

export function createPersons(db: Database): Persons {
  let users: Pick<SameUser, 'isOwn'> | undefined;
  /** Without a proxy in between, only the user who runs the hub. */
  const isOwner = async ({ headers, socket }: Shown) =>
    !users || !isDirect(headers) || (await users.isOwn(socket));
  const persons: Persons = {
    knowUsers: (known) => void (users = known),
    async createLink(tx) {
      const { text, hash } = mint('');
      await insertLink(tx, hash, tx.now + LIVES.link);
      tx.emit({ kind: 'person.link_created', subject: 'person', realm: 'hub' });
      return text;
    },
    async signIn(link, shown, isSecure) {
      const { headers } = shown;
      // Their session would not hold: the link stays for the one it was made for.
      if (!(await isOwner(shown))) return undefined;
      const session = mint('');
      const isGood = await db.write(systemActor, async (tx) => {
        if (!(await spendLink(tx, digestOf(link)))) return false;
        await insertSession(tx, hashOn(headers, session.text), tx.now + LIVES.session);
        tx.emit({ kind: 'person.signed_in', subject: 'person', realm: 'hub' });
        return true;
      });
      if (!isGood) return undefined;
      const life = `Max-Age=${LIVES.session / 1000}`;
      return `${COOKIE}=${session.text}; Path=/; HttpOnly; SameSite=Strict; ${life}${isSecure ? '; Secure' : ''}`;
    },
    async signOut(shown) {
      const secret = await persons.sessionOf(shown);
      if (secret === undefined) return undefined;
      await db.write(systemActor, async (tx) => {
        await endSession(tx, hashOn(shown.headers, secret));
        const data = { session: sessionId(secret) };
        tx.emit({ kind: 'person.signed_out', subject: 'person', realm: 'hub', data });
      });
      return `${COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
    },
    async sessionOf(shown) {
      const { headers } = shown;
      const { cookie = '' } = headers;
      const values = cookie.split(';').map((part) => part.trim().split('='));
      const mine = values.filter(([name]) => name === COOKIE).map(([, value = '']) => value);
      // Two of them: one was planted, and which cannot be known.
      if (mine.length !== 1 || !/^[\w-]{43}$/.test(mine[0]!)) return undefined;
      const [secret] = mine;
      const isLive = await db.read((q) => isSession(q, hashOn(headers, secret!), db.now()));
      return isLive && (await isOwner(shown)) ? secret : undefined;
    },
  };
  return persons;
}

/** Names a session where it may be read: streams that are open under it end with it. */
export function sessionId(secret: string): string {
  return digestOf(`session ${secret}`).slice(0, 16);
}

/** The digest of a secret and the way it is used on: on another way it is another, and unknown. */
function hashOn(headers: IncomingHttpHeaders, secret: string): string {
  return digestOf(`${secret} ${headers.host ?? ''} ${isDirect(headers) ? 'direct' : 'proxied'}`);
}
