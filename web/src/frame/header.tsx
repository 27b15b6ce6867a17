import { Link } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTeams } from '../agents/queries.ts';
import { Icon, Mark } from '../parts/icons.tsx';
import { MENU, MENU_ITEM } from '../parts/menu.ts';
import { useProject, useSetPlace } from './place.ts';

type HeaderProps = Readonly<{ waiting: number; wrong: number; onSearch(): void }>;

export function Header({ waiting, wrong, onSearch }: HeaderProps): ReactNode {
  return (
    <header className="border-line flex h-12 shrink-0 items-center gap-2 border-b px-3">
      <span className="sm:hidden">
        <Mark size={20} />
      </span>
      <ProjectSwitch />
      <button
        onClick={onSearch}
        className="border-line bg-sunken text-faint hover:border-edge flex h-8 min-w-0 flex-1 items-center gap-2 rounded-one border px-2.5 sm:max-w-96"
      >
        <Icon name="search" size={14} />
        <span className="truncate">
          Search<span className="max-sm:sr-only"> or jump…</span>
        </span>
        <kbd className="key ml-auto hidden sm:inline">Ctrl K</kbd>
      </button>
      <div className="ml-auto flex shrink-0 items-center gap-1.5">
        {wrong > 0 && <Wrong count={wrong} />}
        {waiting > 0 && <Bell count={waiting} />}
      </div>
    </header>
  );
}

/** The bell: there only when it rings. */
function Bell({ count }: Readonly<{ count: number }>): ReactNode {
  return (
    <Link
      to="/"
      className="text-coral bg-coral-wash flex h-8 items-center gap-1.5 rounded-one px-2.5 font-medium whitespace-nowrap"
    >
      <Icon name="bell" size={15} />
      {count}
      <span className="sr-only sm:not-sr-only">{count === 1 ? ' waits for you' : ' wait for you'}</span>
    </Link>
  );
}

/** Beside the bell: nobody has to decide it, and somebody should know. */
function Wrong({ count }: Readonly<{ count: number }>): ReactNode {
  return (
    <Link
      to="/"
      className="text-amber bg-amber-wash flex h-8 items-center gap-1.5 rounded-one px-2.5 font-medium whitespace-nowrap"
    >
      <Icon name="close" size={13} />
      {count}
      <span className="sr-only sm:not-sr-only"> went wrong</span>
    </Link>
  );
}

function ProjectSwitch(): ReactNode {
  const teams = useTeams();
  const project = useProject();
  const setPlace = useSetPlace();
  const shown = teams.find(({ teamId }) => teamId === project)?.name ?? project ?? 'All projects';
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className="quiet h-8 max-w-44 shrink-0 font-medium"
        aria-label={`Project: ${shown}`}
      >
        <span className="truncate">{shown}</span>
        <Icon name="down" size={12} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content align="start" sideOffset={4} className={MENU}>
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => setPlace({ project: undefined }, true)}>
          All projects {project === undefined && <Icon name="tick" size={13} className="ml-auto" />}
        </DropdownMenu.Item>
        {teams.length > 0 && <DropdownMenu.Separator className="bg-line my-1 h-px" />}
        {teams.map(({ teamId, name }) => (
          <DropdownMenu.Item
            key={teamId}
            className={MENU_ITEM}
            onSelect={() => setPlace({ project: teamId }, true)}
          >
            <span className="truncate">{name}</span>
            {teamId === project && <Icon name="tick" size={13} className="ml-auto" />}
          </DropdownMenu.Item>
        ))}
        <DropdownMenu.Separator className="bg-line my-1 h-px" />
        <DropdownMenu.Item className={MENU_ITEM} asChild>
          <Link to="/projects">Manage projects</Link>
        </DropdownMenu.Item>
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
