import { HubError } from '../../kernel/errors.ts';
import type { MailboxKey } from './rules.ts';

/** Every way the register and the mail say no. */

export function notOpen(): HubError {
  return new HubError('unavailable', 'peer registry not initialised', {
    hint: 'The hub is starting or stopping; try again in a moment.',
  });
}

export function onlyForPerson(): HubError {
  return new HubError('forbidden', 'All mail is for the person at the hub; an agent has its own mailbox.');
}

export function namelessReader(): HubError {
  return new HubError('invalid', 'no bound identity: pass peer', {
    hint: 'Name your mailbox: the peer_id you registered with, or your agent_id.',
  });
}

export function unknownPeer(
  id: string,
  hint = 'GET /v1/peers, or the tool PeerList, shows who is registered.',
): HubError {
  return new HubError('not_found', `unknown peer: ${id}`, { got_id: id, hint });
}

export function emptyPane(pane: string): HubError {
  return new HubError('not_found', `no peer in pane ${pane}`, {
    got_id: pane,
    hint: 'GET /v1/peers shows who is registered, and where.',
  });
}

export function ambiguousName(name: string, peerIds: readonly string[]): HubError {
  return new HubError('conflict', `Several peers are called ${name}.`, {
    peerIds,
    hint: 'Name the circle, or a peer_id.',
  });
}

export function paneTaken(pane: string, name: string): HubError {
  return new HubError('conflict', `The pane ${pane} is taken: ${name} is alive in it.`, {
    pane,
    hint: 'Register under that name, or after it has gone offline.',
  });
}

export function notRegistered(id: string): HubError {
  return unknownPeer(
    id,
    'This peer is not registered (any more): register again with POST /v1/peers/register.',
  );
}

export function unknownMessage(id: string): HubError {
  return new HubError('not_found', `unknown message: ${id}`, { got_id: id });
}

export function unknownThread(id: string): HubError {
  return new HubError('not_found', `unknown thread: ${id}`, { got_id: id });
}

export function foreignPeer(agentId: string, bound: string | undefined): HubError {
  return new HubError(
    'forbidden',
    `This credential belongs to the agent ${bound ?? '?'} and cannot act as ${agentId}.`,
    {
      boundAgentId: bound,
      hint: 'Use your own peer id, or leave it out.',
    },
  );
}

/** Of a session that the caller can see and that is somebody else's. */
export function foreignSession(peerId: string): HubError {
  return new HubError('forbidden', `This credential cannot act for the session ${peerId}.`, {
    hint: 'Use your own peer id.',
  });
}

export function identityTaken(peerId: string, agentId: string): HubError {
  return new HubError(
    'conflict',
    `This session is registered as the agent ${agentId}; registering again cannot change that.`,
    {
      peerId,
      agentId,
      hint: 'Deregister the peer first, or register with a session_id of your own.',
    },
  );
}

export function otherCircle(theirs: string, own: string): HubError {
  return new HubError(
    'forbidden',
    `Messages stay within a circle: the recipient is in ${theirs}, the sender in ${own}.`,
    {
      circle: theirs,
      senderCircle: own,
      hint: 'Register in that circle, or ask the person at the hub to pass it on.',
    },
  );
}

export function closedCircle(circle: string): HubError {
  return new HubError('forbidden', `The circle ${circle} is not one of this team.`, {
    circle,
    hint: 'Stay in the default circle, or open one with a name that nobody uses yet.',
  });
}

/** One name, several mailboxes. Of which teams they are is for those who may know. */
export function ambiguous(boxes: readonly MailboxKey[], seesTeams: boolean): HubError {
  const { agentId } = boxes[0]!;
  const circles = [...new Set(boxes.map(({ circle }) => circle))];
  const teams = [...new Set(boxes.map(({ team }) => team))].sort();
  if (teams.length === 1)
    return new HubError(
      'conflict',
      `The agent ${agentId} has a mailbox in several circles: ${circles.join(', ')}.`,
      { circles, hint: 'Name the circle, or a peer_id.' },
    );
  const named = seesTeams ? `: ${teams.map((team) => team || '(none)').join(', ')}` : '';
  return new HubError('conflict', `Several teams have an agent ${agentId}${named}.`, {
    circles,
    ...(seesTeams && { teams }),
    hint: seesTeams ? 'Name the team, or a peer_id.' : 'Name a peer_id.',
  });
}

export function mailboxFull(agentId: string, max: number): HubError {
  return new HubError('limited', `limit reached: waiting messages per mailbox is ${max} (${agentId})`, {
    limit: 'waiting messages',
    max,
    hint: 'The recipient does not fetch its mail; wait until it does.',
  });
}

export function registerFull(max: number): HubError {
  return new HubError('limited', `limit reached: registered peers is ${max}`, { limit: 'peers', max });
}
