import type { Mind } from './parts.ts';
import { type ClusterRow, setCentre } from './rows/clusters.ts';
import { nodesOfCluster } from './rows/nodes.ts';

/** The centre of a cluster is the mean direction of what is active in it; without vectors it has none. */
const MOST = 500;

export async function recentre(self: Mind, cluster: string, model: string | undefined): Promise<void> {
  const vector = model === undefined ? undefined : await centreOf(self, cluster, model);
  const centre = vector
    ? { centre: toBytes(vector), centreModel: model! }
    : { centre: null, centreModel: null };
  await setCentre(self, cluster, centre);
}

async function centreOf(self: Mind, cluster: string, model: string) {
  const members = await nodesOfCluster(self, cluster, { limit: MOST });
  const active = members.filter(({ status }) => status === 'active').map(({ number }) => number);
  return meanOf([...(await self.recalling.vectors(self.q, model, active)).values()]);
}

/** Undefined for none, or when they cancel out. */
function meanOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const dims = vectors[0]?.length ?? 0;
  if (dims === 0) return undefined;
  const sum = new Float64Array(dims);
  for (const vector of vectors)
    if (vector.length === dims) for (let i = 0; i < dims; i++) sum[i]! += vector[i]!;
  const length = Math.hypot(...sum);
  return length === 0 ? undefined : Float32Array.from(sum, (value) => value / length);
}

export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Of the model in use; a centre of another one says nothing. */
export function centreIn(
  { centre, centreModel }: ClusterRow,
  model: string | undefined,
): Float32Array | undefined {
  if (centre === null || model === undefined || centreModel !== model) return undefined;
  const copy = Uint8Array.from(centre);
  return new Float32Array(copy.buffer, 0, copy.byteLength / 4);
}

function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}
