import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { excerpt } from '../../kernel/redact.ts';
import { labelled } from '../../mcp/result.ts';
import type { Prompt, PromptMessage } from '../../mcp/server.ts';
import { WORDS } from '../board/board.ts';

/** Recipes that begin at the board. What the board says travels as a resource, apart from the request: it is data. */
export function boardPrompts(
  snapshot: (who: Principal, team?: string) => Promise<unknown>,
  task: (id: string, who: Principal) => Promise<unknown>,
): readonly Prompt[] {
  const team = { name: 'team', description: 'Only the tasks of this team.' };
  return [
    {
      name: 'stand-up',
      title: 'Stand-up',
      description: 'Who is doing what, what is stuck, what to take next.',
      arguments: [team],
      get: async (args, { who }) => [
        data('holdfast://board', await snapshot(who, args['team'])),
        ask(
          'Give a stand-up from the board above: what was finished, who works on what, what is blocked and by what, and which ready task ' +
            'should be taken next and why. Ten lines at most. Change nothing.',
        ),
      ],
    },
    {
      name: 'plan-into-tasks',
      title: 'Plan into tasks',
      description: 'Turns a goal into tasks with dependencies on the board.',
      arguments: [{ name: 'goal', description: 'What shall be reached.', required: true }, team],
      get: async (args, { who }) => [
        data('holdfast://board', await snapshot(who, args['team'])),
        ask(
          `Plan this goal into tasks on the board${args['team'] === undefined ? '' : ` of team ${JSON.stringify(args['team'])}`}:\n\n${args['goal']}\n\n` +
            'First look at the board above and reuse what is already there. Show me the plan: tasks one agent can finish in one sitting, each with ' +
            'a title that begins with a verb, what "done" means, and what it waits for. When I agree, create one parent with ' +
            'tasks__create_task, its parts with tasks__create_subtask, and their order with tasks__link_task.',
        ),
      ],
    },
    {
      name: 'hand-over',
      title: 'Hand over',
      description: 'Writes down where a task stands, so that the next agent can go on.',
      arguments: [
        { name: 'task', description: 'Id of the task.', required: true },
        { name: 'to', description: 'Agent that takes over, if it is known.' },
      ],
      get: async (args, { who }) => [
        data(`holdfast://tasks/${args['task']}`, await found(args['task']!, task(args['task']!, who))),
        ask(
          'Hand the task above over. Add one comment with tasks__add_comment: what is done and where it can be seen, what is left, what was tried and ' +
            'failed, and the very next step. Then give it back with tasks__release_task' +
            `${args['to'] === undefined ? '' : `, and assign it to ${JSON.stringify(args['to'])} with tasks__assign_task`}.`,
        ),
      ],
    },
  ];
}

/** Titles, texts and comments are of others: marked here as in the answers of tools. */
export function shownBoard(value: unknown): string {
  return labelled({ carries: WORDS }, value).json;
}

async function found(id: string, task: Promise<unknown>): Promise<unknown> {
  const value = await task;
  if (value === undefined)
    throw new HubError('not_found', `not found: ${excerpt(id, 100)}`, {
      hint: 'Complete the argument to see the ids.',
    });
  return value;
}

function data(uri: string, value: unknown): PromptMessage {
  return {
    role: 'user',
    content: {
      type: 'resource',
      resource: { uri, mimeType: 'application/json', text: shownBoard(value) },
    },
  };
}

function ask(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}
