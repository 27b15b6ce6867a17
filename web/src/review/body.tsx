import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useKeys } from '../frame/keys.ts';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Switch } from '../parts/page.tsx';
import { Conflicts } from './conflicts.tsx';
import { Asked, Commits, Evidence, Landing } from './facts.tsx';
import { chooseEditor, EDITORS, useEditor, type Editor } from './editor.ts';
import { anchorOf } from './file.tsx';
import { Size } from './file-facts.tsx';
import { Files } from './files.tsx';
import { usePull, type Review } from './queries.ts';
import { News, useNews } from './news.tsx';
import { inTreeOrder, Tree } from './tree.tsx';
import { Decided, Verdict } from './verdict.tsx';
import { setViewed, useViewed, viewedMark } from './viewed.ts';

export type Shown = Readonly<{ isSplit: boolean; isSpaceIgnored: boolean }>;

type BodyProps = Readonly<{
  review: Review;
  shown: Shown;
  onShow(change: Partial<Shown>): void;
  /** Beside a list: without the tree, and one column. */
  isNarrow?: boolean;
}>;

/** Tree left, files right, conversation in the lines, the verdict at the top right. */
export function ReviewBody({ review, shown, onShow, isNarrow = false }: BodyProps): ReactNode {
  const files = useMemo(() => inTreeOrder(review.files), [review.files]);
  const viewed = useViewed();
  const [news, heed] = useNews(review);
  const [current, setCurrent] = useState<string | undefined>();
  const isWide = useWide() && !isNarrow;
  const isSplit = shown.isSplit && isWide;
  const goTo = (path: string | undefined) => {
    if (path === undefined) return;
    setCurrent(path);
    const at = document.getElementById(anchorOf(path));
    at?.scrollIntoView({ block: 'start' });
    at?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true });
  };
  const step = (by: number) => () => {
    const at = files.findIndex(({ path }) => path === current);
    goTo(files[Math.max(0, Math.min(files.length - 1, at + by))]?.path);
  };
  const look = () => {
    const file = files.find(({ path }) => path === current) ?? files[0];
    if (!file) return;
    const mark = viewedMark(review.id, file);
    setViewed(mark, !viewed.has(mark));
    step(1)();
  };
  useKeys('Review', {
    j: { does: 'Next file', run: step(1) },
    k: { does: 'File before', run: step(-1) },
    v: { does: 'Viewed, and the next file', run: look },
    s: { does: 'Side by side, or one column', run: () => onShow({ isSplit: !shown.isSplit }) },
    w: { does: 'Show or hide white space', run: () => onShow({ isSpaceIgnored: !shown.isSpaceIgnored }) },
  });
  const seen = files.filter((file) => viewed.has(viewedMark(review.id, file))).length;
  const come = files.reduce((all, file) => all + file.come, 0);
  const gone = files.reduce((all, file) => all + file.gone, 0);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          {!isNarrow && (
            <h1 className="text-heading font-semibold break-words">
              <Foreign text={review.title} />
            </h1>
          )}
          <Where review={review} />
        </div>
        <div className="max-w-full sm:max-w-[520px]">
          <Verdict review={review} isSpaceIgnored={shown.isSpaceIgnored} news={news} />
        </div>
      </div>
      <News news={news} onOpen={goTo} onSeen={heed} />
      <Decided review={review} />
      <Landing review={review} />
      <Conflicts review={review} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1.5">
        <span className="text-soft">{files.length === 1 ? '1 file' : `${files.length} files`} </span>
        <Size come={come} gone={gone} />
        {files.length > 1 && (
          <span className="flex items-center gap-2">
            <progress className="meter" max={files.length} value={seen} aria-label="Files viewed" />
            <span className="text-meta text-soft">
              {seen} of {files.length} viewed
            </span>
          </span>
        )}
        <span className="ml-auto flex flex-wrap items-center gap-2">
          <label className="text-soft flex cursor-pointer items-center gap-1.5">
            <input
              type="checkbox"
              checked={shown.isSpaceIgnored}
              onChange={({ target }) => onShow({ isSpaceIgnored: target.checked })}
            />
            Hide white space
          </label>
          {isWide && (
            <Switch
              label="Lines"
              value={isSplit ? 'split' : 'unified'}
              options={[
                ['unified', 'Unified'],
                ['split', 'Split'],
              ]}
              onChange={(to) => onShow({ isSplit: to === 'split' })}
            />
          )}
          {isWide && <ChooseEditor />}
          {isNarrow && (
            <Link to="/review/$reviewId" params={{ reviewId: review.run ?? review.id }} className="button">
              Open the review
            </Link>
          )}
        </span>
      </div>
      <div className={isWide ? 'grid grid-cols-[minmax(200px,280px)_minmax(0,1fr)] gap-4' : ''}>
        {isWide && (
          <aside
            className="flex max-h-[calc(100vh-80px)] flex-col gap-4 self-start overflow-y-auto pb-4 lg:sticky lg:top-0"
            aria-label="What it is made of"
          >
            <Tree review={review} files={files} current={current} viewed={viewed} onOpen={goTo} />
            <Evidence review={review} />
            <Asked review={review} />
            <Commits review={review} />
          </aside>
        )}
        <div className="min-w-0">
          {!isWide && (
            <div className="mb-3 flex flex-col gap-3">
              {files.length > 1 && (
                <details className="group/files">
                  <summary className="section-title flex min-h-8 items-center gap-1">
                    <Icon name="right" size={11} className="text-faint group-open/files:rotate-90" />
                    Files
                  </summary>
                  <Tree review={review} files={files} current={current} viewed={viewed} onOpen={goTo} />
                </details>
              )}
              <Evidence review={review} />
              <Asked review={review} />
            </div>
          )}
          {files.length === 0 && (
            <p className="text-soft mb-3">
              {shown.isSpaceIgnored ? 'Nothing but white space has changed.' : 'Nothing has changed.'}
            </p>
          )}
          <Files review={review} files={files} viewed={viewed} isSplit={isSplit} />
        </div>
      </div>
    </div>
  );
}

function Where({ review }: Readonly<{ review: Review }>): ReactNode {
  const { agent, branch, plan, commits, uncommitted, task, run } = review;
  return (
    <p className="text-soft mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5">
      {agent !== null && <Agent name={agent} />}
      <span className="flex min-w-0 items-center gap-1 font-mono text-[12px]">
        <Icon name="branch" size={12} />
        <span className="break-all">
          <Foreign text={branch} />
        </span>
        {plan.target !== null && (
          <>
            <Icon name="right" size={10} /> <Foreign text={plan.target} />
          </>
        )}
      </span>
      <span>
        {commits.length === 1 ? '1 commit' : `${commits.length} commits`}
        {uncommitted ? ', and what is not committed yet' : ''}
      </span>
      {task !== null && (
        <Link to="/board/$taskId" params={{ taskId: task }} className="text-tide hover:underline">
          Task
        </Link>
      )}
      {run !== null && (
        <Link to="/runs/$runId" params={{ runId: run }} className="text-tide hover:underline">
          Run
        </Link>
      )}
      {task !== null && <PullLink task={task} />}
    </p>
  );
}

function PullLink({ task }: Readonly<{ task: string }>): ReactNode {
  const pull = usePull(task);
  if (!pull) return null;
  return (
    <a href={pull.url} target="_blank" rel="noreferrer noopener" className="text-tide hover:underline">
      Pull request #{pull.number}, {pull.state}
    </a>
  );
}

function ChooseEditor(): ReactNode {
  const editor = useEditor();
  return (
    <select
      className="field min-h-7 py-0.5"
      aria-label="Editor that files open in"
      value={editor}
      onChange={({ target }) => chooseEditor(target.value as Editor)}
    >
      {Object.entries(EDITORS).map(([key, [name]]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </select>
  );
}

const WIDE = '(min-width: 1024px)';

function useWide(): boolean {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const media = matchMedia(WIDE);
    const changed = () => setWide(media.matches);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  return isWide;
}
