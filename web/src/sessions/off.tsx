import { useState, type ReactNode } from 'react';
import { useHub } from '../frame/hub.ts';
import { Command, Empty } from '../parts/empty.tsx';
import { ApplyChange } from '../settings/change.tsx';

const CLIENTS = [
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex'],
  ['gemini', 'Gemini CLI'],
  ['opencode', 'OpenCode'],
] as const;

type Step = 'no' | 'choosing' | 'written';

/** Nothing is read until a person says whose; said here, it is shown as a change of config.yaml before it is one. */
export function Off(): ReactNode {
  const { data: hub } = useHub();
  const [step, setStep] = useState<Step>('no');
  return (
    <Empty
      title="No session is read"
      action={
        hub?.isSignedIn === true &&
        step === 'no' && (
          <button className="button button-main" onClick={() => setStep('choosing')}>
            Choose what is read
          </button>
        )
      }
      command={step === 'no' ? 'holdfast setup --sessions' : undefined}
    >
      <p>
        Holdfast can read what Claude Code, Codex, Gemini CLI and OpenCode write about their own sessions, and
        find it again. Nothing is read until you say so.
      </p>
      {step === 'choosing' && <Choose onDone={() => setStep('written')} onCancel={() => setStep('no')} />}
      {step === 'written' && (
        <div role="status" className="mt-3">
          <p className="text-ink mb-1">It is written. Reading begins when the hub starts again:</p>
          <Command text="holdfast restart" />
        </div>
      )}
    </Empty>
  );
}

function Choose({ onDone, onCancel }: Readonly<{ onDone(): void; onCancel(): void }>): ReactNode {
  const [chosen, setChosen] = useState<readonly string[]>(CLIENTS.map(([client]) => client));
  const toggle = (client: string) =>
    setChosen(chosen.includes(client) ? chosen.filter((each) => each !== client) : [...chosen, client]);
  return (
    <div className="text-ink mt-3 flex flex-col gap-3">
      <fieldset className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
        <legend className="section-title mb-1">Read the sessions of</legend>
        {CLIENTS.map(([client, name]) => (
          <label key={client} className="flex items-center gap-1.5">
            <input
              type="checkbox"
              className="accent-tide size-4"
              checked={chosen.includes(client)}
              onChange={() => toggle(client)}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <ApplyChange
        key={chosen.join()}
        changes={[{ path: ['sessions', 'from'], value: [...chosen] }]}
        onDone={onDone}
        onCancel={onCancel}
      />
    </div>
  );
}
