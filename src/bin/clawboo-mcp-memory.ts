import { launch } from './launch.ts';

launch('clawboo-mcp-memory', () =>
  import('./stdio.ts').then(({ serveStdio }) => serveStdio('memory', process.argv.slice(2))),
);
