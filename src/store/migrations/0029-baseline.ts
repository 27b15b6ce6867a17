import { access } from './baseline/access.ts';
import { being } from './baseline/being.ts';
import { board } from './baseline/board.ts';
import { brain } from './baseline/brain.ts';
import { broker } from './baseline/broker.ts';
import { dispatch } from './baseline/dispatch.ts';
import { ground } from './baseline/ground.ts';
import { memory } from './baseline/memory.ts';
import { projects } from './baseline/projects.ts';
import { recall } from './baseline/recall.ts';
import { sources } from './baseline/sources.ts';
import { talk } from './baseline/talk.ts';
import type { Migration } from './migration.ts';

/** The schema that the first release begins with. It keeps the number it had while it grew, so that databases of then open. */
export const baseline: Migration = {
  id: 29,
  name: 'baseline',
  schema: [
    ground,
    being,
    access,
    projects,
    board,
    recall,
    memory,
    broker,
    talk,
    brain,
    sources,
    dispatch,
  ].join('\n'),
};
