import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { knownKeys, type Keys } from './keys.ts';

/** As they were declared; digits, which a record has first whatever is said, stand behind the letters. */
function inReadingOrder(keys: Keys): readonly (readonly [string, Keys[string]])[] {
  const all = Object.entries(keys);
  const isDigit = ([key]: (typeof all)[number]) => /^\d$/.test(key);
  return [...all.filter((each) => !isDigit(each)), ...all.filter(isDigit)];
}

export function KeyHelp({ onClose }: Readonly<{ onClose(): void }>): ReactNode {
  const [sets] = useState(knownKeys);
  return (
    <Dialog label="Keys" onClose={onClose} isWide>
      <div className="border-line flex min-h-11 items-center border-b pr-2 pl-4">
        <h1 className="text-title flex-1 font-semibold">Keys</h1>
        <button className="quiet" onClick={onClose} aria-label="Close" title="Close (Esc)">
          <Icon name="close" />
        </button>
      </div>
      <div className="max-h-[68vh] overflow-y-auto p-4" tabIndex={0}>
        {sets.map(({ title, keys }) => (
          <section key={title} className="mb-4 last:mb-0">
            <h2 className="section-title mb-1">{title}</h2>
            <dl className="gap-x-8 sm:columns-2 lg:columns-3">
              {inReadingOrder(keys).map(([key, { does }]) => (
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
