import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { FailedHere, InEditor, Kind, Size } from './file-facts.tsx';
import { Lines } from './lines.tsx';
import { openedFor, readHunks, rowsOf, type Gap, type Opened } from './patch.ts';
import { useWholeFile, type Review, type ReviewFile, type Thread } from './queries.ts';
import { draftKey, lineNow, moveBegun, rangeKey, threadLine, type Range } from './remarks.ts';
import { ThreadView } from './thread.tsx';
import { usePaint } from './use-paint.ts';
import { setViewed, viewedMark } from './viewed.ts';
import { Write, WrittenElsewhere } from './write.tsx';

/** More lines than that in a file are folded until somebody asks for them. */
const LONG = 800;
const AT_ONCE = 20;

type FileProps = Readonly<{
  review: Review;
  file: ReviewFile;
  threads: readonly Thread[];
  /** Where something is written now. */
  writing: readonly Range[];
  focused: Range | undefined;
  isSplit: boolean;
  isViewed: boolean;
  onWrite(range: Range | undefined): void;
}>;

export const anchorOf = (path: string): string => `file-${path}`;

export function FileView(props: FileProps): ReactNode {
  const { review, file, threads, isViewed } = props;
  const isFolded = isViewed || file.patch === null || file.come + file.gone > LONG || file.kind === 'removed';
  const [shown, setShown] = useState<boolean | undefined>();
  const isOpen = shown ?? !isFolded;
  // However it was marked, also by key.
  useEffect(() => setShown(undefined), [isViewed]);
  const open = threads.filter(({ resolvedAt }) => resolvedAt === null).length;
  return (
    <section
      id={anchorOf(file.path)}
      aria-label={file.path}
      className="border-line scroll-mt-2 rounded-one border"
    >
      <div
        className={`bg-sunken sticky top-0 z-10 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-t-one py-1 pr-2 pl-1 ${isOpen ? 'border-line border-b' : 'rounded-b-one'}`}
      >
        <button
          className="quiet px-1"
          onClick={() => setShown(!isOpen)}
          aria-expanded={isOpen}
          aria-label={`Show ${file.path}`}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </button>
        <h2 className="min-w-0 flex-1 font-mono text-[12px] break-all">
          {file.from !== null && (
            <>
              <span className="text-soft">
                <Foreign text={file.from} />
              </span>{' '}
              <Icon name="right" size={10} className="inline" />{' '}
            </>
          )}
          <Foreign text={file.path} />
        </h2>
        {open > 0 && (
          <span className="text-meta text-soft flex items-center gap-1" title={`${open} open`}>
            <Icon name="comment" size={12} />
            {open}
          </span>
        )}
        <Kind file={file} />
        <Size come={file.come} gone={file.gone} />
        <InEditor review={review} file={file} />
        <label className="text-meta text-soft flex cursor-pointer items-center gap-1.5">
          <input
            type="checkbox"
            checked={isViewed}
            onChange={({ target }) => setViewed(viewedMark(review.id, file), target.checked)}
          />
          Viewed
        </label>
      </div>
      <FailedHere review={review} path={file.path} />
      {isOpen && <Body {...props} />}
    </section>
  );
}

function Body(props: FileProps): ReactNode {
  const { review, file, threads, writing, focused, isSplit, onWrite } = props;
  const [opened, setOpened] = useState<Opened>({});
  const [isFarAway, setFarAway] = useState(false);
  const [reaching, setReaching] = useState<Range | undefined>();
  const isWanted = Object.keys(opened).length > 0 || file.patch === null || isFarAway;
  const { data: whole, error } = useWholeFile(review, file, isWanted);
  const patch = file.patch ?? whole?.patch;
  const hunks = useMemo(() => readHunks(patch ?? ''), [patch]);
  const text = useMemo(() => whole?.text?.split('\n'), [whole]);
  const isWhole = file.kind === 'added' || file.kind === 'removed';
  const rows = useMemo(
    () =>
      isWhole ? hunks.flatMap(({ lines }) => lines.map((line) => ({ line }))) : rowsOf(hunks, text, opened),
    [hunks, text, opened, isWhole],
  );
  const lines = useMemo(() => rows.flatMap((row) => ('line' in row ? [row.line] : [])), [rows]);
  const paints = usePaint(file.path, lines);
  const places = useMemo(
    () => threads.map((thread) => ({ thread, key: threadLine(thread, lines) })),
    [threads, lines],
  );
  const unplaced = useMemo(
    () => writing.filter((range) => rangeKey(range, lines) === undefined),
    [writing, lines],
  );
  const gone = places.filter(({ key }) => key === undefined);
  // What was said or begun about a line between the hunks opens the lines around it.
  const hidden = [...gone.map(({ thread }) => thread), ...unplaced].filter(({ side }) => side === 'after');
  const isHidden = hidden.length > 0 && !isWhole;
  useEffect(() => setFarAway(isHidden), [isHidden]);
  useEffect(() => {
    const far = text && hidden.map((each) => lineNow(each, text)).find((line) => line !== undefined);
    const more = far === undefined ? undefined : openedFor(rows, far, opened);
    if (more) setOpened(more);
  }, [text, rows, hidden, opened]);
  const choose = (range: Range) => {
    setReaching(undefined);
    if (reaching && reaching.side === range.side && range.from <= reaching.from && reaching.from <= range.to)
      moveBegun(review.id, reaching, range);
    onWrite(range);
  };
  const under = useCallback(
    (key: string): ReactNode => {
      const reached = reaching && draftKey(review.id, reaching);
      const said = places.filter((each) => each.key === key);
      const begun = writing.filter((range) => rangeKey(range, lines) === key);
      if (said.length === 0 && begun.length === 0) return null;
      return (
        <>
          {said.map(({ thread }) => (
            <ThreadView key={`${thread.id} ${thread.resolvedAt === null}`} thread={thread} />
          ))}
          {begun.map((range) => (
            <Write
              key={`${range.side} ${range.from}-${range.to}`}
              review={review}
              range={range}
              isFocused={focused === range}
              isReaching={reached === draftKey(review.id, range)}
              onReach={(isReaching) => setReaching(isReaching ? range : undefined)}
              onLeave={() => (setReaching(undefined), onWrite(undefined))}
            />
          ))}
        </>
      );
    },
    [places, writing, focused, lines, review, reaching, onWrite],
  );
  const openGap = ({ key, count }: Gap, end: 'top' | 'end' | 'all') =>
    setOpened((before) => {
      const { top, end: low } = before[key] ?? { top: 0, end: 0 };
      const more = {
        top: { top: top + AT_ONCE, end: low },
        end: { top, end: low + AT_ONCE },
        all: { top: top + (count ?? 0), end: low },
      }[end];
      return { ...before, [key]: more };
    });
  if (file.binary)
    return <p className="text-soft px-4 py-3">It is not text, so there are no lines to show.</p>;
  if (error) return <Refused error={error} />;
  if (patch === undefined) return <Skeleton rows={4} />;
  return (
    <>
      {gone.length + unplaced.length > 0 && (
        <div className="border-line border-b px-3 py-1">
          {gone.map(({ thread }) => (
            <ThreadView key={thread.id} thread={thread} isOutdated />
          ))}
          <WrittenElsewhere review={review} writing={unplaced} onLeave={() => onWrite(undefined)} />
        </div>
      )}
      {lines.length === 0 ? (
        <p className="text-soft px-4 py-3">
          {file.kind === 'renamed' ? 'Renamed, and nothing in it changed.' : 'None of its lines changed.'}
        </p>
      ) : (
        <Lines
          path={file.path}
          rows={rows}
          paints={paints}
          isSplit={isSplit}
          onOpenGap={openGap}
          onChoose={choose}
          reaching={reaching}
          under={under}
        />
      )}
    </>
  );
}
