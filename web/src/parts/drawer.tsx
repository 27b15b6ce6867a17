import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Icon } from './icons.tsx';

type DrawerProps = Readonly<{
  label: string;
  onClose(): void;
  head: ReactNode;
  /** Stays in sight below what scrolls. */
  foot?: ReactNode;
  /** For what is read in lines: output and diffs. */
  isWide?: boolean;
  /** Beside a whole view and not beside a list in it. */
  isOfFrame?: boolean;
  children: ReactNode;
}>;

/**
 * Beside the list where there is room, over it where there is none, the page on a phone: the nearest `view` container says
 * which. It has an address of its own, and with `full` in it the page to itself.
 */
export function Drawer({ label, onClose, head, foot, children, ...how }: DrawerProps): ReactNode {
  const box = useRef<HTMLElement>(null);
  const isFull = usePlace().full !== undefined;
  const setPlace = useSetPlace();
  const toggleFull = () => setPlace({ full: isFull ? undefined : '1' });
  useKeys('What lies open', {
    Escape: { does: 'Close', run: isFull ? toggleFull : onClose },
    F: { does: 'Full page, and back', run: toggleFull },
    L: { does: 'Copy its link', run: copyLink },
  });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus({ preventScroll: true });
    return () =>
      before instanceof HTMLElement && before.isConnected ? before.focus({ preventScroll: true }) : undefined;
  }, []);
  const middle = isFull ? 'mx-auto w-full max-w-[1080px]' : '';
  return (
    <aside
      ref={box}
      tabIndex={-1}
      aria-label={label}
      className={`bg-raised border-line absolute inset-0 z-20 flex min-w-0 flex-col outline-none ${isFull ? '' : `slides ${layoutOf(how)}`}`}
    >
      <div className="border-line shrink-0 border-b">
        <div className={`flex min-h-12 items-center gap-1 py-1.5 pr-2 pl-4 ${middle}`}>
          <div className="flex min-w-0 flex-1 items-center gap-2">{head}</div>
          <CopyLink />
          <button
            className="quiet hidden shrink-0 sm:inline-flex"
            onClick={toggleFull}
            aria-pressed={isFull}
            aria-label="Full page"
            title="Full page (F)"
          >
            <Icon name={isFull ? 'smaller' : 'larger'} size={15} />
          </button>
          <button className="quiet shrink-0" onClick={onClose} aria-label="Close" title="Close (Esc)">
            <Icon name="close" />
          </button>
        </div>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto" tabIndex={0}>
        <div className={`px-4 py-3 ${middle}`}>{children}</div>
      </div>
      {foot && (
        <div className="border-line shrink-0 border-t">
          <div className={`flex flex-col gap-1.5 px-4 py-2 ${middle}`}>{foot}</div>
        </div>
      )}
    </aside>
  );
}

/** Written out whole: the names of classes are found in the text. */
function layoutOf({ isWide = false, isOfFrame = false }: Pick<DrawerProps, 'isWide' | 'isOfFrame'>): string {
  const over = '@min-[640px]/view:left-auto @min-[640px]/view:border-l @min-[640px]/view:shadow-drawer';
  const width = isWide ? '@min-[640px]/view:w-[min(860px,88cqw)]' : '@min-[640px]/view:w-[min(560px,72cqw)]';
  const beside = isOfFrame
    ? '@min-[1240px]/view:static @min-[1240px]/view:shrink-0 @min-[1240px]/view:shadow-none @min-[1700px]/view:w-[640px]'
    : '@min-[1080px]/view:static @min-[1080px]/view:w-auto @min-[1080px]/view:max-w-[1080px] @min-[1080px]/view:flex-1 @min-[1080px]/view:border-l-0 @min-[1080px]/view:shadow-none @min-[1640px]/view:border-r';
  return `${over} ${width} ${beside}`;
}

function copyLink(): void {
  void navigator.clipboard?.writeText(location.href);
}

function CopyLink(): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    copyLink();
    setCopied(true);
    setTimeout(() => setCopied(false), 1600);
  };
  return (
    <button className="quiet shrink-0" onClick={copy} aria-label="Copy its link" title="Copy its link (L)">
      <Icon name={isCopied ? 'tick' : 'link'} size={15} />
      <span className="sr-only" aria-live="polite">
        {isCopied && 'Copied'}
      </span>
    </button>
  );
}

type SectionProps = Readonly<{ title: string; children: ReactNode; aside?: ReactNode; as?: 'h2' | 'h3' }>;

export function Section({ title, children, aside, as: Heading = 'h3' }: SectionProps): ReactNode {
  return (
    <section className="mt-5 first:mt-0">
      <div className="mb-1.5 flex items-center gap-2">
        <Heading className="section-title">{title}</Heading>
        {aside}
      </div>
      {children}
    </section>
  );
}
