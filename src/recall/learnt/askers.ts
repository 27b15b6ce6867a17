// Whose questions a reader profits by: of those who saw no more than the reader does. A question may be made of anything
// its asker could read, so nobody else may notice that it was asked.
import type { ScopeTags, Sight } from '../scopes.ts';

const TAGS = ['tenant', 'team', 'agent'] as const;

/**
 * Where a question is filed: under the tags its asker was confined to. Where a tag is undefined the asker saw all of its
 * kind; that is part of the name of the space, where no tag can imitate it.
 */
export function askedIn({ space, ...sight }: Sight): ScopeTags {
  const { tenant = '', team = '', agent = '' } = sight;
  const unconfined = TAGS.filter((tag) => sight[tag] === undefined);
  return { space: spaceOf(space, unconfined), tenant, team, agent };
}

/** The spaces a reader looks in; the tags are compared as those of items are. */
export function spacesOfQuestions({ space, ...sight }: Sight): string[] {
  const sets: string[][] = [[]];
  for (const tag of TAGS)
    if (sight[tag] === undefined) sets.push(...sets.map((unconfined) => [...unconfined, tag]));
  return sets.map((unconfined) => spaceOf(space, unconfined));
}

function spaceOf(space: string, unconfined: readonly string[]): string {
  return ['learnt', space, ...unconfined].join(':');
}
