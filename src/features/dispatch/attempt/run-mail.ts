// An agent in a run is reached by its next prompt: what comes for it while it works is that, when its turn is over. A plain command has
// no other prompt: what it did not take with its calls waits for it, and its run says so.
import { type Knocks, noKnocks } from '../../../kernel/knock.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Peers } from '../../peers/peers.ts';
import type { Run } from '../run.ts';

type RunNews = Readonly<{
  /** The next prompt. */
  take(): Promise<string | undefined>;
  /** How many letters wait for it. */
  left(): Promise<number>;
  end(): void;
}>;

/** Its agent can be written to from then on. */
export type RunMail = Readonly<{ listen(run: Run, hasPrompts: boolean): Promise<RunNews> }>;

/** For hubs that wake nobody. */
export const noRunMail: RunMail = {
  listen: async () => ({ take: async () => undefined, left: async () => 0, end: () => {} }),
};

export function createRunMail(
  peers: Pick<Peers, 'piggyback' | 'ackTold' | 'waiting'>,
  knocks: Knocks = noKnocks,
): RunMail {
  return {
    async listen(run, hasPrompts) {
      const who = agentOf(run);
      const gathered = knocks.gather(who);
      // A plain command can be written to once it has called.
      if (hasPrompts) await peers.piggyback(who, 'opens');
      return {
        async take() {
          const told = await gathered.take();
          const mail = told && (await peers.piggyback(who));
          const ids = mail?.value.map(({ id }) => id) ?? [];
          await peers.ackTold(who, ids);
          return mail?.text ?? told?.text;
        },
        left: () => peers.waiting(who),
        end: gathered.end,
      };
    },
  };
}

/** As the token of the run names it, so its mail is its own and no namesake's. */
function agentOf({ agent, team }: Run): Principal {
  return {
    kind: 'agent',
    id: agent,
    scopes: new Set(),
    seat: '',
    bound: { agent, ...(team !== null && { team }) },
  };
}
