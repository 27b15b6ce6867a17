import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, Mark } from '../parts/icons.tsx';
import { VIEWS, type View } from './views.ts';

/** At the left; at the bottom of a phone, where only the main views stand and the palette has the others. */
export function Rail(): ReactNode {
  return (
    <nav
      aria-label="Views"
      className="border-line bg-sunken flex shrink-0 border-t sm:w-12 sm:flex-col sm:overflow-y-auto sm:border-t-0 sm:border-r xl:w-40"
    >
      <div className="hidden h-12 shrink-0 items-center gap-2 px-3 sm:flex">
        <Mark />
        <span className="text-title hidden font-semibold tracking-tight xl:inline">holdfast</span>
      </div>
      <ul className="flex flex-1 justify-around sm:flex-col sm:justify-start sm:gap-px sm:px-1.5">
        {VIEWS.map((view) => (
          <li key={view.to} className={view.isMain || view.to === '/settings' ? '' : 'hidden sm:block'}>
            <RailLink view={view} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function RailLink({ view: { to, name, icon, key } }: Readonly<{ view: View }>): ReactNode {
  return (
    <Link
      to={to}
      title={`${name}  (g ${key})`}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      search={(before: object) => ({
        ...before,
        task: undefined,
        q: undefined,
        view: undefined,
        at: undefined,
        lanes: undefined,
      })}
      className="text-soft hover:text-ink hover:bg-ground flex h-12 min-w-12 flex-col items-center justify-center gap-0.5 rounded-one px-2 sm:h-8 sm:flex-row sm:justify-start sm:gap-2.5"
      activeProps={{ className: 'text-ink! bg-ground font-medium', 'aria-current': 'page' }}
    >
      <Icon name={icon} size={17} />
      <span className="text-[10px] leading-3 sm:sr-only xl:not-sr-only xl:text-[13px] xl:leading-5">
        {name}
      </span>
    </Link>
  );
}
