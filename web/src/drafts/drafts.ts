/**
 * What somebody has typed and not sent, kept in this browser under what it belongs to: it outlives a closed drawer, another
 * view, a reload and a restart of the hub. It is gone when it was sent or thrown away. Whose it is stands in its name, so that
 * nobody else who signs in here sees it; what looks like a key stays in this tab and is never written down.
 */
export type Draft = Readonly<{
  text: string;
  /** When it was typed. */
  at: number;
  /** What it changes, as that was when somebody began: a text, or a version of one. */
  on?: string | undefined;
  /** What has to be known to send it, beside the words. */
  about?: Readonly<Record<string, string>> | undefined;
}>;

const PREFIX = 'draft ';
/** What nobody has touched for so long, or is one too many, goes, the oldest first. */
const LIFE_MS = 90 * 86_400_000;
const MOST = 200;
/** A browser keeps some five million characters for one address, and the page has more to keep than drafts. */
const MOST_CHARACTERS = 2_000_000;

/** Keys that give themselves away: the hub's own and those of well-known services. */
const SECRET =
  /\b(?:hft_|bto_|brt_|btr_|sk-|gh[opsu]_|github_pat_|glpat-|xox[abeprs]-|AKIA|AIza|npm_|hf_|pscale_)[\w.-]{12,}|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}|\b[0-9a-f]{64}\b|-----BEGIN [A-Z ]*PRIVATE KEY/;

let reader: string | undefined;
let drafts: ReadonlyMap<string, Draft> = new Map();
const watchers = new Set<() => void>();

export function watchDrafts(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

export function allDrafts(): ReadonlyMap<string, Draft> {
  return drafts;
}

export function keepDraft(key: string, draft: Omit<Draft, 'at'>): void {
  const kept = { ...draft, at: Date.now() };
  tell(new Map([...drafts, [key, kept]]));
  write(key, kept);
}

export function forgetDraft(key: string): void {
  if (!drafts.has(key)) return;
  const left = new Map(drafts);
  left.delete(key);
  if (reader !== undefined) localStorage.removeItem(nameOf(reader, key));
  tell(left);
}

export function looksSecret(text: string): boolean {
  return SECRET.test(text);
}

/**
 * Once it is known who looks. What was typed before that is theirs; what was typed here before signing in comes along,
 * since whoever has signed in was sitting here.
 */
export function settleReader(who: string): void {
  if (reader === who) return;
  const typed = reader === undefined ? drafts : new Map<string, Draft>();
  reader = who;
  sweep();
  const adopted = who === 'operator' ? readAll('local') : new Map<string, Draft>();
  const own = readAll(who);
  for (const [key, draft] of adopted) {
    localStorage.removeItem(nameOf('local', key));
    if (!own.has(key)) write(key, draft);
  }
  for (const [key, draft] of typed) write(key, draft);
  tell(new Map([...adopted, ...own, ...typed]));
}

/** Another tab has typed, sent or thrown away. */
export function heedOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (reader === undefined) return;
    if (key === null) return tell(readAll(reader));
    const own = nameOf(reader, '');
    if (!key.startsWith(own)) return;
    const next = new Map(drafts);
    const draft = newValue === null ? undefined : parse(newValue);
    if (draft) next.set(key.slice(own.length), draft);
    else next.delete(key.slice(own.length));
    tell(next);
  });
}

function write(key: string, draft: Draft): void {
  if (reader === undefined) return;
  const name = nameOf(reader, key);
  // Not even the part that was typed before it became one.
  if (looksSecret(draft.text)) return localStorage.removeItem(name);
  const value = JSON.stringify(draft);
  if (value.length > MOST_CHARACTERS / 4) return localStorage.removeItem(name);
  try {
    localStorage.setItem(name, value);
  } catch {
    // Full: the oldest half makes room. A browser that keeps nothing at all has it in this tab.
    sweep(MOST / 2, MOST_CHARACTERS / 2);
    try {
      localStorage.setItem(name, value);
    } catch {
      return;
    }
  }
}

function sweep(most = MOST, characters = MOST_CHARACTERS): void {
  const all = names()
    .map((name) => ({ name, value: localStorage.getItem(name) ?? '' }))
    .map(({ name, value }) => ({ name, size: value.length, at: parse(value)?.at ?? 0 }))
    .sort((a, b) => b.at - a.at);
  let size = 0;
  all.forEach((each, place) => {
    size += each.size;
    if (place >= most || size > characters || Date.now() - each.at > LIFE_MS)
      localStorage.removeItem(each.name);
  });
}

function readAll(who: string): Map<string, Draft> {
  const own = nameOf(who, '');
  return new Map(
    names()
      .filter((name) => name.startsWith(own))
      .flatMap((name) => {
        const draft = parse(localStorage.getItem(name) ?? '');
        return draft ? [[name.slice(own.length), draft] as const] : [];
      }),
  );
}

function names(): readonly string[] {
  return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
}

function nameOf(who: string, key: string): string {
  return `${PREFIX}${encodeURIComponent(who)} ${key}`;
}

/** Whatever else lies under such a name is no draft of ours. */
function parse(value: string): Draft | undefined {
  try {
    const { text, at, on, about } = JSON.parse(value) as Partial<Draft>;
    if (typeof text !== 'string' || typeof at !== 'number') return undefined;
    return { text, at, on: typeof on === 'string' ? on : undefined, about };
  } catch {
    return undefined;
  }
}

function tell(next: ReadonlyMap<string, Draft>): void {
  drafts = next;
  for (const changed of watchers) changed();
}
