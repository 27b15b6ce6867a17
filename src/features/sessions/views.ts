import type { StoredSession, TurnRow } from './rows/tables.ts';
import type { ClientSession, SessionTurn } from './session.ts';

export function presentSession(session: StoredSession): ClientSession {
  const { id, client, clientId, project, folder, branch, model, title, startedAt, endedAt, turns, costUsd } =
    session;
  const { tokensIn, tokensOut, run, task } = session;
  const tokens =
    tokensIn === null && tokensOut === null ? null : { input: tokensIn ?? 0, output: tokensOut ?? 0 };
  return {
    id,
    client,
    clientId,
    project,
    folder,
    branch,
    model,
    title,
    startedAt,
    endedAt,
    turns,
    tokens,
    costUsd,
    runId: run,
    taskId: task,
  };
}

export function presentTurn({ turn, at, kind, text, tool, args, isError, isCut }: TurnRow): SessionTurn {
  return {
    turn,
    at,
    kind,
    text,
    ...(tool !== null && { tool }),
    ...(args !== null && { args: JSON.parse(args) as unknown }),
    ...(isError && { isError }),
    ...(isCut && { cut: true }),
  };
}
