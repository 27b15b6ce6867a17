// What is said in a run, signed: the request it serves, replies and questions, and what is shown of them.
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import { expiryOf, type HubIdentity, type RunEnvelope } from './envelopes.ts';
import { appendEvents, appendState, frameEvent, tellRun } from '../stream/events.ts';
import {
  countMessages,
  insertMessage,
  listSigners,
  messagesOf,
  type StoredEnvelope,
} from '../rows/messages.ts';
import { changeReason } from '../rows/runs.ts';
import { isOver, outlived, ownerOf, unverified } from '../rules.ts';
import type { Run } from '../run.ts';

/** `expired`: what it says is still true, but nothing is done because of it any more. */
export type MessageView = Readonly<{
  envelope: RunEnvelope | undefined;
  verified: boolean;
  expired: boolean;
}>;

export type ReplyRequest = Readonly<{
  id: string;
  kind: 'progress' | 'result' | 'clarification' | 'error';
  body: string;
  /** The sender's own name for it. */
  messageId?: string | undefined;
}>;

/** `by`: whoever says it. */
type Reply = ReplyRequest & Readonly<{ by: Principal }>;

export interface RunMessages {
  of(q: Query, runId: string): Promise<MessageView[]>;
  /** The request that a run serves, which whatever it starts is sent because of. */
  requestOf(run: Run): Promise<RunEnvelope>;
  reply(tx: Tx, run: Run, reply: Reply): Promise<Run>;
}

type MessageParts = Readonly<{ db: Database; identity: HubIdentity }>;

const MOST_MESSAGES = 1_000;

export function createMessages({ db, identity }: MessageParts): RunMessages {
  /** A message that was signed for another run, or as another kind, is none of this one. */
  function opened(
    runId: string,
    { id, kind, envelope, signature }: StoredEnvelope,
    signers: readonly string[],
  ): RunEnvelope | undefined {
    const found = identity.open(envelope, signature, signers);
    const isHere = found?.task_id === runId && found.message_id === id && found.kind === kind;
    return isHere ? found : undefined;
  }

  return {
    async of(q, runId) {
      const signers = await listSigners(q);
      return (await messagesOf(q, runId, MOST_MESSAGES)).map((stored) => {
        const envelope = opened(runId, stored, signers);
        const isExpired = envelope !== undefined && expiryOf(envelope) <= db.now();
        return { envelope, verified: envelope !== undefined, expired: isExpired };
      });
    },

    async requestOf(run) {
      const request = await db.read(async (q) => {
        const [first] = await messagesOf(q, run.id, 1);
        return first && opened(run.id, first, await listSigners(q));
      });
      if (!request) throw unverified(run.id);
      if (expiryOf(request) <= db.now()) throw outlived(run.id);
      return request;
    },

    async reply(tx, run, { id, kind: said, body: given, messageId, by }) {
      const body = redact(given);
      const kind = said === 'progress' ? 'reply' : said;
      if (isOver(run.state))
        throw new HubError('conflict', `The run is ${run.state}; nobody listens any more.`, {
          state: run.state,
        });
      if ((await countMessages(tx, id)) >= MOST_MESSAGES)
        throw new HubError('limited', `A run takes at most ${MOST_MESSAGES} messages.`);
      const isOwn = by.bound.agent === run.agent;
      const from = isOwn ? run.agent : ownerOf(by);
      const to = isOwn ? run.owner : run.agent;
      const { hops } = run;
      const key = messageId === undefined ? undefined : redact(messageId);
      const at = tx.now;
      await insertMessage(tx, identity.seal({ runId: id, kind, text: body, from, to, hops, key, at }));
      const frame = frameEvent({
        task_id: id,
        line: body,
        kind: 'stdout',
        ts: new Date(tx.now).toISOString(),
        type: 'text',
        from,
        reply: said,
      });
      await appendEvents(tx, { id, team: run.team }, [frame]);
      const reason =
        isOwn && kind === 'clarification'
          ? 'waiting_input'
          : run.reason === 'waiting_input' && !isOwn
            ? 'running'
            : undefined;
      const changed = reason === undefined ? undefined : await changeReason(tx, id, { to: reason });
      if (changed) await appendState(tx, changed, 'task');
      if (changed && reason === 'waiting_input')
        tellRun(tx, changed, { kind: 'run.changed', data: { reason } });
      return changed ?? run;
    },
  };
}
