import type { ReactNode } from 'react';
import { useDraft } from '../drafts/use-draft.ts';
import { useHub } from '../frame/hub.ts';
import { Command } from '../parts/empty.tsx';
import { NameForm } from '../parts/name-form.tsx';
import { useNewRunnerToken } from './queries.ts';

/** A name is enough. The token is shown here, once, with what to type on the other machine. */
export function AddRunner({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const name = useDraft('runner name');
  const { data: hub } = useHub();
  const make = useNewRunnerToken();
  if (make.data)
    return (
      <section
        aria-label="Token of the runner"
        className="border-line flex max-w-[80ch] flex-col items-start gap-2 border-b px-4 py-3"
      >
        <p>
          The token of <strong className="font-medium">{make.data.record.agent}</strong>, shown now and never
          again. Put it into a file on the other machine, and start the runner there:
        </p>
        <Command text={make.data.token} label="Copy the token" />
        <Command text={commandFor(make.data.record.agent, hub?.address ?? location.origin)} />
        <p className="text-meta text-faint">
          It can take runs and tell how they went, and nothing else. Another machine needs an address of this
          hub that it can reach, over HTTPS.
        </p>
        <button className="button" onClick={onClose}>
          Done
        </button>
      </section>
    );
  return (
    <NameForm
      label="New runner"
      field="Name of the runner"
      placeholder="Name of the machine, such as desktop"
      maxLength={64}
      verb="Create token"
      name={name}
      make={make}
      onMake={(given) => make.mutate(given, { onSuccess: name.forget })}
      onClose={onClose}
    />
  );
}

function commandFor(name: string, address: string): string {
  return `holdfast runner --hub ${address} --token-file ${name}.token --name ${name}`;
}
