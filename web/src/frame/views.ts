import type { IconName } from '../parts/icons.tsx';

/** Every view, in the order of the rail, with the key that follows `g`. `room`: only where the hub has it. */
export type View = Readonly<{
  to: string;
  name: string;
  icon: IconName;
  key: string;
  isMain?: true;
  room?: string;
}>;

export const VIEWS: readonly View[] = [
  { to: '/', name: 'Now', icon: 'now', key: 'n', isMain: true },
  { to: '/board', name: 'Board', icon: 'board', key: 'b', isMain: true },
  { to: '/approvals', name: 'Approvals', icon: 'approvals', key: 'a', isMain: true },
  { to: '/runs', name: 'Runs', icon: 'runs', key: 'r', isMain: true },
  { to: '/landing', name: 'Landing', icon: 'landing', key: 'l', room: 'landing' },
  { to: '/schedules', name: 'Schedules', icon: 'schedules', key: 'c', room: 'schedules' },
  { to: '/rooms', name: 'Rooms', icon: 'rooms', key: 'o', isMain: true },
  { to: '/mail', name: 'Mail', icon: 'mail', key: 'i' },
  { to: '/sessions', name: 'Sessions', icon: 'sessions', key: 'h', room: 'sessions' },
  { to: '/agents', name: 'Agents', icon: 'agents', key: 't' },
  { to: '/projects', name: 'Projects', icon: 'branch', key: 'j' },
  { to: '/memory', name: 'Memory', icon: 'memory', key: 'm' },
  { to: '/brain', name: 'Brain', icon: 'brain', key: 'k' },
  { to: '/beings', name: 'Beings', icon: 'beings', key: 'e' },
  { to: '/sources', name: 'Sources', icon: 'sources', key: 's' },
  { to: '/grants', name: 'Grants', icon: 'grants', key: 'g' },
  { to: '/policy', name: 'Policy', icon: 'policy', key: 'p' },
  { to: '/audit', name: 'Audit', icon: 'audit', key: 'u' },
  { to: '/settings', name: 'Settings', icon: 'settings', key: ',' },
];
