import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Api } from '../../../src/features/api.ts';
import { ask } from '../api/call.ts';
import { queryClient } from '../api/client.ts';
import { Diff } from '../parts/diff.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';

export type ConfigChange = Api['POST /api/config/preview']['given']['changes'][number];

type ChangeProps = Readonly<{ changes: readonly ConfigChange[]; onDone(): void; onCancel(): void }>;

/** What config.yaml would be, and the button that makes it so. What was not shown is not written. */
export function ApplyChange({ changes, onDone, onCancel }: ChangeProps): ReactNode {
  const given = [...changes];
  const preview = useQuery({
    queryKey: ['config', 'preview', changes],
    queryFn: () => ask('POST /api/config/preview', { changes: given }),
    gcTime: 0,
  });
  const apply = useMutation({
    mutationFn: (version: string) => ask('PUT /api/config', { changes: given, version }),
    onSuccess: onDone,
    onSettled: () => FOLLOWED_MS.forEach((ms) => setTimeout(askAgain, ms)),
  });
  const { data } = preview;
  const [before, after] = data ? aroundChange(data.before, data.after) : ['', ''];
  return (
    <section aria-label="What would change" className="flex flex-col gap-2">
      <Refused error={preview.error ?? apply.error} />
      {preview.isPending && <Skeleton rows={2} />}
      {data && (
        <>
          <p className="text-soft">
            In <code className="font-mono text-[12px]">{data.path}</code>; values that may be secret are
            hidden here and stay as they are there.
          </p>
          {data.before === data.after ? (
            <p>Nothing that is shown here changes.</p>
          ) : (
            <Diff label="What would change in config.yaml" before={before} after={after} />
          )}
        </>
      )}
      <div className="flex gap-2">
        <button
          className="button button-main"
          disabled={!data || apply.isPending}
          onClick={() => data && apply.mutate(data.version)}
        >
          Apply
        </button>
        <button className="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </section>
  );
}

/** The hub looks at its file once a second; then it runs with what was written. */
const FOLLOWED_MS = [0, 1_200, 3_000];
const askAgain = () =>
  [['config', 'agents'], ['settings'], ['callable']].forEach(
    (queryKey) => void queryClient.invalidateQueries({ queryKey }),
  );

const AROUND = 3;

/** The lines that differ and a few around them: the rest of a long file is the same. */
function aroundChange(before: string, after: string): readonly [string, string] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let [head, tail] = [0, 0];
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const part = (lines: readonly string[]) =>
    lines.slice(Math.max(0, head - AROUND), lines.length - Math.max(0, tail - AROUND)).join('\n');
  return [part(a), part(b)];
}
