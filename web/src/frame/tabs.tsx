import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useHub } from './hub.ts';
import { afresh, useView } from './place.ts';
import { groupOf } from './views.ts';

/** The views of the group one is in. A group of one needs no tabs. */
export function Tabs(): ReactNode {
  const view = useView();
  const { data: hub } = useHub();
  const group = groupOf(view);
  const views = group?.views.filter(
    (each) => each === view || each.room === undefined || hub?.rooms.includes(each.room) === true,
  );
  if (!group || !views || group.views.length < 2) return null;
  return (
    <nav aria-label={group.name} className="border-line shrink-0 overflow-x-auto border-b">
      <ul className="flex h-9 items-stretch px-2 sm:gap-1">
        {views.map(({ to, name, key }) => (
          <li key={to} className="flex">
            <Link
              to={to}
              search={afresh}
              title={`${name} (g ${key})`}
              activeOptions={{ includeSearch: false }}
              className="text-soft hover:text-ink flex items-center border-b-2 border-transparent px-[7px] whitespace-nowrap sm:px-2.5"
              activeProps={{ className: 'text-ink! border-tide! font-medium', 'aria-current': 'page' }}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
