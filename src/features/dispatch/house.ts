import type { Tool } from '../../mcp/define.ts';
import type { Acting } from '../../store/acting.ts';
import type { Database } from '../../store/database.ts';
import type { Broker } from '../broker/broker.ts';
import type { Dispatch } from './dispatch.ts';
import type { BoardWork } from './work/work.ts';

/** What the façades of this room stand on. */
export type DispatchHouse = Readonly<{
  db: Database;
  acting: Acting;
  dispatch: Dispatch;
  /** Starting a run as a governed tool, for callers that are no persons. */
  sendTool: Tool;
  /** The same for a task of the board. */
  runTool: Tool;
  work: BoardWork;
  broker: Broker;
}>;
