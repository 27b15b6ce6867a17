import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { ask } from '../api/call.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { usePlace } from '../frame/place.ts';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Switch, Table } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { ApplyChange } from './change.tsx';

const COLUMNS = [
  ['Setting', 'minmax(10rem,1fr)'],
  ['Value', 'minmax(8rem,1fr)'],
  ['Said by', '8rem'],
  ['', '5rem'],
] as const;

type Setting = Readonly<{
  key: string;
  value: string | null;
  from: string;
  next?: string | null | undefined;
}>;

/** What the hub runs with. A change is shown as a diff of config.yaml before it is made. */
export function HubSettings(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['settings'],
    queryFn: () => ask('GET /api/settings'),
  });
  const [shown, setShown] = useState<'set' | 'all'>('set');
  // One that was looked for elsewhere stands in the address.
  const { q = '' } = usePlace();
  const [sought, setSought] = useState(q);
  useEffect(() => setSought(q), [q]);
  const [open, setOpen] = useState<string>();
  if (!data) return error ? <Refused error={error} /> : <Skeleton />;
  const isSet = ({ value, next }: Setting) => value !== null || next !== undefined;
  const found = data.settings.filter((each) =>
    sought.trim() === '' ? shown === 'all' || isSet(each) : each.key.includes(sought.trim().toLowerCase()),
  );
  return (
    <>
      {data.problem !== null && (
        <p role="alert" className="bg-amber-wash rounded-one mb-2 px-3 py-1.5">
          The hub goes on with what it read before: <Foreign text={data.problem} />
        </p>
      )}
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <Switch
          label="Which settings"
          value={shown}
          options={[
            ['set', 'Changed'],
            ['all', 'All'],
          ]}
          onChange={(to) => setShown(to === 'all' ? 'all' : 'set')}
        />
        <SearchField label="Search the settings" value={sought} onChange={setSought} />
      </div>
      {found.length === 0 && (
        <p className="text-soft py-2">
          {sought.trim() === '' ? 'All settings are as by default.' : 'No setting has this in its name.'}
        </p>
      )}
      <div className="@container/list -mx-4">
        {found.length > 0 && (
          <Table label="Settings of the hub" columns={COLUMNS}>
            {found.map((each) => (
              <Row
                key={each.key}
                setting={each}
                isOpen={open === each.key}
                onOpen={(isOpen) => setOpen(isOpen ? each.key : undefined)}
              />
            ))}
          </Table>
        )}
      </div>
    </>
  );
}

type RowProps = Readonly<{ setting: Setting; isOpen: boolean; onOpen(isOpen: boolean): void }>;

function Row({ setting: { key, value, from, next }, isOpen, onOpen }: RowProps): ReactNode {
  const says = next === undefined ? value : next;
  return (
    <li aria-label={key}>
      <div className="cells">
        <span className="truncate font-mono text-[12px]">{key}</span>
        <span className="min-w-0 break-words">
          {value === null ? <span className="text-faint">default</span> : <Foreign text={value} />}
          {next !== undefined && (
            <span className="text-amber block">{next ?? 'default'} from the next start of the hub</span>
          )}
        </span>
        <span className="text-meta text-faint truncate">{from}</span>
        <button className="quiet" aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
          Edit
        </button>
      </div>
      {isOpen && <Edit setting={key} says={says ?? ''} onClose={() => onOpen(false)} />}
    </li>
  );
}

type EditProps = Readonly<{ setting: string; says: string; onClose(): void }>;

function Edit({ setting, says, onClose }: EditProps): ReactNode {
  const draft = useDraft(`setting ${setting}`, { base: says });
  const { text } = draft;
  const [wanted, setWanted] = useState<string | null>();
  const submit = (event: FormEvent) => (event.preventDefault(), setWanted(text.trim()));
  return (
    <div className="flex flex-col gap-2 px-4 pb-3">
      <form className="flex flex-wrap gap-2" onSubmit={submit} aria-label={`Change ${setting}`}>
        <input
          autoFocus
          className="field min-w-48 flex-1"
          aria-label={`Value of ${setting}`}
          value={text}
          onChange={({ target }) => (draft.set(target.value), setWanted(undefined))}
        />
        <Discard drafts={[draft]} />
        <button className="button" disabled={text.trim() === '' || text.trim() === says}>
          Preview
        </button>
        {says !== '' && (
          <button type="button" className="button" onClick={() => setWanted(null)}>
            Reset to default
          </button>
        )}
      </form>
      {wanted !== undefined && (
        <ApplyChange
          key={String(wanted)}
          changes={[{ path: setting.split('.'), value: wanted }]}
          onDone={() => (draft.forget(), onClose())}
          onCancel={onClose}
        />
      )}
    </div>
  );
}
