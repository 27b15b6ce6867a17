import { launch } from './launch.ts';

launch('clawboo-mcp-tasks', () =>
  import('./stdio.ts').then(({ serveStdio }) => serveStdio('tasks', process.argv.slice(2))),
);
