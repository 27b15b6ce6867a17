import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { Broken } from './frame/broken.tsx';
import { Frame } from './frame/frame.tsx';
import { later } from './frame/later.ts';
import { NotFound } from './frame/not-found.tsx';
import { Skeleton } from './parts/empty.tsx';

/** What every address may carry: the project one looks at, the task that lies open beside the list, and the filter. */
export type Search = Readonly<{
  project?: string;
  task?: string;
  q?: string;
  view?: string;
  at?: string;
  lanes?: string;
  order?: string;
  hide?: string;
  /** Which runs are listed, beside one that lies open with a filter of its own. */
  runs?: string;
  /** What lies open has the page to itself. */
  full?: string;
}>;

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;

const SEARCHED = [
  'project',
  'task',
  'q',
  'view',
  'at',
  'lanes',
  'order',
  'hide',
  'runs',
  'full',
] as const satisfies readonly (keyof Search)[];

const root = createRootRoute({
  component: Frame,
  errorComponent: Broken,
  validateSearch: (search: Record<string, unknown>): Search => {
    const given = Object.fromEntries(SEARCHED.map((name) => [name, text(search[name])]));
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  },
  search: { middlewares: [retainSearchParams<Search>(['project'])] },
  notFoundComponent: NotFound,
});

/** A view comes with the first visit, or ahead of it. */
const view = <T extends Record<string, unknown>>(load: () => Promise<T>, name: keyof T & string) =>
  lazyRouteComponent(later(load), name);

const at = <P extends string>(path: P, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component });

const board = view(() => import('./board/page.tsx'), 'BoardPage');
const runs = view(() => import('./runs/page.tsx'), 'RunsPage');
const sessions = view(() => import('./sessions/page.tsx'), 'SessionsPage');
const rooms = view(() => import('./rooms/page.tsx'), 'RoomsPage');
const review = view(() => import('./review/page.tsx'), 'ReviewPage');
const sources = view(() => import('./sources/page.tsx'), 'SourcesPage');
const beings = view(() => import('./beings/page.tsx'), 'BeingsPage');

const routeTree = root.addChildren([
  at(
    '/',
    view(() => import('./now/page.tsx'), 'NowPage'),
  ),
  at('/board', board),
  at('/board/$taskId', board),
  at(
    '/due',
    view(() => import('./due/page.tsx'), 'DuePage'),
  ),
  at('/runs', runs),
  at('/runs/$runId', runs),
  at(
    '/approvals',
    view(() => import('./approvals/page.tsx'), 'ApprovalsPage'),
  ),
  at(
    '/grants',
    view(() => import('./grants/page.tsx'), 'GrantsPage'),
  ),
  at(
    '/policy',
    view(() => import('./policy/page.tsx'), 'PolicyPage'),
  ),
  at(
    '/audit',
    view(() => import('./audit/page.tsx'), 'AuditPage'),
  ),
  at(
    '/why',
    view(() => import('./why/page.tsx'), 'WhyPage'),
  ),
  at('/sessions', sessions),
  at('/sessions/$sessionId', sessions),
  at(
    '/landing',
    view(() => import('./landing/page.tsx'), 'LandingPage'),
  ),
  at(
    '/schedules',
    view(() => import('./schedules/page.tsx'), 'SchedulesPage'),
  ),
  at(
    '/budget',
    view(() => import('./budget/page.tsx'), 'BudgetPage'),
  ),
  at(
    '/runners',
    view(() => import('./runners/page.tsx'), 'RunnersPage'),
  ),
  at('/rooms', rooms),
  at('/rooms/$roomId', rooms),
  at(
    '/mail',
    view(() => import('./mail/page.tsx'), 'MailPage'),
  ),
  at(
    '/memory',
    view(() => import('./memory/page.tsx'), 'MemoryPage'),
  ),
  at(
    '/brain',
    view(() => import('./brain/page.tsx'), 'BrainPage'),
  ),
  at('/beings', beings),
  at('/beings/$beingId', beings),
  at(
    '/pulse',
    view(() => import('./pulse/page.tsx'), 'PulsePage'),
  ),
  at('/review', review),
  at('/review/$reviewId', review),
  at('/sources', sources),
  at('/sources/$name', sources),
  at(
    '/agents',
    view(() => import('./agents/page.tsx'), 'AgentsPage'),
  ),
  at(
    '/projects',
    view(() => import('./agents/projects-page.tsx'), 'ProjectsPage'),
  ),
  at(
    '/settings',
    view(() => import('./settings/page.tsx'), 'SettingsPage'),
  ),
]);

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
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
