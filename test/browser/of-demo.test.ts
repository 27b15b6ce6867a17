import { describe } from 'vitest';
import { withSignedInDemo } from './demo.ts';
import { design } from './of-demo/design.ts';
import { frame } from './of-demo/frame.ts';
import { pages } from './of-demo/pages.ts';
import { views } from './of-demo/views.ts';

/** What needs no hub of its own: one demo and one browser for all of it. First comes who writes to its agents: still ones are gone after a minute. */
describe('in the demo', () => {
  const demo = withSignedInDemo();
  for (const tests of [views, frame, pages, design]) tests(demo);
});
