import './styles.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/client.ts';
import { heedOtherTabs } from './drafts/drafts.ts';
import { keepFocus } from './frame/keep-focus.ts';
import { listenForKeys } from './frame/keys.ts';
import { fetchAhead } from './frame/later.ts';
import { watchTyping } from './live/build.ts';
import { startLive } from './live/live.ts';
import { heedSignOut } from './live/session.ts';
import { router } from './router.tsx';

// It came (`theme.js`).
sessionStorage.removeItem('cut');
listenForKeys();
keepFocus();
startLive();
watchTyping();
fetchAhead();
heedSignOut();
heedOtherTabs();
createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
