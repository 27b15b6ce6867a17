import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { Empty, Skeleton, Unavailable } from '../parts/empty.tsx';
import { ReviewBody } from './body.tsx';
import { useReview } from './queries.ts';
import { keepShown, readShown } from './shown.ts';

/** The review of a task or a run, wherever it is shown. */
export function ReviewOf({ id, isNarrow = false }: Readonly<{ id: string; isNarrow?: boolean }>): ReactNode {
  const [shown, setShown] = useState(readShown);
  const { data, error } = useReview(id, shown.isSpaceIgnored);
  if (error && !data)
    return isMissing(error) ? (
      <Empty title="There is nothing to review">{error.message}</Empty>
    ) : (
      <Unavailable error={error} what="Reviews">
        <Nothing />
      </Unavailable>
    );
  if (!data) return <Skeleton />;
  return (
    <ReviewBody
      review={data}
      shown={shown}
      isNarrow={isNarrow}
      onShow={(change) => setShown(keepShown({ ...shown, ...change }))}
    />
  );
}

export function Nothing(): ReactNode {
  return (
    <Empty
      title="Nothing waits for a review"
      action={
        <Link to="/board" className="button">
          Go to the board
        </Link>
      }
    >
      What an agent hands in stands here: its files, its checks, and two buttons. A task is handed in when it
      moves to review, or when its branch asks to land and a person has to look.
    </Empty>
  );
}
