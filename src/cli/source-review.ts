import { withClient } from './client.ts';
import { renderDiff } from './diff.ts';
import type { Options } from './options.ts';
import { pathOf, type ShownSuspicion } from './source-view.ts';
import type { World } from './world.ts';

type Pending = Readonly<{
  tool: string;
  isNew: boolean;
  before: string | null;
  after: string;
  findings: readonly ShownSuspicion[];
}>;
type Review = Readonly<{ trust: string; digest: string; pending: readonly Pending[] }>;

/** The difference first. What is approved is what was shown: a definition that changed since has another digest. */
export async function reviewSource(
  world: World,
  { name, tools }: Readonly<{ name: string; tools: readonly string[] }>,
  options: Options,
): Promise<void> {
  const { approve } = options;
  if (typeof approve === 'string') {
    const body = { tools, digest: approve };
    const { approved } = await withClient(world, options, (client) =>
      client.call<{ approved: string[] }>('POST', `${pathOf(name)}/approve`, body),
    );
    if (options['json']) return world.print(JSON.stringify({ approved }));
    return world.print(`Approved: ${approved.join(', ')}`);
  }
  const query = tools.length === 0 ? '' : `?tools=${encodeURIComponent(tools.join(','))}`;
  const review = await withClient(world, options, (client) =>
    client.call<Review>('GET', `${pathOf(name)}/review${query}`),
  );
  if (options['json']) return world.print(JSON.stringify(review));
  if (review.pending.length === 0) return world.tell('Nothing waits for a review.');
  for (const { tool, isNew, before, after, findings } of review.pending) {
    world.print(`${isNew ? 'new' : 'changed'}: ${tool}\n${renderDiff(tool, before ?? '', after)}`);
    for (const { where, what } of findings) world.print(`! ${where}: ${what}`);
  }
  world.tell(
    `Approve it with: holdfast source review ${[name, ...tools].join(' ')} --approve ${review.digest}`,
  );
}
