import type { ChangeBoard } from '../../src/mcp/changes.ts';
import type { Tool } from '../../src/mcp/define.ts';
import type { Prompt, PromptMessage, ResourceSource, ServerDefinition } from '../../src/mcp/server.ts';
import { askingTools, form } from './asking-tools.ts';
import { PNG } from './pixels.ts';
import { taskTools } from './task-tools.ts';
import { plainTools } from './tools.ts';

const KEY = 'conformance';

const CONTENTS: ReadonlyMap<string, { mimeType: string; text: string } | { mimeType: string; blob: string }> =
  new Map([
    [
      'test://static-text',
      { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ],
    ['test://static-binary', { mimeType: 'image/png', blob: PNG }],
    ['test://watched-resource', { mimeType: 'text/plain', text: 'watched' }],
  ]);

const resources: ResourceSource = {
  list: async () =>
    [...CONTENTS].map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice(7),
      description: `Conformance fixture ${uri}`,
      mimeType,
    })),
  templates: async () => [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      description: 'Conformance fixture',
      mimeType: 'application/json',
    },
  ],
  read: async (uri) => {
    const known = CONTENTS.get(uri);
    if (known) return [{ uri, ...known }];
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    return id === undefined
      ? undefined
      : [
          {
            uri,
            mimeType: 'application/json',
            text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
          },
        ];
  },
  mayWatch: (uri) => CONTENTS.has(uri),
};

const say = (text: string): PromptMessage => ({ role: 'user', content: { type: 'text', text } });

const prompts: readonly Prompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'No arguments',
    get: async () => [say('This is a simple prompt for testing.')],
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'Two arguments',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    get: async ({ arg1, arg2 }) => [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource inside',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    get: async ({ resourceUri }) => [
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: resourceUri!,
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
      },
      say('Please process the embedded resource above.'),
    ],
  },
  {
    name: 'test_prompt_with_image',
    description: 'An image inside',
    get: async () => [
      { role: 'user', content: { type: 'image', data: PNG, mimeType: 'image/png' } },
      say('Please analyze the image above.'),
    ],
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'Asks first',
    get: async (_, { ask }) => {
      const answers = await ask({
        user_context: form('What context should the prompt use?', { context: { type: 'string' } }),
      });
      return [say(JSON.stringify(answers['user_context']?.['content']))];
    },
  },
];

/** What the official suite expects to find on a server, as a definition like any other. */
export function conformanceServer(board: ChangeBoard, tasks: readonly Tool[] = taskTools): ServerDefinition {
  return {
    key: KEY,
    name: 'holdfast-conformance',
    version: '0.1.0',
    instructions: 'Fixtures of the official conformance suite.',
    tools: [...plainTools(board, KEY), ...askingTools, ...tasks],
    tasks: [],
    resources,
    prompts: { list: async () => prompts },
    complete: async ({ value }) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
    listChangedOn: { tools: ['test.tools'], prompts: ['test.prompts'], resources: ['test.resources'] },
  };
}
