/** What the project at the top means, in every view: what belongs to it and nothing else. `team`: every project it belongs to. */
export function isOf(project: string | undefined, ...teams: readonly (string | null | undefined)[]): boolean {
  return project === undefined || teams.includes(project);
}
