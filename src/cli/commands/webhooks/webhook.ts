/** Webhooks as commands find and show them. */
import { CommandError, usageError } from '../../framework/exit.js'
import { baseId } from '../../client/access.js'
import { listOf, numberOf, recordOf, textOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import type { Authority, NodeClient } from '../../client/nodeClient.js'
import { when } from '../../terminal/output/format.js'

/**
 * The webhook of an id or an address.
 * @throws CommandError 5 when there is none, 2 when several have the address.
 */
export async function webhookNamed(client: NodeClient, as: Authority, word: string): Promise<Record_> {
  const { webhooks } = await client.call('webhooks.get', {}, as)
  const all = listOf(webhooks)
  const byId = all.find((webhook) => webhook['id'] === word)
  if (byId !== undefined) return byId
  const [first, ...more] = all.filter((webhook) => webhook['url'] === word)
  if (first === undefined) {
    const hint = 'See what there is: coffer webhooks list'
    throw new CommandError(`There is no webhook ${JSON.stringify(word)}.`, { exit: 5, hint })
  }
  if (more.length === 0) return first
  const ids = [first, ...more].map((webhook) => textOf(webhook['id'])).join(', ')
  throw usageError(`More than one webhook has the address ${shownAddress(word)}`, `Say which by its id: ${ids}`)
}

/** The names of an account's accesses, by their ids without versions. */
export async function accessNames(client: NodeClient, as: Authority): Promise<ReadonlyMap<string, string>> {
  const { accesses } = await client.call('accesses.get', { includeExpired: true }, as)
  return new Map(listOf(accesses).map((access) => [baseId(textOf(access['id'])), textOf(access['name'])]))
}

/** The address without what may be secret in it: the query, and a name and password before the host. */
export function shownAddress(url: unknown): string {
  const address = textOf(url)
  if (!URL.canParse(address)) return address
  const { protocol, host, pathname, search, username } = new URL(address)
  return `${protocol}//${username === '' ? '' : '…@'}${host}${pathname === '/' ? '' : pathname}${search === '' ? '' : '?…'}`
}

/** Whether a webhook is stopped, or its latest call failed. */
export const isFailing = (webhook: Record_): boolean =>
  webhook['state'] !== 'active' || (numberOf(webhook['currentRetries']) ?? 0) > 0

/** `active`, `inactive`, or `retrying 2/5`. */
export function stateOf(webhook: Record_): string {
  const retries = numberOf(webhook['currentRetries']) ?? 0
  if (webhook['state'] !== 'active' || retries === 0) return textOf(webhook['state'])
  return `retrying ${retries}/${textOf(webhook['maxRetries'])}`
}

/** The status of a call: `200`, or `no answer`. */
export const statusWords = (status: unknown): string => (status === 0 ? 'no answer' : textOf(status))

/** `200, 3 min ago`, as `at` says times; a dash for what was never called. */
export function lastRunOf(webhook: Record_, at: (time: number) => string): string {
  if (webhook['runCount'] === 0) return '—'
  const { status, timestamp } = recordOf(webhook['lastRun'])
  return `${statusWords(status)}, ${at(numberOf(timestamp) ?? 0)}`
}

/** What its address is told: the messages, or for a scoped one the names of its scopes. */
export function messagesOf(webhook: Record_): string[] {
  const names = Object.keys(recordOf(webhook['scopes']))
  return names.length === 0 ? ['eventsChanged', 'streamsChanged', 'accessesChanged'] : names
}

/** A webhook for people, field by field; `reveal` shows the whole address. */
export function webhookLines(webhook: Record_, accessName: string, reveal: boolean): string[] {
  const { id, accessId, url, runCount, failCount, maxRetries, minIntervalMs, created, createdBy, modified } = webhook
  const line = (title: string, value: string): string[] => (value === '' ? [] : [`  ${title.padEnd(9)} ${value}`])
  const scopes = Object.entries(recordOf(webhook['scopes'])).map(([key, scope]) => {
    const { kind, query } = recordOf(scope)
    return `${key}: ${textOf(kind)} ${JSON.stringify(query)}`
  })
  return [
    `${reveal ? textOf(url) : shownAddress(url)}  ${textOf(id)}`,
    ...line('State', stateWords(webhook)),
    ...line('Access', accessName === '' ? textOf(accessId) : `${accessName} (${textOf(accessId)})`),
    ...line('Told of', messagesOf(webhook).join(', ')),
    ...scopes.flatMap((words) => line('Scope', words)),
    ...line('Calls', runCount === 0 ? 'none yet' : `${textOf(runCount)}, ${failCount === 0 ? 'none' : textOf(failCount)} of them failed`),
    ...line('Between', `${(numberOf(minIntervalMs) ?? 0) / 1000} s at least`),
    ...line('Stops', `after more than ${textOf(maxRetries)} failures in a row`),
    ...line('Created', `${when(numberOf(created) ?? 0)}${createdBy === accessId ? '' : ` by ${textOf(createdBy)}`}`),
    ...line('Changed', modified === created ? '' : when(numberOf(modified) ?? 0)),
  ]
}

/** The state with what comes next. */
function stateWords(webhook: Record_): string {
  const retries = numberOf(webhook['currentRetries']) ?? 0
  if (webhook['state'] !== 'active') return `inactive: it is not called${retries === 0 ? '' : ` (${retries} failures in a row)`}`
  if (retries === 0) return 'active'
  const last = numberOf(recordOf(webhook['lastRun'])['timestamp']) ?? 0
  const next = last + (retries * (numberOf(webhook['minIntervalMs']) ?? 0)) / 1000
  return `active, ${retries === 1 ? 'the latest call' : `the latest ${retries} calls`} failed; next call ${when(next)}`
}
