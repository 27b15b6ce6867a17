import { useSyncExternalStore } from 'react';

/** Which editor opens a file. A choice of this browser: the editor is on its machine. */
export const EDITORS = {
  vscode: ['VS Code', (at: string) => `vscode://file${at}`],
  cursor: ['Cursor', (at: string) => `cursor://file${at}`],
  windsurf: ['Windsurf', (at: string) => `windsurf://file${at}`],
  zed: ['Zed', (at: string) => `zed://file${at}`],
} as const satisfies Readonly<Record<string, readonly [string, (at: string) => string]>>;

export type Editor = keyof typeof EDITORS;

const NAME = 'holdfast editor';
const watchers = new Set<() => void>();

export function useEditor(): Editor {
  return useSyncExternalStore(watch, chosen);
}

export function chooseEditor(editor: Editor): void {
  localStorage.setItem(NAME, editor);
  for (const changed of watchers) changed();
}

/** The address of a line in a file. */
export function inEditor(
  editor: Editor,
  { folder, path, line }: Readonly<{ folder: string; path: string; line: number }>,
): string {
  const encoded = `${folder}/${path}`.split('/').map(encodeURIComponent).join('/');
  return EDITORS[editor][1](`${encoded}:${line}`);
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}

function chosen(): Editor {
  const kept = localStorage.getItem(NAME) ?? '';
  return Object.hasOwn(EDITORS, kept) ? (kept as Editor) : 'vscode';
}
