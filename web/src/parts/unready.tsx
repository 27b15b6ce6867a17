import type { ReactNode } from 'react';
import { Refused, Skeleton } from './empty.tsx';

/** In the place of what is not there yet: the hub's sentence if it will not come, or its shape while it is on its way. */
export function Unready({ error, rows = 6 }: Readonly<{ error: unknown; rows?: number }>): ReactNode {
  if (!error) return <Skeleton rows={rows} />;
  return (
    <div className="p-4">
      <Refused error={error} />
    </div>
  );
}
