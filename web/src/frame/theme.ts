import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';

const watchers = new Set<() => void>();
const system = matchMedia('(prefers-color-scheme: dark)');
system.addEventListener('change', apply);

export function useTheme(): Theme {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => chosenTheme(),
  );
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem('theme');
  else localStorage.setItem('theme', theme);
  apply();
  for (const changed of watchers) changed();
}

export function isDark(): boolean {
  return document.documentElement.dataset['theme'] === 'dark';
}

function chosenTheme(): Theme {
  const chosen = localStorage.getItem('theme');
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function apply(): void {
  const theme = chosenTheme();
  const dark = theme === 'dark' || (theme === 'system' && system.matches);
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  document.querySelector('meta[name=theme-color]')?.setAttribute('content', dark ? '#0e1716' : '#f7f5ef');
}
