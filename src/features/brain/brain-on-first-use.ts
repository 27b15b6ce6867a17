import { HubError } from '../../kernel/errors.ts';
import type { Brain, BrainOptions } from './brain.ts';

/**
 * The brain before anybody used it: the first call that needs the vault loads the code and opens the folder, because a
 * stdio server of another room pays for neither.
 */
export function createBrain(options: BrainOptions): Brain {
  let opening: Promise<Brain> | undefined;
  let open: Brain | undefined;
  let isClosed = false;

  /** A vault that could not be opened is tried again by the next call. */
  function ready(): Promise<Brain> {
    if (isClosed) return Promise.reject(new HubError('unavailable', 'The brain is shut down.'));
    opening ??= load().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function load(): Promise<Brain> {
    const { openBrain } = await import('./brain-on-vault.ts');
    open = await openBrain(options);
    return open;
  }

  return {
    store: async (...args) => (await ready()).store(...args),
    retrieve: async (...args) => (await ready()).retrieve(...args),
    show: async (...args) => (await ready()).show(...args),
    search: async (...args) => (await ready()).search(...args),
    look: async (...args) => (await ready()).look(...args),
    update: async (...args) => (await ready()).update(...args),
    adopt: async (...args) => (await ready()).adopt(...args),
    archive: async (...args) => (await ready()).archive(...args),
    restore: async (...args) => (await ready()).restore(...args),
    feedback: async (...args) => (await ready()).feedback(...args),
    latestSession: async () => (await ready()).latestSession(),
    async learn(tx, event, heldBy) {
      if (open) return open.learn(tx, event, heldBy);
      // A unit may not wait for the vault; the consumer comes again, and whoever needs the vault hears why it stays shut.
      ready().catch(() => undefined);
      throw new HubError('unavailable', 'The vault is not open yet.');
    },
    report: async (...args) => (await ready()).report(...args),
    history: async (...args) => (await ready()).history(...args),
    log: async (...args) => (await ready()).log(...args),
    compact: async (...args) => (await ready()).compact(...args),
    undo: async () => (await ready()).undo(),
    async wake() {
      const isAwake = opening !== undefined;
      const brain = await ready();
      // Opening has just looked.
      if (isAwake) await brain.wake();
    },
    async close() {
      isClosed = true;
      await opening?.catch(() => undefined);
      await open?.close();
    },
  };
}
