import { DropdownMenu } from 'radix-ui';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useDrafts } from '../drafts/use-draft.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Refused } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { PageHead, Switch } from '../parts/page.tsx';
import type { Cards } from './cards.ts';
import { ORDERS } from './columns.ts';
import { FilterLine } from './filter-line.tsx';
import { LANES } from './lanes.tsx';
import { NEW, NEW_TASK } from './new-task.tsx';
import { useForgetView, useSaveView, useViews } from './queries.ts';
import { onEscape } from '../parts/leave-key.ts';

const LAYOUTS = [
  ['board', 'Board'],
  ['list', 'List'],
  ['graph', 'Graph'],
  ['archived', 'Archived'],
] as const;

/** The head of the board: the filter, how it is laid out, saved views, and a new task; below it what is being done with what is picked. */
export function Toolbar({
  cards,
  focusFilter,
  children,
}: Readonly<{ cards: Cards; focusFilter: number; children: ReactNode }>): ReactNode {
  const { q = '', view = 'board' } = usePlace();
  const setPlace = useSetPlace();
  const isBegun = useDrafts(NEW_TASK).size > 0;
  const layout = LAYOUTS.find(([each]) => each === view)?.[0] ?? 'board';
  return (
    <PageHead
      title="Board"
      aside={
        <>
          <Switch
            label="Layout"
            value={layout}
            options={LAYOUTS}
            onChange={(to) => setPlace({ view: to === 'board' ? undefined : to })}
          />
          <button className="button button-main" onClick={() => setPlace({ at: NEW })}>
            <Icon name="plus" size={14} />
            {isBegun ? 'Continue the new task' : 'New'}
            <kbd className="hidden opacity-70 sm:inline">n</kbd>
          </button>
        </>
      }
      filter={
        <>
          <FilterLine
            value={q}
            cards={cards}
            focusKey={focusFilter}
            onChange={(text) => setPlace({ q: text === '' ? undefined : text })}
          />
          <Display />
          <SavedViews />
          {children}
        </>
      }
    >
      Every task, claimed exactly once.
    </PageHead>
  );
}

const SHOWN = [
  ['empty', 'Empty columns'],
  ['done', 'Done and cancelled'],
  ['labels', 'Labels'],
  ['cost', 'Cost'],
] as const;

/** Grouping, order, and what is shown at all; the address keeps it. */
function Display(): ReactNode {
  const { lanes, order, hide = '' } = usePlace();
  const setPlace = useSetPlace();
  const hidden = new Set(hide.split(',').filter((each) => each !== ''));
  const toggle = (what: string) => {
    if (!hidden.delete(what)) hidden.add(what);
    setPlace({ hide: hidden.size === 0 ? undefined : [...hidden].sort().join(',') });
  };
  return (
    <>
      <select
        className="field hidden min-h-8! max-w-36 py-0.5! sm:block"
        aria-label="Lanes"
        value={lanes ?? ''}
        onChange={({ target }) => setPlace({ lanes: target.value === '' ? undefined : target.value })}
      >
        <option value="">No grouping</option>
        {LANES.map((kind) => (
          <option key={kind} value={kind}>
            {`By ${kind}`}
          </option>
        ))}
      </select>
      <select
        className="field hidden min-h-8! max-w-36 py-0.5! sm:block"
        aria-label="Order"
        value={order ?? ''}
        onChange={({ target }) => setPlace({ order: target.value === '' ? undefined : target.value })}
      >
        <option value="">Manual order</option>
        {Object.entries(ORDERS).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="button min-h-8!">
          Display <Icon name="down" size={12} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
          {SHOWN.map(([what, name]) => (
            <DropdownMenu.CheckboxItem
              key={what}
              className={MENU_ITEM}
              checked={!hidden.has(what)}
              onCheckedChange={() => toggle(what)}
              onSelect={(event) => event.preventDefault()}
            >
              <span className="w-4">{!hidden.has(what) && <Icon name="tick" size={13} />}</span>
              {name}
            </DropdownMenu.CheckboxItem>
          ))}
          <Choice
            title="Grouping"
            value={lanes ?? ''}
            options={[['', 'No grouping'], ...LANES.map((kind) => [kind, `By ${kind}`] as const)]}
            onChange={(to) => setPlace({ lanes: to === '' ? undefined : to })}
          />
          <Choice
            title="Order"
            value={order ?? ''}
            options={[
              ['', 'Manual order'],
              ...Object.entries(ORDERS).map(([key, { name }]) => [key, name] as const),
            ]}
            onChange={(to) => setPlace({ order: to === '' ? undefined : to })}
          />
        </DropdownMenu.Content>
      </DropdownMenu.Root>
    </>
  );
}

/** On a phone what stands beside the button elsewhere. */
function Choice({
  title,
  value,
  options,
  onChange,
}: Readonly<{
  title: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChange(to: string): void;
}>): ReactNode {
  return (
    <div className="sm:hidden">
      <DropdownMenu.Separator className="bg-line my-1 h-px" />
      <DropdownMenu.Label className="section-title px-2 py-1">{title}</DropdownMenu.Label>
      <DropdownMenu.RadioGroup value={value} onValueChange={onChange}>
        {options.map(([key, name]) => (
          <DropdownMenu.RadioItem key={key} value={key} className={MENU_ITEM}>
            <span className="w-4">{key === value && <Icon name="tick" size={13} />}</span>
            {name}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
    </div>
  );
}

const DUE = 'q=has%3Adue+open&order=due&view=list';

/** Ways of looking that have a name; the hub keeps them, so they are there on every screen. */
function SavedViews(): ReactNode {
  const { data } = useViews();
  const save = useSaveView();
  const forget = useForgetView();
  const setPlace = useSetPlace();
  const [name, setName] = useState<string | undefined>();
  const show = (search: string) => {
    const { q, view, lanes, order, hide } = Object.fromEntries(new URLSearchParams(search));
    setPlace({ q, view, lanes, order, hide }, true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const kept = new URLSearchParams(location.search);
    for (const key of ['project', 'task', 'at', 'full']) kept.delete(key);
    const search = kept.toString();
    if (name?.trim()) save.mutate({ name: name.trim(), search }, { onSuccess: () => setName(undefined) });
  };
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="button min-h-8!">
          Views <Icon name="down" size={12} />
        </DropdownMenu.Trigger>
        <DropdownMenu.Content
          align="start"
          sideOffset={4}
          className={MENU}
          onCloseAutoFocus={(event) => name !== undefined && event.preventDefault()}
        >
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => show('')}>
            Everything
          </DropdownMenu.Item>
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => show(DUE)}>
            Due
          </DropdownMenu.Item>
          {data?.views.map((view) => (
            <DropdownMenu.Item
              key={view.name}
              className={MENU_ITEM}
              onSelect={() => show(view.search)}
              onKeyDown={({ key }) => key === 'Delete' && forget.mutate(view.name)}
            >
              <span className="truncate">{view.name}</span>
              <button
                className="quiet ml-auto"
                aria-label={`Delete the view ${view.name}`}
                title="Delete (Del)"
                tabIndex={-1}
                onClick={(event) => (event.stopPropagation(), forget.mutate(view.name))}
              >
                <Icon name="close" size={12} />
              </button>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className="bg-line my-1 h-px" />
          <DropdownMenu.Item className={MENU_ITEM} onSelect={() => setName('')}>
            <Icon name="plus" size={13} /> Save this view…
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      {name !== undefined && (
        <form className="flex items-center gap-1.5" onSubmit={submit}>
          <input
            autoFocus
            className="field w-40"
            aria-label="Name of the view"
            placeholder="Name of the view"
            maxLength={60}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={onEscape(() => setName(undefined))}
          />
          <button className="button" disabled={name.trim() === '' || save.isPending}>
            Save
          </button>
          <button type="button" className="quiet" onClick={() => setName(undefined)}>
            Cancel
          </button>
        </form>
      )}
      <Refused error={save.error ?? forget.error} />
    </>
  );
}
