/** Commands that end a pending or ended delegation: one API call with an empty result. */
import { command, type Command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import type { Names } from '../../framework/nameKind.js'
import { text } from '../../framework/option.js'

interface Ending {
  verb: 'refuse' | 'cancel' | 'dismiss'
  summary: string
  description?: string
  /** Description of the other account, for help. */
  other: string
  names: Names
  example: string
  method: string
  done(other: string, user: string): string
}

const ending = ({ verb, summary, description, other, names, example, method, done }: Ending): Command =>
  command({
    path: ['delegations', verb],
    summary,
    ...(description === undefined ? {} : { description }),
    arguments: { account: text(other, { required: true, names }) },
    options: { user: userOption },
    examples: [{ type: `coffer delegations ${verb} ${example}`, description: 'choose one of several accounts' }],
    json: `{}, the result of ${method}`,
    offline: true,
    async run({ out, connect }, { account, user: username }) {
      const client = await connect()
      const { user } = await accountOf(client, username)
      const answer = await client.call(method, { username: account }, { user })
      await out.result(answer, { id: account, print: () => out.done(done(account, user)) })
    },
  })

/** `coffer delegations refuse`. */
export const refuse = ending({
  verb: 'refuse',
  summary: 'Refuse an invitation to act for an account',
  other: 'Account that sent the invitation',
  names: 'managed',
  example: 'ana-lovelace --user ben-babbage',
  method: 'delegations.refuseAttach',
  done: (other, user) => `${user} refused to act for ${other}`,
})

/** `coffer delegations cancel`. */
export const cancel = ending({
  verb: 'cancel',
  summary: 'Cancel an invitation that is not accepted yet',
  description: 'To end a delegation that was accepted, use coffer delegations detach.',
  other: 'Account that was invited',
  names: 'delegate',
  example: 'ben-babbage --user ana-lovelace',
  method: 'delegations.cancelInvite',
  done: (other, user) => `${other} is no longer invited to act for ${user}`,
})

/** `coffer delegations dismiss`. */
export const dismiss = ending({
  verb: 'dismiss',
  summary: 'Remove an ended managed account from the list',
  description: 'Only for an account that coffer delegations list shows as "ended there". The other account is not changed.',
  other: 'Account that was managed',
  names: 'managed',
  example: 'ana-lovelace --user ben-babbage',
  method: 'delegations.dismissControlled',
  done: (other, user) => `${other} removed from the list of ${user}`,
})
