import type { Principal } from '../../../kernel/principal.ts';
import type { Workplace } from '../../projects/projects.ts';
import { toolCallerOf } from '../caller.ts';
import type { WorldTool } from '../world-tool.ts';
import { judgeCall } from './judge-call.ts';
import type { PolicyFile } from './policy/file.ts';

/** What is asked before a room reads a file for somebody: the file, as the tool that reads files would name it. */
export type FileReading = Readonly<{ who: Principal; place: Workplace; path: string }>;

/** Would this caller's `Read` of the file simply run? What a person would be asked about is not read for anybody unasked. */
export async function mayRead(policy: PolicyFile, read: WorldTool, reading: FileReading): Promise<boolean> {
  const { who, place, path } = reading;
  const caller = toolCallerOf(who, place);
  const call = { tool: read, args: { path }, facts: { path }, place, caller, callId: '' };
  return judgeCall(call, (await policy.current()).policy).verdict.decision === 'allow';
}
