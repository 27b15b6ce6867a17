// Who waits for whom, once all lines are in. Two people may have closed a circle without knowing of each other: of all links the
// newest are taken first, and one that would close a circle with them is left out. Every hub leaves out the same one.
import type { Tx } from '../../../store/database.ts';
import { deleteDependency, insertDependency, reaches } from '../rows/dependencies.ts';
import { writeStamps } from '../rows/stamps.ts';
import { findTask } from '../rows/tasks.ts';
import { LINKS } from '../work/dependencies.ts';
import { told } from '../work/narration.ts';
import { type TaskHere, keepFields } from './here.ts';
import { AFTER, isAfter, newer, type Stamp } from './line.ts';
import type { SyncReport } from './report.ts';
import type { Taking } from './taken-lines.ts';

type Link = Readonly<{ from: string; to: string; stamp: Stamp; isHere: boolean }>;

/** Every link that a task of the board says anything about. */
function linksIn(all: ReadonlyMap<string, TaskHere>): Link[] {
  return [...all].flatMap(([from, { fields, values }]) =>
    Object.entries(fields)
      .filter(([field]) => isAfter(field))
      .map(([field, stamp]) => ({
        from,
        to: field.slice(AFTER.length),
        stamp,
        isHere: values[field] === true,
      })),
  );
}

/** Of those that are said to hold, as many as there can be without a circle, the newest first. */
function withoutCircles(links: readonly Link[]): Set<Link> {
  const taken = new Set<Link>();
  const waits = new Map<string, string[]>();
  for (const link of links.filter(({ stamp }) => stamp[0] === true).toSorted(newestFirst)) {
    if (leadsTo(waits, link.to, link.from)) continue;
    taken.add(link);
    waits.set(link.from, [...(waits.get(link.from) ?? []), link.to]);
  }
  return taken;
}

function newestFirst(a: Link, b: Link): number {
  if (a.stamp[1] !== b.stamp[1] || a.stamp[2] !== b.stamp[2])
    return newer(a.stamp, b.stamp) === a.stamp ? -1 : 1;
  return `${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1;
}

function leadsTo(waits: ReadonlyMap<string, readonly string[]>, start: string, goal: string): boolean {
  const open = [start];
  const seen = new Set<string>();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(waits.get(at) ?? []));
  }
  return false;
}

type Linking = Pick<Taking, 'tx' | 'teamId' | 'report' | 'bringing'>;

/** Makes the links of the board what they are said to be. What goes, goes first: it may make room for what comes. */
export async function applyLinks(
  { tx, teamId, report, bringing }: Linking,
  all: ReadonlyMap<string, TaskHere>,
): Promise<void> {
  await tx.lock(LINKS);
  const isOpen = (id: string) => all.get(id)?.values['dropped'] === false;
  const links = linksIn(all).filter(({ from, to }) => isOpen(from) && isOpen(to));
  const wanted = withoutCircles(links);
  const changed = new Set<string>();
  for (const link of links.filter((each) => each.isHere && !wanted.has(each))) {
    await bringing.around(tx, link.from, () => deleteDependency(tx, link.from, link.to));
    await tell(tx, link, 'task.unlinked');
    changed.add(link.from);
  }
  for (const link of links.filter((each) => !each.isHere && wanted.has(each))) {
    // Through tasks of other projects, which do not travel.
    if (await reaches(tx, link.to, link.from)) keep(report, link, 'it would close a circle here');
    else if (await bringing.around(tx, link.from, () => insertDependency(tx, link.from, link.to))) {
      await tell(tx, link, 'task.linked');
      changed.add(link.from);
    }
  }
  for (const link of links)
    if (link.stamp[0] === true && !wanted.has(link)) keep(report, link, 'it would close a circle');
  for (const id of changed) {
    const { fields, values } = all.get(id)!;
    const own = links.filter(({ from }) => from === id);
    const now = Object.fromEntries(own.map((link) => [`${AFTER}${link.to}`, wanted.has(link)]));
    await writeStamps(tx, {
      taskId: id,
      teamId,
      fields: keepFields(fields, { ...values, ...now }, all.get(id)),
    });
  }
}

async function tell(tx: Tx, { from, to }: Link, kind: 'task.linked' | 'task.unlinked'): Promise<void> {
  const task = await findTask(tx, from);
  if (task) tx.emit(told(task, kind, { dependsOnTaskId: to, via: 'sync' }));
}

function keep(report: SyncReport, { from, to }: Link, why: string): void {
  report.kept.push({ id: from, title: '', field: `${AFTER}${to}`, why });
}
