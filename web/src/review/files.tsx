import { useMemo, useState, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { FileView } from './file.tsx';
import type { Review, ReviewFile } from './queries.ts';
import { draftKey, useBegun, type Range } from './remarks.ts';
import { ThreadView } from './thread.tsx';
import { viewedMark } from './viewed.ts';
import { WrittenElsewhere } from './write.tsx';

type FilesProps = Readonly<{
  review: Review;
  files: readonly ReviewFile[];
  viewed: ReadonlySet<string>;
  isSplit: boolean;
}>;

/** All files, each with what is said about it and what is being written. */
export function Files({ review, files, viewed, isSplit }: FilesProps): ReactNode {
  const begun = useBegun(review.id);
  const [writing, setWriting] = useState<Range | undefined>();
  const all = useMemo(() => {
    if (!writing) return begun;
    const key = draftKey(review.id, writing);
    return [writing, ...begun.filter((each) => draftKey(review.id, each) !== key)];
  }, [begun, writing, review.id]);
  return (
    <div className="flex flex-col gap-3">
      <Elsewhere review={review} files={files} writing={all} onLeave={() => setWriting(undefined)} />
      {files.map((file) => (
        <FileView
          key={file.path}
          review={review}
          file={file}
          threads={review.threads.filter(({ path }) => path === file.path)}
          writing={all.filter(({ path }) => path === file.path)}
          focused={writing}
          isSplit={isSplit}
          isViewed={viewed.has(viewedMark(review.id, file))}
          onWrite={setWriting}
        />
      ))}
    </div>
  );
}

type ElsewhereProps = Readonly<{
  review: Review;
  files: readonly ReviewFile[];
  writing: readonly Range[];
  onLeave(): void;
}>;

/** What was said, or begun, about files that do not stand below: the change has left them, or only white space of them is in it. */
function Elsewhere({ review, files, writing, onLeave }: ElsewhereProps): ReactNode {
  const isElsewhere = ({ path }: Readonly<{ path: string }>) => files.every((file) => file.path !== path);
  const threads = review.threads.filter(isElsewhere);
  const begun = writing.filter(isElsewhere);
  if (threads.length + begun.length === 0) return null;
  return (
    <section aria-label="Said about other files" className="border-line rounded-one border px-3 py-2">
      <h2 className="section-title">About files that are not shown below</h2>
      {threads.map((thread) => (
        <div key={`${thread.id} ${thread.resolvedAt === null}`} className="mt-1.5">
          <code className="font-mono text-[12px] break-all">
            <Foreign text={thread.path} />
          </code>
          <ThreadView thread={thread} isOutdated />
        </div>
      ))}
      <WrittenElsewhere review={review} writing={begun} onLeave={onLeave} />
    </section>
  );
}
