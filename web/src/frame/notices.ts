import { useEffect } from 'react';
import { wish } from '../approvals/own-call.ts';
import type { Trouble } from '../trouble/trouble.ts';
import type { Waiting } from './use-waiting.ts';

type Notice = Readonly<{ id: string; text: string; path: string }>;

const NOTICED = 'noticed';
/** More at once are one notice: whoever comes back wants to know that, not to close twenty. */
const MOST = 3;
const LOADED_MS = 15_000;

/** Desktop notifications of what waits for a person, or went wrong: only when asked for, only when nobody looks, each thing once. */
export function useNotices(waiting: Waiting, unseen: readonly Trouble[]): void {
  useEffect(() => {
    const all = [...noticesOf(waiting), ...unseen.map(noticeOf)];
    const known = remembered();
    const fresh = all.filter(({ id }) => !known.has(id));
    if (fresh.length === 0 && known.size === all.length) return;
    // What is over is forgotten, so that it is told when it comes again; not while the lists are still on their way.
    const kept = performance.now() > LOADED_MS ? [] : known;
    sessionStorage.setItem(NOTICED, JSON.stringify([...new Set([...kept, ...all.map(({ id }) => id)])]));
    if (!wantsNotices() || !document.hidden) return;
    if (fresh.length > MOST) notify({ id: 'many', text: `${fresh.length} things to look at`, path: '/' });
    else fresh.forEach(notify);
  }, [waiting, unseen]);
}

function noticeOf({ id, kind, agent, tool, run }: Trouble): Notice {
  if (kind === 'refused')
    return { id: `refused ${id}`, text: `${agent} was kept from using ${tool}`, path: '/' };
  const end = kind === 'failed' ? 'failed' : 'was lost';
  return {
    id: `ended ${id}`,
    text: `The run of ${agent} ${end}`,
    path: `/runs/${encodeURIComponent(run ?? id)}`,
  };
}

function noticesOf(waiting: Waiting): readonly Notice[] {
  const { approvals, questions, reviews, landings, stale, quarantined, dead } = waiting;
  return [
    ...approvals.map((approval) => ({
      id: approval.id,
      text: `${approval.agentId ?? 'A caller'} asks to ${wish(approval)}`,
      path: `/approvals?at=${encodeURIComponent(approval.id)}`,
    })),
    ...questions.map(({ task_id, agent, last_message }) => ({
      id: `question ${task_id}`,
      text: `${agent} asks: ${(last_message ?? '').slice(0, 120)}`,
      path: `/runs/${encodeURIComponent(task_id)}`,
    })),
    ...reviews.map(({ id, title }) => ({
      id: `review ${id}`,
      text: `Ready for review: ${title.slice(0, 120)}`,
      path: `/board/${encodeURIComponent(id)}`,
    })),
    ...landings.map(({ id, title, target }) => ({
      id: `landing ${id}`,
      text: `Wants to land on ${target}: ${title.slice(0, 120)}`,
      path: '/landing',
    })),
    ...stale.map(({ id, title, assigneeAgentId }) => ({
      id: `stale ${id}`,
      text: `${assigneeAgentId ?? 'Nobody'} is not at work on ${title.slice(0, 120)}`,
      path: `/board/${encodeURIComponent(id)}`,
    })),
    ...quarantined.map(({ name, count, flagged }) => ({
      id: `source ${name} ${count}`,
      text: `${name} has ${count} ${count === 1 ? 'tool' : 'tools'} that nobody has looked at${flagged.length > 0 ? `, ${flagged.length} with suspicious words` : ''}`,
      path: `/sources/${encodeURIComponent(name)}`,
    })),
    ...(dead > 0
      ? [{ id: `letters ${dead}`, text: 'A letter was never fetched', path: '/mail?view=expired' }]
      : []),
  ];
}

/** Of this tab, also after it was loaded again. */
function remembered(): ReadonlySet<string> {
  return new Set(JSON.parse(sessionStorage.getItem(NOTICED) ?? '[]') as string[]);
}

function wantsNotices(): boolean {
  return (
    'Notification' in window &&
    Notification.permission === 'granted' &&
    localStorage.getItem('notices') !== 'off'
  );
}

function notify({ id, text, path }: Notice): void {
  const notice = new Notification('Holdfast', { body: text, tag: id, icon: '/mark.svg' });
  notice.addEventListener('click', () => {
    window.focus();
    if (`${location.pathname}${location.search}` !== path) location.assign(path);
    notice.close();
  });
}
