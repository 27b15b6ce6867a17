import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon, Mark } from '../parts/icons.tsx';
import { afresh, useView } from './place.ts';
import { groupOf, GROUPS, type Group } from './views.ts';

/** The groups, at the left; on a phone at the bottom. Their views are tabs (`tabs.tsx`). */
export function Rail(): ReactNode {
  const chosen = groupOf(useView());
  return (
    <nav
      aria-label="Views"
      className="border-line bg-sunken flex shrink-0 border-t sm:w-14 sm:flex-col sm:overflow-y-auto sm:border-t-0 sm:border-r xl:w-40"
    >
      <div className="hidden h-12 shrink-0 items-center gap-2 px-4 sm:flex">
        <Mark />
        <span className="text-title hidden font-semibold tracking-tight xl:inline">holdfast</span>
      </div>
      <ul className="flex flex-1 justify-around sm:flex-col sm:justify-start sm:gap-0.5 sm:px-2">
        {GROUPS.map((group) => (
          <li key={group.name} className="min-w-0 flex-1 sm:flex-none">
            <RailLink group={group} isHere={group === chosen} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function RailLink({ group, isHere }: Readonly<{ group: Group; isHere: boolean }>): ReactNode {
  const { name, icon, views } = group;
  return (
    <Link
      to={views[0].to}
      title={views.map((view) => `${view.name} (g ${view.key})`).join(', ')}
      search={afresh}
      aria-current={isHere ? 'true' : undefined}
      activeOptions={{ exact: true, includeSearch: false }}
      className={`hover:text-ink hover:bg-ground flex h-12 flex-col items-center justify-center gap-0.5 rounded-one px-1 sm:h-9 sm:px-2.5 xl:flex-row xl:justify-start xl:gap-2.5 ${isHere ? 'text-ink bg-ground font-medium' : 'text-soft'}`}
    >
      <Icon name={icon} size={17} />
      <span className="text-[10px] leading-3 sm:sr-only xl:not-sr-only xl:text-[13px] xl:leading-5">
        {name}
      </span>
    </Link>
  );
}
