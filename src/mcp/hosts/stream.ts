// Serves a conversation over any pair of streams; every pending answer goes out before it ends.
import type { Readable, Writable } from 'node:stream';
import { readJson } from '../../kernel/loose-json.ts';
import { RPC, errorText } from '../protocol/jsonrpc.ts';
import { type ConversationParts, createConversation } from './conversation.ts';
import { createLineSplitter, type InputLine } from './lines.ts';

export type StreamParts = Omit<ConversationParts, 'write'> &
  Readonly<{
    input: Readable;
    output: Writable;
    /** Aborted when the hub stops: nothing more is read, pending answers still go out. */
    stopping?: AbortSignal;
    /** The last line when stopped in order, after all answers. */
    farewell?: string;
  }>;

/** A client that lets this much pile up unread is gone. */
const MAX_UNREAD = 32 * 1024 * 1024;

/**
 * Serves newline-delimited JSON over any pair of streams: stdio, a unix socket, a pipe in memory. Resolves when the
 * input has ended and every pending answer is out, or when the client is gone.
 */
export async function serveStream({
  input,
  output,
  stopping,
  farewell,
  ...parts
}: StreamParts): Promise<void> {
  const { log } = parts.engine;
  const running = new Set<Promise<void>>();
  let isGone = false;

  const write = (text: string) => {
    if (isGone) return;
    // A client that sends without reading has to wait with what it sends.
    if (!output.write(`${text}\n`)) input.pause();
    if (output.writableLength > MAX_UNREAD) output.destroy();
  };
  const conversation = createConversation({ ...parts, write });

  async function answer(text: string): Promise<void> {
    const value = readJson(text);
    if (value === undefined)
      return write(errorText(null, { code: RPC.parse, message: 'Parse error: the line is not valid JSON' }));
    const reply = await conversation.take(value);
    if (reply !== undefined) write(reply);
  }

  function take(line: InputLine): void {
    if ('problem' in line)
      return write(errorText(null, { code: RPC.parse, message: `Parse error: the line is ${line.problem}` }));
    if (line.text.trim() === '') return;
    const work = answer(line.text).catch((error: unknown) =>
      log.error('a message could not be served', { error }),
    );
    running.add(work);
    void work.then(() => running.delete(work));
  }

  await new Promise<void>((resolve) => {
    const splitter = createLineSplitter(take);
    const resume = () => void input.resume();
    const finish = () => {
      input.off('data', splitter.push);
      output.off('drain', resume);
      stopping?.removeEventListener('abort', finish);
      resolve();
    };
    const leave = () => {
      isGone = true;
      conversation.abandon();
      finish();
    };
    input.on('data', splitter.push);
    input.once('end', () => (splitter.end(), finish()));
    input.once('error', leave);
    input.once('close', finish);
    output.on('drain', resume);
    output.once('error', leave);
    output.once('close', leave);
    stopping?.addEventListener('abort', finish, { once: true });
    if (stopping?.aborted) finish();
    else input.resume();
  });
  conversation.listenNoMore();
  await Promise.all(running);
  if (!stopping?.aborted) conversation.leave();
  if (stopping?.aborted && farewell !== undefined) write(farewell);
  if (!output.destroyed && !output.writableEnded)
    await new Promise<void>((resolve) => output.end(() => resolve()));
}
