import { useState, type ReactNode } from 'react';
import { useDraft } from '../drafts/use-draft.ts';
import { Command, Refused } from '../parts/empty.tsx';
import { useCallable, useMayRun } from '../runs/queries.ts';
import { useAdd } from './queries.ts';

/** When, who, what. A webhook's secret is shown here, once. */
export function AddSchedule({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const mayRun = useMayRun();
  const { data } = useCallable(mayRun);
  const add = useAdd();
  const [when, prompt] = [useDraft('schedule when'), useDraft('schedule prompt')];
  const [chosen, setChosen] = useState<string>();
  const agents = data?.agents ?? [];
  const agent = chosen ?? agents.find(({ callable }) => callable)?.instance ?? '';
  const isWhole = when.text.trim() !== '' && prompt.text.trim() !== '' && agent !== '';
  const secret = add.data?.secret;
  const submit = () =>
    add.mutate(
      { when: when.text, prompt: prompt.text, agent, tz: Intl.DateTimeFormat().resolvedOptions().timeZone },
      {
        onSuccess: (added) => {
          when.forget();
          prompt.forget();
          if (added.secret === undefined) onClose();
        },
      },
    );
  if (!mayRun)
    return (
      <div className="text-soft px-4 pb-3">
        Starting agents needs you to sign in; this opens the page with a link that does.
        <Command text="holdfast open" />
      </div>
    );
  if (secret !== undefined)
    return (
      <div className="px-4 pb-3">
        <p>
          Post JSON to <code>{add.data?.schedule.webhook}</code> of this hub, signed with this secret. It is
          shown this once.
        </p>
        <Command text={secret} />
        <button className="button" onClick={onClose}>
          I have it
        </button>
      </div>
    );
  return (
    <form
      aria-label="New schedule"
      className="bg-sunken border-line mx-4 mb-3 flex flex-col gap-2 rounded-one border p-3"
      onSubmit={(event) => (event.preventDefault(), submit())}
    >
      <label className="flex flex-wrap items-center gap-2">
        <span className="text-soft w-16">When</span>
        <input
          className="field min-w-0 flex-1"
          placeholder="every weekday 7:00, 0 7 * * 1-5, label:triage, webhook"
          value={when.text}
          onChange={({ target }) => when.set(target.value)}
        />
      </label>
      <label className="flex flex-wrap items-center gap-2">
        <span className="text-soft w-16">Agent</span>
        <select className="field" value={agent} onChange={({ target }) => setChosen(target.value)}>
          {agents.map(({ instance }) => (
            <option key={instance}>{instance}</option>
          ))}
        </select>
      </label>
      <label className="flex flex-wrap items-start gap-2">
        <span className="text-soft w-16">Does</span>
        <textarea
          className="field min-h-16 min-w-0 flex-1"
          value={prompt.text}
          onChange={({ target }) => prompt.set(target.value)}
        />
      </label>
      <div className="flex justify-end gap-2">
        <button type="button" className="button" onClick={onClose}>
          Leave
        </button>
        <button className="button button-main" disabled={!isWhole || add.isPending}>
          Add it
        </button>
      </div>
      <Refused error={add.error} />
    </form>
  );
}
