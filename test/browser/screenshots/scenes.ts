// What is worth a look, by hub: a name, an address and what is done there before the picture.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

type Ask = (path: string) => Promise<any>;
export type Scene = Readonly<{
  name: string;
  path: string | ((ask: Ask) => Promise<string>);
  act?(page: Page): Promise<unknown>;
}>;

/** Every address of a view, as the page itself lists them. */
const views: readonly Scene[] = [
  ...readFileSync(new URL('../../../web/src/frame/views.ts', import.meta.url), 'utf8').matchAll(
    /\bto: '([^']+)'/g,
  ),
].map(([, to]) => ({ name: to === '/' ? 'now' : to!.slice(1), path: to! }));

const task = (title: string, to: (id: string) => string) => async (ask: Ask) => {
  const { cards } = await ask('/api/board/cards');
  return to(cards.find((card: any) => card.title.startsWith(title)).id);
};

const run = (instance: string, view?: string) => async (ask: Ask) => {
  const { tasks } = await ask('/v1/biam/tasks');
  const mine = tasks.filter((each: any) => each.instance === instance);
  const { task_id: id } = mine.find((each: any) => each.status === 'done' && each.board_task) ?? mine[0];
  return `/runs/${id}${view === undefined ? '' : `?view=${view}`}`;
};

const being = (view: string) => async (ask: Ask) => {
  const { beings } = await ask('/v1/beings');
  return `/beings/${beings.find(({ name }: any) => name === 'Marina').id}?view=${view}`;
};

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('main').getByRole('button', { name }).first().click();

const login = 'Fix login redirect';

const palette = async (page: Page, words: string) => {
  await page.getByRole('button', { name: /Search or jump/ }).click();
  await page.getByRole('combobox', { name: /Search tasks/ }).fill(words);
};

export const FULL: readonly Scene[] = [
  ...views,
  { name: 'board_list', path: '/board?view=list' },
  { name: 'board_graph', path: '/board?view=graph' },
  { name: 'board_archived', path: '/board?view=archived' },
  { name: 'board_lanes', path: '/board?lanes=agent' },
  { name: 'board_new', path: '/board', act: press(/^New/) },
  { name: 'board_none', path: '/board?q=nothingatall' },
  {
    name: 'board_filter',
    path: '/board',
    act: (page) => page.getByRole('combobox', { name: 'Filter' }).fill('agent:c'),
  },
  {
    name: 'board_chosen',
    path: '/board?view=list',
    act: async (page) => {
      for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    },
  },
  { name: 'task', path: task(login, (id) => `/board/${id}`) },
  { name: 'task_full', path: task(login, (id) => `/board/${id}?full=1`) },
  {
    name: 'task_run',
    path: task('Import', (id) => `/board/${id}`),
    act: (page) => page.getByRole('button', { name: 'Start a run…' }).click(),
  },
  { name: 'task_over', path: task(login, (id) => `/agents?task=${id}`) },
  { name: 'run', path: run('bosun') },
  { name: 'run_trace', path: run('bosun', 'trace') },
  { name: 'run_compare', path: run('bosun', 'compare') },
  { name: 'run_diff', path: run('bosun', 'diff') },
  { name: 'run_quota', path: run('thrifty') },
  { name: 'run_going', path: run('deckhand') },
  { name: 'runs_new', path: '/runs', act: press(/^(New run|Start a run)/) },
  { name: 'review_one', path: task(login, (id) => `/review/${id}`) },
  {
    name: 'review_split',
    path: task(login, (id) => `/review/${id}`),
    // On a phone there is no room for two.
    act: (page) => (page.viewportSize()!.width < 640 ? page.keyboard.press('j') : page.keyboard.press('s')),
  },
  {
    name: 'review_verdict',
    path: task(login, (id) => `/review/${id}`),
    act: press('Request changes'),
  },
  { name: 'review_landing', path: task('Checks also', (id) => `/review/${id}`) },
  { name: 'schedules_new', path: '/schedules', act: press(/^New/) },
  { name: 'mail_new', path: '/mail', act: press(/^New/) },
  {
    name: 'memory_fact',
    path: '/memory',
    act: (page) =>
      page
        .getByRole('main')
        .getByRole('button', { name: /Release day/ })
        .first()
        .click(),
  },
  { name: 'memory_new', path: '/memory', act: press(/^New/) },
  { name: 'memory_found', path: '/memory?q=release' },
  { name: 'memory_procedures', path: '/memory?view=procedures' },
  { name: 'memory_proposals', path: '/memory?view=proposals' },
  { name: 'memory_duplicates', path: '/memory?view=duplicates' },
  { name: 'brain_one', path: '/brain', act: press(/commit-style/) },
  ...['map', 'soul', 'papers', 'patrols', 'tokens'].map((view) => ({
    name: `being_${view}`,
    path: being(view),
  })),
  {
    name: 'sessions_one',
    path: '/sessions',
    act: (page) => page.getByRole('main').getByRole('listitem').getByRole('link').first().click(),
  },
  { name: 'sessions_found', path: '/sessions?q=redirect' },
  {
    name: 'why_found',
    path: '/why?project=tidepool',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'File' }).fill('src/http.ts');
      await page.getByRole('textbox', { name: 'Line' }).fill('2');
      await page.getByRole('button', { name: 'Ask why' }).click();
      await page.getByRole('heading', { name: 'What led to it' }).waitFor();
    },
  },
  {
    name: 'approvals_one',
    path: '/approvals',
    act: (page) => page.getByRole('main').getByRole('listitem').first().click(),
  },
  { name: 'grants_all', path: '/grants?view=all' },
  {
    name: 'audit_one',
    path: '/audit',
    act: (page) => page.getByRole('main').locator('summary').first().click(),
  },
  { name: 'sources_one', path: '/sources/tides' },
  { name: 'sources_new', path: '/sources', act: press(/^(New|Add)/) },
  { name: 'agents_one', path: '/agents?at=codex' },
  { name: 'agents_programs', path: '/agents?view=programs' },
  { name: 'runners_one', path: '/runners?at=desktop' },
  { name: 'runners_new', path: '/runners', act: press(/^(New|Add)/) },
  ...['browser', 'tokens', 'hub', 'attach'].map((view) => ({
    name: `settings_${view}`,
    path: `/settings?view=${view}`,
  })),
  { name: 'projects_new', path: '/projects', act: press(/^New/) },
  { name: 'pulse_table', path: '/pulse', act: (page) => page.keyboard.press('t') },
  { name: 'palette', path: '/', act: (page) => palette(page, '') },
  { name: 'palette_found', path: '/', act: (page) => palette(page, 'gaug') },
  { name: 'palette_typo', path: '/', act: (page) => palette(page, 'aprove') },
  { name: 'keys', path: '/board', act: (page) => page.keyboard.press('?') },
  { name: 'menu', path: '/board', act: (page) => page.getByRole('button', { name: /^Project:/ }).click() },
  { name: 'project', path: '/?project=lighthouse' },
];

export const EMPTY: readonly Scene[] = [
  ...views,
  { name: 'memory_procedures', path: '/memory?view=procedures' },
  { name: 'board_graph', path: '/board?view=graph' },
  { name: 'board_list', path: '/board?view=list' },
];

export const MANY: readonly Scene[] = [
  ...views.filter(({ name }) => ['now', 'board', 'due', 'pulse'].includes(name)),
  { name: 'board_list', path: '/board?view=list' },
  { name: 'board_graph', path: '/board?view=graph' },
  { name: 'board_lanes', path: '/board?lanes=project' },
  { name: 'palette_found', path: '/board', act: (page) => palette(page, 'gauge') },
];

/** Who has not signed in, and addresses of nothing. */
export const STRANGE: readonly Scene[] = [
  ...views.filter(({ name }) => ['runs', 'policy', 'sessions', 'beings', 'settings'].includes(name)),
  { name: 'nowhere', path: '/no/such/page' },
  { name: 'no_task', path: '/board/00000000-0000-7000-8000-000000000000' },
  { name: 'no_room', path: '/rooms/nobody' },
  { name: 'no_being', path: '/beings/nobody' },
  { name: 'no_source', path: '/sources/nobody' },
  { name: 'no_run', path: '/runs/nobody' },
  { name: 'no_review', path: '/review/nobody' },
  { name: 'no_session', path: '/sessions/nobody' },
  { name: 'link_used', path: '/signin?link=used-already' },
];
