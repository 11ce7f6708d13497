import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../framework/exit.js'
import type { ResultOf } from '../../client/nodeClient.js'
import { accountOf, userOption } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { writeFirstSync } from './shared/pairingUi.js'
import { assertAnswerable, pairingRiskOption } from './shared/consent.js'
import { findNearby } from './shared/nearby.js'
import { followPairings, withdrawPairing } from './shared/pairingFeed.js'
import { scopeWords } from './shared/peer.js'
import { openPairingUi } from './openPairingUi.js'

/** `coffer sync accept`. */
export const accept = command({
  path: ['sync', 'accept'],
  summary: 'Accept a pairing link from another node',
  description:
    'Use the link that coffer sync pair printed on the other node; - reads it from stdin, which keeps it out of the process list. Both screens then show the same three words: compare them, and confirm on both nodes.\n\n' +
    'With --nearby the link comes from the local network: type the code that coffer sync pair --nearby shows on the other node. Networks that do not pass multicast DNS (UDP port 5353), as those of containers, need the link.\n\n' +
    'With --create the account is created if it does not exist: empty and without a password; login is possible once you set one (coffer users set-password). It may have a different name than on the other node.\n\n' +
    'This node keeps connecting to the other one. --address lets the other node connect to this one as well; omit it if only one of the two is reachable. On a terminal the first sync is shown until both are in sync; Ctrl-C stops the display, not the sync.',
  arguments: { link: text('Pairing link, or - for stdin; with --nearby, - reads the code', { stdin: 'dash' }) },
  options: {
    user: userOption,
    nearby: flag('Find the other node in the local network by the code that sync pair --nearby shows'),
    create: flag('Create the account if it does not exist'),
    name: text('Name of the other node on this one; defaults to the name it uses for itself', { placeholder: 'name' }),
    address: text('URL at which the other node reaches this one', { placeholder: 'url' }),
    acceptRisk: pairingRiskOption,
  },
  examples: [
    { type: `coffer sync accept 'coffer:pair/HX4T7QMB@https://home.example.org/' --user ana-lovelace --create`, description: 'copy an account from another node' },
    { type: 'coffer sync accept --nearby --user ana-lovelace --create', description: 'copy an account from a node of the same network' },
    { type: 'coffer sync accept - --user ana-lovelace --accept-risk=unconfirmed-peer --json', description: 'for scripts' },
  ],
  json: '{"peer":{"id","name",…},"user"}',
  offline: false,
  async run(context, options) {
    const { out, connect, terminal, commandFor } = context
    const isPiped = options.link === '-'
    // Confirmation cannot be read from the same stdin as the link.
    assertAnswerable(context, options.acceptRisk)
    assertSource(context, options)
    const typed = isPiped ? (await terminal.readAll(options.nearby ? 'the code' : 'the link')).trim() : options.link
    const client = await connect('unlimited')
    const user = options.create && options.user !== undefined ? options.user : (await accountOf(client, options.user, 'Create it: --user <username> --create')).user
    const { name, address, create } = options
    const about = { ...(name === undefined ? {} : { name }), ...(address === undefined ? {} : { address }) }
    const link = options.nearby ? await findNearby(context, typed) : (typed ?? '')
    const ui = await openPairingUi(context, options.acceptRisk)
    let answer: ResultOf<'sync.accept'> | 'interrupted'
    let confirmed: ResultOf<'sync.confirm'> | 'interrupted'
    let id: string | undefined
    try {
      ui.calling()
      const accepting = client.call('sync.accept', { username: user, link, create, ...about }, {})
      // If the person cancels, a pairing that is created in the meantime is removed.
      accepting.then((late) => (id = late.pairing.id)).catch(() => undefined)
      answer = await ui.leave.or(accepting)
      if (answer === 'interrupted') {
        await accepting.catch(() => undefined)
        throw cancelledPairing()
      }
      const { pairing } = answer
      id = pairing.id
      await ui.compare(pairing, followPairings(client, user).over(id))
      ui.confirming(pairing)
      confirmed = await ui.leave.or(client.call('sync.confirm', { pairing: id }, {}))
      if (confirmed === 'interrupted') throw cancelledPairing()
    } catch (error) {
      await ui.close()
      if (id !== undefined) await withdrawPairing(client, id)
      throw error
    }
    const { peer } = confirmed
    await out.result(
      { peer, user },
      {
        id: peer.id,
        print: async () => {
          await writeFirstSync(out, client, ui, { user, peer: peer.id }, () => {
            out.done(`Paired with ${peer.name}: ${scopeWords(peer)} of ${user}.`)
            if (answer.isNew) {
              out.note(`  The account ${user} was created without a password. Set one: ${commandFor('users', 'set-password', user)}`)
            }
          })
          out.note(`  Check the progress: ${commandFor('sync', 'status')}`)
        },
      },
    )
  },
})

/**
 * Checks that there is a link or a code to read.
 * @throws CommandError 2
 */
function assertSource({ terminal }: Context, { nearby, link }: { nearby: boolean; link: string | undefined }): void {
  if (!nearby && link === undefined) throw usageError('<link> is missing', 'See: coffer sync accept --help')
  if (nearby && link !== undefined && link !== '-') {
    throw usageError('--nearby takes no link, and its code is not an argument, which others on this machine can read', 'Type the code when prompted, or pass - to read it from stdin.')
  }
  if (nearby && link === undefined && !terminal.mayAsk) throw usageError('The code cannot be prompted for without a terminal', 'Pass - to read it from stdin.')
}

/** The other node withdraws its offer when this one leaves. */
const cancelledPairing = (): CommandError =>
  new CommandError('Cancelled; nothing was paired.', { exit: 130, hint: 'Create a new link on the other node: coffer sync pair' })
