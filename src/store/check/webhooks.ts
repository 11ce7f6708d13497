/** Checks webhooks, their index entries, and their call history. */
import { accountKeys, nodeKeys } from '../engine/keys.js'
import { isActive, type Webhook } from '../model/webhook.js'
import type { Seal } from '../keyring/seal.js'
import { textToWebhook } from '../accesses/webhooks.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const webhookAt = (account: string, id: string): string => `account ${account}, webhook ${id}`

type Unaddressed = Omit<Webhook, 'url'>

/** Parses a stored webhook; undefined when required members are missing. */
function webhookIn(text: string | undefined): Unaddressed | undefined {
  const stored = objectIn(text)
  const isWebhook = [stored?.['id'], stored?.['accessId'], stored?.['sealedUrl'] ?? stored?.['url'], stored?.['state']].every(
    (member) => typeof member === 'string',
  )
  return isWebhook ? (stored as unknown as Unaddressed) : undefined
}

/** Checks that the node key decrypts the address of a webhook. */
function hasAddress(seal: Seal, account: string, text: string): boolean {
  try {
    return textToWebhook(seal, account, text).url !== ''
  } catch {
    return false
  }
}

/** Checks whether a webhook is called, given the stored state of its runs. */
const isCalled = (webhook: Unaddressed, runs: string | undefined): boolean =>
  isActive(webhook, objectIn(runs)?.['isStopped'] === true ? { isStopped: true } : {})

/** Parses a list of ids; empty for other texts. */
function idsIn(text: string | undefined): unknown[] {
  const list = objectIn(`{"ids":${text ?? '[]'}}`)?.['ids']
  return Array.isArray(list) ? list : []
}

/** Checks a webhook, `<id>`: its access exists and lists it, and the list of active webhooks has it if it is called. */
export function expectedWebhookEntries({ db, findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('webhooks')
  const { account, rest: id } = entry
  const where = webhookAt(account, id)
  const webhook = webhookIn(textOf(entry))
  if (webhook === undefined || webhook.id !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  if (seal !== undefined && !hasAddress(seal, account, textOf(entry))) findings.report(where, 'has an address that this node key cannot decrypt')
  const { accessId } = webhook
  const runs = db.get(accountKeys.webhookRuns(account, id))
  if (runs === undefined) findings.report(where, 'lacks the state of its runs')
  const owned = (text: string | undefined): string | undefined => (text === undefined ? 'belongs to a missing access' : undefined)
  const listed = (text: string | undefined): string | undefined =>
    idsIn(text).includes(id) ? undefined : 'is not in the list of its access'
  const demands: ExpectedEntry[] = [
    { key: accountKeys.access(account, accessId), where, wrong: owned },
    { key: accountKeys.webhooksOf(account, accessId), where, wrong: listed },
  ]
  if (isCalled(webhook, runs)) {
    demands.push(holding(nodeKeys.activeWebhook(account, id), '', where, 'entry in the list of active webhooks'))
  }
  return demands
}

/** Expects each webhook in the list of an access, `<access id>`, to belong to it. */
export function expectedWebhooksOfEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest: accessId } = entry
  findings.count('accesses with webhooks')
  const where = `account ${account}, access ${accessId}`
  const wrong = (text: string | undefined): string | undefined =>
    webhookIn(text)?.accessId === accessId ? undefined : 'lists a webhook of another access'
  const ids = idsIn(textOf(entry))
  if (ids.length === 0) findings.report(where, 'has a list of webhooks that cannot be read')
  return ids.map((id) => ({ key: accountKeys.webhook(account, String(id)), where, wrong }))
}

/** Expects the webhook of a call history or of pending messages: `<id>`. */
export function expectedOfWebhookEntries({ findings }: CheckContext, entry: Entry, name: 'runs' | 'messages'): ExpectedEntry[] {
  const { account, rest: id } = entry
  findings.count(name === 'runs' ? 'runs of webhooks' : 'messages due')
  const where = webhookAt(account, id)
  const saved = objectIn(textOf(entry))
  if (!Array.isArray(saved?.[name])) findings.report(where, `has ${name} that cannot be read`)
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined ? `has ${name} but does not exist` : undefined
  return [{ key: accountKeys.webhook(account, id), where, wrong }]
}

/** Expects the webhook of an entry in the list of active webhooks: `<account>/<id>`. */
export function expectedActiveWebhookEntry({ db, findings }: CheckContext, place: string): ExpectedEntry {
  findings.count('active webhooks')
  const [account = '', id = ''] = place.split('/')
  const wrong = (text: string | undefined): string | undefined => {
    const webhook = webhookIn(text)
    if (webhook === undefined) return 'is listed as active but does not exist'
    return isCalled(webhook, db.get(accountKeys.webhookRuns(account, id))) ? undefined : 'is listed as active but is inactive'
  }
  return { key: accountKeys.webhook(account, id), where: webhookAt(account, id), wrong }
}
