import { launch } from './launch.ts';

/** A vault named by the caller is served here, because a hub may have another; SESSION_ID groups what belongs to one session. */
launch('clawbrain-mcp', () => {
  const { SESSION_ID, CLAWBRAIN_DIR, MEMORY_DIR } = process.env;
  const options = {
    ...(SESSION_ID ? { seat: `stdio:${SESSION_ID.slice(0, 200)}` } : {}),
    isAlone: Boolean(CLAWBRAIN_DIR || MEMORY_DIR),
  };
  return import('./stdio.ts').then(({ serveStdio }) => serveStdio('brain', process.argv.slice(2), options));
});
