// Landing in a repository of very many files: the tree that a check sees is whole, the first time and every time after.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callRest } from '../fixtures/rest-call.ts';

type ManyFilesPlan = Readonly<{
  files: number;
  landings: number;
  token: string;
  startHub(): Promise<Readonly<{ address: string; kill(): Promise<void> }>>;
}>;
export type ManyFilesReport = Readonly<{ violations: readonly string[]; ms: readonly number[] }>;

const CHECK = 'version: 1\nchecks:\n  unit: { run: "find . -type f | wc -l" }\n';
const WHO = 'committer torture <torture@example.invalid> 1700000000 +0000\n';
const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
const file = (name: string, text: string) => `M 100644 inline ${name}\n${data(text)}`;
const WAIT_MS = 600_000;

export async function landAmongMany(plan: ManyFilesPlan): Promise<ManyFilesReport> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-torture-many-'));
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' }).trim();
  const commit = (branch: string, changes: string, from = '') =>
    git(
      ['fast-import', '--quiet'],
      `commit refs/heads/${branch}\n${WHO}${data(branch)}${from === '' ? '' : `from ${from}\n`}${changes}`,
    );
  git(['init', '-q', '--bare', '-b', 'main']);
  const all = Array.from({ length: plan.files }, (_, at) => file(`f${at % 500}/${at}`, `${at}`));
  commit('main', file('.holdfast/checks.yaml', CHECK) + all.join(''));
  const hub = await plan.startHub();
  const ask = async (method: string, path: string, body?: object): Promise<any> =>
    (await callRest({ at: hub.address, token: plan.token }, [method, path], body)).body;
  const { project } = await ask('POST', '/api/projects/resolve', { folder });
  const violations: string[] = [];
  const ms: number[] = [];
  for (let at = 1; at <= plan.landings; at += 1) {
    commit(`work-${at}`, file(`f7/new-${at}`, 'new'), git(['rev-parse', 'main']));
    const { id: taskId } = await ask('POST', '/api/board/tasks', {
      title: `work ${at}`,
      teamId: project.teamId,
    });
    await ask('PATCH', `/api/board/tasks/${taskId}`, { branchRef: `work-${at}` });
    const began = Date.now();
    const { id } = await ask('POST', '/api/landings', { taskId, folder });
    let landing = { state: '', why: '' };
    while (!/landed|failed|held|conflict/.test(landing.state) && Date.now() - began < WAIT_MS)
      [landing] = (await ask('GET', `/api/landings/wait?ids=${id}&timeout_s=30`)).landings;
    ms.push(Date.now() - began);
    if (landing.state !== 'landed') violations.push(`landing ${at} is ${landing.state}: ${landing.why}`);
    const { evidence = [] } = await ask('GET', `/api/evidence/${id}`);
    const seen = Number(evidence[0]?.tail);
    if (seen !== plan.files + 1 + at)
      violations.push(`check ${at} saw ${seen} files of ${plan.files + 1 + at}`);
  }
  await hub.kill();
  rmSync(folder, { recursive: true, force: true });
  return { violations, ms };
}

export function describeMany(files: number, { violations, ms }: ManyFilesReport): string {
  const took = ms.map((each) => `${(each / 1_000).toFixed(1)} s`).join(', ');
  return `${files} files: landed in ${took}; ${violations.length} violations\n`;
}
