import { useQuery } from '@tanstack/react-query';
import type { Api } from '../../../src/features/api.ts';
import type { PeerMessage } from '../../../src/features/peers/message.ts';
import { askUntil } from '../api/call.ts';
import { useMail } from '../mail/queries.ts';
import { useRuns, type Run } from '../runs/queries.ts';
import { useSources, type SourceView } from '../sources/queries.ts';
import { useHub } from './hub.ts';

/** From so many letters on the rooms are asked. */
const ENOUGH = 3;
const EACH = 4;
/** As long as a hand rests between two letters. */
const REST_MS = 160;

type Call = Api['GET /api/tools/audit']['answer']['audit'][number];

export type Everything = Readonly<{
  facts: Api['GET /api/memory/search']['answer']['results'];
  files: Api['GET /api/brain/memories']['answer']['results'];
  posts: Api['GET /api/chat/posts']['answer']['posts'];
  letters: readonly PeerMessage[];
  calls: readonly Call[];
  runs: readonly Run[];
  sources: readonly SourceView[];
  isLooking: boolean;
}>;

/** What every room finds. Each does it in its own way; the best few of each are shown. */
export function useEverything(wanted: string): Everything {
  const { data: hub } = useHub();
  const isOn = wanted.length >= ENOUGH;
  const words = wanted.slice(0, 200);
  const found = <T>(room: string, look: (signal: AbortSignal) => Promise<T>) => ({
    queryKey: ['found', room, words],
    enabled: isOn && hub?.rooms.includes(room) === true,
    retry: false,
    gcTime: 30_000,
    staleTime: 10_000,
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
      signal.throwIfAborted();
      return look(signal);
    },
  });
  const limit = EACH;
  const facts = useQuery(
    found('memory', (signal) => askUntil(signal)('GET /api/memory/search', { query: words, limit })),
  );
  const files = useQuery(
    found('brain', (signal) => askUntil(signal)('GET /api/brain/memories', { query: words, limit })),
  );
  const posts = useQuery(
    found('chat', (signal) => askUntil(signal)('GET /api/chat/posts', { search: words, limit: 4 * limit })),
  );
  const calls = useQuery(
    found('broker', (signal) =>
      askUntil(signal)('GET /api/tools/audit', { search: words, phase: 'before', limit }),
    ),
  );
  const { data: mail } = useMail();
  const { data: runs } = useRuns();
  const { data: sources } = useSources();
  const has = (...texts: readonly (string | null | undefined)[]) => {
    const text = texts.join(' ').toLowerCase();
    return isOn && words.split(/\s+/).every((word) => text.includes(word));
  };
  return {
    facts: isOn ? (facts.data?.results ?? []) : [],
    files: isOn ? (files.data?.results ?? []) : [],
    // What the hub told of the board is found among the tasks.
    posts: isOn ? (posts.data?.posts ?? []).filter(({ kind }) => kind !== 'system').slice(0, EACH) : [],
    calls: isOn ? (calls.data?.audit ?? []) : [],
    letters: (mail?.messages ?? [])
      .filter(({ text, from_agent, to_agent }) => has(text, from_agent, to_agent))
      .slice(0, EACH),
    runs: (runs?.tasks ?? [])
      .filter((run) => has(run.task_id, run.instance, run.agent, run.last_message, run.status))
      .slice(0, EACH),
    sources: (sources?.sources ?? []).filter(({ name }) => has(name)).slice(0, EACH),
    isLooking: [facts, files, posts, calls].some(({ isFetching }) => isFetching),
  };
}
