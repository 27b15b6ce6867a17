// The way of every governed call: judge → ask → run → tell. No step can be left out, and every end is written into the
// audit. Each step is a folder of this room.
import type { ToolContext, ToolResult } from '../../mcp/define.ts';
import { InputRequired } from '../../mcp/engine/rounds.ts';
import { type ApprovalAnswers, createAnswers, type AnswersParts } from './ask/answers.ts';
import { createJudge, type JudgeParts } from './judge/judge.ts';
import type { Args } from './judge/inspectors/inspector.ts';
import { execute } from './run/execute.ts';
import { type CallRecord, createRecords, type RecordParts } from './tell/records.ts';
import type { Refusal } from './tell/refusals.ts';
import { type WorldTool, worldOf } from './world-tool.ts';

export type FunnelParts = AnswersParts & JudgeParts & RecordParts;

export interface Funnel {
  run(tool: WorldTool, given: Args, context: ToolContext): Promise<ToolResult<unknown>>;
  /** For calls that never become a case: unknown, hidden, forbidden. They are written down too. */
  refused(
    call: Readonly<{ toolName: string; args: unknown; refusal: Refusal }>,
    context: ToolContext,
  ): Promise<Refusal>;
}

export function createFunnel(parts: FunnelParts): Funnel {
  const judge = createJudge(parts);
  const answers = createAnswers(parts);
  const records = createRecords(parts);

  return {
    refused: (call, context) => records.refused(call, context),

    async run(tool, given, context) {
      const startedAt = performance.now();
      const judged = await judge.judge({ tool, given }, context);
      if ('refusal' in judged) return records.refused({ toolName: tool.name, ...judged }, context);
      const { call } = judged;
      const record = records.of(call, context, startedAt);

      const start = await answers.begin(call, context);
      if (start.kind === 'denied') return start.refusal;
      if (start.kind === 'wait') {
        const unapproved = await unlessAsked(record, () => answers.await(call, start.approval, context));
        if (unapproved) return record.unapproved(unapproved);
        const forbidden = await judge.forbidNow(call);
        if (forbidden) return record.blocked(forbidden);
      }

      const executed = await execute(call, worldOf(call, context), parts.settling).catch(
        async (thrown: unknown) => {
          await record.unanswered(thrown);
          throw thrown;
        },
      );
      return record.finished(executed);
    },
  };
}

/** A client of the newer era is asked by ending its call: that end is written down, and the question goes on its way. */
async function unlessAsked(
  record: CallRecord,
  wait: () => ReturnType<ApprovalAnswers['await']>,
): ReturnType<ApprovalAnswers['await']> {
  try {
    return await wait();
  } catch (question) {
    if (question instanceof InputRequired) await record.asked('approval:asked');
    throw question;
  }
}
