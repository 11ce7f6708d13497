/** Display of the cores of a platform and of their join tokens. */
import type { ResultOf } from '../../../client/nodeClient.js'
import { text } from '../../../framework/option.js'
import { amount } from '../../../terminal/output/format.js'
import type { Output } from '../../../terminal/output/out.js'

/** A core, as the node returns it. */
type Core = ResultOf<'cores.show'>['core']

/** A join token without its value. */
type JoinToken = ResultOf<'cores.tokens'>['tokens'][number]

export const CORE_JSON = '{"id","url","ip","ipv6","hosting","available","state","isLive","version","added","userCount"}'
export const TOKEN_JSON = '{"core","state","issuedAt","expiresAt","consumedAt","consumerIp"}'

export const coreArgument = text('Id of the core', { required: true, names: 'core' })

/** Returns a word for the state of a core: that of its record, or whether it runs. */
export function stateOf({ state, isLive }: Pick<Core, 'state' | 'isLive'>): string {
  if (state !== 'active') return state
  return isLive ? 'running' : 'not reachable'
}

/** Formats a core, one line per value. */
export function coreLines(core: Core, time: Output['time']): string[] {
  const lines: [string, string | null][] = [
    ['Address', core.url],
    ['IPv4', core.ip],
    ['IPv6', core.ipv6],
    ['Hosting', core.hosting],
    ['State', stateOf(core)],
    ['New accounts', core.available ? 'accepted' : 'not accepted'],
    ['Accounts', amount(core.userCount)],
    ['Version', core.version],
    ['Added', core.added === 0 ? null : time(core.added)],
  ]
  return lines.flatMap(([title, value]) => (value === null ? [] : [`  ${title.padEnd(14)}${value}`]))
}

/** Formats a token on one line: its state with the time of its use or expiry. */
export function tokenLine({ state, expiresAt, consumedAt, consumerIp }: JoinToken, time: Output['time']): string {
  if (state === 'open') return `open until ${time(expiresAt)}`
  if (state === 'expired') return `expired at ${time(expiresAt)}`
  return `used at ${time(consumedAt ?? 0)}${consumerIp === null ? '' : ` from ${consumerIp}`}`
}
