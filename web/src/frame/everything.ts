import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../../../src/features/api.ts';
import type { PeerMessage } from '../../../src/features/peers/mail/message.ts';
import { parseQuery, type PeopleQuery } from '../../../src/kernel/query-language.ts';
import { type AskedRoom, isFor, leavingOut, plainWordsOf } from '../../../src/kernel/query-rooms.ts';
import { ask, askUntil } from '../api/call.ts';
import type { Run } from '../runs/queries.ts';
import type { SessionMoment } from '../sessions/queries.ts';
import { useSources, type SourceView } from '../sources/queries.ts';
import { useHub } from './hub.ts';
import { useProject } from './place.ts';

/** From so many letters on the rooms are asked. */
const ENOUGH = 3;
const EACH = 4;
/** As long as a hand rests between two letters. */
const REST_MS = 160;

type Call = Api['GET /api/tools/audit']['answer']['audit'][number];

export type Everything = Readonly<{
  facts: Api['GET /api/memory/search']['answer']['results'];
  files: Api['GET /api/brain/memories']['answer']['results'];
  /** What was said about tasks, and tasks that are found by more than their title. */
  said: Api['GET /api/board/search']['answer']['hits'];
  posts: Api['GET /api/chat/posts']['answer']['posts'];
  letters: readonly PeerMessage[];
  calls: readonly Call[];
  runs: readonly Run[];
  sources: readonly SourceView[];
  sessions: readonly SessionMoment[];
  /** Of repositories, by their paths. */
  paths: Api['GET /api/files']['answer']['files'];
  settings: Api['GET /api/settings']['answer']['settings'];
  isLooking: boolean;
  /** What was probably mistyped, and what was meant. */
  problem: PeopleQuery['problems'][number] | undefined;
}>;

/** What every room finds. Each does it in its own way; the best few of each are shown. */
export function useEverything(wanted: string): Everything {
  const { data: hub } = useHub();
  const isOn = wanted.length >= ENOUGH;
  const words = wanted.slice(0, 200);
  const query = useMemo(() => parseQuery(words), [words]);
  const problem = query.problems.find(({ isText, meant }) => !isText || meant !== undefined);
  const found = <T>(room: AskedRoom, look: (signal: AbortSignal) => Promise<T>) => ({
    queryKey: ['found', room, words],
    enabled: isOn && !problem && isFor(room, query) && hub?.rooms.includes(room) === true,
    gcTime: 30_000,
    staleTime: 10_000,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      signal.throwIfAborted();
      return look(signal);
    },
  });
  const limit = EACH;
  const plain = plainWordsOf(query);
  const { isFree, atMost } = leavingOut(query);
  const facts = useQuery(
    found('memory', (signal) =>
      askUntil(signal)('GET /api/memory/search', { query: plain, limit: atMost(limit), quiet: true }),
    ),
  );
  const files = useQuery(
    found('brain', (signal) =>
      askUntil(signal)('GET /api/brain/memories', { query: plain, limit: atMost(limit) }),
    ),
  );
  const said = useQuery(
    found('board', (signal) => askUntil(signal)('GET /api/board/search', { q: words, limit: 2 * limit })),
  );
  const mail = useQuery(found('peers', (signal) => askUntil(signal)('GET /api/mail', { q: words, limit })));
  const asked = found('dispatch', (signal) => askUntil(signal)('GET /v1/biam/tasks', { q: words, limit }));
  // Runs are told to nobody without a credential.
  const runs = useQuery({ ...asked, enabled: asked.enabled && hub?.isSignedIn === true });
  const posts = useQuery(
    found('chat', (signal) => askUntil(signal)('GET /api/chat/posts', { search: words, limit: 4 * limit })),
  );
  const calls = useQuery(
    found('broker', (signal) =>
      askUntil(signal)('GET /api/tools/audit', { search: plain, phase: 'before', limit: atMost(limit) }),
    ),
  );
  const told = useQuery({
    ...found('board', (signal) => askUntil(signal)('POST /api/sessions/search', { query: plain, limit })),
    queryKey: ['found', 'sessions', words],
    enabled: isOn && !problem && plain !== '' && hub?.isSignedIn === true && hub.rooms.includes('sessions'),
  });
  const project = useProject();
  const isOfOwner = isOn && !problem && hub?.isSignedIn === true;
  const paths = useQuery({
    ...found('board', (signal) =>
      askUntil(signal)('GET /api/files', { q: words.replace(/:\d*$/, ''), project, limit }),
    ),
    queryKey: ['found', 'paths', words, project],
    enabled: isOfOwner,
  });
  const settings = useQuery({
    queryKey: ['settings'],
    queryFn: () => ask('GET /api/settings'),
    enabled: isOfOwner,
  });
  const { data: sources } = useSources();
  const has = (...texts: readonly (string | null | undefined)[]) => {
    const text = texts.join(' ').toLowerCase();
    return isOn && words.split(/\s+/).every((word) => text.includes(word));
  };
  const few = <T>(all: readonly T[]): T[] => (isOn ? all.slice(0, EACH) : []);
  return {
    problem: isOn ? problem : undefined,
    said: isOn ? (said.data?.hits ?? []) : [],
    facts: few((facts.data?.results ?? []).filter(({ title, content }) => isFree(`${title} ${content}`))),
    files: few((files.data?.results ?? []).filter(({ id, snippet }) => isFree(`${id} ${snippet}`))),
    // What the hub told of the board is found among the tasks.
    posts: few((posts.data?.posts ?? []).filter(({ kind }) => kind !== 'system')),
    calls: few(
      (calls.data?.audit ?? []).filter(({ toolName, argsSummary }) => isFree(`${toolName} ${argsSummary}`)),
    ),
    letters: isOn ? (mail.data?.messages ?? []) : [],
    runs: isOn ? (runs.data?.tasks ?? []) : [],
    sources: (sources?.sources ?? []).filter(({ name }) => has(name)).slice(0, EACH),
    paths: isOn ? (paths.data?.files ?? []) : [],
    // By the parts of its name, as it is written or as one would say it.
    settings: few(
      (settings.data?.settings ?? []).filter(({ key }) => has(`${key} ${key.replace(/[._-]/g, ' ')}`)),
    ),
    sessions: few((told.data?.moments ?? []).filter(({ text }) => isFree(text))),
    isLooking: [said, facts, files, posts, mail, runs, calls].some(({ isFetching }) => isFetching),
  };
}
