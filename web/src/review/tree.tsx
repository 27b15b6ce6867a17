import { useMemo, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Size } from './file-facts.tsx';
import type { Review, ReviewFile } from './queries.ts';
import { viewedMark } from './viewed.ts';

type Folder = { name: string; folders: Map<string, Folder>; files: ReviewFile[] };

const SIGNS = {
  added: ['+', 'text-kelp'],
  removed: ['−', 'text-amber'],
  renamed: ['→', 'text-tide'],
  changed: ['•', 'text-soft'],
} as const;

type TreeProps = Readonly<{
  review: Review;
  files: readonly ReviewFile[];
  current: string | undefined;
  viewed: ReadonlySet<string>;
  onOpen(path: string): void;
}>;

/** The files by folder; folders that hold one folder alone are one line. */
export function Tree({ review, files, current, viewed, onOpen }: TreeProps): ReactNode {
  const root = useMemo(() => treeOf(files), [files]);
  const draw = (folder: Folder, depth: number): ReactNode => (
    <ul>
      {[...folder.folders.values()].map((each) => (
        <li key={each.name}>
          <span
            className="text-meta text-soft flex min-h-7 items-center gap-1.5 truncate"
            style={{ paddingLeft: depth * 12 + 8 }}
          >
            <Icon name="down" size={10} className="text-faint" />
            <Foreign text={each.name} />
          </span>
          {draw(each, depth + 1)}
        </li>
      ))}
      {folder.files.map((file) => {
        const [sign, colour] = SIGNS[file.kind];
        const isViewed = viewed.has(viewedMark(review.id, file));
        const open = review.threads.filter(
          ({ path, resolvedAt }) => path === file.path && resolvedAt === null,
        ).length;
        return (
          <li key={file.path}>
            <button
              onClick={() => onOpen(file.path)}
              aria-current={file.path === current}
              className={`hover:bg-sunken flex min-h-7 w-full items-center gap-1.5 rounded-one pr-1 text-left ${file.path === current ? 'bg-chosen font-medium' : ''} ${isViewed ? 'text-faint' : ''}`}
              style={{ paddingLeft: depth * 12 + 8 }}
              title={file.path}
            >
              <span className={`w-3 shrink-0 text-center font-mono ${colour}`} aria-hidden="true">
                {isViewed ? <Icon name="tick" size={11} /> : sign}
              </span>
              <span className="min-w-0 flex-1 truncate">
                <Foreign text={file.path.slice(file.path.lastIndexOf('/') + 1)} />
              </span>
              <span className="sr-only">
                {file.kind}
                {isViewed ? ', viewed' : ''}
              </span>
              {open > 0 && (
                <span className="text-meta flex items-center gap-0.5">
                  <Icon name="comment" size={11} />
                  {open}
                </span>
              )}
              <Size come={file.come} gone={file.gone} />
            </button>
          </li>
        );
      })}
    </ul>
  );
  return (
    <nav aria-label="Changed files" className="text-[12px]">
      {draw(root, 0)}
    </nav>
  );
}

function treeOf(files: readonly ReviewFile[]): Folder {
  const root: Folder = { name: '', folders: new Map(), files: [] };
  for (const file of files) {
    let at = root;
    for (const name of file.path.split('/').slice(0, -1)) {
      const next = at.folders.get(name) ?? { name, folders: new Map(), files: [] };
      at.folders.set(name, next);
      at = next;
    }
    at.files.push(file);
  }
  return joined(root);
}

function joined(folder: Folder): Folder {
  const folders = new Map(
    [...folder.folders.values()].map((each) => {
      const inner = joined(each);
      const [only, ...more] = inner.folders.values();
      return only && more.length === 0 && inner.files.length === 0
        ? ([each.name, { ...only, name: `${each.name}/${only.name}` }] as const)
        : ([each.name, inner] as const);
    }),
  );
  return { ...folder, folders };
}

/** The files in the order the tree has them, so that keys walk as the eye does. */
export function inTreeOrder(files: readonly ReviewFile[]): readonly ReviewFile[] {
  const walk = ({ folders, files: own }: Folder): readonly ReviewFile[] => [
    ...[...folders.values()].flatMap(walk),
    ...own,
  ];
  return walk(treeOf(files));
}
