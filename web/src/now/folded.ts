import type { Event as HubEvent } from '../../../src/kernel/event.ts';

/** `times`: the same thing again. `others`: the same done to so many other tasks; `isCut`: and to more before those. */
export type Folded = HubEvent & Readonly<{ times: number; others: number; isCut?: boolean }>;

const ANYTHING = /^(memory|procedure)\./;
/** Somebody imports, labels or sorts a whole board: from so many on it is one sentence. */
const MANY = 4;
const DONE_TO_MANY: ReadonlySet<string> = new Set(
  'created imported archived unarchived labelled dropped updated status_changed'
    .split(' ')
    .map((kind) => `task.${kind}`),
);

/** What is done again and again is told once. The events come newest first; before the `oldest` there may have been more. */
export function folded(events: readonly HubEvent[], oldest = 0): readonly Folded[] {
  const groups: HubEvent[][] = [];
  for (const event of events) {
    const group = groups.at(-1);
    if (group && likeness(group[0]!) === likeness(event)) group.push(event);
    else groups.push([event]);
  }
  return groups.flatMap((group) => tellGroup(group, oldest > 1 && group.at(-1)!.seq === oldest));
}

function tellGroup(group: readonly HubEvent[], isCut: boolean): readonly Folded[] {
  const [first] = group;
  const subjects = new Set(group.map(({ subject }) => subject)).size;
  if (!DONE_TO_MANY.has(first!.kind) || subjects === 1)
    return [{ ...first!, times: group.length, others: 0 }];
  if (subjects >= MANY) return [{ ...first!, times: 1, others: subjects - 1, isCut }];
  return group.map((event) => ({ ...event, times: 1, others: 0 }));
}

/** What two events share that are one sentence: what was done, by whom, and to what unless that does not matter. */
function likeness({ kind, actor, subject, data }: HubEvent): string {
  const about = ANYTHING.test(kind)
    ? ''
    : DONE_TO_MANY.has(kind)
      ? data?.['to']
      : kind === 'tool.refused'
        ? data?.['tool']
        : kind.startsWith('peer.')
          ? data?.['toAgent']
          : subject;
  return JSON.stringify([kind, actor.id, about]);
}
