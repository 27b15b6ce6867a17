import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** What a request shows of its sender, before anything else of it is read. */
export type Presented = Readonly<{
  headers: IncomingHttpHeaders;
  url: string;
  /**
   * The path of the route that was chosen. What is guarded is decided by it, because a URL has more than one
   * spelling: `/%6dcp` and `/mcp#` lead to `/mcp` and are guarded like it.
   */
  route: string;
  /** The request itself, with the connection it came over; none when it came without a socket. */
  request?: IncomingMessage | undefined;
}>;
