// What wants to reach the main branch of the demo's repository: one that lands, one whose check fails, and one that only a person
// lets through. They are real landings of the demo's own hub, in its own folder.
import type { Api } from '../../features/api.ts';
import type { CallRoute } from '../../operation/call-route.ts';

type Branch = Readonly<{
  branch: string;
  title: string;
  /** What its one commit brings. */
  files: Readonly<Record<string, string>>;
}>;

/** Each changes files of its own: what goes together is shown elsewhere. */
export const LANDING: readonly Branch[] = [
  {
    branch: 'sorted-stations',
    title: 'Stations in the order of the coast',
    files: {
      'src/stations.ts':
        "export const STATIONS = ['Bergen', 'Stavanger', 'Oslo'] as const;\n\nexport const inOrder = (names: readonly string[]) =>\n  names.toSorted((a, b) => STATIONS.indexOf(a as never) - STATIONS.indexOf(b as never));\n",
    },
  },
  {
    branch: 'export-as-csv',
    title: 'Export a month of readings',
    files: {
      'src/export.ts': "export const toCsv = (rows: object[]) => {\n  console.log('rows', rows);\n};\n",
    },
  },
  {
    branch: 'stricter-checks',
    title: 'Checks also look at the samples',
    files: {
      '.holdfast/setup.md': 'The samples are made by `npm run samples`; nothing else writes them.\n',
    },
  },
];

/** Passes what a person would let pass: no file that prints on its way. */
export const LANDING_CHECK = 'test -f src/login.ts && ! grep -rn console.log src';

const TRIED = 'Read a year of readings in one go';

/** `folder`: the repository. Two agents also try one task side by side. */
export async function landInDemo(ask: CallRoute<Api>, folder: string): Promise<void> {
  for (const { branch, title } of LANDING) {
    const { id } = await ask('POST /api/board/tasks', { title, teamId: 'tidepool', status: 'todo' });
    await ask('PATCH /api/board/tasks/:taskId', { taskId: id, branchRef: branch });
    await ask('POST /api/landings', { taskId: id, folder });
  }
  const { id } = await ask('POST /api/board/tasks', { title: TRIED, teamId: 'tidepool', status: 'todo' });
  await ask('POST /v1/trials', { task_id: id, instances: ['bosun', 'deckhand'], project: folder });
}
