import type { Principal } from '../kernel/principal.ts';
import type { Whereabouts } from './hosts/hello.ts';

/**
 * What hosts tell of their connections, and learn about who sits there. Names and projects are decided above; a host
 * without any serves callers as they come.
 */
export interface Seating {
  /** A client said who it is: answers the caller in full, with its name and its project. Cheap once it is known. */
  settle(introduced: Introduced): Promise<Principal>;
  /** It called a tool. */
  heard(who: Principal): void;
  /** Its process is there, though it says nothing. */
  beat(who: Principal): void;
  /** It is there for as long as the returned function was not called: its stream is open. */
  hold(who: Principal): () => void;
  /** Its connection has ended for good. */
  leave(who: Principal): void;
}

export type Introduced = Readonly<{
  who: Principal;
  /** `takesDefaults`: a caller of this server that names nothing is taken for its given name. */
  server: Readonly<{ key: string; takesDefaults?: boolean }>;
  /** What the client calls itself; '' when it has not said. */
  client: string;
  from?: Whereabouts | undefined;
  /** The process behind the connection, where it is one of this machine. */
  pid?: number | undefined;
}>;

export const noSeating: Seating = {
  settle: async ({ who }) => who,
  heard: () => {},
  beat: () => {},
  hold: () => () => {},
  leave: () => {},
};
