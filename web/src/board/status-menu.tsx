import { DropdownMenu } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import type { Status } from '../../../src/features/board/task.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { useKeys } from '../frame/keys.ts';
import { Refused } from '../parts/empty.tsx';
import { Icon } from '../parts/icons.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { useCards, useMoves } from './cards.ts';
import { isOver } from './filter.ts';
import { cannot } from './moves.tsx';
import { useAssign, useDrop, useFinish, useMove, useRelease, useReopen, useShelve } from './queries.ts';
import { isUnproven } from './unproven.ts';
import { WhoTakesIt } from './who.tsx';

/** Where a task may go from where it is, and what else a person can do with it. */
export function StatusMenu({
  id,
  status,
  detail,
}: Readonly<{ id: string; status: Status; detail: TaskDetail | undefined }>): ReactNode {
  const { data: rules } = useMoves();
  const { data: cards } = useCards();
  const move = useMove();
  const finish = useFinish();
  const assign = useAssign();
  const release = useRelease();
  const drop = useDrop();
  const shelve = useShelve();
  const reopen = useReopen();
  const [isAsking, setAsking] = useState(false);
  const [isUnmet, setUnmet] = useState(false);
  const reason = useDraft(`task ${id} override`);
  const [error, setError] = useState<unknown>();
  const card = cards?.get(id);
  const holder = card ? card.assigneeAgentId : (detail?.task.assigneeAgentId ?? null);
  const legal = rules?.moves[status] ?? [];
  const hasChange = card?.branchRef !== undefined && card.branchRef !== null;
  const told = { onError: setError };

  const go = (to: Status) => {
    setError(undefined);
    if (to === 'in_progress' && holder === null) return setAsking(true);
    if (to === 'done') return sayDone();
    move.mutate({ id, to }, told);
  };
  // Work under way is moved there by the rules; what nobody has begun, a person declares done.
  const sayDone = (override?: string) => {
    const change = { id, ...(override !== undefined && { override }) };
    const outcome = {
      onSuccess: () => (setError(undefined), setUnmet(false), reason.forget()),
      onError: (refusal: unknown) => (setError(refusal), isUnproven(refusal) && setUnmet(true)),
    };
    if (legal.includes('done')) move.mutate({ ...change, to: 'done' }, outcome);
    else finish.mutate(change, outcome);
  };
  const keyOf = (to: Status) => ({
    does: `Move to ${STATUS_WORDS[to]}`,
    run: () => (legal.includes(to) ? go(to) : to === status || setError(new Error(cannot(status, to)))),
  });
  useKeys('This task', Object.fromEntries(STATUSES.map((to, at) => [String(at + 1), keyOf(to)])));

  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1.5">
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger className="button" title="Move">
            <StatusMark status={status} />
            {STATUS_WORDS[status]}
            <Icon name="down" size={12} />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
              {legal.map((to) => (
                <DropdownMenu.Item key={to} className={MENU_ITEM} onSelect={() => go(to)}>
                  <StatusMark status={to} />
                  {to === 'in_progress' && holder === null ? 'In progress, by…' : STATUS_WORDS[to]}
                  <kbd className="key ml-auto">{STATUSES.indexOf(to) + 1}</kbd>
                </DropdownMenu.Item>
              ))}
              {holder !== null && status === 'in_progress' && (
                <DropdownMenu.Item className={MENU_ITEM} onSelect={() => release.mutate(id, told)}>
                  <Icon name="up" size={14} className="rotate-180" /> Take it back from {holder}
                </DropdownMenu.Item>
              )}
              {!isOver(status) && !legal.includes('done') && (
                <DropdownMenu.Item className={MENU_ITEM} onSelect={() => sayDone()}>
                  <Icon name="tick" size={14} /> Done: nothing is left to do
                </DropdownMenu.Item>
              )}
              {isOver(status) && (
                <>
                  <DropdownMenu.Item className={MENU_ITEM} onSelect={() => reopen.mutate(id, told)}>
                    <Icon name="up" size={14} /> Reopen: it is not over
                  </DropdownMenu.Item>
                  <DropdownMenu.Item
                    className={MENU_ITEM}
                    onSelect={() => shelve.mutate({ id, archived: card !== undefined }, told)}
                  >
                    <Icon name="down" size={14} className={card ? '' : 'rotate-180'} />{' '}
                    {card ? 'Archive' : 'Restore to the board'}
                  </DropdownMenu.Item>
                </>
              )}
              <DropdownMenu.Separator className="bg-line my-1 h-px" />
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => drop.mutate(id, told)}>
                <Icon name="close" size={14} /> Take it off the board
              </DropdownMenu.Item>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
        {status === 'in_review' && (
          <>
            {/* Where there is a change to look at, that comes first: it has the one button that stands out. */}
            <button className={`button ${hasChange ? '' : 'button-main'}`} onClick={() => go('done')}>
              <Icon name="tick" size={14} /> Accept
            </button>
            <button className="button" onClick={() => go('in_progress')}>
              Send back
            </button>
          </>
        )}
      </div>
      {isAsking && card && (
        <WhoTakesIt
          card={card}
          onClose={() => setAsking(false)}
          onChoose={(agent) => (setAsking(false), assign.mutate({ id, agent }, told))}
        />
      )}
      <Refused error={error} onClose={() => setError(undefined)} />
      {isUnmet && (
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            sayDone(reason.text);
          }}
        >
          <input
            autoFocus
            className="field min-w-0 flex-1"
            aria-label="Why it is done all the same"
            placeholder="Why it is done all the same"
            value={reason.text}
            onChange={({ target }) => reason.set(target.value)}
          />
          <button className="button" disabled={reason.text.trim() === ''}>
            Accept against the checks
          </button>
        </form>
      )}
    </div>
  );
}
