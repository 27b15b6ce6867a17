// What people said of a pull request, as gh tells it, and what a task is told of that.
import { z } from 'zod';
import { quoteLines } from '../../../kernel/quote.ts';
import { asRepo, readGh, type RunGh, type Slug } from './gh.ts';
import type { PullState } from './rows.ts';
import { excerpt } from '../../../kernel/redact.ts';

const who = z.object({ login: z.string() }).nullish();
const viewSchema = z.object({
  state: z.enum(['OPEN', 'MERGED', 'CLOSED']),
  reviews: z
    .array(z.object({ id: z.string(), author: who, body: z.string(), state: z.string() }))
    .default([]),
  comments: z.array(z.object({ id: z.string(), author: who, body: z.string() })).default([]),
});
const inlineSchema = z.array(
  z.object({
    id: z.union([z.string(), z.number()]),
    user: who,
    body: z.string(),
    path: z.string().nullish(),
    line: z.number().nullish(),
  }),
);

export type PullWords = Readonly<{ id: string; by: string; about: string; body: string }>;
export type Heard = Readonly<{ state: PullState; said: readonly PullWords[] }>;

export async function hearPull(gh: RunGh, slug: Slug, number: number): Promise<Heard> {
  const fields = 'state,reviews,comments';
  const seen = readGh(
    viewSchema,
    'look at the pull request',
    await gh('pr', 'view', String(number), `--repo=${asRepo(slug)}`, `--json=${fields}`),
  );
  const path = `repos/${slug.owner}/${slug.name}/pulls/${number}/comments?per_page=100`;
  const inline = readGh(inlineSchema, 'read its review', await gh('api', `--hostname=${slug.host}`, path));
  const said = [
    ...seen.reviews.map(({ id, author, body, state }) => ({
      id,
      by: author?.login ?? 'somebody',
      about: `review, ${state.toLowerCase().replaceAll('_', ' ')}`,
      body,
    })),
    ...seen.comments.map(({ id, author, body }) => ({
      id,
      by: author?.login ?? 'somebody',
      about: 'comment',
      body,
    })),
    ...inline.map(({ id, user, body, path: file, line }) => ({
      id: `inline-${id}`,
      by: user?.login ?? 'somebody',
      about: [file ?? 'a file', ...(line ? [line] : [])].join(':'),
      body,
    })),
  ].filter(({ body }) => body.trim() !== '');
  return { state: seen.state.toLowerCase() as PullState, said };
}

const MOST_SAID = 4_000;

/** Words of others: quoted, and never an order. */
export function quoted({ by, about, body }: PullWords): string {
  const text = body.length > MOST_SAID ? `${excerpt(body, MOST_SAID)} […]` : body;
  return `From the pull request, ${quoteLines(`${by} (${about})`).slice(2)}:\n${quoteLines(text)}`;
}
