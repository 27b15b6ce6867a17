import { DESTRUCTIVE } from './destructive.ts';
import { EXFIL } from './exfil.ts';
import { INJECTION } from './injection.ts';
import type { Rule } from './rule.ts';
import { SUPPLY_CHAIN } from './supply-chain.ts';

/**
 * Matched against normalised views: lower case, unquoted, decoded, one space between words. Every label has its row in
 * docs/reference/inspectors.md. Invariant: every quantifier is bounded and no text can be split by one in many ways, so that a
 * hostile text costs time in proportion to its length (proved by "no text of the full length holds the hub up").
 */
export const RULES: readonly Rule[] = [...EXFIL, ...INJECTION, ...DESTRUCTIVE, ...SUPPLY_CHAIN];
