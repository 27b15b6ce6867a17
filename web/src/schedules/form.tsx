import { useState, type ReactNode } from 'react';
import { useFolders } from '../agents/folders.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { useCallable } from '../runs/queries.ts';
import type { Schedule } from './queries.ts';

export type Said = Pick<Schedule, 'when' | 'agent' | 'prompt' | 'missed' | 'tz'> &
  Readonly<{ folder: string | null }>;

type FormProps = Readonly<{
  label: string;
  verb: string;
  /** Under which what is typed is kept. */
  of: string;
  /** What stands there now. */
  now?: Schedule;
  teamId: string | null;
  sending: Readonly<{ isPending: boolean; error: unknown }>;
  /** `done` forgets what was typed. */
  onSend(said: Said, done: () => void): void;
  onClose(): void;
}>;

const MISSED = [
  ['once', 'once for all times that no hub ran'],
  ['skip', 'not at all'],
  ['all', 'each time, up to a hundred'],
] as const satisfies readonly (readonly [Schedule['missed'], string])[];

/** When, who, what and where: of a new one, or of one that is to be otherwise. */
export function ScheduleForm({
  label,
  verb,
  of,
  now,
  teamId,
  sending,
  onSend,
  onClose,
}: FormProps): ReactNode {
  const agents = useCallable(true).data?.agents ?? [];
  const folders = useFolders(teamId);
  const own = now ? (now.folder ?? '') : (folders.find(({ isOwn }) => isOwn)?.path ?? '');
  const when = useDraft(`${of} when`, { base: now?.when ?? '' });
  const prompt = useDraft(`${of} prompt`, { base: now?.prompt ?? '' });
  const tz = useDraft(`${of} zone`, { base: now?.tz ?? Intl.DateTimeFormat().resolvedOptions().timeZone });
  const folder = useDraft(`${of} folder`, { base: own });
  const [chosen, setChosen] = useState(now?.agent);
  const [missed, setMissed] = useState(now?.missed ?? 'once');
  const agent = chosen ?? agents.find(({ callable }) => callable)?.instance ?? '';
  const isWhole = when.text.trim() !== '' && prompt.text.trim() !== '' && agent !== '';
  const drafts = [when, prompt, tz, folder];
  const submit = () => {
    if (!isWhole || sending.isPending) return;
    const at = folder.text.trim();
    onSend(
      { when: when.text, prompt: prompt.text, agent, missed, tz: tz.text, folder: at === '' ? null : at },
      () => drafts.forEach(({ forget }) => forget()),
    );
  };
  return (
    <form
      aria-label={label}
      className="bg-sunken border-line flex flex-col gap-2 rounded-one border p-3"
      onSubmit={(event) => (event.preventDefault(), submit())}
      onKeyDown={(event) => {
        if (isSendKey(event)) submit();
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <Labelled label="When">
        <input
          autoFocus
          className="field min-w-0 flex-1"
          placeholder="every weekday 7:00, 0 7 * * 1-5, label:triage, webhook"
          value={when.text}
          onChange={({ target }) => when.set(target.value)}
        />
      </Labelled>
      <Labelled label="Zone">
        <input
          className="field min-w-0 flex-1"
          list="zones"
          placeholder="Europe/Oslo"
          value={tz.text}
          onChange={({ target }) => tz.set(target.value)}
        />
        <datalist id="zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </datalist>
      </Labelled>
      <Labelled label="Agent">
        <select className="field" value={agent} onChange={({ target }) => setChosen(target.value)}>
          {now && agents.every(({ instance }) => instance !== now.agent) && <option>{now.agent}</option>}
          {agents.map(({ instance }) => (
            <option key={instance}>{instance}</option>
          ))}
        </select>
      </Labelled>
      <Labelled label="Does">
        <textarea
          className="field min-h-16 min-w-0 flex-1"
          value={prompt.text}
          onChange={({ target }) => prompt.set(target.value)}
        />
      </Labelled>
      <Labelled label="Where">
        <input
          className="field min-w-0 flex-1 font-mono text-[12px]"
          list="schedule-folders"
          placeholder="a repository; its project is that of the schedule"
          spellCheck={false}
          value={folder.text}
          onChange={({ target }) => folder.set(target.value)}
        />
        <datalist id="schedule-folders">
          {folders.map(({ path, name }) => (
            <option key={path} value={path}>
              {name}
            </option>
          ))}
        </datalist>
      </Labelled>
      <Labelled label="Missed">
        <select
          className="field min-w-0 flex-1 sm:flex-none"
          value={missed}
          onChange={({ target }) => setMissed(target.value as Schedule['missed'])}
        >
          {MISSED.map(([rule, words]) => (
            <option key={rule} value={rule}>
              {words}
            </option>
          ))}
        </select>
      </Labelled>
      <div className="flex flex-wrap justify-end gap-2">
        <Discard drafts={drafts} />
        <button type="button" className="button" onClick={onClose} title="What you wrote stays">
          Cancel
        </button>
        <button className="button button-main" disabled={!isWhole || sending.isPending} title="Ctrl Enter">
          {verb}
        </button>
      </div>
      <Refused error={sending.error} />
    </form>
  );
}
