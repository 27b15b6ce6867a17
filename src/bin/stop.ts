import { elapsed } from '../kernel/clock.ts';

/** What a shell expects of a process that was ended by Ctrl-C. */
const INTERRUPTED = 130;
const ECHO_MS = 1000;

/**
 * One Ctrl-C may arrive several times: the terminal sends it to the whole group, and npm and our start script pass
 * it on. The echoes must not cut the shutdown short; who asks again later does not want to wait for it.
 */
export function createStop(interrupt: AbortController, exit: (code: number) => void): () => void {
  let askedAt: number | undefined;
  return () => {
    askedAt ??= elapsed();
    if (!interrupt.signal.aborted) interrupt.abort();
    else if (elapsed() - askedAt > ECHO_MS) exit(INTERRUPTED);
  };
}
