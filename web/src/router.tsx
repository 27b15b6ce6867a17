import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Frame } from './frame/frame.tsx';
import { Skeleton } from './parts/empty.tsx';

/** What every address may carry: the project one looks at, the task that lies open beside the list, and the filter. */
export type Search = Readonly<{
  project?: string;
  task?: string;
  q?: string;
  view?: string;
  at?: string;
  lanes?: string;
}>;

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

const SEARCHED = ['project', 'task', 'q', 'view', 'at', 'lanes'] as const satisfies readonly (keyof Search)[];

const root = createRootRoute({
  component: Frame,
  validateSearch: (search: Record<string, unknown>): Search => {
    const given = Object.fromEntries(SEARCHED.map((name) => [name, text(search[name])]));
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  },
  search: { middlewares: [retainSearchParams<Search>(['project'])] },
  notFoundComponent: () => (
    <p className="p-6">There is no view at this address. The rail at the left has them all.</p>
  ),
});

const at = <P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const board = lazyRouteComponent(() => import('./board/page.tsx'), 'BoardPage');
const runs = lazyRouteComponent(() => import('./runs/page.tsx'), 'RunsPage');
const rooms = lazyRouteComponent(() => import('./rooms/page.tsx'), 'RoomsPage');
const sources = lazyRouteComponent(() => import('./sources/page.tsx'), 'SourcesPage');
const beings = lazyRouteComponent(() => import('./beings/page.tsx'), 'BeingsPage');

const routeTree = root.addChildren([
  at(
    '/',
    lazyRouteComponent(() => import('./now/page.tsx'), 'NowPage'),
  ),
  at('/board', board),
  at('/board/$taskId', board),
  at('/runs', runs),
  at('/runs/$runId', runs),
  at(
    '/approvals',
    lazyRouteComponent(() => import('./approvals/page.tsx'), 'ApprovalsPage'),
  ),
  at(
    '/grants',
    lazyRouteComponent(() => import('./grants/page.tsx'), 'GrantsPage'),
  ),
  at(
    '/policy',
    lazyRouteComponent(() => import('./policy/page.tsx'), 'PolicyPage'),
  ),
  at(
    '/audit',
    lazyRouteComponent(() => import('./audit/page.tsx'), 'AuditPage'),
  ),
  at('/rooms', rooms),
  at('/rooms/$roomId', rooms),
  at(
    '/mail',
    lazyRouteComponent(() => import('./mail/page.tsx'), 'MailPage'),
  ),
  at(
    '/memory',
    lazyRouteComponent(() => import('./memory/page.tsx'), 'MemoryPage'),
  ),
  at(
    '/brain',
    lazyRouteComponent(() => import('./brain/page.tsx'), 'BrainPage'),
  ),
  at('/beings', beings),
  at('/beings/$beingId', beings),
  at('/sources', sources),
  at('/sources/$name', sources),
  at(
    '/agents',
    lazyRouteComponent(() => import('./agents/page.tsx'), 'AgentsPage'),
  ),
  at(
    '/projects',
    lazyRouteComponent(() => import('./agents/projects-page.tsx'), 'ProjectsPage'),
  ),
  at(
    '/settings',
    lazyRouteComponent(() => import('./settings/page.tsx'), 'SettingsPage'),
  ),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultPendingComponent: Skeleton,
  defaultPendingMs: 200,
  // A task id or a filter is text, never JSON: addresses stay what people would type.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const written = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return written === '' ? '' : `?${written}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
