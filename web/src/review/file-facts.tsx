import { useMemo, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { EDITORS, inEditor, useEditor } from './editor.ts';
import { readHunks } from './patch.ts';
import type { Review, ReviewFile } from './queries.ts';

const MOST_FAILED = 5;

/** What a check has against this very file, where it says so: beside the lines it is about. */
export function FailedHere({ review, path }: Readonly<{ review: Review; path: string }>): ReactNode {
  const found = review.evidence
    .filter(({ passed }) => !passed)
    .flatMap(({ check, failing }) => failing.map((each) => ({ check, ...each })))
    .filter(({ name, message }) => name.includes(path) || message.includes(path));
  if (found.length === 0) return null;
  return (
    <ul aria-label={`Failed checks of ${path}`} className="border-line border-b px-3 py-1">
      {found.slice(0, MOST_FAILED).map(({ check, name, message }) => (
        <li key={`${check} ${name}`} className="text-meta flex min-w-0 items-baseline gap-2">
          <Icon name="close" size={11} className="text-amber shrink-0 translate-y-px" />
          <span className="min-w-0 break-words">
            <span className="text-amber">
              <Foreign text={check} />
            </span>{' '}
            <Foreign text={name} />{' '}
            <span className="text-soft">
              <Foreign text={message.split('\n')[0]!.slice(0, 200)} />
            </span>
          </span>
        </li>
      ))}
      {found.length > MOST_FAILED && (
        <li className="text-meta text-faint">and {found.length - MOST_FAILED} more</li>
      )}
    </ul>
  );
}

const THINGS = {
  file: 'a plain file',
  program: 'a program',
  link: 'a link',
  submodule: 'a submodule',
} as const;

export function Kind({
  file: { kind, binary, mode, modeBefore },
}: Readonly<{ file: ReviewFile }>): ReactNode {
  const word = { added: 'new', removed: 'removed', renamed: 'renamed', changed: '' }[kind];
  const words = [word, binary ? 'not text' : ''].filter((each) => each !== '');
  // What can be run, or leads elsewhere, is told apart from what only stands there.
  const thing =
    modeBefore !== null
      ? `was ${THINGS[modeBefore]}, is ${THINGS[mode]} now`
      : mode === 'file' || kind === 'removed'
        ? ''
        : THINGS[mode];
  if (words.length === 0 && thing === '') return null;
  return (
    <span className="text-meta text-soft">
      {words.join(', ')}
      {thing !== '' && (
        <span className="text-amber">
          {words.length > 0 && ', '}
          {thing}
        </span>
      )}
    </span>
  );
}

export function Size({ come, gone }: Readonly<{ come: number; gone: number }>): ReactNode {
  return (
    <span className="text-meta font-mono whitespace-nowrap">
      {come > 0 && <span className="text-kelp">+{come}</span>}{' '}
      {gone > 0 && <span className="text-amber">−{gone}</span>}
    </span>
  );
}

export function InEditor({ review, file }: Readonly<{ review: Review; file: ReviewFile }>): ReactNode {
  const editor = useEditor();
  const line = useMemo(() => readHunks(file.patch ?? '')[0]?.after ?? 1, [file.patch]);
  if (review.folder === null || file.kind === 'removed') return null;
  return (
    <a
      className="quiet px-1"
      href={inEditor(editor, { folder: review.folder, path: file.path, line: Math.max(1, line) })}
      title={`Open in ${EDITORS[editor][0]}`}
      aria-label={`Open ${file.path} in ${EDITORS[editor][0]}`}
    >
      <Icon name="open" size={13} />
    </a>
  );
}
