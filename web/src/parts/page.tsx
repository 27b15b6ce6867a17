import type { ReactNode } from 'react';
import { usePlace, useView } from '../frame/place.ts';
import { Unavailable } from './empty.tsx';
import { NARROW_HIDES } from './pane.tsx';
import { Unready } from './unready.tsx';

type HeadProps = Readonly<{
  title: string;
  /** What this view is, in a line. */
  children?: ReactNode;
  /** The primary action, and whatever else is done with all of it. */
  aside?: ReactNode;
  /** The filter line. */
  filter?: ReactNode;
}>;

/** At the same place in every view: its one heading, what it is in a line, what one can do, and the filter. */
export function PageHead({ title, children, aside, filter }: HeadProps): ReactNode {
  return (
    <div className="flex shrink-0 flex-col gap-2 px-4 pt-3 pb-2.5">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="text-heading font-semibold">{title}</h1>
          {children && <p className="text-soft max-w-[100ch]">{children}</p>}
          <OfAll />
        </div>
        {aside && <div className="flex flex-wrap items-center gap-2">{aside}</div>}
      </div>
      {filter && <div className="flex flex-wrap items-center gap-2">{filter}</div>}
    </div>
  );
}

/** The project at the top picks what belongs to it. Where nothing belongs to one, that is said, so that nobody believes it does. */
function OfAll(): ReactNode {
  const isPicked = usePlace().project !== undefined;
  if (useView()?.isShared !== true || !isPicked) return null;
  return <p className="text-meta text-faint">Belongs to no project: all of it is shown.</p>;
}

type ViewProps = HeadProps &
  Readonly<{
    about?: ReactNode;
    /** What lies open (a `Drawer`): beside the list where there is room, over it where there is none, the page on a phone. */
    detail?: ReactNode;
    /** What is read in its whole width, such as a canvas. */
    isWide?: boolean;
    /** The detail (a `Pane`) lies beside the list at all times; where there is no room, the list or what was chosen of it. */
    pair?: 'list' | 'chosen';
  }>;

/** A list, or a list with what lies open beside it (480 and 1080): as wide, so that nothing of the head moves when a row is opened. */
const CAP = 'max-w-[1560px]';

/** A view: its head as wide as what stands below it, the list, and beside it what lies open. */
export function View({ about, detail, isWide = false, pair, children, ...head }: ViewProps): ReactNode {
  const isFull = usePlace().full !== undefined;
  const isOpen = Boolean(detail);
  const beside = isOpen
    ? '@min-[1080px]/view:w-[400px] @min-[1500px]/view:w-[480px] @min-[1080px]/view:flex-none @min-[1080px]/view:border-r'
    : '';
  const paired = pair
    ? '@min-[720px]/view:w-[280px] @min-[1080px]/view:w-[360px] @min-[1900px]/view:w-[480px] @min-[720px]/view:flex-none @min-[720px]/view:border-r'
    : '';
  const covered = pair === 'chosen' ? NARROW_HIDES : '';
  return (
    <div className="@container/view relative flex min-h-0 flex-1 flex-col">
      {pair === 'chosen' && (
        <span role="heading" aria-level={1} className="sr-only @min-[720px]/view:hidden">
          {head.title}
        </span>
      )}
      <div className={isOpen && isFull ? 'hidden' : `border-line border-b ${covered}`}>
        <div className={isWide ? '' : CAP}>
          <PageHead {...head}>{about}</PageHead>
        </div>
      </div>
      <div className="flex min-h-0 flex-1">
        <div
          tabIndex={-1}
          className={`border-line min-w-0 flex-1 overflow-y-auto outline-none ${beside} ${paired} ${covered} ${isOpen && isFull ? 'hidden' : ''}`}
        >
          <div className={`@container/list ${isWide ? '' : CAP}`}>{children}</div>
        </div>
        {detail}
      </div>
    </div>
  );
}

/** In the place of a view that is not here yet: its head, and the shape of what comes or the hub's sentence why it does not. */
export function ViewUnready({ error, rows }: Readonly<{ error?: unknown; rows?: number }>): ReactNode {
  return (
    <View title={useView()?.name ?? ''}>
      <Unready error={error} {...(rows !== undefined && { rows })} />
    </View>
  );
}

type ClosedProps = Readonly<{ error: unknown; what: string; children?: ReactNode }>;

/** A view that this hub does not have (`children`), or does not show to who asks: under its head, why, and what helps. */
export function ViewClosed({ error, what, children }: ClosedProps): ReactNode {
  return (
    <View title={useView()?.name ?? what}>
      <Unavailable error={error} what={what}>
        {children}
      </Unavailable>
    </View>
  );
}

type TableProps = Readonly<{
  label: string;
  /** A name and a width (of a grid) per column. */
  columns: readonly (readonly [name: string, width: string])[];
  /** Their heads stand above already, over the first of several. */
  isFurther?: boolean;
  children: ReactNode;
}>;

/** Rows of `cells` under their column heads; where the list is narrow, a title with a line of facts below it. */
export function Table({ label, columns, isFurther = false, children }: TableProps): ReactNode {
  const style = { '--cells': columns.map(([, width]) => width).join(' ') } as React.CSSProperties;
  return (
    <div style={style}>
      {!isFurther && (
        <div className="cells-head" aria-hidden="true">
          {columns.map(([name], at) => (
            <span key={at}>{name}</span>
          ))}
        </div>
      )}
      <ul aria-label={label} className="divide-line divide-y">
        {children}
      </ul>
    </div>
  );
}

/** A pair of lists of which one is shown; the address says which. */
export function Switch<T extends string>({
  label,
  options,
  value,
  onChange,
}: Readonly<{
  label: string;
  options: readonly (readonly [T, ReactNode])[];
  value: T;
  onChange(value: T): void;
}>): ReactNode {
  return (
    <div role="group" aria-label={label} className="border-line flex rounded-one border p-0.5">
      {options.map(([option, name]) => (
        <button
          key={option}
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={`h-6 rounded px-2.5 whitespace-nowrap ${option === value ? 'bg-chosen font-medium' : 'text-soft hover:text-ink'}`}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
