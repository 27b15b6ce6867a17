/** Revisions with a session and an `initialize` handshake, newest first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
] as const;

/** Stateless revisions: every request carries its own envelope. */
export const MODERN_VERSIONS = ['2026-07-28'] as const;

export const MODERN_VERSION = MODERN_VERSIONS[0];

export type Era = 'legacy' | 'modern';

export function isLegacyVersion(version: string): boolean {
  return (LEGACY_VERSIONS as readonly string[]).includes(version);
}

export function isServedModernVersion(version: string): boolean {
  return (MODERN_VERSIONS as readonly string[]).includes(version);
}

/** True also for revisions newer than ours: they are refused by name instead of being mistaken for a legacy client. */
export function namesModernEra(version: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version >= MODERN_VERSION;
}

/** What `initialize` answers: the revision asked for, or our newest one and the client decides. */
export function negotiate(requested: unknown): string {
  return typeof requested === 'string' && isLegacyVersion(requested) ? requested : LEGACY_VERSIONS[0];
}

/** Clients of earlier revisions know no structured results and nothing of their schemas. */
export function knowsOutputSchemas(version: string): boolean {
  return version >= '2025-06-18';
}

/** Batches exist in exactly one revision. */
export function allowsBatch(version: string): boolean {
  return version === '2025-03-26';
}

/** Messages in one of them. A batch is answered as a whole, so what it may cost has to be bounded. */
export const MAX_BATCH = 100;
