import { Link } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon, Mark } from '../parts/icons.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { VIEWS, type View } from './views.ts';

/** At the left; at the bottom of a phone, where the main views stand and a menu has the others. */
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
          <li key={view.to} className={view.isMain ? '' : 'hidden sm:block'}>
            <RailLink view={view} />
          </li>
        ))}
        <li className="sm:hidden">
          <More />
        </li>
      </ul>
    </nav>
  );
}

const ENTRY =
  'text-soft hover:text-ink hover:bg-ground flex h-12 min-w-12 flex-col items-center justify-center gap-0.5 rounded-one px-2';

/** Another view keeps the project one looks at, and nothing else. */
const afresh = (before: object) => ({
  ...before,
  task: undefined,
  q: undefined,
  view: undefined,
  at: undefined,
  lanes: undefined,
});

function More(): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={ENTRY}>
        <Icon name="more" size={17} />
        <span className="text-[10px] leading-3">More</span>
      </DropdownMenu.Trigger>
      <DropdownMenu.Content side="top" align="end" sideOffset={4} collisionPadding={8} className={MENU}>
        {VIEWS.filter(({ isMain }) => !isMain).map(({ to, name, icon }) => (
          <DropdownMenu.Item key={to} className={`${MENU_ITEM} h-9!`} asChild>
            <Link to={to} search={afresh}>
              <Icon name={icon} /> {name}
            </Link>
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}

function RailLink({ view: { to, name, icon, key } }: Readonly<{ view: View }>): ReactNode {
  return (
    <Link
      to={to}
      title={`${name}  (g ${key})`}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      search={afresh}
      className={`${ENTRY} sm:h-8 sm:flex-row sm:justify-start sm:gap-2.5`}
      activeProps={{ className: 'text-ink! bg-ground font-medium', 'aria-current': 'page' }}
    >
      <Icon name={icon} size={17} />
      <span className="text-[10px] leading-3 sm:sr-only xl:not-sr-only xl:text-[13px] xl:leading-5">
        {name}
      </span>
    </Link>
  );
}
