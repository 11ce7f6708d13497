/** Lookup and display of webhooks. */
import { CommandError, usageError } from '../../framework/exit.js'
import { baseId } from '../../client/access.js'
import { recordOf, textOf } from '../../client/answer.js'
import type { Authority, NodeClient, ResultOf } from '../../client/nodeClient.js'
import type { Output } from '../../terminal/output/out.js'

type Webhook = ResultOf<'webhooks.get'>['webhooks'][number]

/**
 * Returns the webhook with an id or a URL.
 * @throws CommandError 5 when there is none, 2 when several have the URL.
 */
export async function webhookNamed(client: NodeClient, as: Authority, word: string): Promise<Webhook> {
  const { webhooks: all } = await client.call('webhooks.get', {}, as)
  const byId = all.find((webhook) => webhook.id === word)
  if (byId !== undefined) return byId
  const [first, ...more] = all.filter((webhook) => webhook.url === word)
  if (first === undefined) {
    throw new CommandError(`There is no webhook ${JSON.stringify(word)}.`, { exit: 5, unknown: { kind: 'webhook', word } })
  }
  if (more.length === 0) return first
  const ids = [first, ...more].map((webhook) => webhook.id).join(', ')
  throw usageError(`Several webhooks have the URL ${printableAddress(word)}`, `Use the id: ${ids}`)
}

/** Returns the names of an account's accesses by their ids without versions. */
export async function accessNames(client: NodeClient, as: Authority): Promise<ReadonlyMap<string, string>> {
  const { accesses } = await client.call('accesses.get', { includeExpired: true }, as)
  return new Map(accesses.map((access) => [baseId(access.id), access.name]))
}

/** Returns the URL without possible secrets: the query, and credentials before the host. */
export function printableAddress(address: string): string {
  if (!URL.canParse(address)) return address
  const { protocol, host, pathname, search, username } = new URL(address)
  return `${protocol}//${username === '' ? '' : '…@'}${host}${pathname === '/' ? '' : pathname}${search === '' ? '' : '?…'}`
}

/** True when a webhook is inactive, or its latest call failed. */
export const isFailing = ({ state, currentRetries }: Webhook): boolean => state !== 'active' || currentRetries > 0

/** Formats the state: `active`, `inactive`, or `retrying 2/5`. */
export function stateOf({ state, currentRetries, maxRetries }: Webhook): string {
  return state !== 'active' || currentRetries === 0 ? state : `retrying ${currentRetries}/${maxRetries}`
}

/** Formats the status of a call: `200`, or `no answer`. */
export const statusWords = (status: number): string => (status === 0 ? 'no answer' : String(status))

/** Formats the last call: `200, 3 min ago`, with times formatted by `at`; a dash if it was never called. */
export function lastRunOf({ runCount, lastRun }: Webhook, at: (time: number) => string): string {
  return runCount === 0 ? '—' : `${statusWords(lastRun.status)}, ${at(lastRun.timestamp)}`
}

/** Returns the messages it sends: the default ones, or the names of its scopes. */
export function messagesOf({ scopes = {} }: Webhook): string[] {
  const names = Object.keys(scopes)
  return names.length === 0 ? ['eventsChanged', 'streamsChanged', 'accessesChanged'] : names
}

/** Formats a webhook, one line per field; `reveal` shows the full URL, `time` formats times. */
export function webhookLines(webhook: Webhook, accessName: string, reveal: boolean, time: Output['time']): string[] {
  const { id, accessId, url, runCount, failCount, maxRetries, minIntervalMs, created, createdBy, modified } = webhook
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const scopes = Object.entries(webhook.scopes ?? {}).map(([key, scope]) => {
    const { kind, query } = recordOf(scope)
    return `${key}: ${textOf(kind)} ${JSON.stringify(query)}`
  })
  return [
    `${reveal ? url : printableAddress(url)}  ${id}`,
    ...line('State', stateWords(webhook, time)),
    ...line('Access', accessName === '' ? accessId : `${accessName} (${accessId})`),
    ...line('Messages', messagesOf(webhook).join(', ')),
    ...scopes.flatMap((words) => line('Scope', words)),
    ...line('Calls', runCount === 0 ? 'none yet' : `${runCount}, ${failCount === 0 ? 'none' : failCount} of them failed`),
    ...line('Interval', `${minIntervalMs / 1000} s or more`),
    ...line('Stops', `after more than ${maxRetries} failures in a row`),
    ...line('Created', `${time(created)}${createdBy === accessId ? '' : ` by ${createdBy}`}`),
    ...line('Changed', modified === created ? '' : time(modified)),
  ]
}

/** Formats the state and the next step. */
function stateWords({ state, currentRetries: retries, lastRun, minIntervalMs }: Webhook, time: Output['time']): string {
  if (state !== 'active') return `inactive${retries === 0 ? '' : ` (${retries} failures in a row)`}`
  if (retries === 0) return 'active'
  const next = lastRun.timestamp + (retries * minIntervalMs) / 1000
  return `active, ${retries === 1 ? 'the latest call' : `the latest ${retries} calls`} failed; next call ${time(next)}`
}
