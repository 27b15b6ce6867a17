import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode, type Ref, type RefObject } from 'react';
import { afresh } from '../frame/place.ts';
import { Icon } from './icons.tsx';

/** The words that hide half of a pair where only one of both has room; the `view` container says which. */
export const NARROW_HIDES = '@max-[719px]/view:hidden';

/** The row that lies open, of a list with a pane beside it. Where there is no room for both, nothing lies open beside the list. */
export const BESIDE_CHOSEN = '@min-[720px]/view:bg-chosen @min-[720px]/view:font-medium';

type PaneProps = Readonly<{
  label: string;
  /** The address says what lies here. Without that it is only what one sees first, and where there is no room the list is. */
  isChosen: boolean;
  /** The list it belongs to, for where the pane is a page of its own. */
  back: Readonly<{ to: string; name: string }>;
  head: ReactNode;
  /** Stays in sight below what scrolls. */
  foot?: ReactNode;
  box?: Ref<HTMLDivElement>;
  onScroll?: () => void;
  children: ReactNode;
}>;

/** What lies beside a list at all times, one of its rows; a page on a phone. What can be closed is a `Drawer`. */
export function Pane({ label, isChosen, back, head, foot, box, onScroll, children }: PaneProps): ReactNode {
  const pane = useRef<HTMLElement>(null);
  useKeptFocus(pane, isChosen);
  return (
    <section
      ref={pane}
      tabIndex={-1}
      aria-label={label}
      className={`border-line flex min-h-0 min-w-0 max-w-[1080px] flex-1 flex-col outline-none @min-[1640px]/view:border-r ${isChosen ? '' : NARROW_HIDES}`}
    >
      <div className="border-line flex min-h-11 shrink-0 items-center gap-2 border-b px-4 py-1.5">
        <Link to={back.to} search={afresh} className="quiet -ml-2 @min-[720px]/view:hidden">
          <Icon name="left" size={14} />
          {back.name}
        </Link>
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">{head}</div>
      </div>
      <div ref={box} onScroll={onScroll} className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        {children}
      </div>
      {foot}
    </section>
  );
}

/** Whether what was seen before was chosen: then whoever sees the list again came back to it. */
let wasChosen = false;

/** Where one of both gives way to the other, the focus goes along and is not lost. */
function useKeptFocus(pane: RefObject<HTMLElement | null>, isChosen: boolean): void {
  useEffect(() => {
    const isBack = wasChosen && !isChosen;
    wasChosen = isChosen;
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement?.checkVisibility() === false;
    if (!isLost || !pane.current) return;
    if (isChosen && pane.current.checkVisibility()) pane.current.focus({ preventScroll: true });
    else if (isBack)
      pane.current.parentElement
        ?.querySelector<HTMLElement>('ul [aria-current]')
        ?.focus({ preventScroll: true });
  }, [pane, isChosen]);
}
