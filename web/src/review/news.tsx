import { useState, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import type { Review } from './queries.ts';

/** What came into a change while somebody read it: the files that are others now, and whether there is anything at all. */
export type News = Readonly<{ isNews: boolean; paths: readonly string[] }>;

/** What is approved was seen: a change that grows under a reader is not what they have read, until they say so. */
export function useNews(review: Review): readonly [News, () => void] {
  const [read, setRead] = useState(review);
  const heed = () => setRead(review);
  if (read.head === review.head || read.id !== review.id) return [{ isNews: false, paths: [] }, heed];
  const marks = new Map(read.files.map(({ path, mark }) => [path, mark]));
  const paths = review.files.filter(({ path, mark }) => marks.get(path) !== mark).map(({ path }) => path);
  const gone = [...marks.keys()].filter((path) => review.files.every((file) => file.path !== path));
  return [{ isNews: true, paths: [...paths, ...gone] }, heed];
}

const FEW = 4;

type NewsProps = Readonly<{ news: News; onOpen(path: string): void; onSeen(): void }>;

export function News({ news: { isNews, paths }, onOpen, onSeen }: NewsProps): ReactNode {
  if (!isNews) return null;
  return (
    <div
      role="status"
      className="bg-amber-wash rounded-one flex flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5"
    >
      <Icon name="alert" size={13} className="text-amber" />
      <span className="font-medium">It has changed since you began to read.</span>
      {paths.slice(0, FEW).map((path) => (
        <button key={path} className="quiet min-h-6 font-mono text-[12px]" onClick={() => onOpen(path)}>
          <Foreign text={path} />
        </button>
      ))}
      {paths.length > FEW && <span className="text-soft">and {paths.length - FEW} more files</span>}
      <button className="button ml-auto" onClick={onSeen}>
        I have seen it
      </button>
    </div>
  );
}
