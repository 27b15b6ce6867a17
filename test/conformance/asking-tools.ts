import { z } from 'zod';
import type { Question } from '../../src/mcp/ask.ts';
import type { Tool } from '../../src/mcp/define.ts';
import { fixtureTool } from './tools.ts';

export function form(
  message: string,
  properties: Record<string, object>,
  required = Object.keys(properties),
): Question {
  return {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required } },
  };
}

const TEXT = { type: 'string' };
const roots: Question = { method: 'roots/list', params: {} };

function sampling(text: string, maxTokens: number): Question {
  return {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
  };
}

const titled = (word: string) =>
  ['First', 'Second', 'Third'].map((nth, i) => ({ const: `value${i + 1}`, title: `${nth} ${word}` }));
const OPTIONS = ['option1', 'option2', 'option3'];

/** Tools that put questions to their client, the same code in both eras. */
export const askingTools: readonly Tool[] = [
  fixtureTool(
    'test_sampling',
    async ({ prompt }, { ask }) => {
      const { reply } = await ask({ reply: sampling(String(prompt), 100) });
      return `LLM response: ${JSON.stringify(reply?.['content'])}`;
    },
    z.object({ prompt: z.string() }),
  ),
  fixtureTool(
    'test_elicitation',
    async ({ message }, { ask }) => {
      const { user } = await ask({
        user: form(String(message), {
          username: { ...TEXT, description: "User's response" },
          email: { ...TEXT, description: "User's email address" },
        }),
      });
      return `User response: ${JSON.stringify(user)}`;
    },
    z.object({ message: z.string() }),
  ),
  fixtureTool('test_elicitation_sep1034_defaults', async (_, { ask }) => {
    const { user } = await ask({
      user: form(
        'Please confirm the defaults',
        {
          name: { ...TEXT, default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { ...TEXT, enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
        [],
      ),
    });
    return `Elicitation completed: action=${String(user?.['action'])}, content=${JSON.stringify(user?.['content'])}`;
  }),
  fixtureTool('test_elicitation_sep1330_enums', async (_, { ask }) => {
    const { user } = await ask({
      user: form(
        'Please choose',
        {
          untitledSingle: { ...TEXT, enum: OPTIONS },
          titledSingle: { ...TEXT, oneOf: titled('Option') },
          legacyEnum: {
            ...TEXT,
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { ...TEXT, enum: OPTIONS } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        },
        [],
      ),
    });
    return `Elicitation completed: action=${String(user?.['action'])}, content=${JSON.stringify(user?.['content'])}`;
  }),
  fixtureTool('test_missing_capability', async (_, { ask }) => {
    await ask({ reply: sampling('needs a model', 10) });
    return 'asked';
  }),
  fixtureTool('test_streaming_elicitation', async (_, { ask, progress }) => {
    progress(1, 2);
    await ask({ user: form('Go on?', { ok: { type: 'boolean' } }) });
    return 'went on';
  }),
  fixtureTool('test_input_required_result_elicitation', async (_, { ask }) => {
    const answers = await ask({ user_name: form('What is your name?', { name: TEXT }) });
    return `Hello, ${nameIn(answers['user_name'])}!`;
  }),
  fixtureTool('test_input_required_result_sampling', async (_, { ask }) => {
    const answers = await ask({ capital_question: sampling('What is the capital of France?', 100) });
    return JSON.stringify(answers['capital_question']?.['content']);
  }),
  fixtureTool('test_input_required_result_list_roots', async (_, { ask }) =>
    JSON.stringify((await ask({ client_roots: roots }))['client_roots']),
  ),
  ...['request_state', 'tampered_state'].map((name) =>
    fixtureTool(`test_input_required_result_${name}`, async (_, { ask }) => {
      await ask({ confirm: form('Please confirm', { ok: { type: 'boolean' } }) });
      return 'state-ok';
    }),
  ),
  fixtureTool('test_input_required_result_multiple_inputs', async (_, { ask }) => {
    const answers = await ask({
      user_name: form('What is your name?', { name: TEXT }),
      greeting: sampling('Generate a greeting', 50),
      client_roots: roots,
    });
    return Object.keys(answers).join(', ');
  }),
  fixtureTool('test_input_required_result_multi_round', async (_, { ask }) => {
    const first = await ask({ step1: form('Step 1: What is your name?', { name: TEXT }) });
    const second = await ask({ step2: form('Step 2: What is your favorite color?', { color: TEXT }) });
    return JSON.stringify({ ...first, ...second });
  }),
  fixtureTool('test_input_required_result_capabilities', async (_, { ask, can }) => {
    const questions = {
      ...(can.has('elicitation') && { user_name: form('What is your name?', { name: TEXT }) }),
      ...(can.has('sampling') && { greeting: sampling('Generate a greeting', 50) }),
    };
    return Object.keys(await ask(questions)).join(', ');
  }),
];

function nameIn(answer: Readonly<Record<string, unknown>> | undefined): string {
  return JSON.stringify((answer?.['content'] as { name?: string } | undefined)?.name ?? '');
}
