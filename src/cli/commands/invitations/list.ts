import { command } from '../../command.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { counted } from '../../terminal/output/format.js'
import { secondsOf } from '../../terminal/output/timestamps.js'

/** Characters of an id that are displayed. */
const SHORT = 12

type Invitation = ResultOf<'invitations.list'>['invitations'][number]

/** `coffer invitations list`. */
export const list = command({
  path: ['invitations', 'list'],
  summary: 'List invitations and the accounts that used them',
  description:
    'Tokens are not stored, so they are not shown: ID is the start of the SHA-256 of a token. Revoked invitations are omitted.',
  examples: [
    { type: 'coffer invitations list', description: 'list as a table' },
    { type: 'coffer invitations list -q', description: 'print only the full ids, one per line' },
  ],
  json: '{"invitations":[{"id","createdAt","createdBy","description","consumedAt","consumedBy"}],"required"}; times in milliseconds',
  offline: true,
  async run({ out, connect, commandFor }) {
    const client = await connect()
    const answer = await client.call('invitations.list', {}, {})
    const { invitations } = answer
    const user = ({ consumedAt, consumedBy }: Invitation): string =>
      consumedAt === undefined ? '—' : consumedBy ?? '(deleted)'
    const id = (invitation: Invitation): string => invitation.id
    await out.list(answer, {
      columns: [
        { title: 'ID', cell: (invitation, isTerminal) => (isTerminal ? id(invitation).slice(0, SHORT) : id(invitation)) },
        { title: 'CREATED', time: ({ createdAt }) => secondsOf(createdAt), drops: true },
        { title: 'FOR', cell: ({ description }) => description || '—', shrinks: true },
        { title: 'USED', time: ({ consumedAt }) => secondsOf(consumedAt), drops: 'late' },
        { title: 'BY', cell: user, shrinks: true },
      ],
      rows: invitations,
      id,
      count: counted(invitations.length, 'invitation'),
    })
    if (!answer.required) out.note(openNote(commandFor))
  },
})

/** Returns a hint for a node on which registration needs no invitation. */
export const openNote = (commandFor: (...words: string[]) => string): string =>
  `Registration is open to everyone. To require an invitation: ${commandFor('config', 'set', 'invitationTokens', '[]')}`
