import { launch } from './launch.ts';

launch('clawboo-mcp-tools', () =>
  import('./stdio.ts').then(({ serveStdio }) => serveStdio('tools', process.argv.slice(2))),
);
