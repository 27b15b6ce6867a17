import type { Browser, Page } from 'playwright-core';

type Traced = Readonly<{
  name: string;
  ph: string;
  pid: number;
  tid: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}>;

/** What the main thread of the page did while something happened, task by task, in milliseconds. */
export type Tasks = Readonly<{
  /** Of the processor alone: a machine that others use, too, makes a task last longer and not dearer. */
  cpu: readonly number[];
  wall: readonly number[];
}>;

export async function tasksDuring(browser: Browser, page: Page, work: () => Promise<void>): Promise<Tasks> {
  const categories = ['-*', 'toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  let trace: Buffer;
  try {
    await work();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: Traced[] };
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => name === 'RunTask' && ph === 'X' && main.has(`${pid} ${tid}`),
  );
  return {
    cpu: tasks.flatMap(({ tdur }) => (tdur === undefined ? [] : tdur / 1000)),
    wall: tasks.flatMap(({ dur }) => (dur === undefined ? [] : dur / 1000)),
  };
}
