import type { Socket } from 'node:net';

/** Reads one line from a socket and leaves the rest unread. Rejects when it is too long, too late or never comes. */
export function readFirstLine(
  socket: Socket,
  limits: Readonly<{ bytes: number; ms: number }>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let held = Buffer.alloc(0);
    const done = (act: () => void) => {
      clearTimeout(timer);
      socket.off('data', onData);
      socket.off('error', onEnd);
      socket.off('close', onEnd);
      socket.off('end', onEnd);
      act();
    };
    const fail = (why: string) => done(() => reject(new Error(why)));
    const onEnd = () => fail('the connection ended before its first line');
    const onData = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      const end = held.indexOf(0x0a);
      if (end === -1) return held.length > limits.bytes ? fail('the first line is too long') : undefined;
      done(() => {
        socket.pause();
        if (end + 1 < held.length) socket.unshift(held.subarray(end + 1));
        resolve(held.toString('utf8', 0, end));
      });
    };
    const timer = setTimeout(() => fail('the first line did not come'), limits.ms);
    socket.on('data', onData);
    socket.once('error', onEnd);
    socket.once('close', onEnd);
    socket.once('end', onEnd);
  });
}
