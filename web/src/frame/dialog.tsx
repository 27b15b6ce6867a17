import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';

/** The browser's own modal: it keeps the focus inside, and Escape closes it. */
export function Dialog({
  label,
  onClose,
  isWide = false,
  children,
}: Readonly<{ label: string; onClose(): void; isWide?: boolean; children: ReactNode }>): ReactNode {
  const box = useRef<HTMLDialogElement>(null);
  const before = useRef<Element>(null);
  // Before it is painted: whoever sees it types into it.
  useLayoutEffect(() => {
    before.current = document.activeElement;
    box.current?.showModal();
  }, []);
  // What lies behind it takes the focus again when it is gone.
  useEffect(() => () => (before.current instanceof HTMLElement ? before.current.focus() : undefined), []);
  return (
    <dialog
      ref={box}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === box.current && box.current.close()}
      className={`arrives bg-raised border-edge shadow-drawer mx-auto mt-[12vh] rounded-one border p-0 backdrop:bg-ink/25 dark:backdrop:bg-sunken/70 ${isWide ? 'w-[min(920px,94vw)]' : 'w-[min(640px,94vw)]'}`}
    >
      {children}
    </dialog>
  );
}
