import { useMutation } from '@tanstack/react-query';
import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { askAsOne, onceKey } from '../api/call.ts';
import { Refused } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { STATUS_WORDS, StatusMark } from '../parts/status.tsx';
import { refreshCards, type Card } from './cards.ts';
import { isOver } from './filter.ts';

type One = Readonly<{ taskId: string; idempotencyKey: string }>;
type Ask = ReturnType<typeof askAsOne>;
type Change = Readonly<{ words: string; make(ask: Ask, one: One): Promise<unknown> }>;

const AT_ONCE = 4;

/** One change to many tasks. Each is the hub's to refuse: the rest go on, and the first refusal is told with how many there were. */
function useBulk() {
  return useMutation({
    mutationFn: async ({ ids, change }: Readonly<{ ids: readonly string[]; change: Change }>) => {
      const left = [...ids];
      const ask = askAsOne();
      const refusals: Error[] = [];
      const work = async (): Promise<void> => {
        for (let id = left.shift(); id !== undefined; id = left.shift()) {
          const one = { taskId: id, idempotencyKey: onceKey() };
          await change.make(ask, one).catch((error: Error) => refusals.push(error));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (refusals.length === 0) return `${ids.length} ${change.words}.`;
      const told = `${ids.length - refusals.length} of ${ids.length} ${change.words}.`;
      throw new Error(`${told} ${refusals[0]!.message}`, { cause: refusals[0] });
    },
    onSettled: (_said, _error, { ids }) => refreshCards(ids),
  });
}

/** What can be done with all that are picked: only what is legal for each of them is offered. */
export function Picked({
  cards,
  moves,
  onMove,
  onClear,
}: Readonly<{
  cards: readonly Card[];
  moves: readonly Status[];
  onMove(to: Status): void;
  onClear(): void;
}>): ReactNode {
  const bulk = useBulk();
  const [asking, setAsking] = useState<keyof typeof ASKED | undefined>();
  const ids = cards.map(({ id }) => id);
  const areOver = cards.every(({ status }) => isOver(status));
  const apply = (change: Change) => (setAsking(undefined), bulk.mutate({ ids, change }));
  const areAllHeld = cards.every(({ assigneeAgentId }) => assigneeAgentId !== null);
  return (
    <div className="flex w-full flex-col gap-1">
      <div
        className="bg-tide-wash flex flex-wrap items-center gap-1 rounded-one px-2 py-0.5"
        role="group"
        aria-label={`${cards.length} picked`}
      >
        <span className="mr-1 font-medium">{cards.length} picked</span>
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger className="quiet" disabled={moves.length === 0}>
            Move to <Icon name="down" size={12} />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
              {moves
                .filter((to) => to !== 'in_progress' || areAllHeld)
                .map((to) => (
                  <DropdownMenu.Item key={to} className={MENU_ITEM} onSelect={() => onMove(to)}>
                    <StatusMark status={to} />
                    {STATUS_WORDS[to]}
                  </DropdownMenu.Item>
                ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
        {(Object.keys(ASKED) as (keyof typeof ASKED)[]).map((what) => (
          <button
            key={what}
            className="quiet"
            aria-expanded={asking === what}
            onClick={() => setAsking(asking === what ? undefined : what)}
          >
            {ASKED[what].name}
          </button>
        ))}
        {cards.every(({ status }) => !isOver(status)) && (
          <button
            className="quiet"
            onClick={() =>
              apply({
                words: 'done',
                make: (ask, one) => ask('PUT /api/board/tasks/:taskId/finished', one),
              })
            }
          >
            Done
          </button>
        )}
        {areOver && (
          <button
            className="quiet"
            onClick={() =>
              apply({
                words: 'put out of sight',
                make: (ask, one) => ask('PUT /api/board/tasks/:taskId/archived', { ...one, archived: true }),
              })
            }
          >
            Archive
          </button>
        )}
        <button
          className="quiet"
          onClick={() =>
            apply({
              words: 'taken off the board',
              make: (ask, one) => ask('DELETE /api/board/tasks/:taskId', one),
            })
          }
        >
          Take off the board
        </button>
        <button className="quiet ml-auto" onClick={onClear}>
          Clear
        </button>
      </div>
      {asking && <Value key={asking} what={asking} onSay={(value) => apply(ASKED[asking].change(value))} />}
      <Refused error={bulk.error} onClose={() => bulk.reset()} />
      <span role="status" className={bulk.data === undefined ? 'sr-only' : 'text-meta text-soft px-2'}>
        {bulk.data}
      </span>
    </div>
  );
}

type Asked = Readonly<{ name: string; hint: string; isNumber?: true; change(value: string): Change }>;

const ASKED = {
  label: {
    name: 'Label',
    hint: 'A label; -label takes it away',
    change: (value) => ({
      words: 'labelled',
      make: (ask, one) =>
        ask('PATCH /api/board/tasks/:taskId/labels', {
          ...one,
          ...(value.startsWith('-') ? { remove: [value.slice(1)] } : { add: [value] }),
        }),
    }),
  },
  priority: {
    name: 'Priority',
    hint: 'A number; higher is sooner',
    isNumber: true,
    change: (value) => ({
      words: 'changed',
      make: (ask, one) => ask('PATCH /api/board/tasks/:taskId', { ...one, priority: Number(value) }),
    }),
  },
  agent: {
    name: 'Assign',
    hint: 'Name of an agent',
    change: (value) => ({
      words: 'given away',
      make: (ask, one) => ask('POST /api/board/tasks/:taskId/assign', { ...one, assigneeAgentId: value }),
    }),
  },
} as const satisfies Readonly<Record<string, Asked>>;

function Value({
  what,
  onSay,
}: Readonly<{ what: keyof typeof ASKED; onSay(value: string): void }>): ReactNode {
  const [value, setValue] = useState('');
  const asked: Asked = ASKED[what];
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => (event.preventDefault(), value.trim() !== '' && onSay(value.trim()))}
    >
      <input
        autoFocus
        className="field w-64"
        aria-label={asked.hint}
        placeholder={asked.hint}
        {...(asked.isNumber && { inputMode: 'numeric', pattern: '-?[0-9]{1,6}' })}
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <button className="button" disabled={value.trim() === ''}>
        Apply
      </button>
    </form>
  );
}
