/** Commands that end what is no delegation any more, or not yet one: one call, whose answer is empty. */
import { command, type Command } from '../../command.js'
import { accountOf, userOption } from '../../client/user.js'
import { text, type Names } from '../../framework/option.js'

interface Ending {
  verb: 'refuse' | 'cancel' | 'dismiss'
  summary: string
  description?: string
  /** Who the other account is. */
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
    examples: [{ type: `coffer delegations ${verb} ${example}`, says: 'one of several accounts' }],
    json: `{}, the result of ${method}`,
    offline: true,
    async run({ out, connect }, { account, user: given }) {
      const client = await connect()
      const { user } = await accountOf(client, given)
      const answer = await client.call(method, { username: account }, { user })
      await out.result(answer, { id: account, print: () => out.done(done(account, user)) })
    },
  })

/** `coffer delegations refuse`. */
export const refuse = ending({
  verb: 'refuse',
  summary: 'Refuse to act for an account that asks for it',
  other: 'The account that asks',
  names: 'managed',
  example: 'ana-lovelace --user ben-babbage',
  method: 'delegations.refuseAttach',
  done: (other, user) => `${user} does not act for ${other}`,
})

/** `coffer delegations cancel`. */
export const cancel = ending({
  verb: 'cancel',
  summary: 'Take an invitation back that is not accepted yet',
  description: 'For a delegate who has accepted there is coffer delegations detach.',
  other: 'The account that was asked',
  names: 'delegate',
  example: 'ben-babbage --user ana-lovelace',
  method: 'delegations.cancelInvite',
  done: (other, user) => `${other} is no longer asked to act for ${user}`,
})

/** `coffer delegations dismiss`. */
export const dismiss = ending({
  verb: 'dismiss',
  summary: 'Take a managed account off the list that has ended it',
  description: 'Only one that coffer delegations list tells as ended there. Nothing happens in the other account.',
  other: 'The account that was managed',
  names: 'managed',
  example: 'ana-lovelace --user ben-babbage',
  method: 'delegations.dismissControlled',
  done: (other, user) => `${other} is off the list of ${user}`,
})
