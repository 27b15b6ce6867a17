import type { Database } from '../../store/database.ts';
import type { WorldTool } from '../broker/broker.ts';
import { worldBuiltins } from './builtins.ts';
import type { SearchProviders } from './web/search.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

export type CoreToolsOptions = Readonly<{
  db: Database;
  workspace: string | undefined;
  /** Folders inside the workspace that stay closed. */
  closed: readonly string[];
  search(): SearchProviders;
}>;

/** The tools of this room, not yet governed: whoever serves them hands them to the broker first. */
export interface CoreTools {
  /** Documented on `clawboo-tools`. */
  readonly builtins: readonly WorldTool[];
  close(): Promise<void>;
}

export function createCoreTools(options: CoreToolsOptions): CoreTools {
  const { db, search } = options;
  let opening: Promise<Workspace> | undefined;
  const workspace = async () => {
    if (options.workspace === undefined) return undefined;
    opening ??= openWorkspace({ root: options.workspace, closed: options.closed });
    return opening.catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
  };
  return {
    builtins: worldBuiltins({ db, workspace, search }),
    close: async () => undefined,
  };
}
