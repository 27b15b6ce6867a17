import { useEffect, useRef, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { Icon } from './icons.tsx';

type DrawerProps = Readonly<{
  label: string;
  onClose(): void;
  head: ReactNode;
  /** Stays in sight below what scrolls. */
  foot?: ReactNode;
  /** For what is read in lines: output and diffs. */
  isWide?: boolean;
  children: ReactNode;
}>;

/** Beside the list, with its own address; on a phone it is the page. */
export function Drawer({ label, onClose, head, foot, isWide = false, children }: DrawerProps): ReactNode {
  const box = useRef<HTMLElement>(null);
  useKeys('What lies open', { Escape: { does: 'Close', run: onClose } });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus({ preventScroll: true });
    return () =>
      before instanceof HTMLElement && before.isConnected ? before.focus({ preventScroll: true }) : undefined;
  }, []);
  return (
    <aside
      ref={box}
      tabIndex={-1}
      aria-label={label}
      className={`slides bg-raised border-line shadow-drawer absolute inset-0 z-20 flex min-w-0 flex-col outline-none sm:left-auto sm:border-l 2xl:static 2xl:shrink-0 ${isWide ? 'sm:w-[min(860px,82vw)] 2xl:w-[900px]' : 'sm:w-[min(560px,64vw)] 2xl:w-[620px]'}`}
    >
      <div className="border-line flex min-h-12 shrink-0 items-center gap-2 border-b py-1.5 pr-2 pl-4">
        {head}
        <button className="quiet ml-auto shrink-0" onClick={onClose} aria-label="Close" title="Close (Esc)">
          <Icon name="close" />
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-4 py-3" tabIndex={0}>
        {children}
      </div>
      {foot && <div className="border-line flex shrink-0 flex-col gap-1.5 border-t px-4 py-2">{foot}</div>}
    </aside>
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
