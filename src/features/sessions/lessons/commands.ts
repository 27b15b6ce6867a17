// Commands of a session and what became of them, read off calls and their results.
import type { LessonTurn } from './lesson.ts';

export type TriedCommand = Readonly<{ turn: number; command: string; isError: boolean; output: string }>;

const SHELL = /^(bash|shell|exec_command|run_shell_command|terminal|local_shell)$/i;

/** The commands up to this turn since a person last spoke, and whether files were changed between them. */
export function triedUntil(
  turns: readonly LessonTurn[],
  at: number,
): Readonly<{ tried: TriedCommand[]; edits: number[] }> {
  const tried: TriedCommand[] = [];
  const edits: number[] = [];
  let command: LessonTurn | undefined;
  for (const turn of turns.slice(startOf(turns, at), at + 1)) {
    if (turn.kind === 'diff') edits.push(turn.turn);
    if (turn.kind === 'call') {
      command = isShell(turn) ? turn : undefined;
      if (EDIT.test(turn.tool ?? '') || /^apply_patch\b/.test(turn.text)) edits.push(turn.turn);
    }
    if (turn.kind === 'result' && command !== undefined) {
      tried.push({
        turn: turn.turn,
        command: command.text.replace(/\s+/g, ' ').trim(),
        isError: turn.isError,
        output: turn.text,
      });
      command = undefined;
    }
  }
  return { tried, edits };
}

const EDIT = /^(edit|write|multiedit|notebookedit|replace|write_file|patch|apply_patch)$/i;

function isShell({ tool }: LessonTurn): boolean {
  return SHELL.test(tool ?? '');
}

/** A look back of a few dozen turns is enough; what a person said between is another task. */
const MOST_BACK = 40;

function startOf(turns: readonly LessonTurn[], at: number): number {
  for (let i = at; i > Math.max(0, at - MOST_BACK); i -= 1) if (turns[i]!.kind === 'person') return i;
  return Math.max(0, at - MOST_BACK);
}

/** Programs that look, and say no by failing. */
const LOOKING =
  /^(?:grep|rg|ag|find|fd|ls|cat|head|tail|test|\[|diff|which|type|command|sed|awk|stat|file|wc|jq|ps)$/;

/** The program, without what is set before it: `JAVA_HOME=/opt ./gradlew x` is gradlew. */
export function programOf(command: string): string {
  const program = command.split(/\s+/).find((word) => !/^[A-Za-z_]\w*=/.test(word));
  return (program ?? '').replace(/^.*\//, '');
}

export function isLooking(command: string): boolean {
  return LOOKING.test(programOf(command));
}

/** The line of an output that says what is wrong. */
export function errorLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) =>
        line !== '' && !/^(?:Exit code|Chunk ID|Wall time|Process exited|Original token|Output:)/.test(line),
    );
  return lines.find((line) => SAYS_WRONG.test(line)) ?? lines[0] ?? '';
}

const SAYS_WRONG =
  /error|not found|cannot|can't|couldn't|could not|denied|refused|missing|unknown|no such|fail/i;

/** The same error again: numbers, paths and quoted names do not tell two apart. */
export function signatureOf(output: string): string {
  return errorLine(output)
    .toLowerCase()
    .replace(/\/[\w./-]+/g, '/')
    .replace(/\d+/g, '0')
    .slice(0, 200);
}
