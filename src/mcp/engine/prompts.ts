import { isObject } from '../../kernel/loose-json.ts';
import type { ToolContext } from '../define.ts';
import { invalidParams } from '../protocol/jsonrpc.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import type { CompletionTarget, Prompt } from '../server.ts';
import { cacheMembers } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { cursorMember, pageOf } from './page.ts';

export async function listPrompts(params: Params, exchange: Exchange): Promise<Answer> {
  const all = (await promptsOf(exchange)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const { items, next } = pageOf(all, (prompt) => prompt.name, params);
  const shown = items.map(({ name, title, description, arguments: args }) => ({
    name,
    title,
    description,
    arguments: args,
  }));
  return { members: `"prompts":${JSON.stringify(shown)}${cursorMember(next)}${cacheMembers(exchange)}` };
}

export async function getPrompt(params: Params, exchange: Exchange, context: ToolContext): Promise<Answer> {
  const { name, arguments: args = {} } = params;
  const prompt = (await promptsOf(exchange)).find((candidate) => candidate.name === name);
  const absence = prompt ? undefined : exchange.server.prompts!.absence?.(String(name), exchange.who);
  if (absence) throw absence;
  if (!prompt) throw invalidParams(`unknown prompt ${JSON.stringify(String(name).slice(0, 128))}`);
  const messages = await prompt.get(readArguments(prompt, args), context);
  const description =
    prompt.description === undefined ? '' : `"description":${JSON.stringify(prompt.description)},`;
  return { members: `${description}"messages":${JSON.stringify(messages)}` };
}

const MAX_COMPLETIONS = 100;

export async function complete(params: Params, exchange: Exchange): Promise<Answer> {
  const { argument, context } = params;
  const target = targetOf(params['ref']);
  if (!isArgument(argument)) throw invalidParams('argument must be { name, value } with text in both');
  const given = isObject(context) && isObject(context['arguments']) ? textsOf(context['arguments']) : {};
  const { name, value } = argument;
  const values = await exchange.server.complete!({ target, name, value, given, who: exchange.who });
  const shown = values.slice(0, MAX_COMPLETIONS);
  return {
    members: `"completion":${JSON.stringify({ values: shown, total: values.length, hasMore: values.length > shown.length })}`,
  };
}

function isArgument(value: unknown): value is Readonly<{ name: string; value: string }> {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['value'] === 'string';
}

function targetOf(ref: unknown): CompletionTarget {
  if (isObject(ref) && ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string')
    return { kind: 'prompt', name: ref['name'] };
  if (isObject(ref) && ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string')
    return { kind: 'resource', uriTemplate: ref['uri'] };
  throw invalidParams('ref must be a ref/prompt with a name or a ref/resource with a uri');
}

async function promptsOf({ server, who }: Exchange): Promise<readonly Prompt[]> {
  return server.prompts!.list(who);
}

function readArguments(prompt: Prompt, args: unknown): Record<string, string> {
  if (!isObject(args)) throw invalidParams('arguments must be an object');
  const given = textsOf(args);
  const known = (prompt.arguments ?? []).map((argument) => argument.name);
  const missing = (prompt.arguments ?? []).filter(
    (argument) => argument.required && given[argument.name] === undefined,
  );
  if (missing.length > 0)
    throw invalidParams(
      `missing argument ${missing.map((argument) => argument.name).join(', ')}; ${prompt.name} takes ${known.join(', ')}`,
    );
  return given;
}

function textsOf(values: Params): Record<string, string> {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string') throw invalidParams(`argument ${JSON.stringify(name)} must be text`);
  }
  return { ...values } as Record<string, string>;
}
