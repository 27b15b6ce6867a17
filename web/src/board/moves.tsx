import { useCallback, useState, type ReactNode } from 'react';
import type { Status } from '../../../src/features/board/task.ts';
import { onceKey } from '../api/call.ts';
import { Foreign } from '../parts/foreign.tsx';
import { STATUS_WORDS, STATUSES, StatusMark } from '../parts/status.tsx';
import { useMoves, type Card, type Cards } from './cards.ts';
import { useMove } from './queries.ts';

/** Moving cards by the hub's own rules: what it would refuse is not offered, and said when it is tried all the same. */
export function useMoving(cards: Cards) {
  const { data: rules } = useMoves();
  const { mutate } = useMove();
  const [error, setError] = useState<unknown>();
  const [asking, setAsking] = useState<Card | undefined>();
  const mayMove = useCallback(
    (from: Status, to: Status) => rules?.moves[from]?.includes(to) ?? false,
    [rules],
  );
  const go = useCallback(
    (ids: readonly string[], to: Status) => {
      setError(undefined);
      const command = onceKey();
      for (const id of ids) {
        const card = cards.get(id);
        if (!card || card.status === to) continue;
        // Work under way belongs to somebody: a person says to whom.
        if (to === 'in_progress' && card.assigneeAgentId === null) setAsking(card);
        // Before its rules are here the hub itself is asked.
        else if (rules === undefined || mayMove(card.status, to))
          mutate({ id, to, command }, { onError: setError });
        else setError(new Error(cannot(card.status, to)));
      }
    },
    [cards, rules, mayMove, mutate],
  );
  return { go, mayMove, error, setError, asking, setAsking };
}

export function cannot(from: Status, to: Status): string {
  const [before, after] = [from, to].map((status) => STATUS_WORDS[status].toLowerCase());
  return `A task that is ${before} cannot go to ${after}.`;
}

/** Where all of these may go. */
export function commonMoves(
  cards: readonly Card[],
  mayMove: (from: Status, to: Status) => boolean,
): readonly Status[] {
  return STATUSES.filter((to) => cards.every(({ status }) => status === to || mayMove(status, to))).filter(
    (to) => cards.some(({ status }) => status !== to),
  );
}

/** Where a card may go, and nothing else: arrow keys walk, Enter moves, Escape leaves it. */
export function MoveOffer({
  cards,
  moves,
  onMove,
  onClose,
}: Readonly<{
  cards: readonly Card[];
  moves: readonly Status[];
  onMove(to: Status): void;
  onClose(): void;
}>): ReactNode {
  return (
    <div
      role="group"
      aria-label="Where to?"
      className="arrives border-line bg-sunken mx-3 mb-2 flex flex-wrap items-center gap-2 rounded-one border px-3 py-2"
      onKeyDown={(event) => {
        if (event.key === 'Escape') return (event.stopPropagation(), onClose());
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step === undefined) return undefined;
        event.preventDefault();
        const all = [...event.currentTarget.querySelectorAll('button')];
        const at = all.indexOf(document.activeElement as HTMLButtonElement);
        return all.at((at + step + all.length) % all.length)?.focus();
      }}
    >
      <span className="mr-1 min-w-0 truncate">
        Move{' '}
        <strong className="font-medium">
          {cards.length === 1 ? <Foreign text={cards[0]!.title.slice(0, 80)} /> : `${cards.length} cards`}
        </strong>{' '}
        to
      </span>
      {moves.map((to, at) => (
        <button key={to} className="button" autoFocus={at === 0} onClick={() => (onClose(), onMove(to))}>
          <StatusMark status={to} />
          {STATUS_WORDS[to]}
          <kbd className="key">{STATUSES.indexOf(to) + 1}</kbd>
        </button>
      ))}
      {moves.length === 0 && (
        <span className="text-soft">There is no column that all of them may go to.</span>
      )}
      <button className="quiet" autoFocus={moves.length === 0} onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}
