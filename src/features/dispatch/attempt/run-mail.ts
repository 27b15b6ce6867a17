// An agent in a run is reached by its next prompt: what comes for it while it works is that, when its turn is over. Only lanes that
// take another prompt have one.
import { type Knocks, noKnocks } from '../../../kernel/knock.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Peers } from '../../peers/peers.ts';
import type { Run } from '../run.ts';

export type RunNews = Readonly<{ take(): Promise<string | undefined>; end(): void }>;

/** Its agent can be written to from then on. */
export type RunMail = Readonly<{ listen(run: Run): Promise<RunNews> }>;

export const NO_NEWS: RunNews = { take: async () => undefined, end: () => {} };

/** For hubs that wake nobody. */
export const noRunMail: RunMail = { listen: async () => NO_NEWS };

export function createRunMail(
  peers: Pick<Peers, 'piggyback' | 'ackTold'>,
  knocks: Knocks = noKnocks,
): RunMail {
  return {
    async listen(run) {
      const who = agentOf(run);
      const gathered = knocks.gather(who);
      await peers.piggyback(who, 'opens');
      return {
        async take() {
          const told = await gathered.take();
          const mail = told && (await peers.piggyback(who));
          const ids = mail?.value.map(({ id }) => id) ?? [];
          await peers.ackTold(who, ids);
          return mail?.text ?? told?.text;
        },
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
