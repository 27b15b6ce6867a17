import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { readPatch, type PatchFile, type PatchLine } from './patch.ts';
import { useMerge, useRunDiff, type Run } from './queries.ts';
import { isOpen } from './state.tsx';
import { useWayTo } from './talk.tsx';

/** Remarks on lines, kept until they are sent together: one message, not ten. */
type Remarks = ReadonlyMap<string, Readonly<{ path: string; line: PatchLine; text: string }>>;

/** More lines than that in a file are folded until somebody asks for them. */
const LONG = 600;

/** What a run changed in its worktree. A remark on a line goes to the agent as its next message. */
export function WorktreeDiff({ run }: Readonly<{ run: Run }>): ReactNode {
  const { data, error, refetch, isFetching } = useRunDiff(run.task_id);
  const files = useMemo(() => readPatch(data?.diff ?? ''), [data]);
  const [remarks, setRemarks] = useState<Remarks>(new Map());
  const [writing, setWriting] = useState<string | undefined>();
  if (error && !data)
    return isMissing(error) ? <Empty title="There is no diff any more" /> : <Refused error={error} />;
  if (!data) return <Skeleton />;
  const keep = (key: string, path: string, line: PatchLine, text: string) => {
    const next = new Map(remarks);
    if (text.trim() === '') next.delete(key);
    else next.set(key, { path, line, text: text.trim() });
    setRemarks(next);
    setWriting(undefined);
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex items-center gap-1">
          <Icon name="branch" size={13} />
          <code className="font-mono text-[12px]">{data.branch}</code>
        </span>
        <Size come={sum(files, 'come')} gone={sum(files, 'gone')} />
        <span className="text-meta text-faint">
          {files.length} {files.length === 1 ? 'file' : 'files'}
        </span>
        <span className="ml-auto flex items-center gap-2">
          <button className="quiet" onClick={() => void refetch()} disabled={isFetching}>
            Look again
          </button>
          {!isOpen(run) && files.length > 0 && <Merge run={run} />}
        </span>
      </div>
      {files.length === 0 && <p className="text-soft">Nothing has changed in the worktree.</p>}
      {files.map((file) => (
        <File
          key={file.path}
          file={file}
          remarks={remarks}
          writing={writing}
          onWrite={setWriting}
          onKeep={keep}
        />
      ))}
      {remarks.size > 0 && (
        <SendRemarks run={run} branch={data.branch} remarks={remarks} onSent={() => setRemarks(new Map())} />
      )}
    </div>
  );
}

function sum(files: readonly PatchFile[], of: 'come' | 'gone'): number {
  return files.reduce((all, file) => all + file[of], 0);
}

function Size({ come, gone }: Readonly<{ come: number; gone: number }>): ReactNode {
  return (
    <span className="text-meta font-mono">
      <span className="text-kelp">+{come}</span> <span className="text-amber">−{gone}</span>
    </span>
  );
}

type FileProps = Readonly<{
  file: PatchFile;
  remarks: Remarks;
  writing: string | undefined;
  onWrite(key: string | undefined): void;
  onKeep(key: string, path: string, line: PatchLine, text: string): void;
}>;

function File({ file, ...rest }: FileProps): ReactNode {
  const size = file.come + file.gone;
  const [isShown, setShown] = useState(size <= LONG);
  return (
    <details
      open={isShown}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
      className="border-line rounded-one group/file border"
    >
      <summary className="bg-sunken flex items-center gap-2 rounded-one px-2.5 py-1">
        <Icon name="right" size={11} className="text-faint group-open/file:rotate-90" />
        <code className="min-w-0 flex-1 font-mono text-[12px] break-all">
          <Foreign text={file.path} />
        </code>
        {file.note !== '' && <span className="text-meta text-faint">{file.note}</span>}
        <Size come={file.come} gone={file.gone} />
      </summary>
      {isShown && <Lines file={file} {...rest} />}
    </details>
  );
}

const COLOURS = { '+': 'bg-kelp-wash', '-': 'bg-amber-wash', ' ': '' } as const;

/** One stop of the tab key for a file; arrow keys go from line to line. */
function Lines({ file, remarks, writing, onWrite, onKeep }: FileProps): ReactNode {
  const [current, setCurrent] = useState(0);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.target instanceof HTMLButtonElement)) return;
    event.preventDefault();
    const all = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button[data-line]')];
    const next = Math.max(0, Math.min(all.length - 1, all.indexOf(event.target) + step));
    setCurrent(next);
    all[next]?.focus();
  };
  let at = -1;
  return (
    <div
      onKeyDown={onKeyDown}
      className="overflow-x-auto py-1 font-mono text-[12px] leading-[18px] [content-visibility:auto]"
    >
      {file.hunks.map((hunk, h) => (
        <div key={h} className="min-w-max">
          {h > 0 && <div className="text-faint border-line my-1 border-t px-2 pt-1">{hunk.head || '…'}</div>}
          {hunk.lines.map((line) => {
            at += 1;
            const own = at;
            const number = line.after ?? line.before!;
            const key = `${file.path} ${line.sign} ${number}`;
            const said = remarks.get(key);
            return (
              <div key={`${line.sign}${number}`}>
                <div className={`group/line flex ${COLOURS[line.sign]}`}>
                  <button
                    data-line=""
                    tabIndex={own === current ? 0 : -1}
                    onFocus={() => setCurrent(own)}
                    onClick={() => onWrite(key)}
                    aria-label={`Comment on ${line.sign === '-' ? 'removed ' : ''}line ${number}`}
                    className="text-faint hover:text-tide relative w-14 shrink-0 pr-2 text-right select-none"
                  >
                    <Icon
                      name="comment"
                      size={11}
                      className="absolute top-1 left-1.5 opacity-0 group-hover/line:opacity-100"
                    />
                    {number}
                  </button>
                  <span className="text-faint w-4 shrink-0 select-none">{line.sign}</span>
                  <span className="pr-3 whitespace-pre">
                    <Foreign text={line.text.slice(0, 2_000)} />
                  </span>
                </div>
                {writing === key ? (
                  <Write
                    text={said?.text ?? ''}
                    onLeave={() => onWrite(undefined)}
                    onKeep={(text) => onKeep(key, file.path, line, text)}
                  />
                ) : (
                  said && (
                    <button
                      className="bg-tide-wash my-1 ml-14 block max-w-[70ch] rounded-one px-2 py-1 text-left font-sans text-[13px] whitespace-pre-wrap"
                      onClick={() => onWrite(key)}
                      title="Change it"
                    >
                      {said.text}
                    </button>
                  )
                )}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Write({
  text,
  onKeep,
  onLeave,
}: Readonly<{ text: string; onKeep(text: string): void; onLeave(): void }>): ReactNode {
  const [value, setValue] = useState(text);
  return (
    <form
      className="my-1 ml-14 flex max-w-[76ch] items-end gap-2 pr-2 font-sans"
      onSubmit={(event) => (event.preventDefault(), onKeep(value))}
    >
      <textarea
        autoFocus
        rows={2}
        className="field min-w-0 flex-1 text-[13px]"
        aria-label="Comment on this line"
        value={value}
        onChange={({ target }) => setValue(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onKeep(value);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onLeave();
        }}
      />
      <button className="button">Keep</button>
    </form>
  );
}

function SendRemarks({
  run,
  branch,
  remarks,
  onSent,
}: Readonly<{ run: Run; branch: string; remarks: Remarks; onSent(): void }>): ReactNode {
  const way = useWayTo(run);
  const count = `${remarks.size} ${remarks.size === 1 ? 'comment' : 'comments'}`;
  return (
    <div className="bg-raised border-line sticky bottom-0 flex flex-wrap items-center gap-2 border-t py-2">
      <span className="text-soft flex-1">
        {way ? `${count}, as ${way.fate}.` : `${count}; nobody is left to read them.`}
      </span>
      <button
        className="button button-main"
        disabled={!way || way.isPending}
        onClick={() => way?.send(messageOf(branch, remarks), onSent)}
      >
        Send {count}
      </button>
      <Refused error={way?.error} />
    </div>
  );
}

/** As an agent reads it best: where, what stands there, what is to be said about it. */
function messageOf(branch: string, remarks: Remarks): string {
  const each = [...remarks.values()].map(({ path, line, text }) => {
    const where = `${path}:${line.after ?? line.before}${line.sign === '-' ? ' (removed)' : ''}`;
    return `${where}\n> ${line.text.slice(0, 300)}\n${text}`;
  });
  return `Comments on the diff of ${branch}:\n\n${each.join('\n\n')}`;
}

function Merge({ run }: Readonly<{ run: Run }>): ReactNode {
  const merge = useMerge(run.task_id);
  return (
    <>
      <button className="button" onClick={() => merge.mutate()} disabled={merge.isPending}>
        Merge
      </button>
      {merge.data && (
        <span role="status" className={merge.data.merged ? 'text-kelp' : 'text-amber'}>
          {merge.data.merged
            ? `merged into ${merge.data.into}`
            : `conflicts in ${merge.data.conflicts.join(', ')}; nothing was changed`}
        </span>
      )}
      <Refused error={merge.error} />
    </>
  );
}
