import type { ReactNode } from 'react';
import { usePlace } from '../frame/place.ts';

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
        </div>
        {aside && <div className="flex flex-wrap items-center gap-2">{aside}</div>}
      </div>
      {filter && <div className="flex flex-wrap items-center gap-2">{filter}</div>}
    </div>
  );
}

type ViewProps = HeadProps &
  Readonly<{
    about?: ReactNode;
    /** What lies open (a `Drawer`): beside the list where there is room, over it where there is none, the page on a phone. */
    detail?: ReactNode;
    /** What is read in its whole width, such as a canvas. */
    isWide?: boolean;
  }>;

/** A view: its head over all of it, the list, and beside it what lies open. */
export function View({ about, detail, isWide = false, children, ...head }: ViewProps): ReactNode {
  const isFull = usePlace().full !== undefined;
  const isOpen = Boolean(detail);
  const beside = isOpen
    ? '@min-[1080px]/view:w-[400px] @min-[1500px]/view:w-[480px] @min-[1080px]/view:flex-none @min-[1080px]/view:border-r'
    : '';
  return (
    <div className="@container/view relative flex min-h-0 flex-1 flex-col">
      <div className={isOpen && isFull ? 'hidden' : 'border-line border-b'}>
        <PageHead {...head}>{about}</PageHead>
      </div>
      <div className="flex min-h-0 flex-1">
        <div
          tabIndex={-1}
          className={`border-line min-w-0 flex-1 overflow-y-auto outline-none ${beside} ${isOpen && isFull ? 'hidden' : ''}`}
        >
          <div className={`@container/list ${isWide ? '' : 'max-w-[1280px]'}`}>{children}</div>
        </div>
        {detail}
      </div>
    </div>
  );
}

type TableProps = Readonly<{
  label: string;
  /** A name and a width (of a grid) per column. */
  columns: readonly (readonly [name: string, width: string])[];
  children: ReactNode;
}>;

/** Rows of `cells` under their column heads; where the list is narrow, a title with a line of facts below it. */
export function Table({ label, columns, children }: TableProps): ReactNode {
  const style = { '--cells': columns.map(([, width]) => width).join(' ') } as React.CSSProperties;
  return (
    <div style={style}>
      <div className="cells-head" aria-hidden="true">
        {columns.map(([name], at) => (
          <span key={at}>{name}</span>
        ))}
      </div>
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
          className={`h-6 rounded px-2.5 whitespace-nowrap ${option === value ? 'bg-sunken font-medium' : 'text-soft hover:text-ink'}`}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
