import { useEffect, useRef, type ReactNode } from 'react';

/** The browser's own modal: it keeps the focus inside, and Escape closes it. */
export function Dialog({
  label,
  onClose,
  children,
}: Readonly<{ label: string; onClose(): void; children: ReactNode }>): ReactNode {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  return (
    <dialog
      ref={box}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === box.current && box.current.close()}
      className="arrives bg-raised border-edge shadow-drawer mx-auto mt-[12vh] w-[min(640px,94vw)] rounded-one border p-0 backdrop:bg-ink/25 dark:backdrop:bg-sunken/70"
    >
      {children}
    </dialog>
  );
}
