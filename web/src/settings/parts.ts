export type PartKey = 'attach' | 'browser' | 'hub' | 'tokens' | 'drafts' | 'backup';

type Part = Readonly<{ key: PartKey; name: string; about: string; isOfOwner?: boolean }>;

/** What there is to set, each with an address of its own. */
export const PARTS: readonly [Part, ...Part[]] = [
  { key: 'attach', name: 'Attach a client', about: 'How an agent on this machine comes in' },
  { key: 'browser', name: 'This browser', about: 'Theme, notifications, signing out' },
  { key: 'hub', name: 'The hub', about: 'What config.yaml says, and changing it', isOfOwner: true },
  { key: 'tokens', name: 'Tokens', about: 'Credentials of agents on other machines' },
  { key: 'drafts', name: 'Typed and not sent', about: 'Kept in this browser until sent' },
  { key: 'backup', name: 'Keep it safe', about: 'Copies, and plain files' },
];
