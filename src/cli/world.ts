import type { Environment } from '../kernel/config.ts';
import type { CreateHub } from '../kernel/hub.ts';
import type { When } from './terminal/color.ts';

/** Everything a command touches outside itself, injected so that commands can be run in a test as they are. */
export type World = Readonly<{
  env: Environment;
  /** The working folder: which project a command is about. */
  cwd: string;
  stdin: NodeJS.ReadableStream;
  /** Answers go here and nothing else. */
  print(line: string): void;
  /** Progress, warnings and what a person should know; never parsed. */
  tell(line: string): void;
  /** Undefined when the output is not a terminal: then nothing is cut. */
  columns: number | undefined;
  /** What `--color` says, before anything is printed. */
  color?(when: When): void;
  /** Said before anything is printed: may this go through a pager? */
  pager?(isWanted: boolean): void;
  /** What the person called it; `holdfast` unless said. */
  called?: string;
  /** How this program is called, to start it again as a process of its own. */
  self: readonly string[];
  createHub: CreateHub;
  /** Serves one MCP server on stdin and stdout until the client leaves. */
  serveStdio(server: string, args: readonly string[]): Promise<void>;
  /** Said by a command that stays and mostly waits: what it does not need meanwhile is given back to the system. */
  rest?(): Promise<void>;
  /** Aborts on the first Ctrl-C or SIGTERM. */
  interrupted: AbortSignal;
}>;
