/**
 * Finds turns: numbers from the index newest first, what cannot be indexed verified on the rows, the rest ranked by recall. Pages
 * go on until there is enough or time is over.
 */
import { createBriefRecall } from '../../../recall/recall.ts';
import type { Query } from '../../../store/database.ts';
import { isFile, marks } from '../marks.ts';
import type { Owner } from '../owner.ts';
import { findTurns, type Candidates, type FoundTurn } from '../rows/search.ts';
import type { SessionSight } from '../rows/sessions.ts';
import { CLIENTS } from '../settings.ts';
import { isClient, isIndexed, type TurnQuestion, wantedWords } from './question.ts';

export type TurnSearch = Readonly<{ own: Owner; sight: SessionSight; question: TurnQuestion; limit: number }>;

export type FoundTurns = Readonly<{
  turns: readonly FoundTurn[];
  /** Only some of the words are in each. */
  isPartly: boolean;
  /** Time was over before all was looked at: it got back to there. */
  until?: number | undefined;
}>;

const PAGE = 300;
/** On the first page, for those that are nobody's to see or are not what was meant. */
const SPARE = 20;
const MOST_MS = 2_000;
/** So many are compared with each other. */
const RANKED = 40;
const LETTERS = 2_000;

export async function searchTurns(q: Query, asking: TurnSearch): Promise<FoundTurns> {
  const whole = await collect(q, asking, 'all');
  const { words, names } = asking.question;
  if (whole.turns.length > 0 || words.length + names.length < 2)
    return { ...(await rank(whole, asking)), isPartly: false };
  const some = await collect(q, asking, 'any');
  return { ...(await rank(some, asking)), isPartly: some.turns.length > 0 };
}

type Collected = Readonly<{ turns: readonly FoundTurn[]; until?: number | undefined }>;

async function collect(
  q: Query,
  { own, sight, question, limit }: TurnSearch,
  takes: 'all' | 'any',
): Promise<Collected> {
  const { names, phrases, without } = question;
  const wanted = wantedWords(question, phrases.length > 0 ? 'all' : takes);
  const marked = marksOf(question, sight);
  if (marked === undefined) return { turns: [] };
  const isByWords = wanted.words.length + (wanted.spelt?.length ?? 0) > 0;
  const isExact = names.length + phrases.length + without.length > 0 || !question.words.every(isIndexed);
  const base: Omit<Candidates, 'most'> = {
    own,
    sight,
    wanted: isByWords || marked.length > 0 ? { ...wanted, marks: marked } : undefined,
    since: question.since,
    until: question.until,
    letters: isExact ? undefined : LETTERS,
  };
  const enough = isByWords ? Math.max(limit, RANKED) : limit;
  // Of what the index finds nearly everything is meant; a phrase has to be looked for among many.
  let most = isExact ? PAGE : Math.min(PAGE, enough + SPARE);
  const turns: FoundTurn[] = [];
  const end = performance.now() + MOST_MS;
  for (let below: number | undefined; ;) {
    const page = await findTurns(q, { ...base, below, most });
    turns.push(
      ...page.turns.filter((turn) => isMeant(turn, takes === 'all' ? question : { ...question, names: [] })),
    );
    if (page.count < most || turns.length >= enough) return { turns };
    if (performance.now() > end) return { turns, until: page.turns.at(-1)?.at };
    below = page.last;
    most = PAGE;
  }
}

/** Undefined: nothing can be found, since no such client is read. */
export function marksOf(
  question: TurnQuestion,
  { ground, project }: SessionSight,
): readonly (readonly string[])[] | undefined {
  const place = [
    ...(ground === undefined ? [] : [marks.ground(ground)]),
    ...(project === undefined ? [] : [marks.project(project)]),
  ];
  const clients = [...CLIENTS, 'holdfast'].filter((client) => isClient(client, question.clients));
  if (question.clients.length > 0 && clients.length === 0) return undefined;
  return [
    ...(place.length === 0 ? [] : [place]),
    ...(clients.length === 0 ? [] : [clients.map(marks.client)]),
    ...(question.tools.length === 0 || question.tools.some((tool) => tool.endsWith('*'))
      ? []
      : [question.tools.map(marks.tool)]),
    ...(question.isError ? [[marks.error]] : []),
    ...question.files.map((file) => [marks.file(file)]),
    ...(question.project === undefined ? [] : [[marks.project(question.project)]]),
  ];
}

/** What the index cannot tell, and what it tells only nearly. */
export function isMeant(turn: FoundTurn, question: TurnQuestion): boolean {
  const { files, tools, clients, project, isError, phrases, without, words, names } = question;
  const touched = turn.files?.split('\n') ?? [];
  if (!files.every((file) => touched.some((path) => isFile(path, file)))) return false;
  if (tools.length > 0 && !tools.some((tool) => isTool(turn.tool, tool))) return false;
  if (clients.length > 0 && !isClient(turn.client, clients)) return false;
  if (project !== undefined && turn.project !== project) return false;
  if (isError && !turn.isError) return false;
  const unspaced = words.filter((word) => !isIndexed(word));
  if (names.length + phrases.length + without.length + unspaced.length === 0) return true;
  const text = `${turn.text}\n${turn.args ?? ''}`.toLowerCase();
  if (!names.every((parts) => spelling(parts).test(text))) return false;
  const has = (part: string): boolean =>
    text.includes(part.toLowerCase()) || flat(text).includes(flat(part.toLowerCase()));
  return [...phrases, ...unspaced].every(has) && !without.some(has);
}

/** In one word, with humps, or with something between. */
const spelling = (parts: readonly string[]): RegExp =>
  new RegExp(
    `(?<![\\p{L}\\p{N}])${parts.map((part) => part.toLowerCase()).join('[^\\p{L}\\p{N}]{0,2}')}`,
    'u',
  );

/** A phrase may be broken over lines. */
const flat = (text: string): string => text.replace(/\s+/g, ' ');

function isTool(tool: string | null, asked: string): boolean {
  if (tool === null) return false;
  const [have, want] = [tool.toLowerCase(), asked.toLowerCase()];
  return want.endsWith('*') ? have.startsWith(want.slice(0, -1)) : have === want;
}

/** By what recall makes of them; among equals the newer first, and what people and agents said before what tools printed. */
async function rank({ turns, until }: Collected, { question, limit }: TurnSearch): Promise<Collected> {
  const { words, names, phrases } = question;
  if (words.length + names.length === 0 || turns.length < 2) return { turns: turns.slice(0, limit), until };
  const among = turns.slice(0, RANKED);
  const recall = createBriefRecall();
  for (const { no, text } of among)
    recall.add({ id: String(no), title: '', content: text.slice(0, LETTERS) });
  const { hits } = await recall.search(
    [...words, ...names.map((parts) => parts.join('_')), ...phrases].join(' '),
  );
  const score = new Map(hits.map(({ id, score: points }) => [Number(id), points]));
  const best = Math.max(...score.values(), 1e-9);
  const worth = (turn: FoundTurn, place: number): number =>
    (score.get(turn.no) ?? 0) / best + SPOKEN[turn.kind] - place / among.length / 4;
  const ranked = among
    .map((turn, place) => ({ turn, worth: worth(turn, place) }))
    .toSorted((a, b) => b.worth - a.worth)
    .map(({ turn }) => turn);
  return { turns: [...ranked, ...turns.slice(RANKED)].slice(0, limit), until };
}

const SPOKEN: Readonly<Record<FoundTurn['kind'], number>> = {
  person: 0.2,
  agent: 0.2,
  thought: 0.1,
  diff: 0.1,
  call: 0.05,
  result: 0,
  unknown: -0.2,
};
