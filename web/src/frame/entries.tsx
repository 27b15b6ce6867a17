import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useFolders } from '../agents/folders.ts';
import { useAgents, useTeams } from '../agents/queries.ts';
import { wish } from '../approvals/own-call.ts';
import { useApprovals } from '../approvals/queries.ts';
import { gist } from '../approvals/request.ts';
import { useCards, type Card } from '../board/cards.ts';
import { isOver } from '../board/filter.ts';
import { Face } from '../parts/face.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { useRuns } from '../runs/queries.ts';
import { PARTS } from '../settings/parts.ts';
import { entriesFound, icon, runEntry, type Entry } from './entries-found.tsx';
import { useEverything } from './everything.ts';
import { met } from './fuzzy.ts';
import { useHub } from './hub.ts';
import { useOpenTask, useProject, useSetPlace } from './place.ts';
import { recent, remember } from './recent.ts';
import { chooseTheme, isDark } from './theme.ts';
import { lineMeant, VERBS } from './verbs.ts';
import { VIEWS } from './views.ts';

const SHOWN = 8;

/** All that can be chosen, for what is typed. */
export function useEntries(typed: string, onClose: () => void, onKeys: () => void) {
  const wanted = typed.toLowerCase();
  const { data: cards } = useCards();
  const everything = useEverything(wanted);
  const { data: pending } = useApprovals();
  const teams = useTeams();
  const agents = useAgents(undefined);
  const { data: runs } = useRuns();
  const isSignedIn = useHub().data?.isSignedIn === true;
  const folders = useFolders(useProject() ?? null);
  const [, openTask] = useOpenTask();
  const setPlace = useSetPlace();
  const navigate = useNavigate();

  const entries = useMemo((): readonly Entry[] => {
    const leave = (run: () => void) => () => (onClose(), run());
    const taskEntry = (card: Card): Entry => ({
      id: card.id,
      group: 'Tasks',
      text: card.title,
      mark: <StatusMark status={card.status} />,
      hint: card.assigneeAgentId ?? card.teamId ?? '',
      run: leave(() => openTask(card.id)),
    });
    const tasks: Entry[] = [...(cards?.values() ?? [])]
      .flatMap((card) => {
        const isId = wanted.length > 2 && card.id.includes(wanted);
        const score = wanted === '' ? 0 : isId ? 9 : met(wanted, card.title);
        return score > 0 ? [{ card, score }] : [];
      })
      .sort(
        (a, b) =>
          b.score - a.score ||
          Number(isOver(a.card.status)) - Number(isOver(b.card.status)) ||
          b.card.updatedAt - a.card.updatedAt,
      )
      .slice(0, SHOWN)
      .map(({ card }) => taskEntry(card));
    const views = VIEWS.map(({ to, name, icon: sign, key }) => ({
      id: to,
      group: 'Go to',
      text: name,
      mark: icon(sign),
      hint: `g ${key}`,
      run: leave(() => void navigate({ to })),
    }));
    const projects = teams.map(({ teamId, name }) => ({
      id: `project ${teamId}`,
      group: 'Projects',
      text: name,
      mark: icon('branch'),
      run: leave(() => setPlace({ project: teamId }, true)),
    }));
    const people: Entry[] = agents.map(({ name, teamId, life, seats }) => ({
      id: `agent ${name} ${teamId ?? ''}`,
      group: 'Agents',
      text: name,
      mark: <Face name={name} client={seats[0]?.client} size={16} />,
      hint: life === 'gone' ? 'not connected' : (teamId ?? ''),
      run: leave(() => void navigate({ to: '/agents', search: { at: name } })),
    }));
    const asked: Entry[] = (pending?.approvals ?? []).map((approval) => ({
      id: `approval ${approval.id}`,
      group: 'Waits for you',
      text: `${approval.agentId ?? approval.principal} wants to ${wish(approval)}: ${gist(approval)}`,
      // Posts and notices name a request by its id, or by the end of it.
      also: `approve approvals allow deny decide ${approval.id}`,
      mark: <Icon name="approvals" size={15} className="text-coral" />,
      hint: approval.teamId ?? '',
      run: leave(() => void navigate({ to: '/approvals', search: { at: approval.id } })),
    }));
    const deeds: Entry[] = [
      ...VERBS.map(({ text, sign, also, hint, to, search }) => ({
        id: `do ${text}`,
        group: 'Do',
        text,
        also,
        mark: icon(sign),
        ...(hint !== undefined && { hint }),
        run: leave(() => void navigate({ to, ...(search && { search }) })),
      })),
      {
        id: 'theme',
        group: 'Do',
        text: isDark() ? 'Light theme' : 'Dark theme',
        also: 'settings colour appearance',
        mark: icon(isDark() ? 'sun' : 'moon'),
        hint: 'D',
        run: leave(() => chooseTheme(isDark() ? 'light' : 'dark')),
      },
      {
        id: 'keys',
        group: 'Do',
        text: 'Keys',
        also: 'keyboard shortcuts help',
        mark: icon('keys'),
        hint: '?',
        run: onKeys,
      },
    ];
    const parts: Entry[] = PARTS.filter(({ isOfOwner }) => isOfOwner !== true || isSignedIn).map(
      ({ key, name, about }) => ({
        id: `settings ${key}`,
        group: 'Settings',
        text: name,
        also: `settings ${about}`,
        mark: icon('settings'),
        hint: about,
        run: leave(() => void navigate({ to: '/settings', search: { view: key } })),
      }),
    );
    const line = lineMeant(typed, folders[0]?.path);
    // Of a file that lies deeper the name alone was typed: it is one of those that were found.
    const bare = `/${typed.replace(/:\d*$/, '')}`;
    const isDeeper = everything.paths.some(({ path }) => path.endsWith(bare));
    if (line !== undefined && !isDeeper)
      deeds.push({
        id: `why ${line}`,
        group: 'Do',
        text: `Why is ${typed} as it is`,
        mark: icon('file'),
        run: leave(() => void navigate({ to: '/why', search: { q: line } })),
      });
    const found = entriesFound({ everything, tasks, cards, wanted, navigate, openTask, leave });
    const known: readonly Entry[] = [...asked, ...views, ...projects, ...people, ...deeds, ...parts];
    const doable = known
      .map((entry) => ({ entry, score: met(wanted, `${entry.text} ${entry.also ?? ''}`) }))
      .filter(({ score }) => score > 0);
    // A verb that was typed is what is wanted: it stands above what merely has the word in it.
    const isDeed = doable.some(({ entry, score }) => wanted !== '' && entry.group === 'Do' && score >= 4);
    const shown = doable
      .filter(({ entry }) => wanted !== '' || (entry.group !== 'Agents' && entry.group !== 'Settings'))
      .map(({ entry }) => entry);
    const first = shown.filter(({ group }) => isDeed && group === 'Do');
    const rest = shown.filter((entry) => !first.includes(entry));
    const again =
      wanted === ''
        ? recent().flatMap((id): Entry[] => {
            const card = cards?.get(id);
            const run = runs?.tasks.find(({ task_id }) => task_id === id);
            const entry = card
              ? taskEntry(card)
              : (known.find((each) => each.id === id) ?? (run && runEntry(run, { cards, navigate, leave })));
            return entry ? [{ ...entry, id: `again ${id}`, group: 'Recent', of: id }] : [];
          })
        : [];
    // Whoever types the name of a file means the file.
    const files = found.filter(({ group }) => isDeeper && group === 'Files');
    const others = found.filter((entry) => !files.includes(entry));
    const all: readonly Entry[] = [...again, ...first, ...files, ...tasks, ...rest, ...others];
    return all.map((entry) => ({
      ...entry,
      run: () => (remember(entry.of ?? entry.id), entry.run()),
    }));
  }, [
    cards,
    everything,
    pending,
    teams,
    agents,
    folders,
    runs,
    isSignedIn,
    typed,
    wanted,
    onClose,
    onKeys,
    openTask,
    setPlace,
    navigate,
  ]);
  const { isLooking, problem } = everything;
  return { entries, isLooking, problem };
}
