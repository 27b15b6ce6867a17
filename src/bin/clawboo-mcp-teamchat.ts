import { launch } from './launch.ts';

launch('clawboo-mcp-teamchat', () =>
  import('./stdio.ts').then(({ serveStdio }) => serveStdio('teamchat', process.argv.slice(2))),
);
