import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run build` builds the page into dist/web; `npx vite web` serves it for work on it, against a hub on its usual port. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    // The policy of the page allows no inline script.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: 'files.json',
    // What most views stand on is one file: two dozen small ones cost a view more to ask for than they hold.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'base', minShareCount: 10 }] } } },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:18790', '/v1': 'http://127.0.0.1:18790' } },
});
