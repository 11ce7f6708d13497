/** What each group of commands is about; one line, no full stop. */
export const nouns: Readonly<Record<string, string>> = {
  accesses: 'Who may see or change what, and until when',
  apps: 'The directory of applications',
  audit: 'Who did what, read or followed',
  backup: 'Make backups and prove that they restore',
  config: 'The settings: read, change, see where they come from',
  consents: 'Requests for consent, and the answers to them',
  delegations: 'Accounts that others may act for',
  events: 'The records of an account',
  invitations: 'Tokens that let people register',
  mail: 'Mails of the node: their texts, and a test of sending',
  mfa: 'The second factor at login',
  nodes: 'Remote nodes, by name',
  oauth: 'OAuth: clients, tokens, offers',
  'oauth clients': 'Applications that may ask for access by OAuth',
  'oauth offers': 'What OAuth clients may ask for',
  'oauth tokens': 'Tokens that OAuth clients hold',
  profile: 'Profile sets of an account',
  requests: 'Applications that wait for an answer',
  secrets: 'One-time secrets to hand over',
  series: 'High-frequency series of an event',
  service: 'Run the node as a service of the system',
  sessions: 'Who is logged in',
  store: 'The store: figures, check, repair',
  streams: 'The tree of streams of an account',
  sync: 'Keep several nodes of one owner in step',
  'sync peers': 'The paired nodes: list, show, change',
  users: 'The accounts of this node',
  webhooks: 'Web addresses that are told about changes',
}

/** What to type first, and what it does; a step is shown when its command exists. */
export const firstSteps: ReadonlyArray<{ type: string; says: string; needs: 'no store' | 'store' }> = [
  { type: 'coffer init', says: 'make a store and a configuration', needs: 'no store' },
  { type: 'coffer start', says: 'run the node', needs: 'store' },
  { type: 'coffer users create ana-lovelace --email ana@example.org', says: 'make an account', needs: 'store' },
  { type: 'coffer status', says: 'see how it is', needs: 'store' },
]
