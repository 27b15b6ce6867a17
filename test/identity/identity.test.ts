import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import type { ToolClient } from '../fixtures/server-hosts.ts';
import { ACTORS, expectedOf, OPERATIONS, type Actor, type Expected, type Operation } from './matrix.ts';
import { WAYS, type Scene, type Way } from './ways.ts';

/** Which state the task must be in before the operation makes sense; its holder brings it there. */
const BEFORE: Partial<Record<Operation, string>> = { unblock: 'blocked', verdict: 'in_review' };

type Stage = Readonly<{ taskId: string; checkId: string; otherId: string }>;

/** The arguments by which an unbound caller says who it is. */
const named = (way: Way, agentId: string | undefined) =>
  way.isBound || agentId === undefined ? {} : { agentId };

async function call(client: ToolClient, tool: string, args: object): Promise<Expected> {
  const answer = await client.call(tool, { ...args });
  if (!answer.isError) return tool === 'claim_next_task' && answer.value.task === null ? 'nothing' : 'ok';
  return answer.value.reason ?? answer.value.code;
}

/** What an agent does, by the tools it has: the tool and its arguments. */
function requestOf(
  operation: Operation,
  { taskId, checkId, otherId }: Stage,
  name: string,
): readonly [string, object] {
  const requests: Record<Operation, readonly [string, object]> = {
    claim: ['claim_task', { taskId, assigneeAgentId: name }],
    'claim-next': ['claim_next_task', { assigneeAgentId: name, teamId: 'held' }],
    assign: ['assign_task', { taskId, assigneeAgentId: 'zoe' }],
    finish: ['update_task_status', { taskId, status: 'done' }],
    verdict: ['update_task_status', { taskId, status: 'done' }],
    cancel: ['update_task_status', { taskId, status: 'cancelled' }],
    release: ['release_task', { taskId }],
    block: ['block_task', { taskId }],
    unblock: ['unblock_task', { taskId }],
    evidence: ['submit_evidence', { taskId, checkId, passed: true, summary: 'green' }],
    heartbeat: ['heartbeat_task', { taskId }],
    comment: ['add_comment', { taskId, body: 'a word' }],
    link: ['link_task', { taskId: otherId, dependsOnTaskId: taskId }],
  };
  return requests[operation];
}

/** Operations that name their agent by an argument of their own. */
const NAMING: ReadonlySet<Operation> = new Set(['claim', 'claim-next', 'assign']);

function asAgent(
  client: ToolClient,
  operation: Operation,
  stage: Stage,
  who: object,
  name: string,
): Promise<Expected> {
  const [tool, args] = requestOf(operation, stage, name);
  return call(client, tool, NAMING.has(operation) ? args : { ...args, ...who });
}

async function asPerson(
  { person }: Scene,
  operation: Operation,
  { taskId, checkId, otherId }: Stage,
): Promise<Expected> {
  const at = `/tasks/${taskId}`;
  const requests: Record<Operation, readonly [string, string, object?]> = {
    claim: ['POST', `${at}/claim`, { assigneeAgentId: 'zoe' }],
    'claim-next': ['POST', '/claim-next', { assigneeAgentId: 'zoe', teamId: 'held' }],
    assign: ['POST', `${at}/assign`, { assigneeAgentId: 'zoe' }],
    finish: ['PATCH', at, { status: 'done' }],
    verdict: ['PATCH', at, { status: 'done' }],
    cancel: ['PATCH', at, { status: 'cancelled' }],
    release: ['POST', `${at}/release`],
    block: ['PATCH', at, { status: 'blocked' }],
    unblock: ['PATCH', at, { status: 'todo' }],
    evidence: ['POST', `${at}/evidence`, { checkId, passed: true, summary: 'green' }],
    heartbeat: ['POST', `${at}/heartbeat`],
    comment: ['POST', `${at}/comments`, { body: 'a word' }],
    link: ['POST', `/tasks/${otherId}/dependencies`, { dependsOnTaskId: taskId }],
  };
  const { status, body } = await person(...requests[operation]);
  if (status < 300) return operation === 'claim-next' && body.task === null ? 'nothing' : 'ok';
  return body.details?.reason ?? body.code;
}

eachEngine('who may do what with a task that is held', (engine) => {
  it.each(WAYS.map((way) => [way.name, way] as const))('over %s', { timeout: 180_000 }, async (_, way) => {
    const scene = await way.open(engine);
    const [self, other, nobody] = [
      await scene.connect('ada'),
      await scene.connect('bob'),
      await scene.connect(),
    ];

    /** A task of nobody in particular that `self` holds. */
    const stage = async (operation: Operation): Promise<Stage> => {
      const make = async (title: string) =>
        (await scene.person('POST', '/tasks', { title, teamId: 'held' })).body.id as string;
      const [taskId, otherId] = [await make('held'), await make('other')];
      await scene.person('POST', `/tasks/${otherId}/claim`, { assigneeAgentId: 'somebody' });
      const check = await scene.person('POST', `/tasks/${taskId}/checks`, {
        title: 'green',
        required: false,
      });
      expect(await call(self, 'claim_task', { taskId, assigneeAgentId: 'ada' })).toBe('ok');
      const status = BEFORE[operation];
      if (status)
        expect(await call(self, 'update_task_status', { taskId, status, ...named(way, 'ada') })).toBe('ok');
      return { taskId, otherId, checkId: check.body.id };
    };

    const perform = async (actor: Actor, operation: Operation, at: Stage): Promise<Expected> => {
      if (actor === 'person') return asPerson(scene, operation, at);
      if (actor === 'self') return asAgent(self, operation, at, named(way, 'ada'), 'ada');
      if (actor === 'other') return asAgent(other, operation, at, named(way, 'bob'), 'bob');
      return asAgent(nobody, operation, at, {}, 'cid');
    };

    const [found, wanted]: Record<string, Expected>[] = [{}, {}];
    for (const operation of OPERATIONS) {
      for (const actor of ACTORS) {
        const at = await stage(operation);
        found![`${operation} by ${actor}`] = await perform(actor, operation, at);
        wanted![`${operation} by ${actor}`] = expectedOf(operation, actor, way.isStateless === true);
        await scene.person('DELETE', `/tasks/${at.taskId}`);
      }
    }
    expect(found).toEqual(wanted);
  });
});
