import { randomUUID } from 'node:crypto';
import { HubError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/loose-json.ts';
import { notificationText, requestText } from '../protocol/jsonrpc.ts';
import type { Params, ResponseMessage } from '../protocol/jsonrpc.ts';

/** Requests we have put to a client and not yet heard about. Ids cannot be guessed, so no other client can answer in its place. */
export interface Asking {
  /** Put by `send`, until the call it belongs to ends. */
  by(send: (text: string) => void): (method: string, params: Params, signal: AbortSignal) => Promise<unknown>;
  /** Answers whether somebody waited for this response. */
  settle(response: ResponseMessage): boolean;
}

type Waiting = Readonly<{ resolve(result: unknown): void; reject(error: Error): void }>;

export function createAsking(): Asking {
  const waiting = new Map<string, Waiting>();
  return {
    by: (send) => (method, params, signal) => {
      const id = randomUUID();
      return new Promise((resolve, reject) => {
        const finish = () => {
          waiting.delete(id);
          signal.removeEventListener('abort', abandon);
        };
        const abandon = () => {
          finish();
          send(
            notificationText('notifications/cancelled', {
              requestId: id,
              reason: 'the call it belonged to ended',
            }),
          );
          reject(new HubError('unavailable', `the call ended before the client answered ${method}`));
        };
        if (signal.aborted) return reject(new HubError('unavailable', 'the call has ended'));
        signal.addEventListener('abort', abandon, { once: true });
        waiting.set(id, {
          resolve: (result) => (finish(), resolve(result)),
          reject: (error) => (finish(), reject(error)),
        });
        send(requestText(id, method, params));
      });
    },
    settle({ id, result, error }) {
      const one = waiting.get(String(id));
      if (!one) return false;
      if (error === undefined) one.resolve(result);
      else one.reject(new HubError('unavailable', `the client refused: ${messageOf(error)}`));
      return true;
    },
  };
}

function messageOf(error: unknown): string {
  return isObject(error) && typeof error['message'] === 'string'
    ? error['message'].slice(0, 200)
    : 'no reason given';
}
