import type { IncomingHttpHeaders } from 'node:http';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { digestOf } from '../rules.ts';
import { insertLink, insertSession, isSession, spendLink } from './rows.ts';
import { LIVES, mint } from './proofs.ts';

const COOKIE = 'holdfast_session';

/** The person at the hub, known by a cookie that only a link from `holdfast open` gives. */
export interface Persons {
  /** A text that signs one browser in, once. */
  createLink(tx: Tx): Promise<string>;
  /** The cookie to set, or nothing for a link that no longer works. */
  signIn(link: string, isSecure: boolean): Promise<string | undefined>;
  /** The secret of a live session, from the request's cookie. */
  sessionOf(headers: IncomingHttpHeaders): Promise<string | undefined>;
}

export function createPersons(db: Database): Persons {
  return {
    async createLink(tx) {
      const { text, hash } = mint('');
      await insertLink(tx, hash, tx.now + LIVES.link);
      tx.emit({ kind: 'person.link_created', subject: 'person', realm: 'hub' });
      return text;
    },
    async signIn(link, isSecure) {
      const session = mint('');
      const isGood = await db.write(systemActor, async (tx) => {
        if (!(await spendLink(tx, digestOf(link)))) return false;
        await insertSession(tx, session.hash, tx.now + LIVES.session);
        tx.emit({ kind: 'person.signed_in', subject: 'person', realm: 'hub' });
        return true;
      });
      if (!isGood) return undefined;
      const life = `Max-Age=${LIVES.session / 1000}`;
      return `${COOKIE}=${session.text}; Path=/; HttpOnly; SameSite=Strict; ${life}${isSecure ? '; Secure' : ''}`;
    },
    async sessionOf({ cookie = '' }) {
      const values = cookie.split(';').map((part) => part.trim().split('='));
      const mine = values.filter(([name]) => name === COOKIE).map(([, value = '']) => value);
      // Two of them: one was planted, and which cannot be known.
      if (mine.length !== 1 || !/^[\w-]{43}$/.test(mine[0]!)) return undefined;
      const [secret] = mine;
      const isLive = await db.read((q) => isSession(q, digestOf(secret!), db.now()));
      return isLive ? secret : undefined;
    },
  };
}
