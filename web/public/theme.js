// Before the first paint, so that a dark page never flashes light. Everything else about themes is in frame/theme.ts.
(() => {
  const chosen = localStorage.getItem('theme');
  const isDark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
})();

// A script that was cut on its way would leave an empty page: the page is asked for again, a few times (main.tsx: it came).
addEventListener(
  'error',
  ({ target }) => {
    const times = Number(sessionStorage.getItem('cut') ?? 0);
    if (!(target instanceof HTMLScriptElement) || times >= 3) return;
    sessionStorage.setItem('cut', String(times + 1));
    setTimeout(() => location.reload(), 500 * (times + 1));
  },
  true,
);
