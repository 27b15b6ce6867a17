// A run of the hub whose client wrote nothing of its own: its prompt, its frames in their common form, its end.
import { type LooseFields, fieldsIn, fieldsOf, filesIn, summaryOf, textOf, timeOf } from './fields.ts';
import type { ReadTurn } from './reader.ts';

export type RunFrame = Readonly<{ id: number; data: string }>;
export type ToldRun = Readonly<{
  id: string;
  prompt: string;
  result: string | null;
  error: Readonly<{ text: string }> | null;
  startedAt: number;
  endedAt: number;
}>;

const KINDS: Readonly<Record<string, ReadTurn['kind']>> = { text: 'agent', thought: 'thought' };

/** Pieces of one text that follow each other are one turn. */
export function readRun(run: ToldRun, frames: readonly RunFrame[]): ReadTurn[] {
  const turns: ReadTurn[] = [
    { key: `${run.id}:prompt`, at: run.startedAt, kind: 'person', text: run.prompt },
  ];
  for (const { id, data } of frames) {
    const said = fieldsIn(data);
    const key = `${run.id}:${id}`;
    const kind = KINDS[textOf(said['type']) ?? ''];
    // A text that is all of its line is not written twice.
    const text = textOf(said['text']) ?? textOf(said['line']);
    const at = timeOf(said['ts']);
    const last = turns.at(-1)!;
    if (kind !== undefined && text !== undefined) {
      if (last.kind === kind) turns[turns.length - 1] = { ...last, text: last.text + text };
      else turns.push({ key, at, kind, text });
      continue;
    }
    if (said['type'] === 'tool') turns.push(...callOf(fieldsOf(said['tool']), { key, at }));
  }
  const end = run.error?.text ?? run.result;
  const isError = run.error !== null;
  const isSaid = turns.some(({ kind, text }) => kind === 'agent' && end !== null && text.includes(end));
  if (end !== null && end !== '' && !isSaid)
    turns.push({
      key: `${run.id}:end`,
      at: run.endedAt,
      kind: isError ? 'result' : 'agent',
      text: end,
      isError,
    });
  return turns;
}

function callOf(use: LooseFields, own: Pick<ReadTurn, 'key' | 'at'>): readonly ReadTurn[] {
  const tool = textOf(use['name']) ?? 'tool';
  const args = use['input'];
  if (use['phase'] === 'start')
    return [{ ...own, kind: 'call', tool, args, text: summaryOf(tool, args), files: filesIn(args) }];
  if (use['phase'] !== 'end' || use['ok'] !== false) return [];
  return [{ ...own, kind: 'result', tool, text: 'failed', isError: true }];
}
