import type { Database } from '../../store/database.ts';
import type { TaskSource } from '../../mcp/task-source.ts';
import type { WorldTool } from '../broker/broker.ts';
import { createSpaces, type SpaceParts } from '../projects/projects.ts';
import { worldBuiltins } from './builtins.ts';
import { editTool } from './files/edit-tool.ts';
import { readTool } from './files/read-tool.ts';
import { writeTool } from './files/write-tool.ts';
import { createSeen } from './files/seen.ts';
import { findingTools } from './finding/finding-tools.ts';
import { plainBuiltins } from './plain-builtins.ts';
import { createBackground } from './shell/background.ts';
import { backgroundTasks, type TaskParts } from './shell/tasks.ts';
import type { Sandbox } from '../../kernel/shell/sandbox.ts';
import { shellTools } from './shell/shell-tools.ts';
import { type WebParts, webTools } from './web/web-tools.ts';

export type CoreToolsOptions = Readonly<{
  db: Database;
  sandbox: Sandbox;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables of it that commands get although they are not known to be harmless. */
  shellEnv?: readonly string[];
}> &
  SpaceParts &
  WebParts;

/** The tools of this room, not yet governed: whoever serves them hands them to the broker first. */
export interface CoreTools {
  /** Documented on `clawboo-tools`. */
  readonly builtins: readonly WorldTool[];
  /** For the hub endpoint: Bash, Read, Edit, Write, Grep, Glob, WebFetch, WebSearch. */
  readonly tools: readonly WorldTool[];
  /** Commands in the background, as tasks. What they said goes through the broker like every other answer. */
  tasks(parts: TaskParts): TaskSource;
  /** Ends every command that still runs. */
  close(): Promise<void>;
}

export function createCoreTools({
  db,
  closed,
  sandbox,
  env,
  search,
  fetching,
  ...options
}: CoreToolsOptions): CoreTools {
  const spaces = createSpaces({ scratch: options.scratch, closed, checkouts: options.checkouts });
  const background = createBackground();
  const files = { workspace: spaces.of, seen: createSeen() };
  return {
    builtins: [...plainBuiltins(db), ...worldBuiltins({ db, workspace: spaces.chosen, search })],
    tools: [
      ...shellTools({
        workspace: spaces.of,
        background,
        sandbox,
        env,
        shellEnv: options.shellEnv ?? [],
        hidden: closed,
      }),
      readTool(files),
      editTool(files),
      writeTool(files),
      ...findingTools({ workspace: spaces.of }),
      ...webTools({ search, ...(fetching && { fetching }) }),
    ],
    tasks: (parts) => backgroundTasks(background, parts),
    close: () => background.close(),
  };
}
