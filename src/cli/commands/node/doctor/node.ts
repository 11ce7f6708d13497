/** Checks of a running node: clock, limits, peers, webhooks and pending requests. */
import { textOf } from '../../../client/answer.js'
import { amount, counted } from '../../../terminal/output/format.js'
import { copiedWords } from '../../sync/shared/peer.js'
import { fault, fine, off, warning, withFacts, type Check } from './finding.js'

const FEW_FILES = 1024
const MAX_SKEW_S = 5

/** Checks whether a refusal is about clocks (sync/session/hello.ts). */
const isClock = (reason: unknown): boolean => /\bclocks? /i.test(textOf(reason))

export const clock: Check = {
  name: 'clock',
  run: withFacts(({ time, peers }, { now }) => {
    const off_ = peers.filter(({ state, reason }) => state === 'refused' && isClock(reason))
    const own = Math.abs((time) - now)
    if (own > MAX_SKEW_S) return [fault(`the node's clock and this terminal's differ by ${Math.round(own)} s`, 'restart the node')]
    if (off_.length > 0) {
      return off_.map(({ name, reason }) => fault(`${name}: ${reason ?? ''}`, 'set the clocks by NTP: timedatectl set-ntp true'))
    }
    const met = peers.filter(({ state }) => state === 'in-sync' || state === 'syncing' || state === 'behind').length
    return [met === 0 ? off('no peer to compare with') : fine(`accepted by ${counted(met, 'peer')}`)]
  }),
}

export const limits: Check = {
  name: 'limits',
  run: withFacts(({ openFiles }) => {
    const limit = openFiles.limit ?? undefined
    if (limit === undefined) return [off('this system does not report the limit of open files')]
    if (limit >= FEW_FILES * 4) return [fine(`${amount(limit)} open files allowed`)]
    return [warning(`only ${amount(limit)} open files allowed: each client and each table needs one`, 'ulimit -n 65536, or LimitNOFILE=65536 in the unit')]
  }),
}

export const sync: Check = {
  name: 'sync',
  run: withFacts(({ peers }, { context: { commandFor } }) => {
    const all = peers
    if (all.length === 0) return [off('no peers')]
    return all.map((peer) => {
      const { name, user, state, behind, reason, putAside, copied } = peer
      const owner = `${name} (${user})`
      const next = commandFor('sync', 'status')
      if (copied !== undefined) return fault(`${owner}: ${copiedWords(peer)}`, commandFor('sync', 'new-identity'))
      if (state === 'refused') return fault(`${owner} is refused: ${reason ?? ''}`, next)
      if (state === 'behind') return warning(`${owner} is behind, ${amount(behind ?? 0)} to come`, next)
      if (state === 'offline') return warning(`${owner} is offline${(reason ?? '') === '' ? '' : `: ${reason ?? ''}`}`, next)
      const aside = putAside
      if (aside > 0) return warning(`${owner}: ${counted(aside, 'item')} put aside, beyond a sync limit`, commandFor('sync', 'conflicts'))
      return fine(`${owner} ${state}`)
    })
  }),
}

export const webhooks: Check = {
  name: 'webhooks',
  run: withFacts(({ stoppedWebhooks }, { context: { commandFor } }) => {
    const stopped = stoppedWebhooks
    if (stopped.length === 0) return [fine('none stopped')]
    return stopped.map(({ user, id, host, failed }) =>
      warning(
        `${host} of ${user} ${failed === 0 ? 'was stopped while its access had ended' : 'failed too often'} and is inactive`,
        commandFor('webhooks', 'activate', id, '--user', user),
      ),
    )
  }),
}

export const waiting: Check = {
  name: 'waiting',
  run: withFacts(({ requests, messagesDue }, { context: { commandFor } }) => {
    const options = requests
    const due = messagesDue
    return [
      options === 0 ? fine('no pending access requests') : warning(`${counted(options, 'app')} asking for access`, commandFor('requests', 'list')),
      due === 0 ? fine('no pending messages') : warning(`${counted(due, 'message')} between accounts not yet delivered`, commandFor('consents', 'list')),
    ]
  }),
}
