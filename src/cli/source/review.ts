// `holdfast source review`: what a source says of its tools, in short, and what a person decides about it.
import type { Api } from '../../features/api.ts';
import { HubError } from '../../kernel/errors.ts';
import { withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { printable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';
import type { World } from '../world.ts';

type Pending = Api['GET /api/sources/:name/review']['answer']['pending'][number];
type Named = Readonly<{ name: string; tools: string[] }>;

/** What changed first. What is decided on is what was shown: a definition that changed since has another digest. */
export async function reviewSource(world: World, { name, tools }: Named, options: Options): Promise<void> {
  const { approve, reject, undo } = options;
  if ([approve, reject, undo].filter((one) => one !== undefined).length > 1)
    throw new HubError('invalid', 'Give one of --approve, --reject and --undo.');
  if (typeof approve === 'string')
    return decide(world, { name, tools, word: 'approve', digest: approve }, options);
  if (typeof reject === 'string')
    return decide(world, { name, tools, word: 'reject', digest: reject }, options);
  if (undo !== undefined) return takeBack(world, { name, tools }, options);
  const some = tools.length === 0 ? {} : { tools };
  const review = await withClient(world, options, (client) =>
    client.ask('GET /api/sources/:name/review', { name, ...some }),
  );
  if (options['json']) return world.print(JSON.stringify(review));
  for (const pending of review.pending) world.print(shown(pending));
  for (const { tool, decision, by, at } of tools.length === 0 ? [] : review.decided)
    world.print(printable(`${decision}: ${tool}, by ${by}, ${localTime(at)}`));
  if (review.pending.length === 0) return world.tell('Nothing waits for a review.');
  world.tell('The whole definitions, with their schemas: --json');
  const again = `holdfast source review ${[name, ...tools].join(' ')}`;
  world.tell(`Approve it with: ${again} --approve ${review.digest}`);
  world.tell(`Reject it with: ${again} --reject ${review.digest}`);
}

type Decided = Named & Readonly<{ word: 'approve' | 'reject'; digest: string }>;

async function decide(world: World, { name, tools, word, digest }: Decided, options: Options): Promise<void> {
  const asked = { name, chosen: { tools, digest } };
  const { ok: _, ...decided } = await withClient(world, options, async ({ ask }) =>
    word === 'approve'
      ? ask('POST /api/sources/:name/approve {chosen}', asked)
      : ask('POST /api/sources/:name/reject {chosen}', asked),
  );
  if (options['json']) return world.print(JSON.stringify(decided));
  world.print(`${word === 'approve' ? 'Approved' : 'Rejected'}: ${Object.values(decided).flat().join(', ')}`);
  world.tell(`Take it back with: holdfast source review ${name} <tools> --undo`);
}

async function takeBack(world: World, { name, tools }: Named, options: Options): Promise<void> {
  if (tools.length === 0)
    throw new HubError('invalid', 'Name the tools whose decision is to be taken back.', {
      hint: `holdfast source review ${name} <tools> --undo`,
    });
  const { undone } = await withClient(world, options, (client) =>
    client.ask('POST /api/sources/:name/undo', { name, tools }),
  );
  if (options['json']) return world.print(JSON.stringify({ undone }));
  for (const { tool, was } of undone) world.print(printable(`${tool} is no longer ${was}.`));
}

/** A new tool in short: what it is called, says, takes and does, and what is suspicious. Of a changed one, what changed. */
function shown({ tool, isNew, after, fields, findings }: Pending): string {
  const definition = JSON.parse(after) as Definition;
  const said = (sign: string, text: string | null) =>
    text === null ? [] : text.split('\n').map((line) => `    ${sign} ${printable(line)}`);
  const changes = fields.flatMap(({ path, before, after: now }) => [
    `  ${printable(path)}`,
    ...said('-', before),
    ...said('+', now),
  ]);
  return [
    `${isNew ? 'new' : 'changed'}: ${printable(tool)} (${effectOf(definition)})`,
    ...findings.flatMap(({ where, what, marks }) => [
      `! ${where}: ${what}`,
      ...marks.map(({ words }) => `    » ${printable(words)}`),
    ]),
    ...(isNew ? inShort(definition) : changes),
  ].join('\n');
}

type Definition = Readonly<{
  description?: string;
  inputSchema?: Readonly<{ properties?: object }>;
  annotations?: Readonly<{ readOnlyHint?: boolean; destructiveHint?: boolean }>;
}>;

/** What it says of itself: nobody has checked it. */
function effectOf({ annotations }: Definition): string {
  if (annotations?.readOnlyHint === true) return 'reads, it says';
  return annotations?.destructiveHint === false ? 'writes, destroys nothing, it says' : 'writes';
}

function inShort({ description = '', inputSchema }: Definition): string[] {
  const names = Object.keys(inputSchema?.properties ?? {});
  const about = description.trim() === '' ? ['(no description)'] : description.trim().split('\n');
  return [
    ...about.map((line) => `  ${printable(line)}`),
    ...(names.length === 0 ? [] : [`  takes ${names.map((name) => printable(name)).join(', ')}`]),
  ];
}
