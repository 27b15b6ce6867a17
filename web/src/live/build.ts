/** A hub that was upgraded serves another page. It is loaded at the right moment: never while somebody types. */
let isOutdated = false;
const listeners = new Set<() => void>();

export async function checkBuild(): Promise<void> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (!answer?.ok || own === null || own === undefined) return;
  if ((await answer.text()).includes(own)) return;
  if (isTyping()) {
    isOutdated = true;
    for (const listener of listeners) listener();
  } else location.reload();
}

export function watchBuild(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isBuildOutdated(): boolean {
  return isOutdated;
}

function isTyping(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'textarea, input:not([type=checkbox])',
  );
  return [...fields].some((field) => field.value !== '' && field.value !== field.defaultValue);
}
