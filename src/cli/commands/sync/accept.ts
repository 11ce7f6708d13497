import { command } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import { recordOf, textOf, type Record_ } from '../../client/answer.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { writeFirstSync } from '../../sync/attendant.js'
import { assertAnswerable, riskOption } from '../../sync/consent.js'
import { followPairings, takeBack } from '../../sync/pairingFeed.js'
import { scopeWords } from '../../sync/peer.js'
import { attendantOf } from './attend.js'

/** `coffer sync accept`. */
export const accept = command({
  path: ['sync', 'accept'],
  summary: 'Pair with the node that offered a link',
  description:
    'The link is what coffer sync pair printed on the other node; - reads it from stdin, which keeps it out of the list of processes. Both screens then show the same three words: compare them, and confirm on both sides.\n\n' +
    'With --create the account is made when it is not there: empty, and without a password, so that nobody signs in to it until it has one (coffer users set-password). It may have another name than on the other node.\n\n' +
    'This node keeps calling the other. --address tells the other node where to call this one in turn; needless where only one of the two can be reached. On a terminal the first sync is shown until both are in sync; Ctrl-C then ends the watching, not the sync.',
  arguments: { link: text('The link, or - for stdin', { required: true }) },
  options: {
    user: userOption,
    create: flag('Make the account when it is not there'),
    name: text('What the other node is called here; without it, as it calls itself', { placeholder: 'name' }),
    address: text('Where the other node reaches this one', { placeholder: 'url' }),
    acceptRisk: riskOption,
  },
  examples: [
    { type: `coffer sync accept 'coffer:pair/HX4T7QMB@https://home.example.org/' --user ana-lovelace --create`, says: 'a copy of an account' },
    { type: 'coffer sync accept - --user ana-lovelace --accept-risk=unconfirmed-peer --json', says: 'for scripts' },
  ],
  json: '{"peer":{"id","name",…},"user"}',
  offline: false,
  async run(context, options) {
    const { out, connect, terminal, commandFor } = context
    const isPiped = options.link === '-'
    // Whoever pipes the link in cannot answer on the same stdin.
    assertAnswerable(context, options.acceptRisk)
    const link = isPiped ? (await terminal.readAll()).trim() : options.link
    const client = await connect('unlimited')
    const user = options.create && options.user !== undefined ? options.user : (await accountOf(client, options.user, 'Have it made: --user <username> --create')).user
    const { name, address, create } = options
    const about = { ...(name === undefined ? {} : { name }), ...(address === undefined ? {} : { address }) }
    const attendant = await attendantOf(context, options.acceptRisk)
    let answer: Record_ | 'interrupted'
    let confirmed: Record_ | 'interrupted'
    let id: string | undefined
    try {
      attendant.calling()
      const accepting = client.call('sync.accept', { username: user, link, create, ...about }, {})
      // Who leaves meanwhile takes back what comes of it.
      accepting.then((late) => (id = textOf(recordOf(late['pairing'])['id']))).catch(() => undefined)
      answer = await attendant.leave.or(accepting)
      if (answer === 'interrupted') {
        await accepting.catch(() => undefined)
        throw new CommandError('Cancelled; nothing was paired.', { exit: 130 })
      }
      const pairing = recordOf(answer['pairing'])
      id = textOf(pairing['id'])
      await attendant.compare(pairing, followPairings(client, user).over(id))
      attendant.confirming(pairing)
      confirmed = await attendant.leave.or(client.call('sync.confirm', { pairing: id }, {}))
      if (confirmed === 'interrupted') throw new CommandError('Cancelled; nothing was paired.', { exit: 130 })
    } catch (error) {
      await attendant.close()
      if (id !== undefined) await takeBack(client, id)
      throw error
    }
    const peer = recordOf(confirmed['peer'])
    await out.result(
      { peer, user },
      {
        id: textOf(peer['id']),
        print: async () => {
          await writeFirstSync(out, client, attendant, { user, peer: textOf(peer['id']) }, () => {
            out.done(`Paired with ${textOf(peer['name'])}: ${scopeWords(peer)} of ${user}.`)
            if (answer['isNew'] === true) {
              out.note(`  The account ${user} was made, and has no password. Set one: ${commandFor('users', 'set-password', user)}`)
            }
          })
          out.note(`  See how it goes: ${commandFor('sync', 'status')}`)
        },
      },
    )
  },
})
