/**
 * Where an item stands. An item's number says its scope, its stretch of an episode and its position there, so that
 * neighbours, episode and scope are arithmetic, and a list of numbers from the index is enough to judge context by.
 *
 *   number = ((scope × 2^26) + stretch) × 64 + position        (52 bits: a safe integer)
 */
export const STRETCH_SIZE = 64;
const STRETCHES_PER_SCOPE = 2 ** 26;
export const SCOPE_SIZE = STRETCHES_PER_SCOPE * STRETCH_SIZE;
export const MAX_SCOPES = 2 ** 20;
export const MAX_STRETCHES = STRETCHES_PER_SCOPE;

export type ItemPlace = Readonly<{ scope: number; stretch: number; position: number }>;

export function numberOf(place: ItemPlace): number {
  return place.scope * SCOPE_SIZE + place.stretch * STRETCH_SIZE + place.position;
}

export function scopeOf(number: number): number {
  return Math.floor(number / SCOPE_SIZE);
}

/** Identifies the stretch across all scopes. */
export function stretchOf(number: number): number {
  return Math.floor(number / STRETCH_SIZE);
}

export function positionOf(number: number): number {
  return number % STRETCH_SIZE;
}

/** The first number of a scope and the first beyond it. */
export function scopeRange(scope: number): readonly [number, number] {
  return [scope * SCOPE_SIZE, (scope + 1) * SCOPE_SIZE];
}

/** `number + offset`, unless that is outside the stretch. */
export function neighbourOf(number: number, offset: number): number | undefined {
  const position = positionOf(number) + offset;
  return position < 0 || position >= STRETCH_SIZE ? undefined : number + offset;
}
