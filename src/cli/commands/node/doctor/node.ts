/** Checks of a running node: clock, limits, peers, webhooks and pending requests. */
import { textOf } from '../../../client/answer.js'
import { amount, counted } from '../../../terminal/output/format.js'
import { copiedWords } from '../../sync/shared/peer.js'
import { fault, fine, off, warning, withFacts, type Check } from './finding.js'

const FEW_FILES = 1024
const MAX_SKEW_S = 5

/** Checks whether a peer refused because the clocks differ (sync/session/hello.ts). */
const isClockReason = (reason: unknown): boolean => /\bclocks? /i.test(textOf(reason))

export const clock: Check = {
  name: 'clock',
  run: withFacts(({ time, peers }, { now }) => {
    const skewed = peers.filter(({ state, reason }) => state === 'refused' && isClockReason(reason))
    const ownSkew = Math.abs(time - now)
    if (ownSkew > MAX_SKEW_S) return [fault(`the node's clock and this terminal's differ by ${Math.round(ownSkew)} s`, 'restart the node')]
    if (skewed.length > 0) {
      return skewed.map(({ name, reason }) => fault(`${name}: ${reason ?? ''}`, 'set the clocks by NTP: timedatectl set-ntp true'))
    }
    const accepted = peers.filter(({ state }) => state === 'in-sync' || state === 'syncing' || state === 'behind').length
    return [accepted === 0 ? off('no peer to compare with') : fine(`accepted by ${counted(accepted, 'peer')}`)]
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
    if (peers.length === 0) return [off('no peers')]
    return peers.map((peer) => {
      const { name, user, state, behind, reason, putAside, copied } = peer
      const owner = `${name} (${user})`
      const next = commandFor('sync', 'status')
      if (copied !== undefined) return fault(`${owner}: ${copiedWords(peer)}`, commandFor('sync', 'new-identity'))
      if (state === 'refused') return fault(`${owner} is refused: ${reason ?? ''}`, next)
      if (state === 'behind') return warning(`${owner} is behind: ${counted(behind ?? 0, 'change')} to receive`, next)
      if (state === 'offline') return warning(`${owner} is offline${(reason ?? '') === '' ? '' : `: ${reason ?? ''}`}`, next)
      if (putAside > 0) return warning(`${owner}: ${counted(putAside, 'item')} put aside, beyond a sync limit`, commandFor('sync', 'conflicts'))
      return fine(`${owner} ${state}`)
    })
  }),
}

export const webhooks: Check = {
  name: 'webhooks',
  run: withFacts(({ stoppedWebhooks }, { context: { commandFor } }) => {
    if (stoppedWebhooks.length === 0) return [fine('none stopped')]
    return stoppedWebhooks.map(({ user, id, host, failed }) =>
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
    return [
      requests === 0 ? fine('no pending access requests') : warning(`${counted(requests, 'app')} requesting access`, commandFor('requests', 'list')),
      messagesDue === 0 ? fine('no pending messages') : warning(`${counted(messagesDue, 'message')} between accounts not yet delivered`, commandFor('consents', 'list')),
    ]
  }),
}
