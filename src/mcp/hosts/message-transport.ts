/** What official transports look like from outside: in memory, over stdio, over anything that carries messages. */
export interface MessageTransport {
  start(): Promise<void>;
  send(message: never): Promise<void>;
  close(): Promise<void>;
  onmessage?: ((message: never, ...rest: never[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}
