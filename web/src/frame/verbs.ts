import type { IconName } from '../parts/icons.tsx';
import { placeOf } from '../why/place.ts';

type Verb = Readonly<{
  text: string;
  sign: IconName;
  also: string;
  hint?: string;
  to: string;
  search?: Readonly<Record<string, string>>;
}>;

/** What people type who want to do something. */
export const VERBS: readonly Verb[] = [
  {
    text: 'Create a task',
    sign: 'plus',
    also: 'new add',
    hint: 'n on the board',
    to: '/board',
    search: { at: 'new' },
  },
  {
    text: 'Approve or deny what waits',
    sign: 'approvals',
    also: 'decide allow permission',
    to: '/approvals',
  },
  { text: 'Land a branch', sign: 'landing', also: 'merge ship', to: '/landing' },
  {
    text: 'Start a run',
    sign: 'runs',
    also: 'dispatch send agent new',
    hint: 'n among the runs',
    to: '/runs',
    search: { at: 'new' },
  },
  { text: 'Schedule something', sign: 'schedules', also: 'create cron every timer', to: '/schedules' },
  { text: 'Why is a line as it is', sign: 'question', also: 'blame file history line', to: '/why' },
  { text: 'Connect an agent', sign: 'agents', also: 'attach client install setup', to: '/settings' },
  {
    text: 'Create a token',
    sign: 'grants',
    also: 'settings credential key',
    to: '/settings',
    search: { view: 'tokens' },
  },
  {
    text: 'What is due',
    sign: 'due',
    also: 'overdue late deadline',
    to: '/due',
  },
];

/** `src/login.ts`, `src/login.ts:12`: a file of the project one looks at, and a line of it. */
export function lineMeant(typed: string, folder: string | undefined): string | undefined {
  const [, file, line = '1'] = /^(\S*[\w-]+\.[A-Za-z]\w{0,5})(?::(\d+))?$/.exec(typed) ?? [];
  if (file === undefined) return undefined;
  if (file.startsWith('/')) return placeOf({ file, line: Number(line) });
  return folder === undefined ? undefined : placeOf({ file: `${folder}/${file}`, line: Number(line) });
}
