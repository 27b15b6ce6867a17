import { HubError } from '../../kernel/errors.ts';

/** Unit vectors of one length, as many as were asked for, or nothing. */
export function toVectors(lists: readonly ArrayLike<number>[], count: number): Float32Array[] {
  if (lists.length !== count) throw unavailable(`answered ${lists.length} vectors for ${count} texts`);
  const dims = lists[0]?.length ?? 0;
  return lists.map((list) => {
    if (list.length !== dims || dims === 0 || dims > 8_192)
      throw unavailable('answered vectors of uneven length');
    const length = Math.hypot(...Array.from(list));
    if (!Number.isFinite(length) || length === 0) throw unavailable('answered a vector without direction');
    return Float32Array.from(list, (value) => value / length);
  });
}

export function unavailable(what: string, cause?: unknown): HubError {
  return new HubError('unavailable', `The embedding endpoint ${what}.`).because(cause);
}
