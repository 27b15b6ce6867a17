// A moment: the turn that was found, two around it, where it was, and how to go on with that session.
import type { Query } from '../../../store/database.ts';
import type { Owner } from '../owner.ts';
import { resumeLine } from '../resume.ts';
import { turnsAround } from '../rows/search.ts';
import { sessionsByIds } from '../rows/sessions.ts';
import type { TurnRow } from '../rows/tables.ts';
import type { SessionMoment } from '../session.ts';

const AROUND = 2;
const MOST_TEXT = 2_000;
const MOST_AROUND = 400;

export async function momentsOf(
  q: Query,
  own: Owner,
  { turns, words = [] }: Readonly<{ turns: readonly TurnRow[]; words?: readonly string[] }>,
): Promise<SessionMoment[]> {
  const [near, sessions] = await Promise.all([
    turnsAround(q, turns, AROUND),
    sessionsByIds(q, own, [...new Set(turns.map(({ session }) => session))]),
  ]);
  const bySession = Map.groupBy(near, ({ session }) => session);
  const byId = new Map(sessions.map((session) => [session.id, session]));
  return turns.flatMap((turn) => {
    const session = byId.get(turn.session);
    if (!session) return [];
    const around = (bySession.get(turn.session) ?? []).filter(
      (each) => Math.abs(each.turn - turn.turn) <= AROUND,
    );
    const whole = around.find((each) => each.no === turn.no) ?? turn;
    const shown = (each: TurnRow) => ({
      turn: each.turn,
      kind: each.kind,
      text: each.text.slice(0, MOST_AROUND).toWellFormed(),
      ...(each.tool !== null && { tool: each.tool }),
    });
    return [
      {
        sessionId: session.id,
        turn: turn.turn,
        kind: turn.kind,
        at: turn.at,
        text: part(whole.text, words),
        ...(turn.tool !== null && { tool: turn.tool }),
        ...(turn.isError && { isError: true }),
        ...(turn.files !== null && { files: turn.files.split('\n') }),
        before: around.filter((each) => each.turn < turn.turn).map(shown),
        after: around.filter((each) => each.turn > turn.turn).map(shown),
        client: session.client,
        project: session.project,
        folder: session.folder,
        runId: session.run,
        taskId: session.task,
        title: session.title,
        resume: resumeLine(session),
      },
    ];
  });
}

/** The part of a long text that has the words. */
function part(text: string, words: readonly string[]): string {
  if (text.length <= MOST_TEXT) return text;
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  const from = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - MOST_TEXT / 4);
  return text.slice(from, from + MOST_TEXT).toWellFormed();
}
