import { useMemo, useSyncExternalStore } from 'react';
import { allDrafts, forgetDraft, keepDraft, looksSecret, watchDrafts, type Draft } from './drafts.ts';

export type Drafted = Readonly<{
  text: string;
  /** Something was typed that differs from what stands there. */
  isBegun: boolean;
  /** What it changes was changed by somebody else since it was begun. */
  isOvertaken: boolean;
  /** Stays in this tab alone. */
  isSecret: boolean;
  about: Draft['about'];
  /** What it changes, as that was when it was begun. */
  on: string;
  set(text: string, about?: Draft['about']): void;
  /** It is about what stands there now: whoever writes has seen that. */
  rebase(): void;
  /** It was sent, or is thrown away. */
  forget(): void;
}>;

type On = Readonly<{
  /** What stands there now; a draft that says the same is none. */
  base?: string | undefined;
  /** Of a text that is too long to be kept twice: its version. */
  version?: string | undefined;
}>;

/** The text of a field, kept under what it belongs to until it is sent or thrown away. */
export function useDraft(key: string, { base = '', version = base }: On = {}): Drafted {
  const draft = useSyncExternalStore(watchDrafts, () => allDrafts().get(key));
  const on = draft?.on ?? version;
  return useMemo(
    () => ({
      text: draft?.text ?? base,
      isBegun: draft !== undefined,
      isOvertaken: draft !== undefined && on !== version,
      isSecret: draft !== undefined && looksSecret(draft.text),
      about: draft?.about,
      on,
      set: (text, about = draft?.about) =>
        text === base && on === version ? forgetDraft(key) : keepDraft(key, { text, on, about }),
      rebase: () => draft && keepDraft(key, { ...draft, on: version }),
      forget: () => forgetAsSent(key, draft?.text, base),
    }),
    [key, draft, base, on, version],
  );
}

/** What was typed while it was on its way is not what was sent: that stays, the rest of a message by itself. */
function forgetAsSent(key: string, sent: string | undefined, base: string): void {
  const now = allDrafts().get(key);
  if (now === undefined || now.text === sent) return forgetDraft(key);
  if (base === '' && sent !== undefined && now.text.startsWith(sent))
    keepDraft(key, { ...now, text: now.text.slice(sent.length) });
}

/** All that begin so, by the rest of their names. */
export function useDrafts(prefix: string): ReadonlyMap<string, Draft> {
  const all = useSyncExternalStore(watchDrafts, allDrafts);
  return useMemo(
    () =>
      new Map(
        [...all]
          .filter(([key]) => key.startsWith(prefix))
          .map(([key, draft]) => [key.slice(prefix.length), draft]),
      ),
    [all, prefix],
  );
}
