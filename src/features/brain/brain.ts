import type { Event } from '../../kernel/event.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { BrainOptions, OpenBrain } from './open-brain.ts';
import type { HeldBy } from './outcomes.ts';

/** The markdown memory, before anybody used it. */
export interface Brain {
  /**
   * The memory on its vault. Who asks first loads the code and opens the folder, because a stdio server of another room
   * pays for neither; a vault that could not be opened is tried again by the next call.
   */
  open(): Promise<OpenBrain>;
  /** Is there a session that an outcome could be of? A hub whose agents call tools a thousand times a second often has none. */
  mayLearn(q: Query): Promise<boolean>;
  /** An event of another room may be an outcome. Runs in the transaction of a durable consumer. */
  learn(tx: Tx, event: Event, heldBy: HeldBy): Promise<void>;
  /** Finishes what a crash left and takes over what was changed by hand. */
  wake(): Promise<void>;
  close(): Promise<void>;
}

export function createBrain(options: BrainOptions): Brain {
  let opening: Promise<OpenBrain> | undefined;
  let opened: OpenBrain | undefined;
  let isClosed = false;

  async function load(): Promise<OpenBrain> {
    const { openBrain } = await import('./open-brain.ts');
    return (opened = await openBrain(options));
  }

  function open(): Promise<OpenBrain> {
    if (isClosed) return Promise.reject(new HubError('unavailable', 'The brain is shut down.'));
    opening ??= load().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  return {
    open,
    mayLearn: async (q) => opened?.mayLearn(q) ?? true,
    async learn(tx, event, heldBy) {
      if (opened) return opened.learn(tx, event, heldBy);
      // A unit may not wait for the vault; the consumer comes again, and whoever needs the vault hears why it stays shut.
      open().catch(() => undefined);
      throw new HubError('unavailable', 'The vault is not open yet.');
    },
    async wake() {
      const isAwake = opening !== undefined;
      const brain = await open();
      // Opening has just looked.
      if (isAwake) await brain.wake();
    },
    async close() {
      isClosed = true;
      await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
