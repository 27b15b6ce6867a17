import { useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { isMissing } from '../api/call.ts';
import { Discard } from '../drafts/discard.tsx';
import { forgetDrafts } from '../drafts/drafts.ts';
import { useDraft, useDrafts } from '../drafts/use-draft.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { readPatch, type PatchFile, type PatchLine } from './patch.ts';
import { useMerge, useRunDiff, type Run } from './queries.ts';
import { isOpen } from './state.tsx';
import { useWayTo } from './talk.tsx';

/** Remarks on lines, kept until they are sent together: one message, not ten. Each says where it stood. */
type Remark = Readonly<{ where: string; quoted: string; text: string }>;
type Remarks = ReadonlyMap<string, Remark>;

const remarksOn = (run: string) => `run ${run} line `;

/** More lines than that in a file are folded until somebody asks for them. */
const LONG = 600;

/** What a run changed in its worktree. A remark on a line goes to the agent as its next message. */
export function WorktreeDiff({ run }: Readonly<{ run: Run }>): ReactNode {
  const { data, error, refetch, isFetching } = useRunDiff(run.task_id);
  const files = useMemo(() => readPatch(data?.diff ?? ''), [data]);
  const remarks = useRemarks(run.task_id);
  const [writing, setWriting] = useState<string | undefined>();
  if (error && !data)
    return isMissing(error) ? <Empty title="There is no diff any more" /> : <Refused error={error} />;
  if (!data) return <Skeleton />;
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
          run={run.task_id}
          remarks={remarks}
          writing={writing}
          onWrite={setWriting}
        />
      ))}
      {remarks.size > 0 && (
        <SendRemarks run={run} branch={data.branch} remarks={remarks} gone={goneFrom(files, remarks)} />
      )}
    </div>
  );
}

function useRemarks(run: string): Remarks {
  const drafts = useDrafts(remarksOn(run));
  return useMemo(
    () =>
      new Map(
        [...drafts]
          .filter(([, { text }]) => text.trim() !== '')
          .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
          .map(([key, { text, about }]) => [
            key,
            { where: about?.['where'] ?? key, quoted: about?.['quoted'] ?? '', text: text.trim() },
          ]),
      ),
    [drafts],
  );
}

const keyOf = (path: string, { sign, after, before }: PatchLine) => `${path} ${sign} ${after ?? before}`;

/** What was said of lines that the agent has changed since: still to be sent, and so still to be seen. */
function goneFrom(files: readonly PatchFile[], remarks: Remarks): readonly Remark[] {
  const left = new Map(remarks);
  for (const { path, hunks } of files)
    for (const { lines } of hunks) for (const line of lines) left.delete(keyOf(path, line));
  return [...left.values()];
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
  run: string;
  remarks: Remarks;
  writing: string | undefined;
  onWrite(key: string | undefined): void;
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
function Lines({ file, run, remarks, writing, onWrite }: FileProps): ReactNode {
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
            const key = keyOf(file.path, line);
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
                    name={`${remarksOn(run)}${key}`}
                    about={{ where: whereOf(file.path, line), quoted: line.text.slice(0, 300) }}
                    onLeave={() => onWrite(undefined)}
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

type Writing = Readonly<{ name: string; about: Readonly<Record<string, string>>; onLeave(): void }>;

/** What is typed is kept as it is typed; leaving it throws nothing away. */
function Write({ name, about, onLeave }: Writing): ReactNode {
  const draft = useDraft(name);
  return (
    <form
      className="my-1 ml-14 flex max-w-[76ch] items-end gap-2 pr-2 font-sans"
      onSubmit={(event) => (event.preventDefault(), onLeave())}
    >
      <textarea
        autoFocus
        rows={2}
        className="field min-w-0 flex-1 text-[13px]"
        aria-label="Comment on this line"
        value={draft.text}
        onChange={({ target }) => draft.set(target.value, about)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onLeave();
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onLeave();
        }}
      />
      <Discard drafts={[draft]} onDiscard={onLeave} />
      <button className="button">Keep</button>
    </form>
  );
}

function SendRemarks({
  run,
  branch,
  remarks,
  gone,
}: Readonly<{ run: Run; branch: string; remarks: Remarks; gone: readonly Remark[] }>): ReactNode {
  const way = useWayTo(run);
  const forget = () => forgetDrafts((key) => key.startsWith(remarksOn(run.task_id)));
  const count = `${remarks.size} ${remarks.size === 1 ? 'comment' : 'comments'}`;
  return (
    <div className="bg-raised border-line sticky bottom-0 flex flex-wrap items-center gap-2 border-t py-2">
      {gone.length > 0 && (
        <ul className="max-h-40 w-full overflow-y-auto" aria-label="On lines that have changed since">
          {gone.map(({ where, text }) => (
            <li key={where} className="bg-tide-wash my-1 rounded-one px-2 py-1 whitespace-pre-wrap">
              <span className="text-meta text-soft font-mono">
                <Foreign text={where} />, as it was:
              </span>{' '}
              {text}
            </li>
          ))}
        </ul>
      )}
      <span className="text-soft flex-1">
        {way ? `${count}, as ${way.fate}.` : `${count}; nobody is left to read them.`}
      </span>
      <button className="quiet" onClick={forget}>
        Discard {count}
      </button>
      <button
        className="button button-main"
        disabled={!way || way.isPending}
        onClick={() => way?.send(messageOf(branch, remarks), forget)}
      >
        Send {count}
      </button>
      <Refused error={way?.error} />
    </div>
  );
}

/** As an agent reads it best: where, what stands there, what is to be said about it. */
function messageOf(branch: string, remarks: Remarks): string {
  const each = [...remarks.values()].map(({ where, quoted, text }) => `${where}\n> ${quoted}\n${text}`);
  return `Comments on the diff of ${branch}:\n\n${each.join('\n\n')}`;
}

function whereOf(path: string, line: PatchLine): string {
  return `${path}:${line.after ?? line.before}${line.sign === '-' ? ' (removed)' : ''}`;
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
