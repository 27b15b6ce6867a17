import { type ConversationParts, createConversation } from './conversation.ts';
import type { MessageTransport } from './message-transport.ts';

/** Serves one client behind such a transport. Resolves once it listens; `closed` when the client is gone. */
export async function serveTransport(
  transport: MessageTransport,
  parts: Omit<ConversationParts, 'write'>,
): Promise<Readonly<{ closed: Promise<void> }>> {
  const { log } = parts.engine;
  const write = (text: string) => {
    transport
      .send(JSON.parse(text) as never)
      .catch((error: unknown) => log.debug('a message could not be sent', { error }));
  };
  const conversation = createConversation({ ...parts, write });
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  Object.assign(transport, {
    onclose() {
      conversation.abandon();
      conversation.leave();
      resolve();
    },
    onmessage(message: unknown) {
      conversation.take(message).then(
        (reply) => reply !== undefined && write(reply),
        (error: unknown) => log.error('a message could not be served', { error }),
      );
    },
  } satisfies Partial<MessageTransport>);
  await transport.start();
  return { closed };
}
