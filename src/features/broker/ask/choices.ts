// What "always" may mean for a request, and what of the past it would have covered.
import type { Principal } from '../../../kernel/principal.ts';
import type { PastParts } from '../judge/past-calls.ts';
import type { Approval } from '../rows/approvals.ts';
import { maskApprovalJson } from '../tell/summary.ts';
import { findApproval } from './approvals.ts';
import { type Coverage, coverageOf } from './coverage.ts';
import { readOffers } from './offers.ts';

export type Choices = Pick<Coverage, 'looked' | 'differing'> &
  Readonly<{ choices: Choice[]; open: readonly string[] }>;

/** `covers`: what to send; `shows`: one readable value per argument; `past`: how many of the calls looked at it covers. */
type Choice = Readonly<{
  covers: 'exact' | 'shape' | Readonly<{ offer: string }>;
  shows: Readonly<Record<string, string>>;
  past: number;
}>;

export async function choicesFor(parts: PastParts, who: Principal, id: string): Promise<Choices> {
  const { db } = parts;
  const approval = await db.read((q) => findApproval(q, { id, team: who.bound.team, now: db.now() }));
  const coverage = await coverageOf(parts, approval);
  const { looked, differing } = coverage;
  const open = readOffers(approval).open?.names ?? [];
  return { looked, choices: choicesOf(approval, coverage), open, differing };
}

function choicesOf(approval: Approval, { exact, shape, offers }: Coverage): Choice[] {
  const { key, ladder } = readOffers(approval);
  const usual: Choice = { covers: 'shape', shows: shown(approval.shapeText), past: shape };
  const rungs = ladder.map((rung): Choice => {
    if (rung.key === key) return usual;
    return { covers: { offer: rung.key }, shows: shown(rung.text), past: offers.get(rung.key) ?? 0 };
  });
  const isMore = !rungs.includes(usual) && usual.shows['exactly'] === undefined;
  return [{ covers: 'exact', shows: {}, past: exact }, ...rungs, ...(isMore ? [usual] : [])];
}

function shown(text: string): Record<string, string> {
  return JSON.parse(maskApprovalJson(text) ?? '{}') as Record<string, string>;
}
