import type { HubError } from '../../kernel/errors.ts';
import type { Client } from '../client.ts';
import type { Hints } from '../hints.ts';
import { isWhole, shortId, theOne } from '../short-id.ts';
import { printable } from '../terminal/table.ts';

export const TASK_HINTS: Hints = {
  not_found: '`holdfast board list` shows the tasks; one is named by its id or by the end of it.',
  conflict: async (error, ask) =>
    (await nameWhatItWaitsFor(error, ask)) ?? nameWhatIsMissing(error) ?? nameTheClaim(error),
};

/** The refusal tells ids alone, as a caller may not see every title; the person at the terminal does. */
async function nameWhatItWaitsFor(
  { details: { taskId, waitsFor } }: HubError,
  ask: Client['ask'],
): Promise<string | undefined> {
  if (typeof taskId !== 'string' || !Array.isArray(waitsFor)) return undefined;
  const { dependencies } = await ask('GET /api/board/tasks/:taskId', { taskId });
  const open = dependencies.filter(({ id }) => waitsFor.some((each: { id?: unknown }) => each.id === id));
  const lines = open.map(({ id, status, title }) => `  ${shortId(id)}  ${status}  ${printable(title)}`);
  return [
    'It waits for:',
    ...lines,
    'Do those first, or see what is ready with `holdfast board list --ready`.',
  ].join('\n  ');
}

/** Which checks keep a task from being done, and both ways on. */
function nameWhatIsMissing({ details: { missing } }: HubError): string | undefined {
  if (!Array.isArray(missing)) return undefined;
  const lines = missing.map(({ title }: { title?: unknown }) => `  ${printable(String(title))}`);
  return [
    'No passing evidence since the last change for:',
    ...lines,
    'Its agent gives it with submit_evidence; a person may finish the task with --override <reason>.',
  ].join('\n  ');
}

/** What was never begun is not done: it is claimed first. */
function nameTheClaim({ details: { taskId, to, allowed } }: HubError): string | undefined {
  if (to !== 'done' || typeof taskId !== 'string' || !Array.isArray(allowed)) return undefined;
  if (!allowed.includes('in_progress')) return undefined;
  const short = shortId(taskId);
  return `Nobody has begun it. \`holdfast board claim ${short} --as <you>\` begins it; \`board cancel\` says that it will not be done.`;
}

/** The whole id of the one task that ends like this; the hub knows which do. */
export async function findTask({ ask }: Client, given: string): Promise<string> {
  if (isWhole(given)) return given;
  return theOne(await ask('GET /api/board/ids', { ending: given }), given, 'tasks');
}
