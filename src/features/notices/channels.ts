import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Notice, NoticeActions } from './notice.ts';
import { post } from './post.ts';
import type { ChannelSettings, NoticeSettings } from './settings.ts';

/** A way to a person. `send` rejects when the notice did not arrive. */
export type NoticeChannel = Readonly<{
  name: string;
  isWanted(notice: Notice): boolean;
  isLoud: boolean;
  send(notice: Notice, signal: AbortSignal): Promise<void>;
}>;

export function channelsOf({ desktop, to }: NoticeSettings): NoticeChannel[] {
  const named = Object.entries(to).map(([name, settings]) => channelTo(name, settings));
  return desktop ? [DESKTOP, ...named] : named;
}

function channelTo(name: string, settings: ChannelSettings): NoticeChannel {
  const { kinds, projects, always, private: isPrivate } = settings;
  return {
    name,
    isLoud: !always,
    isWanted: ({ kind, team }) =>
      (kinds === undefined || kinds.includes(kind)) &&
      (projects === undefined || (team !== undefined && projects.includes(team))),
    send: (notice, signal) => post({ ...letterOf(settings, notice), isPrivate }, signal),
  };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function letterOf({ ntfy, slack, webhook, secret }: ChannelSettings, notice: Notice) {
  const { kind, text, actions } = notice;
  if (ntfy !== undefined)
    return {
      url: ntfy,
      body: text,
      headers: {
        title: 'Holdfast',
        tags: kind,
        priority: kind === 'approval' ? 'high' : 'default',
        ...(actions && { click: actions.open.url, actions: inNtfy(actions) }),
      },
    };
  if (slack !== undefined)
    return {
      url: slack,
      body: JSON.stringify({
        text: `Holdfast: ${inSlack(text)}${actions ? ` <${actions.open.url}|Open>` : ''}`,
      }),
      headers: JSON_TYPE,
    };
  const body = JSON.stringify(notice);
  return {
    url: webhook!,
    body,
    headers: { ...JSON_TYPE, ...(secret !== undefined && signatureOf(secret, notice, body)) },
  };
}

/** As its header has them: what is sent by pressing is a POST. */
function inNtfy({ open, deny }: NoticeActions): string {
  return `view, Open, ${open.url}; http, Deny, ${deny.url}, method=${deny.method}, clear=true`;
}

/** A name like `<!channel>` would call everybody, `<https://…|…>` be a link. */
function inSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Over time and body, so that an old notice cannot be sent again as a new one. */
function signatureOf(secret: string, { at }: Notice, body: string): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  return { 'x-holdfast-timestamp': String(at), 'x-holdfast-signature': `sha256=${digest}` };
}

/** Whatever the desktop has: no daemon of our own. The text is an argument, never part of a script. */
const DESKTOP: NoticeChannel = {
  name: 'desktop',
  isLoud: true,
  isWanted: () => true,
  send({ text }, signal) {
    const [command, ...args] =
      process.platform === 'darwin'
        ? [
            'osascript',
            '-e',
            'on run argv',
            '-e',
            'display notification (item 1 of argv) with title "Holdfast"',
            '-e',
            'end run',
            asArgument(text),
          ]
        : ['notify-send', '--app-name=holdfast', 'Holdfast', asArgument(withoutMarkup(text))];
    return new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        stdio: 'ignore',
        signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
      });
      child.once('error', reject);
      child.once('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`${command} ended with ${code}`)),
      );
    });
  },
};

/** A sentence that begins with a name may begin with a hyphen: it must not be read as an option, or as a script. */
function asArgument(text: string): string {
  return text.startsWith('-') ? ` ${text}` : text;
}

/** Some desktops read markup in what they show, others show it as it is. */
function withoutMarkup(text: string): string {
  return text.replaceAll('<', '\u2039').replaceAll('>', '\u203a').replaceAll('&', '\uff06');
}
