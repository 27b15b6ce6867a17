import fc from 'fast-check';
import { expect, it } from 'vitest';
import { freshBoard } from '../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { localPrincipal, systemActor } from '../../kernel/principal.ts';
import { callerOf } from '../../store/calls.ts';
import { canMove, isTerminal, needsHolder } from './rules.ts';
import { STATUSES, type Status, type Task } from './task.ts';

/** Random histories against a model small enough to be obviously right. */
const TASKS = 5;
const AGENTS = ['ann', 'bob'] as const;
const nobody = callerOf({ who: localPrincipal(''), via: 'tool' });
const person = callerOf({ who: localPrincipal(''), via: 'route' });

type Step =
  | { do: 'claim'; task: number; agent: number }
  | { do: 'release'; task: number; agent: number }
  | { do: 'finish'; task: number; agent: number }
  | { do: 'move'; task: number; to: Status }
  | { do: 'link'; task: number; on: number }
  | { do: 'unlink'; task: number; on: number }
  | { do: 'next'; agent: number };

const task = fc.nat({ max: TASKS - 1 });
const agent = fc.nat({ max: AGENTS.length - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('claim' as const), task, agent }),
  fc.record({ do: fc.constant('release' as const), task, agent }),
  fc.record({ do: fc.constant('finish' as const), task, agent }),
  fc.record({ do: fc.constant('move' as const), task, to: fc.constantFrom(...STATUSES) }),
  fc.record({ do: fc.constant('link' as const), task, on: task }),
  fc.record({ do: fc.constant('unlink' as const), task, on: task }),
  fc.record({ do: fc.constant('next' as const), agent }),
);

type Model = { status: Status; holder: string | null; fence: number; needs: Set<number> };

function isReady(model: Model[], i: number): boolean {
  return [...model[i]!.needs].every((on) => isTerminal(model[on]!.status));
}

function isFree(model: Model[], i: number): boolean {
  return model[i]!.status === 'todo' && model[i]!.holder === null && isReady(model, i);
}

function reaches(model: Model[], from: number, to: number): boolean {
  return from === to || [...model[from]!.needs].some((on) => reaches(model, on, to));
}

/** Plays the step on the model and answers whether it should succeed. */
function predict(model: Model[], step: Step): boolean {
  if (step.do === 'next') {
    const next = model.findIndex((_, i) => isFree(model, i));
    if (next >= 0) grab(model[next]!, AGENTS[step.agent]!);
    return true;
  }
  const one = model[step.task]!;
  if (step.do === 'link') {
    if (reaches(model, step.on, step.task)) return false;
    one.needs.add(step.on);
    return true;
  }
  if (step.do === 'unlink') return one.needs.delete(step.on);
  if (step.do === 'claim') return isFree(model, step.task) && grab(one, AGENTS[step.agent]!);
  if (step.do === 'move') return moveModel(one, step.to, null);
  const name = AGENTS[step.agent]!;
  const isStranger = one.holder !== null && one.holder !== name && !isTerminal(one.status);
  if (isStranger && step.do === 'finish' && one.status === 'in_review') return moveModel(one, 'done', name);
  if (isStranger) return false;
  if (step.do === 'release')
    return one.holder !== null && one.status === 'in_progress' && moveModel(one, 'todo', name);
  const isTaking = one.holder === null || (one.holder !== name && !isTerminal(one.status));
  if (!canMove(one.status, 'done')) return false;
  if (!isTerminal(one.status) && isTaking)
    return isReady(model, step.task) && grab(one, name) && moveModel(one, 'done', name);
  return moveModel(one, 'done', name);
}

function grab(one: Model, agent: string): boolean {
  Object.assign(one, { status: 'in_progress', holder: agent, fence: one.fence + 1 });
  return true;
}

function moveModel(one: Model, to: Status, named: string | null): boolean {
  if (one.status === to) return true;
  if (!canMove(one.status, to)) return false;
  if (needsHolder(to) && one.holder === null && named === null) return false;
  one.status = to;
  if (to === 'todo' || to === 'backlog') one.holder = null;
  return true;
}

eachEngine('the board against its model', (engine) => {
  it('agrees with the model after any history, refusals included', async () => {
    const db = await freshDatabase(engine);
    const board = freshBoard(db);
    const change = <T>(unit: Parameters<typeof db.write<T>>[1]) => db.write(systemActor, unit);

    const perform = (ids: string[], teamId: string, step: Step) => {
      const caller =
        'agent' in step
          ? callerOf({ who: localPrincipal(''), via: 'tool', agentId: AGENTS[step.agent] })
          : nobody;
      if (step.do === 'next')
        return change((tx) => board.in(tx, caller).claimNext({ agentId: caller.agent!, teamId }));
      const taskId = ids[step.task]!;
      if (step.do === 'claim')
        return change((tx) => board.in(tx, caller).claim({ taskId, agentId: caller.agent! }));
      if (step.do === 'release') return change((tx) => board.in(tx, caller).release(taskId));
      if (step.do === 'finish') return change((tx) => board.in(tx, caller).move({ taskId, to: 'done' }));
      if (step.do === 'move') return change((tx) => board.in(tx, caller).move({ taskId, to: step.to }));
      const edge = { taskId, dependsOnTaskId: ids[step.on]! };
      return change((tx) => board.in(tx, caller)[step.do](edge));
    };

    const check = async (ids: string[], teamId: string, model: Model[]) => {
      const found: Task[] = [];
      for (const id of ids)
        found.push((await db.read((q) => board.at(q, person).get({ taskId: id, commentLimit: 1 }))).task);
      expect(found.map(({ status, assigneeAgentId }) => ({ status, holder: assigneeAgentId }))).toEqual(
        model.map(({ status, holder }) => ({ status, holder })),
      );
      expect(found.filter((each) => each.fence !== null).map((each) => each.fence)).toEqual(
        model.filter((each) => each.holder !== null).map((each) => each.fence),
      );
      const ready = await db.read((q) => board.at(q, person).list({ ready: true, teamId, limit: 100 }));
      expect(ready.tasks.map((each) => ids.indexOf(each.id)).toSorted()).toEqual(
        [...model.keys()].filter((i) => isFree(model, i)),
      );
    };

    const history = async (steps: Step[]) => {
      const ids: string[] = [];
      const teamId = newId();
      const model: Model[] = Array.from({ length: TASKS }, () => ({
        status: 'todo',
        holder: null,
        fence: 0,
        needs: new Set(),
      }));
      for (let i = 0; i < TASKS; i += 1) {
        ids.push((await change((tx) => board.in(tx, nobody).create({ title: `t${i}`, teamId }))).id);
      }
      for (const step of steps) {
        const isExpected = predict(model, step);
        const isDone = await perform(ids, teamId, step).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(HubError);
            return false;
          },
        );
        expect({ step, isDone }).toEqual({ step, isDone: isExpected });
      }
      await check(ids, teamId, model);
    };

    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), history), {
      numRuns: engine === 'sqlite' ? 60 : 25,
    });
  });
});
