import type { ReactNode } from 'react';
import { Icon, type IconName } from '../parts/icons.tsx';

type LineProps = Readonly<{
  icon: IconName;
  /** An agent should look, and no person has to. */
  isAmber?: boolean;
  /** What can be done about it: at the right, also where the words take several lines. */
  action?: ReactNode;
  children: ReactNode;
}>;

/** Something that waits: a sign, a sentence, and what to do. */
export function Line({ icon, isAmber = false, action, children }: LineProps): ReactNode {
  return (
    <div className="flex items-start gap-2 py-0.5">
      <Icon name={icon} className={`mt-2 shrink-0 ${isAmber ? 'text-amber' : 'text-coral'}`} />
      <div className="flex min-h-8 min-w-0 flex-1 flex-wrap items-center gap-x-2">{children}</div>
      {action && <span className="flex min-h-8 shrink-0 items-center">{action}</span>}
    </div>
  );
}
