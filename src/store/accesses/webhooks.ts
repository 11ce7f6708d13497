/**
 * Storage of webhooks. The owner's settings are journaled; the state of runs and the pending messages are not, since calls are
 * frequent and concern this node alone. One key per access lists its webhooks, so that a transaction ends them together. A
 * node-wide list holds the active ones. Addresses are encrypted, since even their paths often contain secrets.
 */
import type { Account, Transaction } from '../engine/account.js'
import { each, type Database } from '../engine/database.js'
import { accountKeys, nodeKeys, under } from '../engine/keys.js'
import { isActive, noRuns, type PendingMessages, type WebhookRuns, type Webhook } from '../model/webhook.js'
import type { Seal } from '../keyring/seal.js'
import type { RecordReader } from '../engine/recordReader.js'

const parsed = <T>(text: string | undefined): T | undefined => (text === undefined ? undefined : (JSON.parse(text) as T))

/** Stored record with an encrypted address; plain in an earlier format, until the webhook is changed. */
type StoredWebhook = Omit<Webhook, 'url'> & ({ sealedUrl: string } | { url: string })

/** Decodes the webhook of a record. @throws Error when another key encrypted its address, or it was altered */
export function textToWebhook(seal: Seal, account: string, text: string): Webhook {
  const stored = JSON.parse(text) as StoredWebhook
  if ('url' in stored) return stored
  const { sealedUrl, id, accessId, ...rest } = stored
  return { id, accessId, url: seal.open(sealedUrl, accountKeys.webhook(account, id)), ...rest }
}

function webhookToText(seal: Seal, account: string, { url, ...webhook }: Webhook): string {
  const sealedUrl = seal.seal(url, accountKeys.webhook(account, webhook.id))
  return JSON.stringify({ ...webhook, sealedUrl } satisfies StoredWebhook)
}

/** Returns a webhook by id. */
export function findWebhook(reader: RecordReader, seal: Seal, account: string, id: string): Webhook | undefined {
  const text = reader.get(accountKeys.webhook(account, id))
  return text === undefined ? undefined : textToWebhook(seal, account, text)
}

/** Returns a webhook by id without its address. */
export const findWebhookWithoutUrl = (reader: RecordReader, account: string, id: string): Omit<Webhook, 'url'> | undefined =>
  parsed<StoredWebhook>(reader.get(accountKeys.webhook(account, id)))

/** Returns the results of a webhook's calls. */
export const readRuns = (reader: RecordReader, account: string, id: string): WebhookRuns =>
  parsed<WebhookRuns>(reader.get(accountKeys.webhookRuns(account, id))) ?? noRuns

/** Returns the pending messages of a webhook, if any. */
export const readPending = (reader: RecordReader, account: string, id: string): PendingMessages | undefined =>
  parsed<PendingMessages>(reader.get(accountKeys.webhookPending(account, id)))

/** Returns the ids of the webhooks of an access. */
export const webhooksOf = (reader: RecordReader, account: string, accessId: string): string[] =>
  parsed<string[]>(reader.get(accountKeys.webhooksOf(account, accessId))) ?? []

/** Returns all webhooks of an account. */
export async function listWebhooks({ db, prefix }: Pick<Account, 'db' | 'prefix'>, seal: Seal): Promise<Webhook[]> {
  const found: Webhook[] = []
  for await (const text of each(db.values(under(accountKeys.webhooks(prefix))))) found.push(textToWebhook(seal, prefix, text))
  return found
}

/** Returns all active webhooks, account by account, as the list is read. */
export async function* listActive(db: Database): AsyncGenerator<{ account: string; id: string }> {
  const prefix = nodeKeys.activeWebhooks
  for await (const key of each(db.keys(under(prefix)))) {
    const [account = '', id = ''] = key.slice(prefix.length).split('/')
    yield { account, id }
  }
}

function putRunsOf(t: Transaction, webhook: Pick<Webhook, 'id' | 'state'>, runs: WebhookRuns): void {
  const { id } = webhook
  t.put(accountKeys.webhookRuns(t.account, id), JSON.stringify(runs))
  const listed = nodeKeys.activeWebhook(t.account, id)
  if (isActive(webhook, runs)) t.put(listed, '')
  else t.delete(listed)
}

/** Adds a webhook or replaces its settings; `runs` replaces its results too. */
export function putWebhook(t: Transaction, seal: Seal, webhook: Webhook, action: 'create' | 'update', runs?: WebhookRuns): void {
  const { id, accessId } = webhook
  if (action === 'create') {
    const ids = [...webhooksOf(t, t.account, accessId), id]
    t.put(accountKeys.webhooksOf(t.account, accessId), JSON.stringify(ids))
  }
  t.put(accountKeys.webhook(t.account, id), webhookToText(seal, t.account, webhook))
  putRunsOf(t, webhook, runs ?? readRuns(t, t.account, id))
  t.journal('webhook', action, id)
}

/** Writes the results of a webhook's calls, unless the webhook is gone. */
export function putRuns(t: Transaction, id: string, runs: WebhookRuns): void {
  const webhook = findWebhookWithoutUrl(t, t.account, id)
  if (webhook !== undefined) putRunsOf(t, webhook, runs)
}

/** Writes the pending messages of a webhook, and removes the record when there are none. Ignores a webhook that is gone. */
export function putPending(t: Transaction, id: string, pending: PendingMessages): void {
  const key = accountKeys.webhookPending(t.account, id)
  if (pending.messages.length === 0) t.delete(key)
  else if (t.get(accountKeys.webhook(t.account, id)) !== undefined) t.put(key, JSON.stringify(pending))
}

function erase(t: Transaction, id: string): void {
  const { account } = t
  t.delete(accountKeys.webhook(account, id))
  t.delete(accountKeys.webhookRuns(account, id))
  t.delete(accountKeys.webhookPending(account, id))
  t.delete(nodeKeys.activeWebhook(account, id))
  t.journal('webhook', 'delete', id)
}

/** Removes a webhook with all its records. */
export function removeWebhook(t: Transaction, { id, accessId }: Pick<Webhook, 'id' | 'accessId'>): void {
  const left = webhooksOf(t, t.account, accessId).filter((other) => other !== id)
  const key = accountKeys.webhooksOf(t.account, accessId)
  if (left.length === 0) t.delete(key)
  else t.put(key, JSON.stringify(left))
  erase(t, id)
}

/** Removes the webhooks of an access before it is deleted. */
export function removeWebhooksOf(t: Transaction, accessId: string): void {
  const ids = webhooksOf(t, t.account, accessId)
  if (ids.length === 0) return
  for (const id of ids) erase(t, id)
  t.delete(accountKeys.webhooksOf(t.account, accessId))
}

/** Removes the webhooks of an account being erased from the list of active ones. */
export function releaseWebhooks(t: Transaction, ids: readonly string[]): void {
  for (const id of ids) t.delete(nodeKeys.activeWebhook(t.account, id))
}

/** Returns the ids of an account's active webhooks. */
export async function listActiveOf({ db, prefix }: Pick<Account, 'db' | 'prefix'>): Promise<string[]> {
  const all = nodeKeys.activeWebhook(prefix, '')
  const found: string[] = []
  for await (const key of each(db.keys(under(all)))) found.push(key.slice(all.length))
  return found
}
