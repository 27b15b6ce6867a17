/** A hub that was upgraded serves another page. It is loaded at the right moment: never while somebody types. */
let isOutdated = false;
const listeners = new Set<() => void>();

export async function checkBuild(): Promise<void> {
  const own = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch('/', { headers: { accept: 'text/html' } }).catch(() => undefined);
  if (!answer?.ok || own === null || own === undefined) return;
  if ((await answer.text()).includes(own)) return;
  if (!isTyping()) return location.reload();
  isOutdated = true;
  for (const listener of listeners) listener();
  for (const kind of ['input', 'click', 'keyup']) addEventListener(kind, () => void setTimeout(loadIfIdle));
}

export function watchBuild(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isBuildOutdated(): boolean {
  return isOutdated;
}

/** What was sent, left or emptied is finished; the form it stood in may take a moment to go. */
function loadIfIdle(): void {
  if (!isTyping()) location.reload();
}

type Field = HTMLInputElement | HTMLTextAreaElement;

/** Fields that somebody has typed into. What a field was at first says nothing: React writes it anew with every letter. */
const typed = new Set<Field>();

export function watchTyping(): void {
  addEventListener('input', ({ target }) => {
    if (isField(target)) typed.add(target);
  });
}

function isField(target: EventTarget | null): target is Field {
  if (target instanceof HTMLTextAreaElement) return true;
  // What is only looked for stands in the address, or is quickly said again.
  return (
    target instanceof HTMLInputElement && !target.matches('[type=search], [type=checkbox], [role=combobox]')
  );
}

function isTyping(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field);
  return [...typed].some(({ value }) => value.trim() !== '');
}
