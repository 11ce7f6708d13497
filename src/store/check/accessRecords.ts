/**
 * Checks the records that belong to accesses: webhooks with their call history, shared secrets, consents with their
 * message tasks, and delegations. accesses.ts checks the accesses themselves.
 */
import { TASK_KINDS, taskContext } from '../accesses/consentTasks.js'
import { controlledAccounts, delegates, endpointContext, type Relations } from '../accesses/delegations.js'
import { textToSecret } from '../accesses/sharedSecrets.js'
import { textToWebhook } from '../accesses/webhooks.js'
import { accountKeys, nodeKeys, ORDERED_LENGTH, orderedToNumber } from '../engine/keys.js'
import type { Seal } from '../keyring/seal.js'
import { markerOf, type Controlled, type Delegate, type Marker } from '../model/delegation.js'
import type { SharedSecret } from '../model/sharedSecret.js'
import { isActive, type Webhook } from '../model/webhook.js'
import { expectAccess } from './accesses.js'
import { expectValue, objectIn, recordOf, textOf, type CheckContext, type Entry, type ExpectedEntry } from './crossReference.js'

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
    demands.push(expectValue(nodeKeys.activeWebhook(account, id), '', where, 'entry in the list of active webhooks'))
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

const secretAt = (account: string, id: string): string => `account ${account}, shared secret ${id}`

/** Parses a stored secret; undefined when required members are missing. */
function secretIn(text: string | undefined): (SharedSecret & { sealed?: string }) | undefined {
  const stored = objectIn(text)
  const texts = [stored?.['id'], stored?.['accessId'], stored?.['keyHash'], stored?.['status'], stored?.['title']]
  const isSecret = texts.every((member) => typeof member === 'string') && typeof stored?.['time'] === 'number'
  return isSecret ? (stored as unknown as SharedSecret & { sealed?: string }) : undefined
}

/** Checks a secret, `<id>`: its index entry by access exists, and it has a value exactly while it is pending. */
export function expectedSecretEntries({ findings }: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  findings.count('shared secrets')
  const { account, rest: id } = entry
  const where = secretAt(account, id)
  const text = textOf(entry)
  const secret = secretIn(text)
  if (secret === undefined || secret.id !== id) {
    findings.report(where, 'has a record that cannot be read')
    return []
  }
  const isPending = secret.status === 'pending'
  if (isPending && secret.sealed === undefined) findings.report(where, 'is pending but has no value')
  if (!isPending && secret.sealed !== undefined) findings.report(where, 'has ended but still has its value')
  if (isPending && seal !== undefined && !opens(seal, account, text)) {
    findings.report(where, 'has a value that this node key cannot decrypt')
  }
  const indexKey = accountKeys.sharedSecretBy(account, secret.accessId, secret.time, id)
  return [expectValue(indexKey, '', where, 'entry of its access')]
}

function opens(seal: Seal, account: string, text: string): boolean {
  try {
    textToSecret(seal, account, text).open?.()
    return true
  } catch {
    return false
  }
}

/** Expects the secret of an index entry, `<access>/<time><id>`, with that access and time. */
export function expectedSecretByAccessEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  findings.count('shared secrets of accesses')
  const { account, rest } = entry
  const slash = rest.indexOf('/')
  const [accessId, end] = [rest.slice(0, slash), rest.slice(slash + 1)]
  const id = end.slice(ORDERED_LENGTH)
  const wrong = (text: string | undefined): string | undefined => {
    const secret = secretIn(text)
    const isOf = secret?.accessId === accessId && secret.time === orderedToNumber(end)
    return isOf ? undefined : 'is listed under an access that did not create it'
  }
  return [{ key: accountKeys.sharedSecret(account, id), where: secretAt(account, id), wrong }]
}

/** Expects the access of a relationship: `<peer>/<access>`. */
export function expectedRelationEntries({ findings }: CheckContext, { account, rest }: Entry): ExpectedEntry[] {
  const id = rest.slice(rest.indexOf('/') + 1)
  findings.count('relationships')
  return [expectAccess(accountKeys.relations(account) + rest, account, id, `the relationship ${rest} of account ${account}`)]
}

/** Expects the access of an offer link: `<capability>` → access id. */
export function expectedLinkEntries({ findings }: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  findings.count('links to offers')
  return [expectAccess(accountKeys.consentLink(account, rest), account, textOf(entry), `the link ${rest} of account ${account}`)]
}

/** Expects the access of a relationship: `<capability>/<peer>` → access id. */
export function expectedLinkMemberEntries(_: CheckContext, entry: Entry): ExpectedEntry[] {
  const { account, rest } = entry
  return [expectAccess(accountKeys.allJoined(account) + rest, account, textOf(entry), `the relationship of link ${rest} of account ${account}`)]
}

/** Checks a message task, `<id>` → JSON, and expects its entry in the node's list. */
export function expectedTaskEntries(context: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  const { account, rest } = entry
  const where = `account ${account}, message task ${rest}`
  context.findings.count('message tasks')
  const stored = objectIn(textOf(entry))
  const kinds: readonly unknown[] = TASK_KINDS
  const isWhole = stored?.['id'] === rest && kinds.includes(stored['kind']) && typeof stored['due'] === 'number'
  if (!isWhole) {
    context.findings.report(where, 'has a record that cannot be read')
    return []
  }
  const sealed = stored['sealedPayload']
  if (seal !== undefined && sealed !== undefined) {
    try {
      seal.open(String(sealed), taskContext(account, rest))
    } catch {
      context.findings.report(where, 'has a payload that this node key cannot decrypt')
    }
  }
  return [expectValue(nodeKeys.consentDue(account, rest), '', where, 'entry in the list of the node')]
}

type Stored = Record<string, unknown>

const isIdentity = (value: unknown): boolean => {
  const { username, hostSlug } = recordOf(value) ?? {}
  return typeof username === 'string' && typeof hostSlug === 'string'
}

/** Parses the record of an entry, and checks that its endpoints can be decrypted; undefined when unreadable. */
function readHalf(
  { findings }: CheckContext,
  entry: Entry,
  where: string,
  isWhole: (stored: Stored) => boolean,
  { sealed }: Pick<Relations<Delegate> | Relations<Controlled>, 'sealed'>,
  seal: Seal | undefined,
): Stored | undefined {
  const stored = objectIn(textOf(entry))
  if (stored === undefined || stored['relId'] !== entry.rest || typeof stored['requestedAt'] !== 'number' || !isWhole(stored)) {
    findings.report(where, 'has a record that cannot be read')
    return undefined
  }
  for (const member of seal === undefined ? [] : sealed) {
    const value = stored[member]
    if (value === undefined) continue
    try {
      seal?.open(String(value), endpointContext(entry.account, entry.rest, member))
    } catch {
      findings.report(where, 'has an endpoint that this node key cannot decrypt')
    }
  }
  return stored
}

/** Expects an access of the relationship. */
const ofRelation = (account: string, id: unknown, kind: Marker['kind'], relId: string, where: string): ExpectedEntry => ({
  key: accountKeys.access(account, String(id)),
  where,
  wrong(text) {
    const access = objectIn(text) as { clientData?: Record<string, unknown> } | undefined
    if (access === undefined) return `refers to a missing ${kind} access`
    const marker = markerOf(access)
    return marker?.kind === kind && marker.relId === relId ? undefined : `refers to an access that is not its ${kind} access`
  },
})

/** Expects the accesses of a delegate, `<relationship>`; an active one has a control access. */
export function expectedDelegateEntries(context: CheckContext, entry: Entry, seal: Seal | undefined): ExpectedEntry[] {
  context.findings.count('delegates')
  const { account, rest: relId } = entry
  const where = `account ${account}, delegate ${relId}`
  const isWhole = ({ delegate, status, controlAccessId, notifyApiEndpoint }: Stored): boolean =>
    isIdentity(delegate) &&
    (status === 'invite' ||
      (status === 'active' && typeof controlAccessId === 'string' && typeof notifyApiEndpoint === 'string'))
  const stored = readHalf(context, entry, where, isWhole, delegates, seal)
  if (stored === undefined) return []
  const { controlAccessId, patAccessId } = stored
  return [
    ...(controlAccessId === undefined ? [] : [ofRelation(account, controlAccessId, 'control', relId, where)]),
    ...(patAccessId === undefined ? [] : [ofRelation(account, patAccessId, 'delegate-pat', relId, where)]),
  ]
}

/** Checks a controlled account, `<relationship>`; each status requires its endpoint. */
export function checkControlled(context: CheckContext, entry: Entry, seal: Seal | undefined): void {
  context.findings.count('controlled accounts')
  const isWhole = ({ controlled, status, capabilityUrl, controlApiEndpoint }: Stored): boolean =>
    isIdentity(controlled) &&
    ((status === 'invite' && typeof capabilityUrl === 'string') ||
      (status === 'active' && typeof controlApiEndpoint === 'string') ||
      status === 'stale')
  readHalf(context, entry, `account ${entry.account}, controlled ${entry.rest}`, isWhole, controlledAccounts, seal)
}
