/** Lookup and display of webhooks. */
import { CommandError, usageError } from '../../framework/exit.js'
import { baseId } from '../../client/access.js'
import { numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import type { Output } from '../../terminal/output/out.js'

/**
 * Returns the webhook with an id or a URL.
 * @throws CommandError 5 when there is none, 2 when several have the URL.
 */
export async function webhookNamed(client: NodeClient, as: Authority, word: string): Promise<Record_> {
  const { webhooks } = await client.call('webhooks.get', {}, as)
  const all = webhooks
  const byId = all.find((webhook) => webhook.id === word)
  if (byId !== undefined) return byId
  const [first, ...more] = all.filter((webhook) => webhook.url === word)
  if (first === undefined) {
    const hint = 'List webhooks: coffer webhooks list'
    throw new CommandError(`No webhook ${JSON.stringify(word)}.`, { exit: 5, hint })
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
export function printableAddress(url: unknown): string {
  const address = textOf(url)
  if (!URL.canParse(address)) return address
  const { protocol, host, pathname, search, username } = new URL(address)
  return `${protocol}//${username === '' ? '' : '…@'}${host}${pathname === '/' ? '' : pathname}${search === '' ? '' : '?…'}`
}

/** True when a webhook is inactive, or its latest call failed. */
export const isFailing = (webhook: Record_): boolean =>
  webhook['state'] !== 'active' || (numberOf(webhook['currentRetries']) ?? 0) > 0

/** Formats the state: `active`, `inactive`, or `retrying 2/5`. */
export function stateOf(webhook: Record_): string {
  const retries = numberOf(webhook['currentRetries']) ?? 0
  if (webhook['state'] !== 'active' || retries === 0) return textOf(webhook['state'])
  return `retrying ${retries}/${textOf(webhook['maxRetries'])}`
}

/** Formats the status of a call: `200`, or `no answer`. */
export const statusWords = (status: unknown): string => (status === 0 ? 'no answer' : textOf(status))

/** Formats the last call: `200, 3 min ago`, with times formatted by `at`; a dash if it was never called. */
export function lastRunOf(webhook: Record_, at: (time: number) => string): string {
  if (webhook['runCount'] === 0) return '—'
  const { status, timestamp } = recordOf(webhook['lastRun'])
  return `${statusWords(status)}, ${at(numberOf(timestamp) ?? 0)}`
}

/** Returns the messages it sends: the default ones, or the names of its scopes. */
export function messagesOf(webhook: Record_): string[] {
  const names = Object.keys(recordOf(webhook['scopes']))
  return names.length === 0 ? ['eventsChanged', 'streamsChanged', 'accessesChanged'] : names
}

/** Formats a webhook, one line per field; `reveal` shows the full URL, `time` formats times. */
export function webhookLines(webhook: Record_, accessName: string, reveal: boolean, time: Output['time']): string[] {
  const { id, accessId, url, runCount, failCount, maxRetries, minIntervalMs, created, createdBy, modified } = webhook
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const scopes = Object.entries(recordOf(webhook['scopes'])).map(([key, scope]) => {
    const { kind, query } = recordOf(scope)
    return `${key}: ${textOf(kind)} ${JSON.stringify(query)}`
  })
  return [
    `${reveal ? textOf(url) : printableAddress(url)}  ${textOf(id)}`,
    ...line('State', stateWords(webhook, time)),
    ...line('Access', accessName === '' ? textOf(accessId) : `${accessName} (${textOf(accessId)})`),
    ...line('Messages', messagesOf(webhook).join(', ')),
    ...scopes.flatMap((words) => line('Scope', words)),
    ...line('Calls', runCount === 0 ? 'none yet' : `${textOf(runCount)}, ${failCount === 0 ? 'none' : textOf(failCount)} of them failed`),
    ...line('Interval', `${(numberOf(minIntervalMs) ?? 0) / 1000} s or more`),
    ...line('Stops', `after more than ${textOf(maxRetries)} failures in a row`),
    ...line('Created', `${time(numberOf(created) ?? 0)}${createdBy === accessId ? '' : ` by ${textOf(createdBy)}`}`),
    ...line('Changed', modified === created ? '' : time(numberOf(modified) ?? 0)),
  ]
}

/** Formats the state and the next step. */
function stateWords(webhook: Record_, time: Output['time']): string {
  const retries = numberOf(webhook['currentRetries']) ?? 0
  if (webhook['state'] !== 'active') return `inactive${retries === 0 ? '' : ` (${retries} failures in a row)`}`
  if (retries === 0) return 'active'
  const last = numberOf(recordOf(webhook['lastRun'])['timestamp']) ?? 0
  const next = last + (retries * (numberOf(webhook['minIntervalMs']) ?? 0)) / 1000
  return `active, ${retries === 1 ? 'the latest call' : `the latest ${retries} calls`} failed; next call ${time(next)}`
}
