import { useState, type FormEvent, type ReactNode } from 'react';
import { useDraft } from '../drafts/use-draft.ts';
import { Discard } from '../drafts/discard.tsx';
import { Refused } from '../parts/empty.tsx';
import { Labelled } from '../parts/labelled.tsx';
import { quoteWord } from '../parts/words.ts';
import { entryOf } from './add.tsx';
import { useChange, type Change } from './one.ts';
import type { SourceDetail } from './queries.ts';
import { onEscape } from '../parts/leave-key.ts';

export const TRUST: Readonly<Record<SourceDetail['trust'], string>> = {
  ask: 'the first use of each tool asks you',
  pinned: 'a tool waits until you have looked at it',
  all: 'its tools are trusted as they are',
};

/** What a shown command or address leaves out (`hide-arguments.ts`): such a one cannot be written back. */
const HIDDEN = '[REDACTED]';

/** How it is reached and trusted, and what it is given: one variable or header at a time, whose values are never shown again. */
export function ChangeSource({
  source,
  onClose,
}: Readonly<{ source: SourceDetail; onClose(): void }>): ReactNode {
  const { name, command, url, trust, env, headers } = source;
  const now = command?.map(quoteWord).join(' ') ?? url ?? '';
  const isHidden = now.includes(HIDDEN);
  const reach = useDraft(`source ${name} reach`, { base: isHidden ? '' : now });
  const [trusted, setTrusted] = useState(trust);
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const change = useChange(name);
  const isWeb = url !== null;
  const [what, given] = isWeb ? ['header', headers] : ['variable', env];
  const said: Change = {
    ...(reach.text.trim() !== '' && reach.text !== now && entryOf(reach.text)),
    ...(trusted !== trust && { trust: trusted }),
    ...(key.trim() !== '' && { [isWeb ? 'headers' : 'env']: { [key.trim()]: value === '' ? null : value } }),
  };
  const isNothing = Object.keys(said).length === 0;
  // Taking away what is not there is a slip of the hand.
  const isLost = key.trim() !== '' && value === '' && !given.includes(key.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isNothing && !isLost && !change.isPending)
      change.mutate(said, { onSuccess: () => (reach.forget(), onClose()) });
  };
  return (
    <form
      aria-label={`Change ${name}`}
      className="bg-sunken border-line mt-3 flex flex-col gap-2 rounded-one border p-3"
      onSubmit={submit}
      onKeyDown={onEscape(onClose)}
    >
      <Labelled label="Reached by">
        <input
          autoFocus
          className="field min-w-0 flex-1 font-mono text-[12px]"
          placeholder={isHidden ? 'as it is: part of it is hidden, so say all of it to change it' : ''}
          spellCheck={false}
          value={reach.text}
          onChange={({ target }) => reach.set(target.value)}
        />
      </Labelled>
      <Labelled label="Trust">
        <select
          className="field min-w-0"
          value={trusted}
          onChange={({ target }) => setTrusted(target.value as typeof trust)}
        >
          {Object.entries(TRUST).map(([kind, words]) => (
            <option key={kind} value={kind}>
              {kind}: {words}
            </option>
          ))}
        </select>
      </Labelled>
      {given.length > 0 && (
        <p className="text-meta text-faint">
          It has {given.join(', ')}. Values are not shown; say one again to replace it, or leave it empty to
          take it away.
        </p>
      )}
      <Labelled label={isWeb ? 'Header' : 'Variable'}>
        <input
          className="field min-w-0 flex-1"
          placeholder={isWeb ? 'such as Authorization' : 'such as GITHUB_TOKEN'}
          spellCheck={false}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </Labelled>
      {key.trim() !== '' && (
        <Labelled label="Its value">
          <input
            type="password"
            autoComplete="off"
            className="field min-w-0 flex-1"
            placeholder={'or ${secrets.name} for an entry of secrets.yaml'}
            value={value}
            onChange={({ target }) => setValue(target.value)}
          />
        </Labelled>
      )}
      {isLost && <p className="text-meta text-soft">It has no such {what} that could be taken away.</p>}
      <div className="flex flex-wrap justify-end gap-2">
        <Discard drafts={[reach]} />
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button className="button button-main" disabled={isNothing || isLost || change.isPending}>
          Apply
        </button>
      </div>
      <Refused error={change.error} />
    </form>
  );
}
