import { mkdir } from 'node:fs/promises';
import type { Database } from '../../store/database.ts';
import type { TaskSource } from '../../mcp/task-source.ts';
import type { WorldTool } from '../broker/broker.ts';
import { worldBuiltins } from './builtins.ts';
import { fileTools } from './file-tools.ts';
import { createSeen } from './files/seen.ts';
import { findingTools } from './finding-tools.ts';
import { createBackground } from './shell/background.ts';
import { backgroundTasks, type LateAnswer } from './shell/tasks.ts';
import type { Sandbox } from './shell/sandbox.ts';
import { shellTools } from './shell-tools.ts';
import { type WebParts, webTools } from './web-tools.ts';
import { openWorkspace, unlessExists, type Workspace } from './workspace.ts';

export type CoreToolsOptions = Readonly<{
  db: Database;
  workspace: string | undefined;
  /** Where file and shell tools work while there is no workspace. Made when it is first needed. */
  scratch: string;
  /** Folders inside the workspace that stay closed. */
  closed: readonly string[];
  sandbox: Sandbox;
  env: Readonly<Record<string, string | undefined>>;
  /** Variables of it that commands get although they are not known to be harmless. */
  shellEnv?: readonly string[];
}> &
  WebParts;

/** The tools of this room, not yet governed: whoever serves them hands them to the broker first. */
export interface CoreTools {
  /** Documented on `clawboo-tools`. */
  readonly builtins: readonly WorldTool[];
  /** For the hub endpoint: Bash, Read, Edit, Write, Grep, Glob, WebFetch, WebSearch. */
  readonly tools: readonly WorldTool[];
  /** Commands in the background, as tasks. What they said goes through the broker like every other answer. */
  tasks(answer: LateAnswer): TaskSource;
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
  let opening: Promise<Workspace> | undefined;
  const inside = async (): Promise<Workspace> => {
    opening ??=
      options.workspace === undefined
        ? openScratch(options.scratch)
        : openWorkspace({ root: options.workspace, closed });
    return opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  };
  const workspace = async (): Promise<Workspace | undefined> =>
    options.workspace === undefined ? undefined : inside();
  const background = createBackground();
  return {
    builtins: worldBuiltins({ db, workspace, search }),
    tools: [
      ...shellTools({
        workspace: inside,
        background,
        sandbox,
        env,
        shellEnv: options.shellEnv ?? [],
        hidden: closed,
      }),
      ...fileTools({ workspace: inside, seen: createSeen() }),
      ...findingTools({ workspace: inside }),
      ...webTools({ search, ...(fetching && { fetching }) }),
    ],
    tasks: (answer) => backgroundTasks(background, answer),
    close: () => background.close(),
  };
}

/** A folder of the hub's own: nothing of the user's is in reach until a workspace is chosen. */
async function openScratch(folder: string): Promise<Workspace> {
  await mkdir(folder, { mode: 0o700 }).catch(unlessExists);
  return openWorkspace({
    root: folder,
    hint: 'No workspace is configured, so only a scratch folder is in reach: start the hub with --workspace.',
  });
}
