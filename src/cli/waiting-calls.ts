import type { Client } from './client.ts';

/** Said where a person looks: an agent stands still until somebody decides. */
export async function tellWaiting({ ask }: Client, tell: (line: string) => void): Promise<void> {
  const { approvals } = await ask('GET /api/tools/approvals');
  if (approvals.length > 0) tell(`${calls(approvals.length)} for your decision: holdfast approvals`);
}

export function calls(count: number): string {
  return count === 1 ? 'one call waits' : `${count} calls wait`;
}
