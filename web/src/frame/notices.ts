import { useEffect, useRef } from 'react';
import type { Waiting } from './waiting.ts';

/** Desktop notifications of what waits for a person: only when asked for, only when nobody looks, each thing once. */
export function useNotices({ approvals, reviews }: Waiting): void {
  const known = useRef<Set<string> | undefined>(undefined);
  useEffect(() => {
    const ids = new Set([...approvals.map(({ id }) => id), ...reviews.map(({ id }) => id)]);
    const before = known.current;
    known.current = ids;
    if (!before || !wantsNotices() || !document.hidden) return;
    for (const { id, agentId, toolName } of approvals)
      if (!before.has(id)) notify(id, `${agentId ?? 'A caller'} asks to use ${toolName}`, '/approvals');
    for (const { id, title } of reviews)
      if (!before.has(id)) notify(id, `Ready for review: ${title.slice(0, 120)}`, `/board/${id}`);
  }, [approvals, reviews]);
}

function wantsNotices(): boolean {
  return (
    'Notification' in window &&
    Notification.permission === 'granted' &&
    localStorage.getItem('notices') !== 'off'
  );
}

function notify(tag: string, text: string, path: string): void {
  const notice = new Notification('Holdfast', { body: text, tag, icon: '/mark.svg' });
  notice.addEventListener('click', () => {
    window.focus();
    if (location.pathname !== path) location.assign(path);
    notice.close();
  });
}
