import { renderUnicodeCompact } from 'uqr'
import { command, type Context } from '../../command.js'
import { CommandError, usageError } from '../../exit.js'
import { numberOf, recordOf, textOf, type Record_ } from '../../node/answer.js'
import type { Door } from '../../node/door.js'
import { interruption, type Interruption } from '../../node/interruption.js'
import { accountOf, userOption } from '../../node/user.js'
import { choice, flag, list, text } from '../../option.js'
import { shellWord } from '../../output/shell.js'
import { columnsOf } from '../../output/text.js'
import { askSame, refuseUnlessAnswerable, riskOption } from '../../sync/consent.js'
import { watchFirst } from '../../sync/firstSync.js'
import { followPairings, takeBack } from '../../sync/pairingFeed.js'
import { scopeWords } from '../../sync/peer.js'

/** `coffer sync pair`. */
export const pair = command({
  path: ['sync', 'pair'],
  summary: 'Offer a pairing to another node, and print the link for it',
  description:
    'Prints a command to run on the other node, and on a terminal a QR code with the link. The link is good for one node and ten minutes, and it is a secret as long. When the other node has come, both screens show the same three words; compare them, and confirm on both sides.\n\n' +
    'Without --share both nodes keep the whole account: streams, events with their files and series, profiles, and the accesses of apps and of people it is shared with. Passwords, sessions, second factors, webhooks and followed slices stay where they are. With --share only the named streams go, with all below them: --direction says whether this node sends them, receives what the other writes, or both.\n\n' +
    'The link names the address at which the other node reaches this one: the setting dnsLess.publicUrl, or where this node listens; --address says another.\n\n' +
    'With --no-wait the command ends at once, and whoever comes with the link first is paired without a question. Ctrl-C takes the offer back; once both have confirmed, the first sync is shown on a terminal, and Ctrl-C ends the watching, not the sync.',
  options: {
    user: userOption,
    share: flag('Share some streams only'),
    streams: list('The streams to share, parted by commas', { placeholder: 'ids', separator: ',' }),
    direction: choice(['send', 'receive', 'both'], 'Who writes what is shared; both without it'),
    name: text('What the other node is called here; without it, as it calls itself', { placeholder: 'name' }),
    address: text('Where the other node reaches this one', { placeholder: 'url' }),
    noWait: flag('Do not wait for the other node'),
    qr: flag('Print the QR code also where there is no terminal'),
    acceptRisk: riskOption,
  },
  examples: [
    { type: 'coffer sync pair', says: 'a copy of the only account, on another node of yours' },
    { type: 'coffer sync pair --user ana-lovelace --address https://home.example.org', says: 'where another node reaches this one' },
    { type: 'coffer sync pair --share --streams heart,diary --direction send', says: 'share two streams with somebody' },
    { type: 'coffer sync pair --no-wait --json | jq -r .link', says: 'for scripts' },
  ],
  json:
    '{"event":"offered","link","expires","address","pairing"}, then {"event":"paired","peer":{"id","name",…}} unless --no-wait is given',
  offline: false,
  async run(context, asked) {
    const { connect } = context
    if (asked.share !== asked.streams.length > 0) {
      throw usageError(asked.share ? '--streams <ids> is missing' : '--streams is for --share', 'See: coffer sync pair --help')
    }
    if (!asked.noWait) refuseUnlessAnswerable(context, asked.acceptRisk)
    const door = await connect('unlimited')
    const { user } = await accountOf(door, asked.user)
    const feed = followPairings(door, user)
    const ctrlC = interruption()
    const answer = await door.call('sync.offer', paramsOf(user, asked), {})
    const pairing = textOf(recordOf(answer['pairing'])['id'])
    await tellOffer(context, answer, user, asked)
    if (asked.noWait) return undefined
    try {
      const expires = numberOf(recordOf(answer['pairing'])['expires']) ?? Infinity
      const met = await ctrlC.or(within(expires - context.now(), feed.met(pairing)))
      if (met === 'interrupted') throw new CommandError('Cancelled; the offer was taken back.', { exit: 130 })
      await askSame(context, met, asked.acceptRisk, feed.over(pairing))
      await confirmed(context, door, ctrlC, { pairing, user })
      return undefined
    } catch (error) {
      await takeBack(door, pairing)
      throw error
    }
  },
})

interface Asked {
  share: boolean
  streams: readonly string[]
  direction?: string | undefined
  name?: string | undefined
  address?: string | undefined
  noWait: boolean
  qr: boolean
}

const paramsOf = (username: string, { share, streams, direction = 'both', name, address, noWait }: Asked): object => ({
  username,
  ...(share ? { share: { streams, direction } } : {}),
  ...(name === undefined ? {} : { name }),
  ...(address === undefined ? {} : { address }),
  ...(noWait ? { unattended: true } : {}),
})

async function tellOffer(context: Context, answer: Record_, user: string, { share, qr, noWait }: Asked): Promise<void> {
  const { out, terminal } = context
  const link = textOf(answer['link'])
  const { id, expires } = recordOf(answer['pairing'])
  if (out.json) await out.item({ event: 'offered', link, expires, address: answer['address'], pairing: id })
  else if (out.quiet) await out.line(link)
  else {
    out.note('Scan, or run on the other node:')
    // Who is shared with has an account of their own there, whose name nobody knows here.
    await out.line(`coffer sync accept ${shellWord(link)}${share ? '' : ` --user ${shellWord(user)} --create`}`)
    const code = renderUnicodeCompact(link, { border: 2 }).split('\n')
    const fits = !terminal.outIsTerminal || columnsOf(code[0] ?? '') + 2 <= terminal.width
    if (fits && (qr || terminal.outIsTerminal)) for (const line of code) await out.line(`  ${line}`)
    else if (!fits) out.note('This terminal is too narrow for the QR code.')
    out.note('The link is good for 10 minutes, for one node.')
    if (noWait) out.note('Whoever has it can pair: let nobody else see it.')
  }
  if (answer['isLocal'] === true) {
    out.warn(`${textOf(answer['address'])} is this machine alone: no other machine reaches it.`)
    out.note('  For others, name the address they reach: --address https://…, or coffer config set dnsLess.publicUrl https://…')
  }
}

async function within<T>(seconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, fail) => {
    if (!Number.isFinite(seconds)) return
    const over = new CommandError('Nobody came with the link in time.', { exit: 8, hint: 'Make another: coffer sync pair' })
    timer = setTimeout(() => fail(over), Math.max(0, seconds) * 1000)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

async function confirmed(
  context: Context,
  door: Door,
  ctrlC: Interruption,
  { pairing, user }: { pairing: string; user: string },
): Promise<void> {
  const { out, commandFor } = context
  out.note('Waiting for the other side to confirm …')
  const answer = await ctrlC.or(door.call('sync.confirm', { pairing }, {}))
  if (answer === 'interrupted') throw new CommandError('Cancelled; nothing was paired.', { exit: 130 })
  const peer = recordOf(answer['peer'])
  if (out.json) return out.item({ event: 'paired', peer })
  if (out.quiet) return out.line(textOf(peer['id']))
  out.done(`Paired with ${textOf(peer['name'])}: ${scopeWords(peer)} of ${user}.`)
  await watchFirst(context, door, { user, peer: textOf(peer['id']) }, ctrlC)
  out.note(`  See how it goes: ${commandFor('sync', 'status')}`)
}

