import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { type Acting, byRoute, byTool } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import type { Chat } from './chat.ts';
import { lookUntil } from './look-until.ts';
import type { ChatRoom, News, Post } from './post.ts';
import type { PostHistory } from './rows.ts';
import { type NamedSpeaker, speakerOf } from './rules.ts';

/** What waits for others, and what is said under a name that the documents let an argument give. */
export interface Talk {
  speak(who: Principal, said: Said): Promise<Spoken>;
  listen(who: Principal, asked: Listening, signal: AbortSignal): Promise<News>;
  /** A page of a room, and one post more where there are more. */
  read(who: Principal, asked: PostHistory & Waiting, signal: AbortSignal): Promise<Page>;
}

type Said = NamedSpeaker & Readonly<{ text: string; idempotencyKey?: string | undefined }>;
type Spoken = Readonly<{ post: Post; mentioned: readonly string[] }>;
type Waiting = Readonly<{ waitSeconds: number }>;
type Listening = NamedSpeaker & Waiting & Readonly<{ sinceSeq: number; limit: number }>;
type Page = Readonly<{ room: ChatRoom; posts: Post[] }>;

/** What the rooms stand on. */
export type TalkParts = Readonly<{ db: Database; acting: Acting; chat: Chat }>;

export function createTalk({ db, acting, chat }: TalkParts): Talk {
  return {
    async speak(who, args) {
      const { author, isBound, roomId, teamId } = speakerOf(who, args);
      const asserted = who.bound.agent === undefined;
      const by = { who, isPerson: false };
      const draft = { roomId, teamId, author, kind: 'peer' as const, text: args.text, isBound, asserted, by };
      const call = {
        ...byTool(who, 'team_chat_post', { ...args, roomId }),
        ...(asserted && { agentId: author }),
      };
      return acting.change(call, (tx) => chat.post(tx, draft));
    },

    async listen(who, { sinceSeq, limit, waitSeconds, ...named }, signal) {
      const { author, roomId } = speakerOf(who, named);
      const call = byTool(who, 'team_chat_subscribe');
      return lookUntil(db.feed, { roomId, waitSeconds, signal }, async () => {
        const answer = await acting.look(call, (q) =>
          chat.news(q, { roomId, reader: author, sinceSeq, limit }),
        );
        return { answer, isEnough: answer.posts.length > 0 };
      });
    },

    async read(who, { waitSeconds, ...page }, signal) {
      const { roomId, before, after, limit } = page;
      if (before !== undefined && after !== undefined)
        throw new HubError('invalid', 'Ask for posts before or after a seq, not both.');
      if (waitSeconds > 0 && after === undefined)
        throw new HubError('invalid', 'waitSeconds needs after: the seq to wait beyond.');
      const request = { ...page, limit: limit + 1 };
      return lookUntil(db.feed, { roomId, waitSeconds, signal }, async () => {
        const answer = await acting.look(byRoute(who, 'read_room'), (q, caller) =>
          chat.at(q, caller).history(request),
        );
        return { answer, isEnough: answer.posts.length > 0 };
      });
    },
  };
}
