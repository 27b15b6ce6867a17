import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useFolders } from '../agents/folders.ts';
import { ask } from '../api/call.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Empty, Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { View } from '../parts/page.tsx';
import { Moment } from '../parts/time.tsx';
import { Found } from '../sessions/moments.tsx';
import { placeOf, readPlace, type LinePlace } from './place.ts';

/** Why a line is as it is: the commit that made it, and what was said before it. The line stands in the address. */
export function WhyPage(): ReactNode {
  const { q = '' } = usePlace();
  const place = readPlace(q);
  return (
    <View
      title="Why is this line so?"
      about="The commit that a line came with, and the moments of sessions that led to it."
      filter={<Asked key={q} place={place} />}
    >
      {place ? <Answer place={place} /> : NOTHING}
    </View>
  );
}

const NOTHING = (
  <Empty title="Name a line" command="holdfast why src/app.ts:12">
    Pick a project, a file in it and the number of a line. In a review, the form below a line leads here, too.
    In a terminal:
  </Empty>
);

function Asked({ place }: Readonly<{ place: LinePlace | undefined }>): ReactNode {
  const folders = useFolders(null);
  const [typed, setTyped] = useState<Readonly<{ folder?: string; file?: string; line?: string }>>({});
  const setPlace = useSetPlace();
  const own = place && folders.find(({ path }) => place.file.startsWith(`${path}/`))?.path;
  const folder = typed.folder ?? own ?? (place ? '' : (folders[0]?.path ?? ''));
  const known = place && (folder !== '' && folder === own ? place.file.slice(folder.length + 1) : place.file);
  const file = typed.file ?? known ?? '';
  const line = typed.line ?? (place ? String(place.line) : '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const whole = file.startsWith('/') ? file : `${folder}/${file}`;
    // A line that was pasted with its file needs no field of its own.
    const pasted = readPlace(whole);
    const found = pasted ?? (line === '' ? undefined : { file: whole, line: Number(line) });
    if (found) setPlace({ q: placeOf(found) }, true);
  };
  return (
    <form
      role="search"
      aria-label="A line"
      className="flex max-w-4xl min-w-0 flex-1 flex-wrap items-end gap-2"
      onSubmit={submit}
    >
      <label className="text-meta text-soft flex min-w-0 flex-1 basis-40 flex-col gap-0.5">
        Project
        <select
          className="field text-ink w-full"
          value={folder}
          onChange={({ target }) => setTyped({ ...typed, folder: target.value })}
        >
          <option value="">A file by its whole path</option>
          {folders.map(({ path, name }) => (
            <option key={path} value={path}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="text-meta text-soft flex min-w-0 flex-[3] basis-56 flex-col gap-0.5">
        File
        <input
          className="field text-ink w-full font-mono text-[12px]"
          required
          spellCheck={false}
          placeholder={folder === '' ? '/home/me/boat/src/app.ts' : 'src/app.ts'}
          value={file}
          onChange={({ target }) => setTyped({ ...typed, file: target.value })}
        />
      </label>
      <label className="text-meta text-soft flex w-20 flex-col gap-0.5">
        Line
        <input
          className="field text-ink w-full tabular-nums"
          inputMode="numeric"
          pattern="[1-9][0-9]*"
          value={line}
          onChange={({ target }) => setTyped({ ...typed, line: target.value })}
        />
      </label>
      <button className="button button-main min-h-8">Ask why</button>
    </form>
  );
}

function Answer({ place }: Readonly<{ place: LinePlace }>): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['sessions', 'why', placeOf(place)],
    queryFn: () => ask('GET /api/sessions/why', { file: place.file, line: place.line }),
  });
  if (error)
    return (
      <div className="px-4 py-3">
        <Refused error={error} />
      </div>
    );
  if (!data) return <Skeleton />;
  const { commit, moments, text } = data;
  return (
    <div className="flex flex-col">
      <pre
        className="bg-sunken mx-4 mt-3 overflow-x-auto rounded-one px-3 py-2 font-mono text-[12px]"
        tabIndex={0}
        aria-label={`Line ${place.line}`}
      >
        <span className="text-faint mr-4 select-none">{place.line}</span>
        <Foreign text={text} />
      </pre>
      <section aria-label="The commit" className="px-4 py-3">
        <h2 className="section-title mb-1">The commit</h2>
        {commit ? (
          <p className="flex flex-wrap items-center gap-x-3">
            <span className="min-w-0 font-medium break-words">
              <Foreign text={commit.subject} />
            </span>
            <span className="text-soft">
              <Foreign text={commit.author} />, <Moment at={commit.at} />
            </span>
            <code className="text-meta text-faint font-mono" title={commit.id}>
              {commit.id.slice(0, 10)}
            </code>
          </p>
        ) : (
          <p className="text-soft">It is not committed yet.</p>
        )}
      </section>
      <section aria-label="What led to it">
        <h2 className="section-title px-4 pb-1">What led to it</h2>
        {moments.length === 0 ? (
          <Empty title="No session tells of it">
            Nothing that was said with a client on this machine leads to this line: it may have been written
            by hand, elsewhere, or before sessions were read.
          </Empty>
        ) : (
          <ol className="border-line border-t">
            {moments.map((moment) => (
              <Found key={`${moment.sessionId} ${moment.turn}`} moment={moment}>
                <Origin runId={moment.runId} taskId={moment.taskId} />
              </Found>
            ))}
          </ol>
        )}
      </section>
    </div>
  );
}

/** The run that the session was, and what that run was for. */
function Origin({ runId, taskId }: Readonly<{ runId: string | null; taskId: string | null }>): ReactNode {
  return (
    <>
      {runId !== null && (
        <Link to="/runs/$runId" params={{ runId }} className="text-tide flex items-center gap-1 underline">
          <Icon name="runs" size={12} />
          its run
        </Link>
      )}
      {taskId !== null && (
        <Link to="/board/$taskId" params={{ taskId }} className="text-tide flex items-center gap-1 underline">
          <Icon name="board" size={12} />
          its task
        </Link>
      )}
    </>
  );
}
