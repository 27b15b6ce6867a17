import { useMutation, useQuery } from '@tanstack/react-query';
import type {
  ConflictSides as Conflict,
  ReviewView as Review,
  ReviewFile,
  Thread,
} from '../../../src/features/review/shapes.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { useOnce } from '../api/once.ts';
import { useHub } from '../frame/hub.ts';

export type { Conflict, Review, ReviewFile, Thread };

export function useReview(id: string, isSpaceIgnored: boolean, isWanted = true) {
  const { data: hub } = useHub();
  return useQuery({
    queryKey: ['review', id, isSpaceIgnored],
    enabled: isWanted && hub?.isSignedIn === true,
    // What was there stays while white space is shown or hidden.
    placeholderData: (before: Review | undefined) =>
      before?.id === id || before?.run === id ? before : undefined,
    queryFn: () => ask('GET /api/reviews/:id', { id, ...(isSpaceIgnored && { space: 'ignored' as const }) }),
  });
}

/** The whole of a file, when lines around a change are asked for; another one with every other content. */
export function useWholeFile(review: Review, file: ReviewFile, isWanted: boolean) {
  return useQuery({
    queryKey: ['review', review.id, 'file', file.path, file.mark],
    enabled: isWanted,
    queryFn: () => ask('GET /api/reviews/:id/file', { id: review.run ?? review.id, path: file.path }),
  });
}

export function useConflicts(review: Review, isWanted: boolean) {
  return useQuery({
    queryKey: ['review', review.id, 'conflicts', review.head],
    enabled: isWanted,
    queryFn: () => ask('GET /api/reviews/:id/conflicts', { id: review.run ?? review.id }),
  });
}

/** The pull request of a task, where there is one. */
export function usePull(taskId: string) {
  const { data } = useQuery({
    queryKey: ['pulls', taskId],
    queryFn: () => ask('GET /api/pulls', { taskId }),
  });
  return data?.pulls[0];
}

export type Remark = Readonly<{
  path: string;
  side: Thread['side'];
  fromLine: number;
  toLine: number;
  quoted: string;
  body: string;
  suggestion?: string | undefined;
}>;

export function useRemark({ id, head }: Review) {
  const once = useOnce<Remark & Readonly<{ head: string }>>();
  return useMutation({
    mutationFn: (remark: Remark) =>
      ask('POST /api/reviews/:id/comments', { id, ...once.of({ head, ...remark }, remark) }),
    onSuccess: once.sent,
    onSettled: refresh,
  });
}

type Reply = Readonly<{ body: string; resolve?: boolean }>;

export function useReply(threadId: string) {
  const once = useOnce<Reply>();
  return useMutation({
    mutationFn: (reply: Reply) =>
      ask('POST /api/reviews/comments/:threadId/reply', { threadId, ...once.of(reply) }),
    onSuccess: once.sent,
    onSettled: refresh,
  });
}

export type Decision = Readonly<{ verb: 'approve' | 'changes'; body: string; override?: string | undefined }>;

export function useDecide({ id, run, head }: Review) {
  return useMutation({
    mutationFn: ({ verb, body, override }: Decision) => {
      const given = { id: run ?? id, head, body };
      return verb === 'approve'
        ? ask('POST /api/reviews/:id/approve', { ...given, ...(override && { override }) })
        : ask('POST /api/reviews/:id/request-changes', given);
    },
    onSettled: refresh,
  });
}

function refresh(): Promise<unknown> {
  return Promise.all(
    [['review'], ['landings'], ['runs'], ['run']].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  );
}
