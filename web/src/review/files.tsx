import { useMemo, useState, type ReactNode } from 'react';
import { FileView } from './file.tsx';
import type { Review, ReviewFile } from './queries.ts';
import { draftKey, useBegun, type Range } from './remarks.ts';
import { viewedMark } from './viewed.ts';

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
