import type { IconName } from '../parts/icons.tsx';

/** Every view with the key that follows `g`. */
export type View = Readonly<{
  to: string;
  name: string;
  icon: IconName;
  key: string;
  /** Only where the hub has it. */
  room?: string;
  /** What it shows belongs to no project. */
  isShared?: boolean;
}>;

/** What the rail shows: a group opens with its first view, and has the others as tabs. */
export type Group = Readonly<{ name: string; icon: IconName; views: readonly [View, ...View[]] }>;

/** At most eight. A new view goes into the group of what people would look for. */
export const GROUPS: readonly Group[] = [
  { name: 'Now', icon: 'now', views: [{ to: '/', name: 'Now', icon: 'now', key: 'n' }] },
  {
    name: 'Work',
    icon: 'board',
    views: [
      { to: '/board', name: 'Board', icon: 'board', key: 'b' },
      { to: '/due', name: 'Due', icon: 'due', key: 'f' },
      { to: '/runs', name: 'Runs', icon: 'runs', key: 'r' },
      { to: '/review', name: 'Review', icon: 'eye', key: 'w', room: 'review' },
      { to: '/landing', name: 'Landing', icon: 'landing', key: 'l', room: 'landing' },
      { to: '/schedules', name: 'Schedules', icon: 'schedules', key: 'c', room: 'schedules' },
    ],
  },
  {
    name: 'Talk',
    icon: 'rooms',
    views: [
      { to: '/rooms', name: 'Rooms', icon: 'rooms', key: 'o' },
      { to: '/mail', name: 'Mail', icon: 'mail', key: 'i' },
    ],
  },
  {
    name: 'Know',
    icon: 'memory',
    views: [
      { to: '/memory', name: 'Memory', icon: 'memory', key: 'm' },
      { to: '/brain', name: 'Brain', icon: 'brain', key: 'k', isShared: true },
      { to: '/beings', name: 'Beings', icon: 'beings', key: 'e', isShared: true },
      { to: '/sessions', name: 'Sessions', icon: 'sessions', key: 'h', room: 'sessions' },
      { to: '/why', name: 'Why', icon: 'question', key: 'y', room: 'sessions' },
    ],
  },
  {
    name: 'Govern',
    icon: 'policy',
    views: [
      { to: '/approvals', name: 'Approvals', icon: 'approvals', key: 'a' },
      { to: '/grants', name: 'Grants', icon: 'grants', key: 'g' },
      { to: '/policy', name: 'Policy', icon: 'policy', key: 'p', isShared: true },
      { to: '/audit', name: 'Audit', icon: 'audit', key: 'u' },
      { to: '/sources', name: 'Sources', icon: 'sources', key: 's', isShared: true },
    ],
  },
  {
    name: 'Pulse',
    icon: 'pulse',
    views: [{ to: '/pulse', name: 'Pulse', icon: 'pulse', key: 'q', room: 'pulse' }],
  },
  {
    name: 'Settings',
    icon: 'settings',
    views: [
      { to: '/settings', name: 'Settings', icon: 'settings', key: ',', isShared: true },
      { to: '/agents', name: 'Agents', icon: 'agents', key: 't' },
      { to: '/runners', name: 'Runners', icon: 'runners', key: 'x', room: 'dispatch', isShared: true },
      { to: '/budget', name: 'Budget', icon: 'wait', key: 'd', isShared: true },
      { to: '/projects', name: 'Projects', icon: 'branch', key: 'j', isShared: true },
    ],
  },
];

export const VIEWS: readonly View[] = GROUPS.flatMap(({ views }) => views);

/** The view an address belongs to, whatever lies open in it. */
export function viewAt(path: string): View | undefined {
  return VIEWS.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)));
}

export function groupOf(view: View | undefined): Group | undefined {
  return GROUPS.find(({ views }) => views.some((each) => each === view));
}
