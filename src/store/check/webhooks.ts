/** Webhooks, what leads to them, and what became of their calls. */
import { accountKeys, nodeKeys } from '../engine/keys.js'
import { isActive, type Webhook } from '../model/webhook.js'
import type { Seal } from '../keyring/seal.js'
import { textToWebhook } from '../accesses/webhooks.js'
import { holding, objectIn, textOf, type CheckContext, type ExpectedEntry, type Entry } from './crossReference.js'

const webhookAt = (account: string, id: string): string => `account ${account}, webhook ${id}`

type Unaddressed = Omit<Webhook, 'url'>

/** The webhook in a text, as far as its members say that it is one. */
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

/** Whether the state of the runs in a text lets a webhook be called. */
const lets = (webhook: Unaddressed, runs: string | undefined): boolean =>
  isActive(webhook, objectIn(runs)?.['isStopped'] === true ? { isStopped: true } : {})

/** The ids in a text, as far as it is a list of some. */
function idsIn(text: string | undefined): unknown[] {
  const list = objectIn(`{"ids":${text ?? '[]'}}`)?.['ids']
  return Array.isArray(list) ? list : []
}

/** A webhook: `<id>`. Its access is there and leads to it, and it is listed when it is called. */
export function expectedWebhookEntries({ db, findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('webhooks')
  const { account, rest: id } = entry
  const where = webhookAt(account, id)
  const webhook = webhookIn(textOf(entry))
  if (webhook === undefined || webhook.id !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  if (seal !== undefined && !hasAddress(seal, account, textOf(entry))) findings.report(where, 'has an address that this node key does not open')
  const { accessId } = webhook
  const runs = db.get(accountKeys.webhookRuns(account, id))
  if (runs === undefined) findings.report(where, 'lacks the state of its runs')
  const owned = (text: string | undefined): string | undefined => (text === undefined ? 'is of no access' : undefined)
  const led = (text: string | undefined): string | undefined =>
    idsIn(text).includes(id) ? undefined : 'lacks the entry of its access'
  const demands: ExpectedEntry[] = [
    { key: accountKeys.access(account, accessId), where, wrong: owned },
    { key: accountKeys.webhooksOf(account, accessId), where, wrong: led },
  ]
  if (lets(webhook, runs)) {
    demands.push(holding(nodeKeys.activeWebhook(account, id), '', where, 'place in the list of those that are called'))
  }
  return demands
}

/** The webhooks of an access: `<access id>`. Each is one of it. */
export function expectedWebhooksOfEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest: accessId } = entry
  findings.count('accesses with webhooks')
  const where = `account ${account}, access ${accessId}`
  const wrong = (text: string | undefined): string | undefined =>
    webhookIn(text)?.accessId === accessId ? undefined : 'leads to a webhook that is none of it'
  const ids = idsIn(textOf(entry))
  if (ids.length === 0) findings.report(where, 'has a list of webhooks that cannot be read')
  return ids.map((id) => ({ key: accountKeys.webhook(account, String(id)), where, wrong }))
}

/** What became of the calls of a webhook, or what it is to send: `<id>`. */
export function expectedOfWebhookEntries({ findings }: CheckContext, entry: Entry, name: 'runs' | 'messages'): ExpectedEntry[] {
  const { account, rest: id } = entry
  findings.count(name === 'runs' ? 'runs of webhooks' : 'messages due')
  const where = webhookAt(account, id)
  const saved = objectIn(textOf(entry))
  if (!Array.isArray(saved?.[name])) findings.report(where, `has ${name} that cannot be read`)
  const wrong = (text: string | undefined): string | undefined =>
    text === undefined ? `has ${name} and does not exist` : undefined
  return [{ key: accountKeys.webhook(account, id), where, wrong }]
}

/** An entry of the list of webhooks that are called: `<account>/<id>`. */
export function expectedActiveWebhookEntry({ db, findings }: CheckContext, place: string): ExpectedEntry {
  findings.count('active webhooks')
  const [account = '', id = ''] = place.split('/')
  const wrong = (text: string | undefined): string | undefined => {
    const webhook = webhookIn(text)
    if (webhook === undefined) return 'is listed as called and does not exist'
    return lets(webhook, db.get(accountKeys.webhookRuns(account, id))) ? undefined : 'is listed as called and is inactive'
  }
  return { key: accountKeys.webhook(account, id), where: webhookAt(account, id), wrong }
}
