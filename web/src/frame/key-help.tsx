import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { knownKeys } from './keys.ts';

export function KeyHelp({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const [sets] = useState(knownKeys);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <div className="max-h-[70vh] overflow-y-auto p-4" tabIndex={0}>
        {sets.map(({ title, keys }) => (
          <section key={title} className="mb-4 last:mb-0">
            <h2 className="section-title mb-1">{title}</h2>
            <dl className="gap-x-8 sm:columns-2">
              {Object.entries(keys).map(([key, { does }]) => (
                <div key={key} className="flex break-inside-avoid items-center justify-between gap-4 py-0.5">
                  <dt className="truncate">{does}</dt>
                  <dd className="flex gap-1">
                    {key.split(' ').map((part, at) => (
                      <kbd key={at} className="key">
                        {part.replace('mod+', 'Ctrl ').replace('Escape', 'Esc')}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
