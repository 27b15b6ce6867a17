import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SeatView } from '../../../src/features/access/operations.ts';
import { ask } from '../api/call.ts';
import { useCards, type Card } from '../board/cards.ts';
import { useHub } from '../frame/hub.ts';
import { useNow } from '../parts/clock.ts';
import type { Life } from '../parts/agent.tsx';
import { isOf } from '../frame/of-project.ts';

/** Asked again when the hub tells that somebody came or left. */
export function useSeats() {
  return useQuery({ queryKey: ['seats'], queryFn: () => ask('GET /api/seats') });
}

/** For the person alone: nobody else is told which tokens there are. */
export function useTokens() {
  const { data: hub } = useHub();
  return useQuery({
    queryKey: ['tokens'],
    enabled: hub?.isSignedIn === true,
    queryFn: () => ask('GET /api/tokens'),
  });
}

export function useProjects() {
  return useQuery({ queryKey: ['projects'], queryFn: () => ask('GET /api/projects') });
}

/** An agent: everything under one name in one project. */
export type AgentView = Readonly<{
  name: string;
  teamId: string | null;
  life: Life;
  seats: readonly SeatView[];
  held: readonly Card[];
  lastAt: number;
}>;

const IDLE_MS = 120_000;
const HOLDING: ReadonlySet<string> = new Set(['in_progress', 'in_review', 'blocked']);

/** Who is connected, and who holds something without being connected. */
export function useAgents(project: string | undefined): readonly AgentView[] {
  const { data: seats } = useSeats();
  const { data: cards } = useCards();
  const now = useNow();
  return useMemo(() => {
    const found = new Map<string, { name: string; teamId: string | null; seats: SeatView[]; held: Card[] }>();
    const at = (name: string, teamId: string | null) => {
      const key = `${teamId ?? ''} ${name}`;
      const known = found.get(key) ?? { name, teamId, seats: [], held: [] };
      found.set(key, known);
      return known;
    };
    for (const seat of seats?.seats ?? []) at(seat.name, seat.teamId).seats.push(seat);
    for (const card of cards?.values() ?? []) {
      if (card.assigneeAgentId === null || !HOLDING.has(card.status)) continue;
      const home = seats?.seats.find(({ name }) => name === card.assigneeAgentId)?.teamId ?? card.teamId;
      at(card.assigneeAgentId, home).held.push(card);
    }
    return [...found.values()]
      .filter(({ teamId, held }) => isOf(project, teamId, ...held.map((card) => card.teamId)))
      .map((agent) => ({
        ...agent,
        life: lifeOf(agent.seats, agent.held, now),
        lastAt: lastOf(agent.seats, agent.held),
      }))
      .sort((a, b) => ORDER[a.life] - ORDER[b.life] || a.name.localeCompare(b.name));
  }, [seats, cards, now, project]);
}

const ORDER: Readonly<Record<Life, number>> = { living: 0, idle: 1, gone: 2 };

function lifeOf(seats: readonly SeatView[], held: readonly Card[], now: number): Life {
  if (seats.length === 0) return 'gone';
  const isWorking = held.some(({ status }) => status === 'in_progress');
  return isWorking || seats.some(({ calledAt }) => now - calledAt < IDLE_MS) ? 'living' : 'idle';
}

function lastOf(seats: readonly SeatView[], held: readonly Card[]): number {
  return Math.max(0, ...seats.map(({ calledAt }) => calledAt), ...held.map(({ updatedAt }) => updatedAt));
}

export function useLifeOf(): (name: string) => Life {
  const { data } = useSeats();
  return useMemo(() => {
    const names = new Set(data?.seats.map(({ name }) => name));
    return (name) => (names.has(name) ? 'living' : 'gone');
  }, [data]);
}

/** Projects by id, with teams that are no project but have tasks or seats. */
export function useTeams(): readonly { teamId: string; name: string }[] {
  const { data: projects } = useProjects();
  const { data: cards } = useCards();
  const { data: seats } = useSeats();
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const { teamId } of cards?.values() ?? []) if (teamId !== null) names.set(teamId, teamId);
    for (const { teamId } of seats?.seats ?? []) if (teamId !== null) names.set(teamId, teamId);
    for (const { teamId, name } of projects?.projects ?? []) names.set(teamId, name);
    return [...names]
      .map(([teamId, name]) => ({ teamId, name }))
      .sort((a, b) => a.name.localeCompare(b.name));
  }, [projects, cards, seats]);
}
