/**
 * Imports an account from an archive. All content is validated as untrusted; invalid items are reported by line and
 * skipped. Items are written like new ones, with their own changes and journal entries. The account becomes visible only
 * with the last transaction, which writes its user, names and accesses; without it, everything is erased.
 */
import { randomBytes } from 'node:crypto'
import type { Account, Transaction } from '../../store/engine/account.js'
import {
  accountOfUsername,
  finishImport,
  listUsernames,
  namesOf,
  putUser,
  readUser,
  retireUsername,
  type User,
} from '../../store/accounts/users.js'
import type { Archive } from '../../store/backup/archive.js'
import { ArchiveDamaged, differing } from '../../store/backup/manifest.js'
import { putEnrolment, sealTotpSecret } from '../../store/accounts/credentials.js'
import { Failure } from '../../store/model/failure.js'
import type { Name } from '../platform/registry/port.js'
import { findEvent } from '../../store/events/events.js'
import { COUNTERS } from '../../store/model/systemStreams.js'
import { isActive, noRuns } from '../../store/model/webhook.js'
import { writeField } from '../api/shared/accountFields.js'
import { hashPassword } from '../auth/password.js'
import { readJson } from '../call/json/readJson.js'
import { assertWritable } from '../dispatch/uploads.js'
import type { Context } from '../call/context.js'
import { claiming, assertNamesFree } from '../api/shared/names.js'
import { readOwner, type Owner } from './accountShape.js'
import { ImportTarget } from './importTarget.js'
import { countStored } from './countStored.js'
import { FILE, LINES, noCounts, assertLineKinds, type LineFile } from './format.js'
import { importAccesses, importWebhooks, stageAccesses, stageWebhooks, type ImportedAccess, type ImportedWebhook } from './importAccesses.js'
import { importEvents, importSeries } from './importEvents.js'
import { importHistory } from './importHistory.js'
import { importDeletions, importProfiles, importSlices, importStreams } from './importItems.js'
import { linesIn } from './lineReader.js'
import { Report } from './report.js'
import type { ImportOptions, Imported, Import } from './importContext.js'

const MAX_ACCOUNT_BYTES = 16 * 1024 * 1024
const UNGUESSABLE_BYTES = 32

/**
 * Imports an account from an archive.
 * @throws Failure `invalid-operation` for another kind of archive, `item-already-exists` for names in use,
 *   `corrupted-data` for an invalid `account.ndjson`; ArchiveDamaged; the abort reason of `signal`
 */
export async function importAccount(node: Context, archive: Archive, options: ImportOptions = {}): Promise<Imported> {
  assertLineKinds(archive.manifest)
  assertWritable(node)
  const owner = readOwner(node, await accountLine(archive), options)
  await keepFreeNames(node, owner)
  const names = claimsOf(owner)
  await assertNamesFree(node, names)
  const account = options.dryRun === true ? undefined : await node.store.createHiddenAccount()
  try {
    return await fill(node, archive, owner, account, names, options)
  } catch (error) {
    if (account !== undefined) await abandon(node, account)
    throw error
  }
}

async function fill(
  node: Context,
  archive: Archive,
  owner: Owner,
  account: Account | undefined,
  names: readonly Name[],
  { progress, signal }: ImportOptions,
): Promise<Imported> {
  const report = new Report()
  const counts = noCounts()
  const arrival = new ImportTarget(node, account)
  const bytesOf = async function* (file: LineFile): AsyncGenerator<Uint8Array> {
    const member = archive.members.find((each) => each.kind === LINES && each.file === file)
    if (member === undefined) return
    for await (const chunk of archive.read(member)) {
      signal?.throwIfAborted()
      progress?.(chunk.length, archive.manifest.bytes)
      yield chunk
    }
  }
  const work: Import = {
    node,
    archive,
    owner,
    target: arrival,
    report,
    types: {
      check: (type, content) => node.eventTypes.check(type, content)?.map(({ message }) => message).join(' '),
      seriesType: (type) => node.eventTypes.seriesType(type),
    },
    files: new Map(archive.members.filter(({ kind }) => kind === FILE).map((member) => [member.digest, member])),
    assignedFiles: new Set(),
    lines: (file) => linesIn(file, bytesOf(file), report),
    count(noun, by = 1) {
      counts[noun] += by
    },
  }
  await arrival.add((t) => fillCounters(node, arrival.account, t), 1000)
  await importStreams(work)
  await importProfiles(work)
  const accesses = await importAccesses(work)
  const webhooks = await importWebhooks(work, accesses)
  await importSlices(work)
  await importDeletions(work)
  await importEvents(work)
  await importHistory(work)
  await importSeries(work)
  await arrival.flush()
  const inStore = account === undefined ? {} : await countStored(node.store.db, account.prefix)
  const restored = { users: 1, ...counts, ...inStore, accesses: accesses.length, webhooks: webhooks.length }
  if (account !== undefined) await complete(node, account, owner, names, { accesses, webhooks })
  const input = archive.manifest.counts
  const { refusals, refused } = report
  return {
    username: owner.user.username,
    asked: input,
    restored,
    differences: differing(input, restored),
    activeWebhooks: webhooks.filter(({ webhook, runs = noRuns }) => isActive(webhook, runs)).map(({ webhook }) => webhook.id),
    pausedWebhooks: webhooks.filter(({ isPaused }) => isPaused).map(({ webhook }) => webhook.id),
    refusals,
    refused,
  }
}

async function accountLine(archive: Archive): Promise<unknown> {
  const member = archive.members.find(({ kind, file }) => kind === LINES && file === 'account.ndjson')
  if (member === undefined) throw new ArchiveDamaged(archive.folder, 'it has no account.ndjson')
  if (member.bytes > MAX_ACCOUNT_BYTES) throw new Failure('corrupted-data', 'account.ndjson is too long.')
  const text = (await archive.whole(member)).toString('utf8')
  try {
    return readJson(text)
  } catch {
    throw new Failure('corrupted-data', 'account.ndjson is not one line of JSON.')
  }
}

/** Drops former names taken by other accounts, and an id that another account has. */
async function keepFreeNames({ store, newId }: Context, { user }: Owner): Promise<void> {
  const free = user.formerUsernames?.filter((name) => accountOfUsername(store.db, name) === undefined)
  if (free === undefined || free.length === 0) delete user.formerUsernames
  else user.formerUsernames = free
  for (const { account } of await listUsernames(store.db)) {
    if (readUser(store.db, account)?.id === user.id) user.id = newId()
  }
}

/** Lists the unique names to claim. */
function claimsOf({ user }: Owner): Name[] {
  const { usernames, unique } = namesOf(user as User)
  return [
    ...usernames.map((value) => ({ field: 'username', value })),
    ...unique.map(([field, value]) => ({ field, value })),
  ]
}

/** Resets the node's size counters; imported file events add to them. */
function fillCounters(node: Context, account: Account, t: Transaction): void {
  for (const id of COUNTERS) {
    const field = node.systemStreams.byStream(id)
    if (field?.isShown === true) writeField(node, account, t, field, 0, 'system')
  }
}

/** Commits the last transaction, which makes the account visible. */
async function complete(
  node: Context,
  account: Account,
  { user, mfa }: Owner,
  names: readonly Name[],
  { accesses, webhooks }: { accesses: readonly ImportedAccess[]; webhooks: readonly ImportedWebhook[] },
): Promise<void> {
  const passwordHash = user.passwordHash ?? (await hashPassword(randomBytes(UNGUESSABLE_BYTES).toString('base64url')))
  await claiming(node, { account: user.id, by: 'creation', take: names }, (enter) =>
    account.write((t) => {
      enter(t)
      for (const former of user.formerUsernames ?? []) retireUsername(t, former)
      putUser(t, { ...user, passwordHash }, 'create')
      fillFields(node, account, t, user)
      stageAccesses(node, t, accesses)
      stageWebhooks(node, t, webhooks)
      if (mfa !== undefined) {
        const { totp } = mfa
        const sealed = totp === undefined ? {} : { totp: { ...totp, secret: sealTotpSecret(node.store.seal, t.account, totp.secret) } }
        putEnrolment(t, { ...mfa, ...sealed })
      }
      finishImport(t)
    }),
  )
}

/** Fills account fields missing in the archive. */
function fillFields(node: Context, account: Account, t: Transaction, { unique }: Pick<User, 'unique'>): void {
  for (const field of node.systemStreams.fields) {
    if (!field.isShown || field.isContainer || findEvent(t, t.account, field.streamId) !== undefined) continue
    const value = (field.isUnique ? unique[field.id] : undefined) ?? field.default
    if (typeof value === 'string' || typeof value === 'number') writeField(node, account, t, field, value, 'system')
  }
}

/** Erases a partial import. What cannot be erased now is erased at the next start. */
async function abandon(node: Context, account: Account): Promise<void> {
  await node.store.eraseAccount(account, () => Promise.resolve(finishImport)).catch((error: unknown) => {
    node.log.warn('a partial import will be erased at the next start', { error: String(error) })
  })
}
